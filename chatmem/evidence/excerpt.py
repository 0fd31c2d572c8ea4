"""The part of a message worth quoting: verbatim, around the weightiest matches, within a number of tokens. Pure.

Cuts fall between words, prefer the ends of lines and sentences, never split a character, and are marked with `…`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from chatmem.archive.passages import BREAK, INK
from chatmem.evidence.matches import Span, clusters
from chatmem.tokens import Count

ELLIPSIS = "…"
_CHARACTERS_PER_TOKEN = 4.5
# Between two of these is always a border of characters; a longer stretch without one is cut anywhere.
_PLAIN = re.compile(r"[\x20-\x7e]")
_LONGEST_CHARACTER = 1_000


class Window(NamedTuple):
    start: int
    end: int

    def holds(self, span: Window | Span) -> bool:
        return self.start <= span.start and span.end <= self.end


class Piece(NamedTuple):
    """`text` is source[start:end] with an ellipsis where it was cut; `lead` characters stand before source[start]."""

    text: str
    start: int
    end: int
    tokens: int
    lead: int = 0


def excerpt(source: str, found: Sequence[Span], budget: int, count: Count, region: Window | None = None) -> Piece:
    """At most `budget` tokens of `source`, around the best of `found`; its beginning if nothing was found.

    Only `region` is looked at, if given: `count` need not know the rest. Without room for a character it is empty.
    """
    ink = _ink(source)
    region = region or ink
    size = int(budget * _CHARACTERS_PER_TOKEN)
    if region.holds(ink) and ink.end - ink.start <= size:
        text = source[ink.start : ink.end]
        tokens = count(text)
        if tokens <= budget:
            return Piece(text, *ink, tokens)
    place = _best(found, size, region)
    while place.start < place.end:
        place = _tidy(source, place, found, ink)
        lead = ELLIPSIS if place.start > ink.start else ""
        text = lead + source[place.start : place.end] + (ELLIPSIS if place.end < ink.end else "")
        tokens = count(text)
        if tokens <= budget and place.start < place.end:
            return Piece(text, *place, tokens, len(lead))
        length = place.end - place.start
        place = _best(found, min(length - 1, int(length * budget / max(tokens, 1) * 0.97)), place)
    return Piece("", place.start, place.start, 0)


def window(source: str, found: Sequence[Span], budget: int) -> Window:
    """The stretch that an excerpt of `budget` tokens will be cut from: the one whose matches weigh most."""
    return _best(found, max(1, int(budget * _CHARACTERS_PER_TOKEN)), Window(0, len(source)))


def _best(found: Sequence[Span], size: int, region: Window) -> Window:
    """The part of the region of at most `size` characters whose matches weigh most; its beginning if it has none."""
    inside = [s for s in found if region.holds(s)]
    if size <= 0:
        return Window(region.start, region.start)
    if not inside:
        return Window(region.start, min(region.end, region.start + size))
    best, best_value = Window(inside[0].start, inside[0].end), (0.0, 0)
    last = 0
    for i, span in enumerate(inside):
        last = max(last, i + 1)
        while last < len(inside) and inside[last].end <= span.start + size:
            last += 1
        value = sum({s.slot: s.weight for s in inside[i:last]}.values()), last - i
        if value > best_value:
            best, best_value = Window(span.start, inside[last - 1].end), value
    # In the middle, or from its beginning where it does not fit.
    spare = max(0, size - (best.end - best.start))
    left = max(region.start, min(best.start - spare // 2, region.end - size))
    return Window(left, min(region.end, left + size))


def _ink(source: str) -> Window:
    """The text without the white space around it."""
    first = INK.search(source)
    return Window(first.start(), len(source.rstrip())) if first else Window(0, 0)


def _tidy(source: str, place: Window, found: Sequence[Span], ink: Window) -> Window:
    """Move cuts inwards to a line, sentence or word border that is near, and off white space."""
    left, right = max(place.start, ink.start), min(place.end, ink.end)
    first = next((s.start for s in found if s.start >= left), right)
    last = next((s.end for s in reversed(found) if s.end <= right), left)
    quarter = (right - left) // 4
    if left > ink.start:
        reach = max(left, min(first, left + quarter))
        breaks = [m.end() for m in BREAK.finditer(source, left, reach)]
        left = breaks[0] if breaks else _word_border(source, left, reach)
    if right < ink.end:
        reach = min(right, max(last, right - quarter))
        breaks = [m.end() for m in BREAK.finditer(source, reach, right)]
        right = breaks[-1] if breaks else _word_border(source, right, reach)
    left, right = _whole_characters(source, left, right)
    while left < right and source[left].isspace():
        left += 1
    while right > left and source[right - 1].isspace():
        right -= 1
    return Window(left, right)


def _word_border(source: str, at: int, limit: int) -> int:
    """The nearest border of a word from `at` towards `limit`; `at` if one word fills all of that."""
    step = 1 if limit > at else -1
    place = at
    while place != limit and 0 < place < len(source):
        if source[place - 1].isspace() or source[place].isspace():
            return place
        place += step
    return at


def _whole_characters(source: str, left: int, right: int) -> tuple[int, int]:
    """Both cuts moved inwards off the inside of what one sees as a character."""
    while left < right and not _is_border(source, left):
        left += 1
    while left < right and not _is_border(source, right):
        right -= 1
    return left, right


def _is_border(source: str, at: int) -> bool:
    """Whether `at` lies between two grapheme clusters (base letter and marks, emoji sequences, flags, jamo)."""
    around = source[max(0, at - 1) : at + 1]
    if len(around) < 2 or (around.isascii() and around != "\r\n"):
        return True
    begin = at - 1
    while begin > 0 and at - begin < _LONGEST_CHARACTER and not _PLAIN.match(source, begin):
        begin -= 1
    return any(m.start() == at for m in clusters().finditer(source, begin, at + 1))
