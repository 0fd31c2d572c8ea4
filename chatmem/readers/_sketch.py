"""The beginning of a JSON file as a value that is small however large the file is."""

from __future__ import annotations

from typing import Any, NamedTuple

import ijson

from chatmem.readers._json_feed import Feed
from chatmem.readers._source import Source

MAX_ELEMENTS = 6
_MAX_EVENTS = 100_000
_MAX_BYTES = 32 << 20


class Sketch(NamedTuple):
    """The top-level value with arrays cut to a few elements; `clean` if no error was met while looking."""

    top: Any
    clean: bool


def sketch(source: Source) -> Sketch:
    drawing = _Drawing()
    try:
        with source.open() as stream:
            feed = Feed(stream, max_depth=None)
            for count, (event, value) in enumerate(ijson.basic_parse(feed, use_float=True, buf_size=1 << 14)):
                feed.forget()
                if drawing.add(event, value) or count > _MAX_EVENTS or feed.given > _MAX_BYTES:
                    break
    except (ijson.JSONError, ValueError, OSError):
        return Sketch(drawing.value, False)
    return Sketch(drawing.value, True)


class _Drawing:
    def __init__(self) -> None:
        self._builder = ijson.ObjectBuilder()
        self._lengths: list[int | None] = []
        self._muted = 0
        self._begun = False

    @property
    def value(self) -> Any:
        return self._builder.value if self._begun else None

    def add(self, event: str, value: Any) -> bool:
        """True if there is nothing more to see."""
        opens, closes = event in ("start_map", "start_array"), event in ("end_map", "end_array")
        if self._muted:
            self._muted += opens - closes
            return False
        if closes:
            self._lengths.pop()
        elif event != "map_key" and self._lengths and (length := self._lengths[-1]) is not None:
            self._lengths[-1] = length + 1
            if length >= MAX_ELEMENTS:
                self._muted = int(opens)
                return len(self._lengths) == 1
        self._builder.event(event, value)
        self._begun = True
        if opens:
            self._lengths.append(0 if event == "start_array" else None)
        return False
