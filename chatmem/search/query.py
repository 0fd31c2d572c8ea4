"""What a person types, as a Query. Pure. Nothing is a syntax error: what cannot be understood is searched as words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

# word, "phrase", -without, -"without phrase", prefix*, key:value, key:"quoted value". Not operators: the quote of `5"`,
# the dashes of `--flag`, `-x` and ` - `.
_ITEM = re.compile(
    r"(?P<minus>(?<!\S)-(?=[^\s-]\S|[^\x00-\x7f]))?"
    r"(?:(?P<key>[a-z]+):)?"
    r'(?:(?:(?<![0-9A-Za-z])"|[“„«「])(?P<phrase>[^"“”„«»「」]*)["”“»」]|(?P<word>[^\s"“”„«»「」]+))'
)
FILTER_KEYS = ("project", "source", "role", "agent", "user", "before", "after")

# A phrase is looked for in every text that has its words: of more than so many the words must do.
MAX_PHRASES = 20

_KINDS = ("words", "phrases", "prefixes", "without", "without_phrases", "without_prefixes")


class Query(NamedTuple):
    """`words` are free text in order; every one of `phrases` must stand as it is; units that hold one of `without`,
    a word that begins like one of `without_prefixes`, or one of `without_phrases` are left out.
    """

    text: str
    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    without_phrases: tuple[str, ...] = ()
    without_prefixes: tuple[str, ...] = ()
    filters: tuple[tuple[str, str], ...] = ()

    def asked(self, key: str) -> tuple[str, ...]:
        """The values of one inline filter, in order."""
        return tuple(value for name, value in self.filters if name == key)


def plain(text: str) -> Query:
    """A text that somebody else wrote: all of it is words, nothing in it is a filter or an operator."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return Query(text, tuple(text.split()))


def parse(text: str, understands: Callable[[str, str], bool] = lambda key, value: True) -> Query:
    """Split `text`. `understands(key, value)` tells whether an inline filter's value makes sense; else it is words."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    found: dict[str, list[str]] = {name: [] for name in _KINDS}
    filters: list[tuple[str, str]] = []
    for item in _ITEM.finditer(text):
        minus, key, phrase, word = item.group("minus", "key", "phrase", "word")
        value = word if phrase is None else phrase.strip()
        if key and not minus and key in FILTER_KEYS and value and understands(key, value):
            filters.append((key, value))
        elif phrase is not None:
            if key:
                # Not a filter of ours, but a phrase all the same: error:"deadlock detected".
                found["words"].append(key)
            kind = "without_phrases" if minus else "phrases"
            if value and value not in found[kind]:
                if len(found[kind]) < MAX_PHRASES:
                    found[kind].append(value)
                elif not minus:
                    found["words"] += value.split()
        else:
            # `http://…` and `std::vector` have no key of ours either: they are text.
            _put(found, f"{key}:{word}" if key else word, "without" if minus else "words")
    words, phrases, prefixes, *without = (tuple(found[name]) for name in _KINDS)
    return Query(text, words, phrases, prefixes, without[0], without[1], without[2], tuple(filters))


def _put(found: dict[str, list[str]], word: str, kind: str) -> None:
    """File a bare word, or the part before its star if that can begin a word."""
    stem = word.rstrip("*")
    if stem != word and stem[-1:].isalnum() and (len(stem) > 1 or not stem.isascii()):
        found["prefixes" if kind == "words" else "without_prefixes"].append(stem)
    else:
        found[kind].append(word)
