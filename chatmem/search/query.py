"""What a person types, as a Query. Pure. Nothing is a syntax error: what cannot be understood is searched as words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

# word, "phrase", -without, prefix*, key:value, key:"quoted value"
_ITEM = re.compile(r'(?P<minus>(?<!\S)-)?(?:(?P<key>[a-z]+):)?(?:["“](?P<phrase>[^"“”]*)["”]|(?P<word>[^\s"“”]+))')
FILTER_KEYS = ("project", "source", "role", "agent", "user", "before", "after")


@dataclass(frozen=True, slots=True)
class Query:
    """`words` are free text in order; `phrases` must stand as they are; units with a `without` word are left out."""

    text: str
    words: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    filters: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def empty(self) -> bool:
        return not (self.words or self.phrases or self.prefixes)


def parse(text: str, understands: Callable[[str, str], bool] = lambda key, value: True) -> Query:
    """Split `text`. `understands(key, value)` tells whether an inline filter's value makes sense; else it is words."""
    words: list[str] = []
    phrases: list[str] = []
    without: list[str] = []
    prefixes: list[str] = []
    filters: dict[str, tuple[str, ...]] = {}
    for item in _ITEM.finditer(text):
        key, phrase, word = item.group("key"), item.group("phrase"), item.group("word")
        value = phrase if phrase is not None else word
        if key in FILTER_KEYS and value.strip() and understands(key, value):
            filters[key] = (*filters.get(key, ()), value)
            continue
        if key:
            # Not a filter of ours: `http://…`, `std::vector`, `note:"…"` are text.
            words.append(f"{key}:{value}")
        elif not value.strip():
            continue
        elif item.group("minus"):
            without.append(value)
        elif phrase is not None:
            phrases.append(phrase)
        elif len(word) > 2 and word.endswith("*"):
            prefixes.append(word.rstrip("*"))
        else:
            words.append(word)
    return Query(text, tuple(words), tuple(phrases), tuple(without), tuple(prefixes), filters)
