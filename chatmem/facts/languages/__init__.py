"""How the languages say things about oneself, made ready to be looked for. What they say stands in the pages beside.

A pattern is compiled when a text comes that it may match.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import cache, cached_property
from types import ModuleType

from chatmem.facts.gate import Gate, Needles
from chatmem.facts.languages.values import pattern


class Pattern:
    """`own`: it begins with a word of the speaker for himself, and need only be tried there."""

    def __init__(self, attribute: str, written: str, own: bool) -> None:
        self.attribute = attribute
        self.own = own
        self._written = written

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """Its groups name what is said: `plan` (it is), `not_plan` (it is not); digits tell groups of one name apart."""
        return pattern(self._written)


class Language:
    """The patterns of a page, and what in front of a match says that nothing is stated."""

    def __init__(self, page: ModuleType) -> None:
        self._page = page
        self.name = page.__name__.rpartition(".")[2]
        self.patterns: Sequence[Pattern] = [
            Pattern(attribute, one, one.startswith(page.OWN_FORMS))
            for attribute, written in page.PATTERNS.items()
            for one in written
        ]

    @cached_property
    def gate(self) -> Gate:
        return Gate(_needles()[self.name])

    @cached_property
    def own(self) -> re.Pattern[str]:
        """Where a speaker speaks of himself."""
        return pattern(self._page.OWN)

    @cached_property
    def hypothetical(self) -> re.Pattern[str]:
        """In the clause of a statement: it is not so, but might be."""
        return pattern(self._page.HYPOTHETICAL)

    @cached_property
    def supposing(self) -> re.Pattern[str]:
        """The same, anywhere before a statement in its sentence."""
        return pattern(self._page.SUPPOSING)

    @cached_property
    def others_words(self) -> re.Pattern[str]:
        """What follows in a message is written for or by others."""
        return pattern(self._page.OTHERS_WORDS)

    @cached_property
    def reported(self) -> re.Pattern[str]:
        return pattern(self._page.REPORTED)

    @cached_property
    def third_person(self) -> re.Pattern[str]:
        return pattern(self._page.THIRD_PERSON)

    @cached_property
    def interrogative(self) -> re.Pattern[str]:
        return pattern(self._page.INTERROGATIVE)

    @cached_property
    def clause_end(self) -> re.Pattern[str]:
        """Ends what the words before it speak of."""
        return pattern(self._page.BREAK)

    @cached_property
    def nobody(self) -> re.Pattern[str]:
        """Has no problem."""
        return pattern(self._page.NOBODY)


def spoken(words: Set[str]) -> list[Language]:
    """The languages that a text with these words, in lower case, may be in: people mix them."""
    return [language for known, language in _languages() if not words.isdisjoint(known)]


def all_languages() -> list[Language]:
    return [language for _, language in _languages()]


@cache
def _languages() -> Sequence[tuple[frozenset[str], Language]]:
    from chatmem.facts.languages import english, french, german, portuguese, spanish

    return [(frozenset(page.WORDS.split()), Language(page)) for page in (english, german, french, spanish, portuguese)]


@cache
def _needles() -> dict[str, Sequence[Needles]]:
    import json
    from importlib.resources import files

    found: dict[str, Sequence[Needles]] = json.loads((files(__package__) / "needles.json").read_text("utf-8"))
    return found
