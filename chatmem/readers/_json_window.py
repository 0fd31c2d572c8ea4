"""The text around damage in a JSON file, and a forgiving parser for the values in it.

Python's own parser takes what products really write (NaN, huge numbers, raw control characters) and says exactly where
a value stops being JSON.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from chatmem.readers._json_feed import MAX_ELEMENT
from chatmem.readers._streams import damage

# A syntax error this near to the end of the text at hand may only mean that more must be read.
_EDGE = 16
DECODER = json.JSONDecoder(strict=False)
_ALIEN = re.compile("[\ud800-\udfff]")
_BROKEN = re.compile("[\0-\x08\x0e-\x1f\ud800-\udfff]")


class Fault(NamedTuple):
    """What is wrong with an element, or with the file behind the last one (`tail`).

    `at` is where it stops being JSON; up to `sound` it surely holds no other element.
    """

    reason: str
    at: int = 0
    sound: int = 0
    tail: bool = False


class Whole(NamedTuple):
    """A parsed value and where it ends."""

    value: Any
    end: int


class Window:
    """The text around the damage; more of the file is read into it as needed."""

    def __init__(self, begin: bytes, take: Callable[[], bytes]) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._take = take
        self._dropped: list[str] = []
        self.trouble = ""
        self.text = self._decoder.decode(begin)
        self.ended = False

    def grow(self) -> bool:
        """At least double the text; False at the end of the file."""
        wanted, parts = max(len(self.text), 1 << 16), [self.text]
        while wanted > 0 and not self.ended:
            try:
                piece = self._take()
            except OSError as error:
                piece, self.trouble = b"", damage(error)
            self.ended = not piece
            parts.append(self._decoder.decode(piece, final=self.ended))
            wanted -= len(parts[-1])
        self.text = "".join(parts)
        return len(parts) > 1

    def drop(self, count: int) -> int:
        """Take so many characters off the beginning; how many they were."""
        count = max(count, 0)
        self._dropped.append(self.text[:count])
        self.text = self.text[count:]
        return count

    def forget(self) -> None:
        self._dropped.clear()

    def restore(self) -> None:
        """Undo every drop since the last `forget`."""
        self.text = "".join([*self._dropped, self.text])
        self.forget()

    def past(self, run: re.Pattern[str], position: int) -> int | None:
        """Where a run of such characters ends, or None at the end of the file."""
        while True:
            match = run.match(self.text, position)
            position = match.end() if match else position
            if position < len(self.text):
                return position
            if not self.grow():
                return None

    def value(self, position: int, patient: bool = True) -> Whole | Fault | None:
        """The value at `position`. None: it is not whole in the text at hand, and the caller would rather not wait."""
        while True:
            try:
                value, end = DECODER.raw_decode(self.text, position)
            except RecursionError:
                return Fault("nested too deeply", position + 1)
            except json.JSONDecodeError as error:
                reason, at = f"{error.msg[:1].lower()}{error.msg[1:]}", error.pos
            except ValueError:
                return Fault("a number of thousands of digits", position + 1)
            else:
                if "\0" not in self.text[position:end]:
                    return Whole(self._clean(value, position, end), end)
                reason, at = "zero bytes", end
            if at < len(self.text) - _EDGE and not reason.startswith("unterminated"):
                broken = _BROKEN.search(self.text, position, at)
                return Fault(f"damaged element ({reason})", at, broken.start() if broken else at)
            if len(self.text) - position > MAX_ELEMENT:
                return Fault(f"longer than {MAX_ELEMENT >> 20} MiB", at)
            if not self.ended and not patient:
                return None
            if not self.grow():
                return Fault(self.trouble or "cut off: the file ends inside it", at)

    def _clean(self, value: Any, position: int, end: int) -> Any:
        text = self.text[position:end]
        if text.isascii() or not _ALIEN.search(text):
            return value
        return json.loads(text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"), strict=False)
