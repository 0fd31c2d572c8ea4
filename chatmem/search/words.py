"""From a Query to slots of term ids: what must be looked up in the postings for each word that was asked.

A slot is one thing asked for; a text that has any of its terms has the thing. Compounds add a slot for the whole
(`GPT-4o`: gpt, 4o, gpt-4o), dates in the question also match the time a message was said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from chatmem.archive.tokenizer import MARK, expand, fold, term_id
from chatmem.search.query import Query
from chatmem.search.stopwords import function_words

MAX_SLOTS = 60
_MONTHS = {
    name[:length]: number
    for number, name in enumerate(
        ("january february march april may june july august september october november december").split(), 1
    )
    for length in (3, len(name))
}
_YEAR = re.compile(r"(19|20)\d\d")
_DAY = re.compile(r"([12]?\d|3[01])(st|nd|rd|th)?")


@dataclass(frozen=True, slots=True)
class Slot:
    """`text`: as asked, folded. `terms`: the spellings that count. `known` False: no text in the archive has it."""

    text: str
    terms: tuple[int, ...]
    spellings: tuple[str, ...]


def slots(query: Query, cut: Callable[[str], list[str]], completions: Callable[[str], Iterable[str]]) -> list[Slot]:
    """The slots of a query. `cut` is the archive's raw tokenizer; `completions(prefix)` lists spellings it knows.

    Function words are dropped from free text unless nothing else remains; phrases keep every word.
    """
    raws = [raw for word in query.words for raw in cut(word)]
    stops = function_words([fold(r) for r in raws])
    kept = [r for r in raws if fold(r) not in stops]
    if not kept and not query.phrases and not query.prefixes:
        kept = raws
    kept += [raw for phrase in query.phrases for raw in cut(phrase)]
    found: dict[str, Slot] = {}
    dates = _dates(raws)
    for raw in kept:
        expanded = expand(raw)
        for term in (*expanded.words, *expanded.wholes):
            marks = dates.get(fold(raw), ())
            found.setdefault(term, Slot(fold(raw), tuple(map(term_id, (term, *marks))), (term, *marks)))
    for prefix in query.prefixes:
        spellings = tuple(completions(fold(prefix)))
        terms = tuple(dict.fromkeys(term_id(t) for s in spellings for t in (*expand(s).words[:1], s)))
        found.setdefault(prefix + "*", Slot(prefix + "*", terms, spellings))
    return list(found.values())[:MAX_SLOTS]


def names(query: Query, cut: Callable[[str], list[str]]) -> list[str]:
    """Words that may name a speaker: capitalised or not, without possessive."""
    return [fold(re.sub(r"['’]s$", "", raw)) for word in query.words for raw in cut(word)]


def _dates(raws: list[str]) -> dict[str, tuple[str, ...]]:
    """Folded word -> terms of event time, if the words name a date: a month beside a year or a day, or a year."""
    folded = [fold(r) for r in raws]
    found: dict[str, tuple[str, ...]] = {}
    for i, word in enumerate(folded):
        if _YEAR.fullmatch(word):
            found[word] = (f"{MARK}{word}",)
        around = folded[max(0, i - 2) : i] + folded[i + 1 : i + 3]
        if word in _MONTHS and any(_YEAR.fullmatch(w) or _DAY.fullmatch(w) for w in around):
            found[word] = (f"{MARK}m{_MONTHS[word]:02}",)
            for near in folded[max(0, i - 1) : i] + folded[i + 1 : i + 2]:
                day = _DAY.fullmatch(near)
                if day:
                    found[near] = (f"{MARK}d{int(day.group(1)):02}",)
    return found
