"""OpenAI-style messages from any tool: `{"messages": […]}` as JSON or JSON lines, or bare messages (formats.md 7.1).

Bare messages belong to the conversation they name, however they are mixed; without a name the file is one thread. The
list inside a record is its order. Bare messages stand in file order unless their times run the other way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import tzinfo
from typing import Any

from chatmem.model import Message, Note, Origin, Record, Skipped
from chatmem.readers import clean
from chatmem.readers._grouping import Direction, Grouped, in_order
from chatmem.readers._json_records import records
from chatmem.readers._threads import CONVERSATION_KEYS, ThreadIds, first_time, thread
from chatmem.readers._turns import TIMES, pick, turn, unknown_roles
from chatmem.readers.base import NO, Claim, Level, Peek, ReadOptions
from chatmem.readers.jsonstream import Element
from chatmem.readers.unpack import Source

name = "openai-messages"

_SAID = ("content", "tool_calls", "function_call")


def sniff(peek: Peek) -> Claim:
    # People paste JSON into tables and notes: such a file does not begin with it.
    if peek.shape not in ("json", "jsonl") or (peek.shape == "jsonl" and not _begins_with_json(peek.text)):
        return NO
    if any(_is_thread(item) and any(_is_message(m) for m in item["messages"]) for item in peek.items):
        return Claim(Level.GENERIC, "`messages` of `role` and `content`")
    bare = list(peek.items)
    for key in ("data", "items"):
        if isinstance(peek.top, dict) and isinstance(peek.top.get(key), list):
            bare += [m for m in peek.top[key] if isinstance(m, dict)]
    if isinstance(peek.top, list):
        bare += [m for inner in peek.top if isinstance(inner, list) for m in inner if isinstance(m, dict)]
    if any(_is_message(m) and clean.role(m["role"]) for m in bare):
        return Claim(Level.GENERIC, "messages of `role` and `content`")
    return NO


def _begins_with_json(text: str) -> bool:
    lines = [line for line in text.split("\n", 20)[:20] if line.strip()]
    return 2 * sum(line.lstrip()[:1] in ("{", "[") for line in lines) >= len(lines)


def _is_thread(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("messages"), list)


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("role"), str) and any(key in value for key in _SAID)


def _is_record(value: Any) -> bool:
    return _is_thread(value) or _is_message(value)


def read(sources: Sequence[Source], options: ReadOptions) -> Iterator[Record]:
    ids = ThreadIds()
    for source in sources:
        yield from _File(source, options.timezone, ids).read()


class _File:
    """One file on its way: threads leave at once, bare messages wait until their conversation is complete."""

    def __init__(self, source: Source, zone: tzinfo, ids: ThreadIds) -> None:
        self.source, self.zone, self.ids = source, zone, ids
        self.unknown: Counter[str] = Counter()

    def read(self) -> Iterator[Record]:
        threads = False
        strays: list[str] = []
        with Grouped() as bare:
            for record in records(self.source, _is_record):
                if isinstance(record, Skipped):
                    yield record
                elif isinstance(record.value, list) or _is_thread(record.value):
                    threads = True
                    yield from self._thread(record)
                elif isinstance(record.value, dict) and isinstance(record.value.get("role"), str):
                    yield from self._keep(bare, record)
                elif isinstance(record.value, dict) and "messages" not in record.value:
                    strays.append(record.pointer)
                else:
                    yield Skipped(self.source.where(record.pointer), "neither a thread nor a message")
            yield from self._strays(strays, threads)
            yield from self._bare(bare)
        yield from unknown_roles(self.source, self.unknown)

    def _thread(self, record: Element) -> Iterator[Record]:
        listed = isinstance(record.value, list)
        raw: dict[str, Any] = {} if listed else record.value
        turns = record.value if listed else raw["messages"]
        messages: list[Message] = []
        for number, value in enumerate(turns):
            pointer = f"/{number}" if listed else f"/messages/{number}"
            if not isinstance(value, dict):
                yield Skipped(self.source.where(record.pointer + pointer), "not a message object")
                continue
            try:
                messages += turn(value, pointer, self.zone, self.unknown)
            except RecursionError:
                yield Skipped(self.source.where(record.pointer + pointer), "nested too deeply")
        origin = Origin(self.source.path, self.source.member, record.pointer)
        yield thread(name, raw, tuple(messages), origin, self.ids, self.zone)

    def _keep(self, bare: Grouped, record: Element) -> Iterator[Record]:
        facts = {**clean.mapping(record.value.get("metadata")), **record.value}
        try:
            bare.add(pick(facts, *CONVERSATION_KEYS) or "", [record.pointer, record.value])
        except RecursionError:
            yield Skipped(self.source.where(record.pointer), "nested too deeply")

    def _strays(self, strays: list[str], threads: bool) -> Iterator[Record]:
        """Among threads a record without turns is damage; among bare messages it is a header or an event."""
        if threads:
            yield from (Skipped(self.source.where(pointer), "no `messages`") for pointer in strays)
        elif strays:
            yield Note(self.source.where(strays[0]), f"{len(strays)} records without a `role` are no messages")

    def _bare(self, bare: Grouped) -> Iterator[Record]:
        direction = Direction()
        for key, (_, raw) in bare.arrived():
            direction.see(key, first_time(raw, TIMES, self.zone))
        for key, values in bare.groups():
            timed = ((first_time(raw, TIMES, self.zone), (pointer, raw)) for pointer, raw in values)
            spoken = in_order(timed, direction.sign)
            messages: list[Message] = []
            for pointer, raw in spoken:
                messages += turn(raw, pointer, self.zone, self.unknown)
            # A message says what its thread is about, but its own id, name, time and model are not the thread's.
            facts: dict[str, Any] = {}
            for _, raw in spoken:
                facts = {**_facts(raw), **facts}
            origin = Origin(self.source.path, self.source.member)
            yield thread(name, {**facts, "id": key or None}, tuple(messages), origin, self.ids, self.zone)


def _facts(raw: dict[str, Any]) -> dict[str, Any]:
    """What a bare message says about its conversation."""
    own = {"id", "uuid", "name", "model", "metadata", *TIMES, "updated_at", "updatedAt", *CONVERSATION_KEYS}
    both = {**clean.mapping(raw.get("metadata")), **raw}
    return {key: value for key, value in both.items() if key not in own and isinstance(value, str | int)}
