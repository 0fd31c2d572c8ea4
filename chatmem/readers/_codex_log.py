"""A Codex rollout, line by line (formats.md 5.2 to 5.4).

The talk is written twice, as `response_item` for the model and as `event_msg` for the screen. Both are collected and
one is chosen at the end: events only count for a side that has no visible item. Old files have no envelope: their
lines are the items themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo
from typing import Any, Literal

from chatmem.model import Attachment, Hidden, Role
from chatmem.readers import _codex_prompts as prompts
from chatmem.readers import clean
from chatmem.readers._agent_logs import attached, block_text, dump
from chatmem.readers.jsonstream import loads

Channel = Literal["item", "event", "completed", "rollback"]

ENVELOPES = {"session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state"}
_COUNTERS = {"token_usage_record", "security_risk_score"}
# Written in one go, a replayed history has no pauses; people do.
_PAUSE = timedelta(seconds=2)


@dataclass(slots=True)
class Entry:
    """One message in the making. `order` counts all entries of the file, chosen or not."""

    order: int
    channel: Channel
    role: Role
    hidden: Hidden | None
    text: str
    turn: str
    at: datetime | None
    pointer: str
    model: str | None = None
    files: tuple[Attachment, ...] = ()
    turns: int = 0


@dataclass(frozen=True, slots=True)
class Mark:
    """What happened just before entry `order`: a turn began, or the thread `of` was given a name."""

    order: int
    value: str
    of: str | None = None
    at: datetime | None = None


class Rollout:
    """Everything one file says. Feed it with `add`, then read the facts and `chosen`."""

    def __init__(self, zone: tzinfo) -> None:
        self.zone = zone
        self.metas: list[tuple[int, dict[str, Any]]] = []
        self.entries: list[Entry] = []
        self.turns: list[Mark] = []
        self.names: list[Mark] = []
        self.cwd: str | None = None
        self.model: str | None = None
        self.first_at: datetime | None = None
        self.last_at: datetime | None = None
        self.burst_end: int | None = None
        self.typed = False
        self.foreign = False
        self.unknown: dict[str, str] = {}
        self._turn = ""
        self._at: datetime | None = None
        self._pointer = ""

    def add(self, raw: dict[str, Any], pointer: str) -> str | None:
        """Take one line in. Returns what is wrong with it, or None."""
        is_first, self._pointer = not self._pointer, pointer
        kind = raw.get("type")
        if not isinstance(kind, str):
            return self._untyped(raw, is_first)
        if "." in kind and "payload" not in raw:
            self.foreign = True
            return None
        self._clock(clean.moment(raw.get("timestamp"), self.zone))
        self.typed = True
        if "payload" not in raw and kind not in ENVELOPES:
            return self._item(raw)
        payload = raw.get("payload")
        if not isinstance(payload, dict):
            return f"a line of type {kind[:40]} without a payload"
        return self._envelope(kind.lower(), payload)

    def _untyped(self, raw: dict[str, Any], is_first: bool) -> str | None:
        """Old files open with a bare header and mix in records of the program's state."""
        if "record_type" in raw or {"session_id", "ts"} <= raw.keys() or {"id", "thread_name"} <= raw.keys():
            self.typed = self.typed or "record_type" in raw
            return None
        if is_first and "id" in raw:
            self.typed = True
            self.metas.append((0, raw))
            return None
        return "a line without a type"

    def _clock(self, at: datetime | None) -> None:
        self._at = at
        if at is None:
            return
        if self.burst_end is None and self.first_at and at - max(self.first_at, self.last_at or at) > _PAUSE:
            self.burst_end = len(self.entries)
        self.first_at = self.first_at or at
        self.last_at = at

    def _envelope(self, kind: str, payload: dict[str, Any]) -> str | None:
        if kind == "session_meta":
            self.metas.append((len(self.entries), payload))
        elif kind == "turn_context":
            self._begin(payload)
            self.cwd = self.cwd or clean.optional(payload.get("cwd"))
            self.model = clean.optional(payload.get("model")) or self.model
        elif kind == "response_item":
            return self._item(payload)
        elif kind == "event_msg":
            self._event(_plain(payload.get("type")), payload)
        elif kind == "compacted":
            self._add("item", "assistant", "summary", clean.text(payload.get("message")))
        elif kind not in _COUNTERS:
            self._add("item", "system", "system", dump(payload))
        return None

    def _begin(self, payload: dict[str, Any]) -> None:
        turn = clean.optional(payload.get("turn_id"))
        if turn and turn != self._turn:
            self._turn = turn
            self.turns.append(Mark(len(self.entries), turn))

    def _item(self, item: dict[str, Any]) -> str | None:
        kind = _plain(item.get("type"))
        if not kind:
            return "an item without a type"
        if kind == "message":
            self._message(item)
        elif kind == "reasoning":
            text = "\n\n".join(t for t in (block_text(item.get("summary")), block_text(item.get("content"))) if t)
            self._add("item", "assistant", "thinking", text)
        elif kind.endswith("output"):
            self._add("item", "tool", "tool", _output(item.get("output")))
        elif kind.endswith("call"):
            what = next((item[k] for k in ("arguments", "input", "action") if item.get(k)), "")
            self._add("item", "assistant", "tool", f"{clean.text(item.get('name')) or kind} {dump(what)}".strip())
        elif kind != "ghostsnapshot":
            self._add("item", "assistant", "tool", dump(item))
        return None

    def _message(self, item: dict[str, Any]) -> None:
        role = clean.role(item.get("role"))
        if role in ("user", "assistant"):
            self._talk("item", role, item.get("content"))
            return
        if role is None:
            self.unknown.setdefault(str(item.get("role"))[:40], self._pointer)
        hidden: Hidden = "tool" if role == "tool" else "system"
        self._add("item", role or "system", hidden, block_text(item.get("content")))

    def _event(self, kind: str, payload: dict[str, Any]) -> None:
        if kind == "usermessage":
            is_plain = payload.get("kind") in (None, "plain")
            images = payload.get("images")
            pictures = [{"type": "image", "image_url": i} for i in images] if isinstance(images, list) else []
            self._talk("event", "user", [payload.get("message"), *pictures], None if is_plain else "injected")
        elif kind == "agentmessage":
            self._talk("event", "assistant", payload.get("message"))
        elif kind == "agentreasoning":
            self._add("event", "assistant", "thinking", clean.text(payload.get("text")))
        elif kind == "itemcompleted":
            self._completed(clean.mapping(payload.get("item")))
        elif kind in ("taskstarted", "turnstarted"):
            self._begin(payload)
        elif kind == "threadnameupdated":
            name = clean.title(payload.get("thread_name"))
            thread = clean.optional(payload.get("thread_id"))
            self.names += [Mark(len(self.entries), name, thread, self._at)] if name else []
        elif kind == "threadrolledback":
            count = payload.get("num_turns")
            self._add("rollback", "system", "system", "rollback", turns=count if isinstance(count, int) else 0)

    def _completed(self, item: dict[str, Any]) -> None:
        kind = _plain(item.get("type"))
        if kind in ("usermessage", "agentmessage"):
            self._talk("completed", "user" if kind == "usermessage" else "assistant", item.get("content"))
        elif kind == "reasoning":
            self._add("completed", "assistant", "thinking", block_text(item.get("summary_text") or item.get("content")))

    def _talk(self, channel: Channel, role: Role, content: Any, reason: Hidden | None = None) -> None:
        """A message of a person or the model: what is injected or unknown in it becomes hidden entries."""
        texts, files, unknown = prompts.blocks(content)
        pairs = [prompts.split(text) if role == "user" and reason is None else (text, "") for text in texts]
        for _, injected in pairs:
            self._add(channel, role, "injected", injected)
        for block in unknown:
            self._add(channel, role, "tool", block)
        text = "\n".join(typed for typed, _ in pairs if typed.strip()) or attached(tuple(files))
        self._add(channel, role, reason, text, tuple(files))

    def _add(
        self, channel: Channel, role: Role, hidden: Hidden | None, text: str,
        files: tuple[Attachment, ...] = (), turns: int = 0,
    ) -> None:  # fmt: skip
        if text.strip():
            model = self.model if role == "assistant" else None
            place = (self._turn, self._at, self._pointer)
            self.entries.append(Entry(len(self.entries), channel, role, hidden, text, *place, model, files, turns))

    def chosen(self) -> list[Entry]:
        """The entries of one channel for each side, in file order, and the rollbacks between them."""
        channel = {side: self._channel(side) for side in ("user", "assistant", "thinking")}
        return [e for e in self.entries if e.channel in ("rollback", _wanted(e, channel))]

    def _channel(self, side: str) -> Channel:
        for channel in ("item", "event", "completed"):
            if any(e.channel == channel and _side(e) == side for e in self.entries):
                return channel
        return "item"


def _side(entry: Entry) -> str | None:
    """What is written to several channels: both sides of the talk and the thinking."""
    return entry.role if entry.hidden is None else "thinking" if entry.hidden == "thinking" else None


def _wanted(entry: Entry, channel: Mapping[str, Channel]) -> Channel:
    side = _side(entry)
    if side:
        return channel[side]
    # What was injected belongs to the message it stood in.
    return entry.channel if entry.channel == channel.get(entry.role) else "item"


def _output(output: Any) -> str:
    """Tool output; older versions wrap it in JSON inside the string."""
    if isinstance(output, str) and output.startswith('{"output":'):
        try:
            return block_text(loads(output.encode("utf-8", "surrogatepass")))
        except (ValueError, RecursionError):
            pass
    return block_text(output)


def _plain(kind: Any) -> str:
    """A type name without case and underscores, which differ between versions."""
    return kind.lower().replace("_", "") if isinstance(kind, str) else ""
