"""JSON exports one element at a time, in constant memory, past damage.

`ijson` streams the good path. When it stops at a damaged byte the file is read once more by a slower, forgiving cutter
that finds where whole elements begin again, so one broken element costs only itself (formats.md 0.6).
"""

from __future__ import annotations

import json
import mmap
import re
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

import ijson

from chatmem.model import Skipped
from chatmem.readers.unpack import Source

BUFFER = 1 << 18
MAX_LINE = 256 << 20
# Arrays that wrap the conversations of other products (formats.md section 1, last paragraph).
WRAPPERS = ("conversations", "items", "data", "chats", "tickets", "threads")
_BOM = b"\xef\xbb\xbf"
_CUT = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


class Element(NamedTuple):
    """A parsed value and where it stands: a JSON pointer (`/3`) or `line 7`."""

    pointer: str
    value: Any


def lines(source: Source) -> Iterator[Element | Skipped]:
    """Every non-blank line of a JSONL file, split on LF bytes only; torn lines become Skipped."""
    with source.open() as stream:
        number = 0
        while raw := stream.readline(MAX_LINE):
            number += 1
            if number == 1:
                raw = raw.removeprefix(_BOM)
            if not raw.strip():
                continue
            try:
                yield Element(f"line {number}", loads(raw))
            except (ValueError, RecursionError) as error:
                yield Skipped(source.where(f"line {number}"), f"not valid JSON ({_reason(error)})")


def elements(source: Source, wrapper: str | None = None) -> Iterator[Element | Skipped]:
    """The elements of a top-level array, of the array under `wrapper`, or the single top-level value."""
    prefix, base = _prefix(source, wrapper)
    done = 0
    try:
        with source.open() as stream:
            for value in ijson.items(skip_bom(stream), prefix, use_float=True, buf_size=BUFFER):
                yield Element(f"{base}/{done}" if prefix else "", value)
                done += 1
    except (ijson.JSONError, ValueError, RecursionError) as error:
        if not prefix:
            yield Skipped(source.where(), f"not valid JSON ({_reason(error)})")
        else:
            yield from _recovered(source, base, wrapper, done)


def top_level(source: Source) -> tuple[str, str]:
    """(`array` | `object` | `other`, the wrapper key whose array holds the conversations, or "")."""
    try:
        with source.open() as stream:
            depth = 0
            key = ""
            for event, value in ijson.basic_parse(skip_bom(stream), use_float=True, buf_size=4096):
                if depth == 0:
                    if event == "start_array":
                        return "array", ""
                    if event != "start_map":
                        return "other", ""
                elif depth == 1 and event == "map_key":
                    key = value
                elif depth == 1 and event == "start_array" and key in WRAPPERS:
                    return "object", key
                if event in ("start_map", "start_array"):
                    depth += 1
                elif event in ("end_map", "end_array"):
                    depth -= 1
                    if depth == 0:
                        break
    except (ijson.JSONError, ValueError, RecursionError):
        pass
    return "object", ""


def _prefix(source: Source, wrapper: str | None) -> tuple[str, str]:
    kind, found = top_level(source)
    if kind == "array":
        return "item", ""
    if wrapper is not None and found == wrapper:
        return f"{wrapper}.item", f"/{wrapper}"
    return "", ""


def _recovered(source: Source, base: str, wrapper: str | None, done: int) -> Iterator[Element | Skipped]:
    """The elements after the first `done`, cut by brackets; a damaged one ends where a whole one begins again."""
    with tempfile.TemporaryFile() as spool:
        with source.open() as stream:
            shutil.copyfileobj(stream, spool)
        spool.flush()
        with mmap.mmap(spool.fileno(), 0, access=mmap.ACCESS_READ) as data:
            opened = re.compile(rb'"%s"\s*:\s*\[' % wrapper.encode() if wrapper else rb"\[").search(data)
            start = data.find(b"{", opened.end()) if opened else -1
            index, keys = 0, frozenset[str]()
            while start >= 0:
                end = _element_end(data, start)
                if end is None or index >= done:
                    value, reason = _parsed(data, start, end)
                    if reason:
                        yield Skipped(source.where(f"{base}/{index}"), reason)
                        end = _next_whole(data, start, keys)
                    else:
                        yield Element(f"{base}/{index}", value)
                        keys = keys or frozenset(value)
                elif not keys:
                    keys = frozenset(_parsed(data, start, end)[0] or ())
                index += 1
                start = data.find(b"{", end) if end is not None else -1


def _element_end(data: mmap.mmap, start: int) -> int | None:
    """The byte after the bracket that closes the one at `start`, or None if it never closes."""
    depth = 0
    for match in _CUT.finditer(data, start, min(len(data), start + MAX_LINE)):
        token = match.group()
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
            if depth == 0:
                return match.end()
    return None


def _next_whole(data: mmap.mmap, start: int, keys: frozenset[str]) -> int | None:
    """Where the next element begins that parses and looks like its good neighbours (most of their keys)."""
    first = re.compile(rb'\{\s*"(?:[^"\\]|\\.)*"\s*:').match(data, start)
    if first is None:
        return None
    for match in re.compile(rb",\s*(?=" + re.escape(first.group()) + rb")").finditer(data, start + 1):
        end = _element_end(data, match.end())
        value, reason = _parsed(data, match.end(), end)
        if not reason and (not keys or len(keys & value.keys()) * 2 > len(keys)):
            return match.end()
    return None


def _parsed(data: mmap.mmap, start: int, end: int | None) -> tuple[dict[str, Any], str]:
    if end is None:
        return {}, "damaged or cut off: its brackets never close"
    try:
        value = loads(data[start:end])
    except (ValueError, RecursionError) as error:
        return {}, f"damaged element ({_reason(error)})"
    return (value, "") if isinstance(value, dict) else ({}, "not an object")


def loads(raw: bytes) -> Any:
    """Parse JSON as products really write it: NaN, lone surrogates and broken UTF-8 included. Raises ValueError."""
    import orjson

    try:
        return orjson.loads(raw)
    except ValueError:
        return json.loads(raw.decode("utf-8", "replace"), strict=False)


def skip_bom(stream: BinaryIO) -> BinaryIO:
    """The stream, past a UTF-8 byte order mark if there is one."""
    peek = getattr(stream, "peek", None)
    if peek is not None:
        if peek(3)[:3] == _BOM:
            stream.read(3)
    elif stream.seekable() and stream.read(3) != _BOM:
        stream.seek(0)
    return stream


def _reason(error: BaseException) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error).split("\n")[0][:120].strip()
