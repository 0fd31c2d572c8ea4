"""JSON exports one element at a time, in constant memory, past damage.

`ijson` streams the good path. Where it stops, a slower and forgiving parser takes over, reads the element at hand and
finds where the next one begins, so one broken element costs only itself (formats.md 0.6); then `ijson` goes on from
there. For that the bytes since the end of the last good element are kept, and nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

import ijson

from chatmem.model import Skipped
from chatmem.readers._json_feed import BLOCK, BOM, Feed, skip_bom
from chatmem.readers._json_repair import Repair, shape_of
from chatmem.readers._json_window import Whole
from chatmem.readers._source import Source
from chatmem.readers._streams import damage

__all__ = ["BOM", "WRAPPERS", "Element", "elements", "lines", "loads", "skip_bom", "top_level"]

MAX_LINE = 128 << 20
# Arrays that wrap the conversations of other products (formats.md section 1, last paragraph).
WRAPPERS = ("conversations", "items", "data", "chats", "tickets", "threads")


class Element(NamedTuple):
    """A parsed value and where it stands: a JSON pointer (`/3`) or `line 7`."""

    pointer: str
    value: Any


def lines(source: Source) -> Iterator[Element | Skipped]:
    """Every non-blank line of a JSONL file, split on LF bytes only; torn lines become Skipped."""
    try:
        with source.open() as stream:
            for number, raw in enumerate(_lines(stream), 1):
                place = f"line {number}"
                if raw is None:
                    yield Skipped(source.where(place), f"longer than {MAX_LINE >> 20} MiB")
                elif line := raw.removeprefix(BOM).strip():
                    try:
                        yield Element(place, loads(line))
                    except ValueError as error:
                        yield Skipped(source.where(place), f"not valid JSON ({_reason(error)})")
    except OSError as error:
        yield Skipped(source.where(), damage(error))


def _lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """The lines, None for one that is too long."""
    while raw := stream.readline(MAX_LINE):
        if len(raw) == MAX_LINE and not raw.endswith(b"\n"):
            while (more := stream.readline(BLOCK)) and not more.endswith(b"\n"):
                pass
            yield None
        else:
            yield raw


def elements(source: Source, wrapper: str | None = None) -> Iterator[Element | Skipped]:
    """The elements of a top-level array, of the array under `wrapper`, or the top-level values, mostly one."""
    kind, found = top_level(source)
    try:
        with source.open() as stream:
            if kind == "array":
                yield from _array(source, stream, None)
            elif wrapper is not None and found == wrapper:
                yield from _array(source, stream, wrapper)
            else:
                yield from _single(source, stream)
    except OSError as error:
        yield Skipped(source.where(), damage(error))


def top_level(source: Source) -> tuple[str, str]:
    """(`array` | `object` | `other`, the wrapper key whose array holds the conversations, or "")."""
    try:
        with source.open() as stream:
            feed, depth, key = Feed(stream, max_depth=None), 0, ""
            # Without `use_float` integers of any size pass.
            for event, value in ijson.basic_parse(feed, buf_size=BLOCK):
                feed.forget()
                opens, closes = event in ("start_map", "start_array"), event in ("end_map", "end_array")
                if depth == 0 and event != "start_map":
                    return ("array" if event == "start_array" else "other"), ""
                if depth == 1 and event == "map_key":
                    key = value
                elif depth == 1 and event == "start_array" and key in WRAPPERS:
                    return "object", key
                depth += opens - closes
                if depth == 0:
                    break
    except (ijson.JSONError, ValueError, OSError):
        pass
    return "object", ""


def _single(source: Source, stream: BinaryIO) -> Iterator[Element | Skipped]:
    feed = Feed(stream)
    found = False
    try:
        values = ijson.items(feed, "", use_float=True, multiple_values=True, buf_size=BLOCK)
        for number, value in enumerate(values, 1):
            yield Element(f"value {number}" if found else "", value)
            found = True
    except (ijson.JSONError, ValueError) as error:
        if found:
            yield Skipped(source.where(), "unreadable data behind the JSON value")
            return
        try:
            yield Element("", loads(feed.all()))
        except ValueError:
            yield Skipped(source.where(), f"not valid JSON ({_reason(error)})")


def _array(source: Source, stream: BinaryIO, wrapper: str | None) -> Iterator[Element | Skipped]:
    base, prefix = (f"/{wrapper}", f"{wrapper}.item") if wrapper else ("", "item")
    opening = re.compile(rf'(?<!\\)"{re.escape(wrapper)}"\s*:\s*\[' if wrapper else r"\[")
    feed, index, shape, resumed, first = Feed(stream), 0, None, False, object
    while True:
        mark, begun = index, False
        try:
            for value in ijson.items(feed, prefix, use_float=True, buf_size=BLOCK):
                if index and not isinstance(value, first):
                    # A brace too many has ended an element early, and this is a key of the rest.
                    raise ValueError("not of one kind")
                first = type(value)
                yield Element(f"{base}/{index}", value)
                index += 1
                if feed.at_end:
                    feed.forget()
                    mark, begun, shape = index, True, shape_of(value, shape)
            return
        except (ijson.JSONError, ValueError):
            repair = Repair(bytes(feed.kept), feed.take, None if begun else opening, index - mark, shape)
        for item in repair.items(inner=wrapper is not None, resumed=resumed):
            if isinstance(item, Whole):
                yield Element(f"{base}/{index}", item.value)
            else:
                yield Skipped(source.where("" if item.tail else f"{base}/{index}"), item.reason)
            index += 1
        if repair.rest is None:
            return
        feed.restart(b"[", repair.rest)
        prefix, opening, shape, resumed = "item", re.compile(r"\["), repair.shape, True


def loads(raw: bytes) -> Any:
    """Parse JSON as products really write it: NaN, lone surrogates and broken UTF-8 included. Raises ValueError."""
    import orjson

    try:
        return orjson.loads(raw)
    except ValueError:
        pass
    try:
        return json.loads(raw.decode("utf-8", "replace"), strict=False)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _reason(error: BaseException) -> str:
    return str(error).split("\n")[0][:120].strip()
