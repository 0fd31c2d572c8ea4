"""Which part of a forked Codex session is its parent's history written again (formats.md 5.3.5).

The replay stands first, with new line times: they are the moment of the fork and say nothing about the messages. Its
end is exact where the parent is at hand: the first turn that the parent does not have or, without turn ids, the first
message that does not follow in the parent. Without the parent it is the burst in which the replay was written; a
message wrongly taken for a copy does no harm then, because a copy only counts where the parent holds the same message.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chatmem.readers._codex_log import Entry, Rollout


@dataclass(frozen=True, slots=True)
class Parent:
    """Turn ids and message ids of a session that others were forked from, in their order."""

    turns: frozenset[str]
    ids: tuple[str, ...]


def replay_end(
    rollout: Rollout, entries: Sequence[Entry], ids: Sequence[str], start: int, parent: Parent | None, has_meta: bool
) -> int:
    """The `order` before which an entry from `start` on is replayed.

    `ids` are the message ids of `entries`; `has_meta`: the header of another session announces a replay.
    """
    end = start
    if parent and any(m.order >= start for m in rollout.turns) and parent.turns:
        end = _turns_end(rollout, entries, ids, start, parent)
    elif parent:
        end = _matching_end(rollout, entries, ids, start, parent)
    return _burst_end(rollout, entries, start) if end == start and (parent is None or has_meta) else end


def _turns_end(rollout: Rollout, entries: Sequence[Entry], ids: Sequence[str], start: int, parent: Parent) -> int:
    """The end of what the parent holds, before the first turn that it does not have."""
    known = set(parent.ids)
    unknown = (m.order for m in rollout.turns if m.order >= start and m.value not in parent.turns)
    limit = next(unknown, len(rollout.entries))
    # In old files a prompt stands before the mark of its turn, so the mark alone would take it for a copy.
    orders = [e.order for e, i in zip(entries, ids, strict=True) if start <= e.order < limit and i in known]
    return max(orders, default=start - 1) + 1


def _matching_end(rollout: Rollout, entries: Sequence[Entry], ids: Sequence[str], start: int, parent: Parent) -> int:
    """The end of the longest run of messages that follow each other in the parent as they do here."""
    places = {message_id: place for place, message_id in enumerate(parent.ids)}
    limit = len(rollout.entries) if rollout.burst_end is None else rollout.burst_end
    end, before = start, -1
    for entry, message_id in zip(entries, ids, strict=True):
        if entry.order < start:
            continue
        place = places.get(message_id, -1)
        if place > before and entry.order < limit:
            end, before = entry.order + 1, place
        elif entry.hidden is None:
            break
    return end


def _burst_end(rollout: Rollout, entries: Sequence[Entry], start: int) -> int:
    """Where the first pause is; a turn that goes on after it is the fork's own, begun at once."""
    end = rollout.burst_end
    after = next((e for e in entries if end is not None and e.order >= end), None)
    if end is None or after is None:
        return len(rollout.entries) if end is None else end
    marks = [m for m in rollout.turns if start <= m.order < end]
    replies = (e for e in entries if e.order >= end and (e.role != "user" or e.hidden is not None))
    reply = next(replies, None)
    if marks:
        return marks[-1].order if reply and reply.turn == marks[-1].value else end
    prompts = [e.order for e in entries if start <= e.order < end and e.role == "user" and e.hidden is None]
    return prompts[-1] if prompts and after is reply else end
