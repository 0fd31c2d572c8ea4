"""Where in a text the words of a question stand. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from chatmem.archive.tokenizer import UNSPACED, expand, fold

_RAW = re.compile(r"\w+(?:[-./:@#+'’&\\]+\w+)*(?:\+\+|#)?")
# Longer texts are searched around their first literal match instead of token by token.
LONG_TEXT = 400_000


class Span(NamedTuple):
    """text[start:end] answers slot `slot`."""

    start: int
    end: int
    slot: int


def spans(text: str, spellings: Mapping[str, int]) -> list[Span]:
    """Every place where a spelling (term -> slot) occurs, in order."""
    begin, end = _searched(text, spellings)
    found: list[Span] = []
    for raw in _RAW.finditer(text, begin, end):
        word = raw.group()
        if not word.isascii() and UNSPACED.search(word):
            found += _inside(word, raw.start(), spellings)
            continue
        expanded = expand(word)
        slot = next((spellings[t] for t in (*expanded.wholes, *expanded.words) if t in spellings), None)
        if slot is not None:
            found.append(Span(raw.start(), raw.end(), slot))
    return found


def _inside(word: str, offset: int, spellings: Mapping[str, int]) -> list[Span]:
    """Bigrams of unspaced script have no borders: they are found as substrings."""
    folded = fold(word)
    if len(folded) != len(word):
        folded = word
    hits = [
        Span(offset + at, offset + at + len(term), slot)
        for term, slot in spellings.items()
        for at in _positions(folded, term)
    ]
    return sorted(hits)


def _positions(text: str, term: str) -> list[int]:
    return [m.start() for m in re.finditer(re.escape(term), text)]


def _searched(text: str, spellings: Mapping[str, int]) -> tuple[int, int]:
    if len(text) <= LONG_TEXT:
        return 0, len(text)
    literal = re.compile("|".join(re.escape(s) for s in spellings if len(s) > 1) or r"\Z", re.IGNORECASE)
    first = literal.search(text)
    middle = first.start() if first else 0
    begin = max(0, middle - LONG_TEXT // 2)
    return begin, begin + LONG_TEXT
