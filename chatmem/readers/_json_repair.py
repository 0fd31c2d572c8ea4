"""The elements of a damaged JSON array, read one by one.

What stands before the place where an element stops being JSON belongs to it, so the search for the next one begins
there: it is an object that parses whole and has most keys of its good neighbours, or at least begins like them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from typing import Any, NamedTuple

from chatmem.readers._json_window import DECODER, Fault, Whole, Window

# Without a good neighbour, the last whole object within this many characters shows what elements look like.
_LOOKAHEAD = 4 << 20
# An unclosed string swallows the beginning of the next element, up to its first quote.
_SWALLOWED = 256
# A search drops the text behind it in steps, and keys are looked for in so much of an element.
_DROP = 1 << 16
# So many places where something begins that does not parse are no damage any more, but another kind of file.
_MAX_FAILURES = 10_000
_KEYS_WITHIN = 1 << 20

_GAP = re.compile(r"[\s,]*")
_BLANK = re.compile(r"\s*")
_OPENINGS = {"{": re.compile(r'\{\s*"'), "[": re.compile(r'\[\s*[\[{"]')}
_TOKEN = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[\[\]{}]', re.DOTALL)


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


class Repair:
    """Reads on behind damage until the text at hand is used up; `rest` is what the fast parser goes on with, if any.

    `begin` holds the bytes from the end of a good element or, if there was none yet, from before `opening`, the begin
    of the array; `known` elements of it have been read. `take` gives more bytes.
    """

    def __init__(
        self, begin: bytes, take: Callable[[], bytes], opening: re.Pattern[str] | None, known: int, shape: Shape | None
    ) -> None:
        self._window = Window(begin, take)
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
                position = yield from self._behind_bracket(at + 1, inner, strict=fresh and not resumed)
                continue
            found = window.value(at, patient=fresh)
            if found is None:
                self.rest = window.text[at:].encode("utf-8", "surrogateescape")
                return
            fresh = False
            if isinstance(found, Whole) and not self._goes_on(found):
                found = Fault("damaged element (it ends too early)", found.end, found.end)
            if isinstance(found, Whole):
                self.shape, position = shape_of(found.value, self.shape), found.end
            else:
                own = _keys(window.text[at : found.sound or found.at])
                position = self._next(max(at + 1, found.sound - _SWALLOWED), own, window.text[at])
            yield found

    def _behind_bracket(self, at: int, inner: bool, strict: bool) -> Generator[Fault, None, int | None]:
        """The array seems to end here. Where it goes on after all, if damage has only made it seem so."""
        window = self._window
        if window.past(_BLANK, at) is None:
            if inner and strict:
                yield Fault(window.trouble or "cut off: the file ends behind the last element", tail=True)
            return None
        fine = inner and (not strict or self._ends_well(at))
        position = self._next(at, [])
        if position is None and not fine:
            yield Fault("unreadable data behind the last element", tail=True)
        return position

    def _first(self) -> int | None:
        """Behind the elements that have been read."""
        position: int | None = 0
        if self._opening is not None:
            matches = self._opening.finditer(self._window.text)
            position = next((m.end() for m in matches if _is_outermost(self._window.text[: m.end() - 1])), None)
        for _ in range(self._known):
            at = None if position is None else self._window.past(_GAP, position)
            found = None if at is None else self._window.value(at)
            if not isinstance(found, Whole):
                return None
            if self.shape is None and isinstance(found.value, dict | list) and self._goes_on(found):
                self.shape = shape_of(found.value)
            position = found.end
        return position

    def _goes_on(self, found: Whole) -> bool:
        """Whether what follows can follow an element. A key cannot: then a brace too many has ended it early."""
        window = self._window
        at = window.past(_BLANK, found.end)
        if at is None or window.text[at] != ",":
            return at is None or window.text[at] in "]{["
        after = window.past(_GAP, at)
        if after is None or window.text[after] != '"':
            return True
        word = window.value(after)
        behind = window.past(_BLANK, word.end) if isinstance(word, Whole) else None
        return behind is None or window.text[behind] != ":"

    def _ends_well(self, at: int) -> bool:
        """Whether the object around the array goes on as JSON behind it; the strict parser refuses huge numbers."""
        window = self._window
        while not window.ended and len(window.text) - at < _KEYS_WITHIN and window.grow():
            continue
        try:
            DECODER.raw_decode('{"":0' + window.text[at:])
        except (ValueError, RecursionError):
            return False
        return True

    def _next(self, begin: int, own: list[str], bracket: str = "{") -> int | None:
        """Where the next element begins, whole or not, in the text from `begin` on; `own` keys came before."""
        self._window.drop(begin)
        self._window.forget()
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
        self._window.restore()
        return max(sizes, key=sizes.__getitem__, default=None)

    def _candidates(self, bracket: str, limit: float = math.inf) -> Iterator[tuple[int, Whole | Fault]]:
        """Where an element might begin in the next `limit` characters, and what a parser finds there.

        Values of keys are none. A place is good until the next one is asked for.
        """
        window, cursor, failures = self._window, 0, 0
        while cursor < limit and failures < _MAX_FAILURES:
            # An error counts the lines before it: they must not become many.
            if cursor > max(_DROP, len(window.text) // 8):
                dropped = window.drop(cursor - _SWALLOWED)
                cursor, limit = cursor - dropped, limit - dropped
                if limit == math.inf:
                    window.forget()
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
            failures += not isinstance(found, Whole)
            if found is not None:
                yield start, found


def _is_outermost(before: str) -> bool:
    """Whether a bracket behind this text opens the top-level value, or a value of the top-level object."""
    brackets = [match[0] for match in _TOKEN.finditer(before) if match[0] in "{[]}"]
    return sum(1 if bracket in "{[" else -1 for bracket in brackets) <= 1


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
