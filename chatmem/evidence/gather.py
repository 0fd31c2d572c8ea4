"""Ranked units in, bounded cited excerpts out.

A result has one budget of tokens for all its excerpts. The best message comes first; then its counterpart (the answer
to a question, or the question of an answer), because a match is half of what was said; then the next best units.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from chatmem.archive import keys, read
from chatmem.archive.read import ChatRow, MessageRow
from chatmem.config import Settings
from chatmem.evidence.answer import Evidence, Excerpt, Score
from chatmem.evidence.excerpt import ELLIPSIS, excerpt, window
from chatmem.evidence.matches import Span, spans
from chatmem.search.lexical import Hit
from chatmem.search.run import Found
from chatmem.tokens import Count, Counter

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# The share of a result's budget that its first excerpt may use when there are others to show.
FIRST_SHARE = 0.6
MESSAGES_PER_UNIT = 40


@dataclass(frozen=True, slots=True)
class Candidate:
    """A message with the places of the question's words in it, and their weight."""

    message: MessageRow
    found: tuple[Span, ...]
    weight: float


def by_chat(
    connection: DuckDBPyConnection, found: Found, hits: Sequence[Hit], limit: int, settings: Settings, counter: Counter
) -> list[Evidence]:
    """One result per chat, in order of its best unit; chats that the query names come first."""
    units: dict[int, list[Hit]] = {no: [] for no in found.direct}
    for hit in hits:
        units.setdefault(hit.chat_no, []).append(hit)
    chosen = {no: mine[: settings.excerpts_per_chat] for no, mine in list(units.items())[:limit]}
    rows = read.chats(connection, list(chosen))
    texts = _unit_messages(connection, chosen)
    openings = _openings(connection, [no for no, mine in chosen.items() if not mine])
    spellings = _spellings(found)
    picked = {
        no: _pick(
            [_candidates(texts.get(h.unit_key, []), spellings) for h in mine] or [openings.get(no, [])],
            settings.excerpts_per_chat,
        )
        for no, mine in chosen.items()
    }
    count = _primed(counter, picked.values(), settings.excerpt_tokens)
    return [
        Evidence(
            rank, rows[no], _quote(rows[no], picked[no], settings.excerpt_tokens, count), _score(mine) if mine else None
        )
        for rank, (no, mine) in enumerate(chosen.items(), 1)
    ]


def by_message(
    connection: DuckDBPyConnection, found: Found, hits: Sequence[Hit], limit: int, settings: Settings, counter: Counter
) -> list[Evidence]:
    """One result per message: the best of each unit, or with a phrase every message that holds it."""
    wanted = list(hits[:limit])
    grouped: dict[int, list[Hit]] = {}
    for hit in wanted:
        grouped.setdefault(hit.chat_no, []).append(hit)
    rows = read.chats(connection, list(grouped))
    texts = _unit_messages(connection, grouped)
    spellings = _spellings(found)
    picked: list[tuple[Hit, Candidate]] = []
    for hit in wanted:
        candidates = _candidates(texts.get(hit.unit_key, []), spellings)
        if found.phrase_messages is None:
            picked += [(hit, c) for c in candidates[:1]]
        else:
            picked += [(hit, c) for c in candidates if c.message.message_key in found.phrase_messages]
    count = _primed(counter, [[c for _, c in picked]], settings.excerpt_tokens)
    return [
        Evidence(rank, rows[hit.chat_no], _quote(rows[hit.chat_no], [c], settings.excerpt_tokens, count), _score([hit]))
        for rank, (hit, c) in enumerate(picked[:limit], 1)
    ]


def opening_and_latest(
    connection: DuckDBPyConnection, rows: Sequence[ChatRow], settings: Settings, counter: Counter
) -> list[Evidence]:
    """For chats listed by time: how each began and its latest exchange."""
    found = read.ends(connection, [r.chat_no for r in rows])
    picked = [[Candidate(m, (), 0.0) for m in found.get(row.chat_no, [])] for row in rows]
    count = _primed(counter, picked, settings.excerpt_tokens)
    return [
        Evidence(rank, row, _quote(row, mine, settings.excerpt_tokens, count))
        for rank, (row, mine) in enumerate(zip(rows, picked, strict=True), 1)
    ]


def _primed(counter: Counter, picked: Iterable[Sequence[Candidate]], budget: int) -> Count:
    """A token counter for every excerpt that can be cut from these messages."""
    windows = [(c.message.text, window(c.message.text, c.found, budget)) for mine in picked for c in mine]
    return counter.within(text[left:right] for text, (left, right) in windows)


def _score(hits: Sequence[Hit]) -> Score:
    hit = hits[0]
    return Score(hit.score, hit.own, hit.context, hit.chat, hit.author_factor)


def _spellings(found: Found) -> dict[str, int]:
    return {spelling: i for i, slot in enumerate(found.slots) for spelling in slot.spellings}


def _unit_messages(connection: DuckDBPyConnection, chosen: dict[int, list[Hit]]) -> dict[int, list[MessageRow]]:
    units = [h.unit_key for mine in chosen.values() for h in mine]
    rows = read.messages_of_units(connection, [no for no, mine in chosen.items() if mine], units)
    grouped = groupby(rows, lambda m: m.message_key >> keys.OFFSET_BITS)
    return {unit: list(group)[:MESSAGES_PER_UNIT] for unit, group in grouped}


def _openings(connection: DuckDBPyConnection, numbers: list[int]) -> dict[int, list[Candidate]]:
    return {no: [Candidate(m, (), 0.0) for m in ms] for no, ms in read.ends(connection, numbers).items()}


def _candidates(messages: Iterable[MessageRow], spellings: dict[str, int]) -> list[Candidate]:
    """The messages of a unit, best first: most different words asked for, then most places, then the user's."""
    made = []
    for message in messages:
        found = tuple(spans(message.text, spellings))
        made.append(Candidate(message, found, len({s.slot for s in found}) + min(len(found), 20) / 100))
    return sorted(made, key=lambda c: (-c.weight, c.message.position))


def _pick(groups: Sequence[list[Candidate]], most: int) -> list[Candidate]:
    """Best message, its counterpart of the other side, then the best of the next units."""
    picked: list[Candidate] = []
    if groups and groups[0]:
        best = groups[0][0]
        picked.append(best)
        others = [c for c in groups[0][1:] if c.message.role != best.message.role]
        picked += others[:1]
    for group in groups[1:]:
        picked += group[:1]
    return picked[:most]


def _quote(row: ChatRow, picked: Sequence[Candidate], budget: int, count: Count) -> tuple[Excerpt, ...]:
    """Excerpts of the picked messages within one budget of tokens."""
    quoted: list[Excerpt] = []
    left = budget
    for i, candidate in enumerate(picked):
        rest = len(picked) - i - 1
        share = left if not rest else int(left * FIRST_SHARE)
        piece = excerpt(candidate.message.text, candidate.found, share, count)
        if not piece.text:
            continue
        left -= piece.tokens
        quoted.append(_excerpt(row, candidate, piece.text, piece.start, piece.end, piece.tokens))
    return tuple(quoted)


def _excerpt(row: ChatRow, candidate: Candidate, text: str, start: int, end: int, tokens: int) -> Excerpt:
    message = candidate.message
    # The mark of a cut at the front moves everything by one.
    shift = (text.startswith(ELLIPSIS) and not message.text.startswith(ELLIPSIS, start)) - start
    inside = [(s.start + shift, s.end + shift) for s in candidate.found if s.start >= start and s.end <= end]
    matched = tuple(dict.fromkeys(text[a:b] for a, b in inside))
    return Excerpt(
        ref=f"{row.chat_id}#{message.n}" if message.n else row.chat_id,
        message_id=message.message_id,
        role=message.role,
        author=message.author,
        created_at=message.created_at,
        text=text,
        tokens=tokens,
        matched=matched,
        spans=tuple(inside),
        hidden=message.hidden,
        branch=message.branch,
    )
