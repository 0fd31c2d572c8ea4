"""The part of a message worth quoting: verbatim, around the densest matches, within a number of tokens. Pure.

Cuts fall between words, prefer the ends of lines and sentences, never split a character, and are marked with `…`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chatmem.evidence.matches import Span
from chatmem.tokens import Count

ELLIPSIS = "…"
_CHARACTERS_PER_TOKEN = 4.5
_BREAK = re.compile(r"\n\s*|[.!?。！？]\s+|[。！？]")
# Marks that belong to the character before them: cutting there would change what is seen.
_JOINS = re.compile("[\u0300-\u036f\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]")


@dataclass(frozen=True, slots=True)
class Piece:
    """`text` is source[start:end] with an ellipsis where it was cut; `tokens` counts it so."""

    text: str
    start: int
    end: int
    tokens: int


def excerpt(source: str, found: Sequence[Span], budget: int, count: Count) -> Piece:
    """At most `budget` tokens of `source`, around the best of `found`; its beginning if nothing was found."""
    stripped = len(source) - len(source.lstrip()), len(source.rstrip())
    whole = source[stripped[0] : stripped[1]]
    if len(whole) <= budget * _CHARACTERS_PER_TOKEN:
        tokens = count(whole)
        if tokens <= budget:
            return Piece(whole, *stripped, tokens)
    left, right = window(source, found, budget)
    while True:
        left, right = _tidy(source, left, right, found)
        text = _marked(source, left, right)
        tokens = count(text)
        if tokens <= budget or right - left <= 1:
            break
        left, right = _shrunk(left, right, found, budget / tokens)
    if tokens > budget:
        return Piece("", left, left, 0)
    return Piece(text, left, right, tokens)


def window(source: str, found: Sequence[Span], budget: int) -> tuple[int, int]:
    """The stretch that an excerpt will be cut from: most different matched words, then most matches."""
    size = max(1, int(budget * _CHARACTERS_PER_TOKEN))
    if not found:
        return 0, min(len(source), size)
    best, best_value = (found[0].start, found[0].end), (0, 0)
    last = 0
    for i, span in enumerate(found):
        last = max(last, i + 1)
        while last < len(found) and found[last].end <= span.start + size:
            last += 1
        value = (len({s.slot for s in found[i:last]}), last - i)
        if value > best_value:
            best, best_value = (span.start, found[last - 1].end), value
    middle = sum(best) // 2
    left = max(0, min(middle - size // 2, len(source) - size))
    return left, min(len(source), left + size)


def _tidy(source: str, left: int, right: int, found: Sequence[Span]) -> tuple[int, int]:
    """Move cuts inwards to a line, sentence or word border that is near."""
    first = next((s.start for s in found if s.start >= left), right)
    last = next((s.end for s in reversed(found) if s.end <= right), left)
    if left > 0:
        reach = min(first, left + (right - left) // 4)
        breaks = [m.end() for m in _BREAK.finditer(source, left, reach)]
        left = breaks[0] if breaks else _word_border(source, left, reach, forward=True)
    if right < len(source):
        reach = max(last, right - (right - left) // 4)
        breaks = [m.end() for m in _BREAK.finditer(source, reach, right)]
        right = breaks[-1] if breaks else _word_border(source, right, reach, forward=False)
    while left < right and source[left].isspace():
        left += 1
    while right > left and source[right - 1].isspace():
        right -= 1
    return left, right


def _word_border(source: str, at: int, limit: int, forward: bool) -> int:
    step = 1 if forward else -1
    place = at
    while place != limit and 0 < place < len(source):
        if source[place - 1].isspace() or source[place].isspace():
            return place
        place += step
    # One word fills the whole reach (or the script has no spaces): cut between characters.
    while 0 < at < len(source) and (_JOINS.match(source[at]) or source[at - 1] == "\u200d"):
        at += step
    return at


def _shrunk(left: int, right: int, found: Sequence[Span], share: float) -> tuple[int, int]:
    """A smaller window around the same matches."""
    size = max(1, min(right - left - 1, int((right - left) * share * 0.97)))
    inside = [s for s in found if s.start >= left and s.end <= right]
    middle = (inside[0].start + inside[-1].end) // 2 if inside else left
    start = max(left, min(middle - size // 2, right - size))
    return start, start + size


def _marked(source: str, left: int, right: int) -> str:
    before = ELLIPSIS if source[:left].strip() else ""
    after = ELLIPSIS if source[right:].strip() else ""
    return before + source[left:right] + after
