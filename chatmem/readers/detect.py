"""Exactly one reader for a file, or a sentence that says why not.

Detection looks at parsed content, never at raw text or file names: products share both (formats.md section 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ijson

from chatmem.model import Skipped
from chatmem.readers import READERS
from chatmem.readers.base import Level, Peek, Reader, Shape
from chatmem.readers.jsonstream import WRAPPERS, Element, lines, skip_bom
from chatmem.readers.unpack import SQLITE, Source

HEAD = 1 << 16
MAX_LINES = 50
MAX_ELEMENTS = 6
MAX_EVENTS = 200_000


@dataclass(frozen=True, slots=True)
class Detected:
    """`reader` None: nothing here. `level` tells chats (GENERIC, EXACT) from side files; `reason` says why."""

    reader: Reader | None
    level: Level
    reason: str


def detect(source: Source, readers: Sequence[Reader] = READERS) -> Detected:
    """The reader for this source. Two EXACT claims give no reader and a reason that names both."""
    claims = sorted(((r.sniff(p), r) for p in [peek(source)] for r in readers), key=lambda c: -c[0].level)
    best, reader = claims[0]
    rivals = [r.name for claim, r in claims if claim.level == Level.EXACT]
    if len(rivals) > 1:
        return Detected(None, Level.EXACT, f"{' and '.join(rivals)} both claim it; choose with --format")
    if best.level == Level.NO:
        return Detected(None, Level.NO, "no known chat format")
    return Detected(reader, best.level, best.reason)


def peek(source: Source) -> Peek:
    """Read the beginning of a source once, for all readers. Raises OSError or EOFError if it cannot be read."""
    with source.open() as stream:
        head = stream.read(HEAD)
    if not head.strip():
        return Peek(source, "empty")
    if head.startswith(SQLITE):
        return Peek(source, "sqlite")
    text = head.decode("utf-16" if head[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "replace")
    if "\0" in text:
        return Peek(source, "binary")
    if text.lstrip()[:1] in ("{", "["):
        return _peek_json(source, text)
    parsed = _first_lines(source)
    # A torn first line does not make a log a text file, as long as the lines after it are objects.
    if parsed and '\n{"' in text:
        return Peek(source, "jsonl", text, items=parsed)
    return Peek(source, "text", text)


def _peek_json(source: Source, text: str) -> Peek:
    top, clean = _sketch(source)
    if not clean or source.name.endswith((".jsonl", ".ndjson")):
        parsed = _first_lines(source)
        if parsed:
            return Peek(source, "jsonl", text, items=parsed)
    if top is None:
        return Peek(source, "text", text)
    shape: Shape = "json"
    return Peek(source, shape, text, top, tuple(_objects(top)))


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


def _first_lines(source: Source) -> tuple[dict[str, Any], ...]:
    found: list[dict[str, Any]] = []
    for number, line in enumerate(lines(source)):
        if isinstance(line, Element) and isinstance(line.value, dict):
            found.append(line.value)
        elif isinstance(line, Skipped) and number >= MAX_LINES:
            break
        if len(found) >= MAX_LINES or number >= 2 * MAX_LINES:
            break
    return tuple(found)


def _sketch(source: Source) -> tuple[Any, bool]:
    """The top-level value with arrays cut to MAX_ELEMENTS, and whether no error was met while looking."""
    builder = ijson.ObjectBuilder()
    lengths: list[int | None] = []
    muted = 0
    started = False
    try:
        with source.open() as stream:
            events = ijson.basic_parse(skip_bom(stream), use_float=True, buf_size=1 << 14)
            for count, (event, value) in enumerate(events):
                opens, closes = event in ("start_map", "start_array"), event in ("end_map", "end_array")
                if muted:
                    muted += opens - closes
                    continue
                if closes:
                    lengths.pop()
                elif event != "map_key" and lengths and lengths[-1] is not None:
                    lengths[-1] += 1
                    if lengths[-1] > MAX_ELEMENTS:
                        if len(lengths) == 1:
                            return builder.value, True
                        muted = int(opens)
                        continue
                builder.event(event, value)
                started = True
                if opens:
                    lengths.append(0 if event == "start_array" else None)
                if count > MAX_EVENTS:
                    break
    except (ijson.JSONError, ValueError, RecursionError):
        return (builder.value if started else None), False
    return builder.value, True
