"""Where in a text the words and phrases of a question stand. Pure.

Texts are tokenized in chunks, and only those chunks in which the beginning of an asked word occurs at all: a message
may have thirty megabytes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from chatmem.archive.tokenizer import (
    ASCII_TOKEN,
    MAX_TOKEN,
    RAW_TOKEN,
    TERMINAL_SEQUENCE,
    UNSPACED,
    expand,
    fold,
    pieces,
)

CHUNK = 4_000
# Enough places to choose the best stretch from; a frequent word in a huge text has millions.
MOST_SPANS = 1_000
PHRASE_WEIGHT = 100.0
# The slot of a passage that is near in meaning. It helps to choose a place, and is no match to be shown.
MEANING = -1_000_000
# What no token holds: a border of tokens on either side.
_BETWEEN_TOKENS = re.compile(r"[^\w\u0300-\u036f\-./:@#+'’&\\]")
_SEQUENCE = re.compile(TERMINAL_SEQUENCE)
_BETWEEN = r"[*_`~]*\s+[*_`~]*"


class Span(NamedTuple):
    """text[start:end] answers slot `slot`, or is a whole phrase (a negative slot). `weight`: what that is worth."""

    start: int
    end: int
    slot: int
    weight: float = 1.0


class Asked(NamedTuple):
    """`spellings`: term -> slot; `weights` of the slots; `phrases` as they were asked."""

    spellings: Mapping[str, int]
    weights: Mapping[int, float] = {}
    phrases: Sequence[str] = ()


def spans(text: str, asked: Asked) -> list[Span]:
    """The places where a spelling or a phrase stands, in order; of a huge text those in its most promising chunks."""
    return Finder(asked).spans(text)


class Finder:
    """Finds what was asked in many texts; each different word is looked at once."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._cores = _cores(asked)
        self._known: dict[str, tuple[int, ...] | None] = {}

    def spans(self, text: str) -> list[Span]:
        """As the function of this name."""
        return self._spans(text if "\x1b" not in text else _SEQUENCE.sub(lambda m: " " * len(m.group()), text))

    def promise(self, text: str) -> int:
        """How many of the asked words may be in the text, found out cheaply."""
        here = _folded(text)
        return sum(1 for core in self._cores if core in here)

    def _spans(self, text: str) -> list[Span]:
        if not self._cores:
            return []
        promising = [(-self.promise(text[start:end]), start, end) for start, end in _chunks(text)]
        found: list[Span] = []
        for promise, start, end in sorted(promising):
            if not promise or len(found) > MOST_SPANS:
                break
            found += self._in_chunk(text, start, end)
        return sorted(set(found))

    def _in_chunk(self, text: str, start: int, end: int) -> list[Span]:
        found: list[Span] = []
        known = self._known
        for at, word in _tokens(text, start, end):
            if word not in known:
                known[word] = self._slots(word)
            slots = known[word]
            if slots is None:
                found += self._inside(word, at)
            elif slots:
                found += [self._span(at, at + min(len(word), MAX_TOKEN), slot) for slot in slots]
        for number, phrase in enumerate(self._asked.phrases):
            found += _whole_phrase(text, found, phrase, -1 - number)
        return found

    def _slots(self, word: str) -> tuple[int, ...] | None:
        """The slots that a word answers; None if it must be searched for bigrams."""
        if not word.isascii() and UNSPACED.search(word):
            return None
        spellings = self._asked.spellings
        words, wholes = expand(word[:MAX_TOKEN])
        return tuple(dict.fromkeys(spellings[t] for t in (*wholes, *words) if t in spellings))

    def _inside(self, word: str, offset: int) -> list[Span]:
        """Bigrams of unspaced script have no borders: they are found as substrings."""
        folded, places = _folded_places(word, fold)
        return [
            self._span(offset + places[m.start()][0], offset + places[m.end() - 1][1], slot)
            for term, slot in self._asked.spellings.items()
            for m in re.finditer(re.escape(term), folded)
        ]

    def _span(self, start: int, end: int, slot: int) -> Span:
        return Span(start, end, slot, self._asked.weights.get(slot, 1.0))


def _cores(asked: Asked) -> list[str]:
    """What any text with a spelling contains. A stem's last letter may differ from the word's (happi, happy)."""
    return list(dict.fromkeys(s[: max(2, len(s) - 1)] if s.isalpha() and s.isascii() else s for s in asked.spellings))


def _folded(text: str) -> str:
    """As terms are folded. A token's ’ counts as '."""
    return text.lower() if text.isascii() else fold(text).replace("’", "'")


def _chunks(text: str) -> Iterator[tuple[int, int]]:
    """Stretches of about CHUNK characters that end between tokens; a single token of twice as many is cut."""
    start = 0
    while start < len(text):
        border = _BETWEEN_TOKENS.search(text, start + CHUNK, start + 2 * CHUNK)
        end = min(border.start() if border else start + 2 * CHUNK, len(text))
        yield start, end
        start = end


def _tokens(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """(place, token), long ones in their pieces as they are indexed."""
    pattern = ASCII_TOKEN if text.isascii() else _compiled(RAW_TOKEN)
    for match in pattern.finditer(text, start, end):
        word, at = match.group(), match.start()
        if len(word) <= MAX_TOKEN:
            yield at, word
        else:
            yield from ((at + place, piece) for place, piece in pieces(word))


def _whole_phrase(text: str, found: Sequence[Span], phrase: str, slot: int) -> list[Span]:
    """Where the phrase stands as it was asked: looked for at the places of its first word."""
    words = _plain(phrase).split()
    pattern = re.compile(_BETWEEN.join(map(re.escape, words)))
    reach = 2 * len(phrase) + 40
    whole = {}
    for start in dict.fromkeys(s.start for s in found):
        if words[0][:2] not in _plain(text[start : start + MAX_TOKEN]):
            continue
        folded, places = _folded_places(text[start : start + MAX_TOKEN + reach], _plain)
        if m := pattern.search(folded):
            whole[start + places[m.start()][0]] = start + places[m.end() - 1][1]
    return [Span(start, end, slot, PHRASE_WEIGHT) for start, end in whole.items()]


def _plain(text: str) -> str:
    """Without case and accents, as phrases are compared."""
    lowered = text.lower().replace("’", "'")
    if lowered.isascii():
        return lowered
    return "".join(c for c in unicodedata.normalize("NFD", lowered) if not unicodedata.combining(c))


def _folded_places(text: str, folding: Callable[[str], str]) -> tuple[str, Sequence[tuple[int, int]]]:
    """The folded text, and for each of its characters the place it came from."""
    folded = folding(text)
    # Equal lengths alone prove nothing: an accent that goes makes up for a ß that grows. Lowering only ever grows.
    if len(folded) == len(text) and folded == text.lower():
        return folded, [(at, at + 1) for at in range(len(text))]
    parts = [(folding(m.group()), m.span()) for m in clusters().finditer(text)]
    return "".join(part for part, _ in parts), [place for part, place in parts for _ in part]


def clusters() -> Any:
    """The pattern of what one sees as a character."""
    return _compiled(r"\X")


@lru_cache(maxsize=2)
def _compiled(pattern: str) -> Any:
    """`regex` knows the classes that `re` lacks, and tiktoken brings it along."""
    import regex  # type: ignore[import-untyped]

    return regex.compile(pattern)
