"""How the languages say things about oneself, made ready to be looked for. What they say stands in the pages beside."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import NamedTuple

from chatmem.facts.languages.values import pattern
from chatmem.facts.needles import Gate


class Pattern(NamedTuple):
    """`own`: it begins with a word of the speaker for himself, and need only be tried there."""

    attribute: str
    regex: re.Pattern[str]
    own: bool


@dataclass(frozen=True)
class Language:
    """`patterns` name in their groups what is said: `plan` (it is), `not_plan` (it is not); a digit behind tells groups
    of one attribute apart. `own`: where a speaker speaks of himself.

    `others_words`: what follows in a message is written for or by others. `supposing` anywhere before a statement, and
    `hypothetical`, `reported`, `third_person` and `interrogative` in front of a statement say that it is none;
    `clause_end` ends what they speak of. `nobody` has no problem."""

    own: re.Pattern[str]
    patterns: Sequence[Pattern]
    gate: Gate
    hypothetical: re.Pattern[str]
    supposing: re.Pattern[str]
    others_words: re.Pattern[str]
    reported: re.Pattern[str]
    third_person: re.Pattern[str]
    interrogative: re.Pattern[str]
    clause_end: re.Pattern[str]
    nobody: re.Pattern[str]


@cache
def compiled(page: ModuleType) -> Language:
    """The language that a page describes."""
    patterns = [
        Pattern(attribute, pattern(one), one.startswith(page.OWN_FORMS))
        for attribute, written in page.PATTERNS.items()
        for one in written
    ]
    return Language(
        pattern(page.OWN),
        patterns,
        Gate([one.regex for one in patterns]),
        *(
            pattern(one)
            for one in (
                page.HYPOTHETICAL, page.SUPPOSING, page.OTHERS_WORDS, page.REPORTED, page.THIRD_PERSON, page.INTERROGATIVE, page.BREAK, page.NOBODY,
            )
        ),
    )  # fmt: skip


def spoken(words: Set[str]) -> list[Language]:
    """The languages that a text with these words, in lower case, may be in. Compiling one takes tenths of a second."""
    return [compiled(page) for page in _pages() if not words.isdisjoint(_words(page))]


def all_languages() -> list[Language]:
    return [compiled(page) for page in _pages()]


@cache
def _pages() -> Sequence[ModuleType]:
    from chatmem.facts.languages import english, french, german, portuguese, spanish

    return english, german, french, spanish, portuguese


@cache
def _words(page: ModuleType) -> frozenset[str]:
    return frozenset(page.WORDS.split())
