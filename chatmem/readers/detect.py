"""Exactly one reader for a file, or a sentence that says why not.

Detection looks at parsed content, never at raw text or file names: products share both (formats.md section 1).
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, BinaryIO, NamedTuple, cast

from chatmem.readers import READERS
from chatmem.readers._sketch import MAX_ELEMENTS, sketch
from chatmem.readers.base import Level, Peek, Reader
from chatmem.readers.jsonstream import BOM, WRAPPERS, Element, elements, loads, top_level
from chatmem.readers.unpack import SQLITE, Source

HEAD = 1 << 16
MAX_LINES = 50
# What is read of a file in search of whole lines, or of elements behind a damaged one.
WINDOW = 4 << 20


@dataclass(frozen=True, slots=True)
class Detected:
    """`reader` None: nothing here. `level` tells chats (GENERIC, EXACT) from side files; `reason` says why."""

    reader: Reader | None
    level: Level
    reason: str


def detect(source: Source, readers: Sequence[Reader] = READERS) -> Detected:
    """The reader for this source. Two EXACT claims give no reader and a reason that names both."""
    seen = peek(source)
    claims = sorted(((reader.sniff(seen), reader) for reader in readers), key=lambda claim: -claim[0].level)
    if not claims or claims[0][0].level == Level.NO:
        return Detected(None, Level.NO, "no known chat format")
    best, reader = claims[0]
    rivals = [r.name for claim, r in claims if claim.level == Level.EXACT]
    if len(rivals) > 1:
        return Detected(None, Level.EXACT, f"{' and '.join(rivals)} both claim it; choose with --format")
    return Detected(reader, best.level, best.reason)


def peek(source: Source) -> Peek:
    """Read the beginning of a source once, for all readers. Raises OSError if nothing of it can be read."""
    head = _begin(source, HEAD)
    if not head.strip():
        return Peek(source, "empty")
    if head.startswith(SQLITE):
        return Peek(source, "sqlite")
    # A character cut by the end of the head is no error.
    text = codecs.getincrementaldecoder("utf-8-sig")("replace").decode(head, final=len(head) < HEAD)
    if text.lstrip()[:1] in ("{", "["):
        return _peek_json(source, text, head)
    if "\0" in text:
        return Peek(source, "binary")
    # A torn first line does not make a log a text file, as long as most lines after it are objects.
    if '\n{"' in text and (lines := _window_lines(source, head)).mostly_objects:
        return Peek(source, "jsonl", text, items=lines.objects)
    return Peek(source, "text", text)


def _peek_json(source: Source, text: str, head: bytes) -> Peek:
    lines = _lines(head, len(head) < HEAD)
    named = source.name.endswith((".jsonl", ".ndjson"))
    if named or lines.first_whole:
        lines = _window_lines(source, head)
    if lines.objects and (named or (lines.total > 1 and lines.first_whole)):
        return Peek(source, "jsonl", text, items=lines.objects)
    # Small files are read from memory, so that thousands of them cost one opening each.
    top, clean = sketch(_held(source, head) if len(head) < HEAD else source)
    if not clean:
        lines = _window_lines(source, head)
        if lines.mostly_objects:
            return Peek(source, "jsonl", text, items=lines.objects)
        top = _rescued(source) or top
        if not _tells(top):
            return Peek(source, "text", text)
    huge_line = named and isinstance(top, dict) and b"\n" not in head
    return Peek(source, "jsonl" if huge_line else "json", text, top, tuple(_objects(top)))


class _Lines(NamedTuple):
    """The objects among the first lines, how many lines were looked at, whether the first one is an object."""

    objects: tuple[dict[str, Any], ...]
    total: int
    first_whole: bool

    @property
    def mostly_objects(self) -> bool:
        return 2 * len(self.objects) >= min(self.total, MAX_LINES) > 0


def _window_lines(source: Source, head: bytes) -> _Lines:
    if len(head) < HEAD:
        return _lines(head, True)
    data = _begin(source, WINDOW)
    return _lines(data, len(data) < WINDOW)


def _lines(data: bytes, complete: bool) -> _Lines:
    raw = data.split(b"\n", 2 * MAX_LINES)
    if len(raw) > 2 * MAX_LINES or not complete:
        raw.pop()
    values = [_object(line.removeprefix(BOM)) for line in raw if line.strip()]
    objects = [value for value in values if value is not None]
    return _Lines(tuple(objects[:MAX_LINES]), len(values), bool(objects) and values[0] is not None)


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        value = loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _rescued(source: Source) -> Any:
    """What a sketch would show if the damaged element were not there."""
    held = _held(source, _begin(source, WINDOW))
    kind, wrapper = top_level(held)
    found = [e.value for e in islice(elements(held, wrapper or None), 2 * MAX_ELEMENTS) if isinstance(e, Element)]
    found = [value for value in found if isinstance(value, dict | list)][:MAX_ELEMENTS]
    if kind == "array" or not found:
        return found
    return {wrapper: found} if wrapper else found[0]


def _tells(top: Any) -> bool:
    return any(isinstance(value, dict | list) and value for value in (top if isinstance(top, list) else [top]))


def _begin(source: Source, size: int) -> bytes:
    """The first bytes, or those before damage."""
    data = bytearray()
    with source.open() as stream:
        try:
            while len(data) < size and (block := cast(io.BufferedReader, stream).read1(size - len(data))):
                data += block
        except OSError:
            if not data:
                raise
    return bytes(data)


def _held(source: Source, data: bytes) -> Source:
    """The source as if it held these bytes only."""
    return replace(source, opener=lambda: cast(BinaryIO, io.BytesIO(data)))


def _objects(top: Any) -> list[dict[str, Any]]:
    if isinstance(top, list):
        return [e for e in top if isinstance(e, dict)]
    if not isinstance(top, dict):
        return []
    for key in WRAPPERS:
        inner = top.get(key)
        # ShareGPT keeps its turns under `conversations`: those items are messages, not conversations.
        if isinstance(inner, list) and any(_is_conversation(e) for e in inner):
            return [e for e in inner if isinstance(e, dict)]
    return [top]


def _is_conversation(element: Any) -> bool:
    return isinstance(element, dict) and not (
        {"from", "value"} <= element.keys() or {"role", "content"} <= element.keys()
    )
