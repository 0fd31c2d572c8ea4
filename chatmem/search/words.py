"""From a Query to slots of term ids: what must be looked up in the postings for each word that was asked.

A slot is one thing to look up; a text that has any of its terms has the thing. One asked word may need several: its
parts and the whole (`GPT-4o`: gpt, 4o, gpt-4o), or the bigrams of an unspaced script. Dates in the question also match
the time a message was said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

from chatmem.archive.tokenizer import MARK, UNSPACED, expand, fold, stem, term_id
from chatmem.search.query import Query
from chatmem.search.stopwords import ENGLISH, function_words

# As many as bits that a double holds. If more is asked, most of them go to words that were said at all.
MAX_SLOTS, SLOTS_OF_KNOWN = 50, 40
MAX_COMPLETIONS = 5_000
_MONTHS = {
    name[:length]: number
    for number, name in enumerate(
        ("january february march april may june july august september october november december").split(), 1
    )
    for length in (3, len(name))
}
_YEAR = re.compile(r"(19|20)\d\d", re.ASCII)
_DAY = re.compile(r"([12]?\d|3[01])(st|nd|rd|th)?", re.ASCII)

Cut = Callable[[str], Sequence[str]]


class Spelled(NamedTuple):
    """A spelling that texts in the archive have, and the term it is indexed as."""

    text: str
    term: int


class Known(NamedTuple):
    """What the archive's list of spellings tells: those that begin with a text, and those around a character."""

    beginning: Callable[[str], Sequence[Spelled]]
    around: Callable[[str], Sequence[Spelled]]


class Slot(NamedTuple):
    """`terms`: the ids that count. `spellings`: how they read. `asked`: the number of the asked word it belongs to.

    `kind`: a part, the whole of a compound (which answers for all its parts), or a bigram of an unspaced script.
    `cut_short`: there are more terms than can be looked up.
    """

    terms: tuple[int, ...]
    spellings: tuple[str, ...]
    kind: Literal["part", "whole", "bigram"] = "part"
    asked: int = 0
    cut_short: bool = False


class Lookup(NamedTuple):
    """`asked[i]` is the folded text of asked word i; every slot names the one it belongs to.

    `left_out` of a query too long are words that are not looked for, and of prefixes with more completions than can be
    looked for the longer ones.
    """

    asked: tuple[str, ...]
    slots: tuple[Slot, ...]
    left_out: tuple[str, ...] = ()


def lookup(query: Query, cut: Cut, known: Known) -> Lookup:
    """What to look up for a query. `cut` is the archive's raw tokenizer.

    Function words are dropped from free text unless nothing else remains; phrases keep every word.
    """
    raws = [raw for word in query.words for raw in cut(word)]
    begun = [list(cut(prefix)) for prefix in query.prefixes]
    raws += [raw for pieces in begun for raw in pieces[:-1]]
    stops = function_words([fold(r) for r in raws])
    kept = [r for r in raws if fold(r) not in stops]
    if not kept and not query.phrases and not query.prefixes:
        kept = raws
    kept = [raw for phrase in query.phrases for raw in cut(phrase)] + kept
    dates = _dates(raws)
    asked = {f"{text}*": [beginning(text, known)] for text in (fold(pieces[-1]) for pieces in begun if pieces)}
    for raw in kept:
        text = fold(raw)
        if text not in asked:
            asked[text] = _slots(raw, dates.get(text, ()), known)
    cut_short = tuple(text for text, slots in asked.items() if any(slot.cut_short for slot in slots))
    return _unique(asked)._replace(left_out=cut_short)


def _unique(asked: dict[str, list[Slot]]) -> Lookup:
    """Words that look up the same (`run`, `running`) are asked once."""
    seen: set[tuple[int, ...]] = set()
    texts: list[str] = []
    found: list[Slot] = []
    for text, slots in asked.items():
        fresh = [s for s in slots if s.terms not in seen]
        if fresh:
            seen.update(s.terms for s in fresh)
            found += [s._replace(asked=len(texts)) for s in fresh]
            texts.append(text)
    return Lookup(tuple(texts), tuple(found))


def rarest(lookup: Lookup, uses: Mapping[int, int]) -> Lookup:
    """Of more slots than a bit mask holds those of the words that say most. `uses`: term -> texts that have it."""
    slots: dict[int, list[Slot]] = {}
    for slot in lookup.slots:
        slots.setdefault(slot.asked, []).append(slot)
    said = {i: [n for s in mine if (n := sum(uses.get(t, 0) for t in s.terms))] for i, mine in slots.items()}
    known = sorted((i for i in slots if said[i]), key=lambda i: min(said[i]))
    unknown = [i for i in slots if not said[i]]
    taken: list[int] = []
    size = 0
    for bound, candidates in ((SLOTS_OF_KNOWN, known), (MAX_SLOTS, unknown), (MAX_SLOTS, known)):
        for i in candidates:
            if i not in taken and size + len(slots[i]) <= bound:
                taken.append(i)
                size += len(slots[i])
    cut_short = next((i for i in (*known, *unknown) if i not in taken and size < MAX_SLOTS), None)
    if cut_short is not None:
        # A text without spaces is one long word: as much of it as there is room for.
        slots[cut_short] = slots[cut_short][: MAX_SLOTS - size]
        taken.append(cut_short)
    taken.sort()
    left_out = [text for i, text in enumerate(lookup.asked) if i not in taken or i == cut_short]
    return Lookup(
        tuple(lookup.asked[i] for i in taken),
        tuple(slot._replace(asked=place) for place, i in enumerate(taken) for slot in slots[i]),
        (*lookup.left_out, *left_out),
    )


def _slots(raw: str, marks: tuple[str, ...], known: Known) -> list[Slot]:
    words, wholes = expand(raw)
    # The single letter of an identifier (i of iPhone, c of C++) says nothing that the whole does not say better.
    parts = [w for w in dict.fromkeys(words) if not (wholes and len(w) == 1 and w.isascii() and w.isalpha())]
    found = []
    for word in parts or words:
        spellings = (word, *marks)
        near = known.around(word) if len(word) == 1 and UNSPACED.match(word) else ()
        terms = dict.fromkeys((*map(term_id, spellings), *(s.term for s in near)))
        kind: Literal["part", "bigram"] = "bigram" if UNSPACED.match(word) else "part"
        found.append(Slot(tuple(terms), (*spellings, *(s.text for s in near)), kind))
    # A stem finds all that its spelling finds.
    wanted = [w for w in wholes if stem(w) == w or stem(w) not in wholes]
    return found + [Slot((term_id(w),), (w,), "whole") for w in wanted]


def beginning(prefix: str, known: Known) -> Slot:
    """The slot of `prefix*`: all that texts in the archive begin with. A stem stands for all its endings."""
    found = known.beginning(prefix)
    kept = found[:MAX_COMPLETIONS]
    terms, spellings = dict.fromkeys(s.term for s in kept), dict.fromkeys(map(_as_indexed, kept))
    return Slot(tuple(terms), tuple(spellings), cut_short=len(found) > len(kept))


def _as_indexed(spelled: Spelled) -> str:
    words, wholes = expand(spelled.text)
    return next((t for t in (*words, *wholes) if term_id(t) == spelled.term), spelled.text)


def names(query: Query, cut: Cut) -> frozenset[str]:
    """Folded words that may name a speaker. `will` and `may` do only where they are capitalised inside a sentence."""
    found: set[str] = set()
    for i, word in enumerate(query.words):
        for raw in cut(word):
            name = fold(re.sub(r"['’]s$", "", raw))
            if name not in ENGLISH or (i and raw[:1].isupper() and len(raw) > 1):
                found.add(name)
    return frozenset(found)


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
