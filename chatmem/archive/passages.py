"""A text as passages of about 200 tokens, the stretches that get a vector each. Pure.

Passages end at lines and sentences where one is near, cover the whole text, and never split a word that is shorter than
half of one. The recipe is part of the vectors' stamp: vectors of other passages are never compared.
"""

from __future__ import annotations

import re

VERSION = "1"
# UTF-8 bytes of English for 200 tokens. Scripts of more bytes a character have fewer characters a token.
PASSAGE_BYTES = 800
# What is left over goes with the passage before, if it is no more than this share of one.
TAIL = 0.25
# A pasted log of 30 MB has no more meanings than its beginning; its words are all found.
MOST_PASSAGES = 256

# Where a line or sentence ends; excerpts are cut there too.
BREAK = re.compile(r"\n\s*|[.!?。！？]\s+|[。！？]")
INK = re.compile(r"\S")


def passages(text: str) -> list[tuple[int, int]]:
    """(start, stop) of each passage in characters; of a blank text none."""
    size = _characters(text)
    found: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > size * (1 + TAIL) and len(found) < MOST_PASSAGES:
        stop = _border(text, start + size // 2, start + size)
        _add(found, text, start, stop)
        start = stop
    if len(found) < MOST_PASSAGES:
        _add(found, text, start, len(text))
    return found


def _characters(text: str) -> int:
    """How many characters of this text make a passage."""
    if text.isascii():
        return PASSAGE_BYTES
    sample = text[: 4 * PASSAGE_BYTES]
    return max(1, PASSAGE_BYTES * len(sample) // len(sample.encode("utf-8", "replace")))


def _border(text: str, low: int, high: int) -> int:
    """The last end of a line or sentence between the two places, else of a word, else `high`."""
    last = 0
    for match in BREAK.finditer(text, low, high):
        last = match.end()
    return last or text.rfind(" ", low, high) + 1 or high


def _add(found: list[tuple[int, int]], text: str, start: int, stop: int) -> None:
    ink = INK.search(text, start, stop)
    if ink:
        while text[stop - 1].isspace():
            stop -= 1
        found.append((ink.start(), stop))
