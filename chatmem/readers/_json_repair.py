"""The elements of a damaged JSON array, read one by one by a forgiving parser.

Python's own parser takes what products really write (NaN, huge numbers, raw control characters) and says exactly where
it stopped. What stands before that place belongs to the damaged element, so the search for the next one begins there:
it is an object that parses whole and has most keys of its good neighbours, or that at least begins like them.
"""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from chatmem.readers._json_feed import MAX_ELEMENT
from chatmem.readers._streams import damage

# Without a good neighbour, the last whole object within this many characters shows what elements look like.
_LOOKAHEAD = 4 << 20
# An unclosed string swallows the beginning of the next element, up to its first quote.
_SWALLOWED = 256
_DROP = 1 << 20
# A syntax error this near to the end of the text at hand may only mean that more must be read.
_EDGE = 16
_KEYS_WITHIN = 1 << 20

_DECODER = json.JSONDecoder(strict=False)
_GAP = re.compile(r"[\s,]*")
_BLANK = re.compile(r"\s*")
_OPENINGS = {"{": re.compile(r'\{\s*"'), "[": re.compile(r'\[\s*[\[{"]')}
_ALIEN = re.compile("[\ud800-\udfff]")
_BROKEN = re.compile("[\0-\x08\x0e-\x1f\ud800-\udfff]")
_TOKEN = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[\[\]{}]', re.DOTALL)


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


class Shape(NamedTuple):
    """What elements look like: their opening bracket, their first key and all their keys."""

    bracket: str
    first: str = ""
    keys: frozenset[str] = frozenset()

    def fits(self, value: Any) -> bool:
        if self.bracket == "[":
            return isinstance(value, list) and bool(value)
        return isinstance(value, dict) and 2 * len(self.keys & value.keys()) > len(self.keys)

    def has(self, keys: list[str]) -> bool:
        return self.bracket == "[" or not keys or 2 * len(self.keys.intersection(keys)) > len(keys)

    def begins(self, keys: list[str]) -> bool:
        """Whether an element that is damaged behind these keys is one of ours."""
        return len(keys) > 1 and keys[0] == self.first and self.keys.issuperset(keys)


def shape_of(value: Any, known: Shape | None = None) -> Shape | None:
    """The value's shape, or the known one: what damage has bent into an element must not change the idea of one."""
    if known is not None or not value:
        return known
    if isinstance(value, dict):
        return Shape("{", next(iter(value)), frozenset(value))
    return Shape("[") if isinstance(value, list) else None


class _Window:
    """The text around the damage; more of the file is read into it as needed."""

    def __init__(self, begin: bytes, take: Callable[[], bytes]) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._take = take
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
        """Forget so many characters of the beginning; how many they were."""
        count = max(count, 0)
        self.text = self.text[count:]
        return count

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
                value, end = _DECODER.raw_decode(self.text, position)
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


class Repair:
    """Reads on behind damage until the text at hand is used up; `rest` is what the fast parser goes on with, if any.

    `begin` holds the bytes from the end of a good element or, if there was none yet, from before `opening`, the begin
    of the array; `known` elements of it have been read. `take` gives more bytes.
    """

    def __init__(
        self, begin: bytes, take: Callable[[], bytes], opening: re.Pattern[str] | None, known: int, shape: Shape | None
    ) -> None:
        self._window = _Window(begin, take)
        self._opening, self._known = opening, known
        self.shape = shape
        self.rest: bytes | None = None

    def items(self, inner: bool, resumed: bool) -> Iterator[Whole | Fault]:
        """Every element that follows, whole or not, and what is wrong behind the last one.

        `inner`: the array lies in an object; what follows it then can only be judged by the first, strict reading.
        """
        window = self._window
        position: int | None = self._first()
        if position is None:
            yield Fault("not valid JSON", tail=True)
        fresh = True
        while position is not None:
            at = window.past(_GAP, position)
            if at is None:
                yield Fault(window.trouble or "cut off: the file ends before the array does", tail=True)
                return
            if window.text[at] == "]":
                if window.past(_BLANK, at + 1) is None:
                    if inner and fresh and not resumed:
                        yield Fault(window.trouble or "cut off: the file ends behind the last element", tail=True)
                    return
                position = self._next(at + 1, [])
                if position is None and not (inner and (resumed or not fresh)):
                    yield Fault("unreadable data behind the last element", tail=True)
                continue
            found = window.value(at, patient=fresh)
            if found is None:
                self.rest = window.text[at:].encode("utf-8", "surrogateescape")
                return
            fresh = False
            if isinstance(found, Whole):
                self.shape, position = shape_of(found.value, self.shape), found.end
            else:
                own = _keys(window.text[at : found.sound or found.at])
                position = self._next(max(at + 1, found.sound - _SWALLOWED), own, window.text[at])
            yield found

    def _first(self) -> int | None:
        """Behind the elements that have been read."""
        position = 0
        if self._opening is not None:
            match = self._opening.search(self._window.text)
            if match is None:
                return None
            position = match.end()
        for _ in range(self._known):
            at = self._window.past(_GAP, position)
            found = None if at is None else self._window.value(at)
            if not isinstance(found, Whole):
                return None
            self.shape, position = shape_of(found.value, self.shape), found.end
        return position

    def _next(self, begin: int, own: list[str], bracket: str = "{") -> int | None:
        """Where the next element begins, whole or not, in the text from `begin` on; `own` keys came before."""
        self._window.drop(begin)
        shape = self.shape or self._guess(own, bracket)
        if shape is None:
            return None
        for start, found in self._candidates(shape.bracket):
            if isinstance(found, Whole):
                if shape.fits(found.value):
                    return start
            elif shape.begins(_keys(self._window.text[start : found.at])):
                return start
        return None

    def _guess(self, own: list[str], bracket: str) -> Shape | None:
        """The shape that most of the text ahead has, among those that go with the damaged element's `own` keys."""
        sizes: Counter[Shape] = Counter()
        for start, found in self._candidates(bracket, _LOOKAHEAD):
            shape = shape_of(found.value) if isinstance(found, Whole) else None
            if shape and isinstance(found, Whole) and shape.has(own):
                sizes[shape] += found.end - start
        return max(sizes, key=sizes.__getitem__, default=None)

    def _candidates(self, bracket: str, limit: int | None = None) -> Iterator[tuple[int, Whole | Fault]]:
        """Where an element might begin, and what a parser finds there. Values of keys are none."""
        window, cursor = self._window, 0
        while limit is None or cursor < limit:
            if limit is None and cursor > _DROP:
                cursor -= window.drop(cursor - _SWALLOWED)
            match = _OPENINGS.get(bracket, _OPENINGS["{"]).search(window.text, cursor)
            if match is None:
                cursor = max(cursor, len(window.text) - _SWALLOWED)
                if not window.grow():
                    return
                continue
            start, cursor = match.start(), match.start() + 1
            if window.text[max(0, start - _SWALLOWED) : start].rstrip().endswith(":"):
                continue
            found = window.value(start)
            if isinstance(found, Whole):
                cursor = found.end
            if found is not None:
                yield start, found


def _keys(text: str) -> list[str]:
    """The keys of the object that begins here, as far as the text goes."""
    keys: list[str] = []
    depth = 0
    for match in _TOKEN.finditer(text, 0, _KEYS_WITHIN):
        token = match[0]
        if token in "{[":
            depth += 1
        elif token in "}]":
            depth -= 1
        elif depth == 1 and match[2]:
            keys.append(match[1])
    return keys
