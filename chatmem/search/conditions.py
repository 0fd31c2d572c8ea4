"""What a unit must or must not hold, beyond having some of the words: phrases, `-without`, roles.

Phrases are looked up by their words and then verified in the stored text, so the index needs no positions. A unit has
a phrase if one of its messages, or the title of its chat, has it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from chatmem.archive import keys
from chatmem.archive.lexicon import PLAIN_TEXT
from chatmem.archive.scope import Params
from chatmem.archive.tokenizer import UNSPACED, expand, fold, stem, term_id
from chatmem.search.query import Query
from chatmem.search.words import Cut, Known, beginning

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Case, accents and the two forms of an apostrophe make no difference.
_FOLD = "translate(strip_accents(lower({})), '’', '''')"
_FOLDED = f"SELECT {_FOLD.format('?')}"
_PHRASE = f"""
WITH asked AS (SELECT unnest(?::USMALLINT[]) AS place, unnest(?::UBIGINT[]) AS term),
candidate AS MATERIALIZED (
    SELECT message_key FROM posting JOIN asked USING (term)
    WHERE term IN ({{terms}})
    GROUP BY message_key HAVING count(DISTINCT place) = ?
)
SELECT message_key FROM message JOIN candidate USING (message_key)
WHERE regexp_matches({_FOLD.format(PLAIN_TEXT)}, ?) {{said}}
UNION ALL
SELECT {keys.sql_title("chat_no")}
FROM chat WHERE regexp_matches({_FOLD.format("title")}, ?)
"""
_SAID = "AND role IN (SELECT unnest(?::VARCHAR[]))"
_SPECIAL = re.compile(r"([!-/:-@\[-`{-~])")
MAX_PATTERN = 8_000
# Spaces of any kind, and the marks that only format: **deadlock** detected.
_BETWEEN = r"[*_`~]*[\s\p{Z}]+[*_`~]*"
_BEFORE, _AFTER = r"(?:^|[^\p{L}\p{N}_])_*", r"_*(?:$|[^\p{L}\p{N}_])"


class Conditions(NamedTuple):
    """`units` hold every phrase (None: none was asked), `messages` are those that hold one, `titled` the chats whose
    title holds all. Units with one of `without_terms`, or in `without_units`, are left out, and so are chats whose
    title has one. Only messages of `roles` count; titles are nobody's then.
    """

    units: frozenset[int] | None = None
    messages: frozenset[int] | None = None
    titled: frozenset[int] = frozenset()
    without_terms: tuple[int, ...] = ()
    without_units: frozenset[int] = frozenset()
    without_chats: frozenset[int] = frozenset()
    roles: tuple[str, ...] = ()

    def any(self) -> bool:
        return self != Conditions()


def conditions(
    connection: DuckDBPyConnection, query: Query, roles: Sequence[str], cut: Cut, known: Known
) -> Conditions:
    """The conditions of a query; a phrase without a single word is none."""
    held: list[Sequence[int]] = []
    for phrase in query.phrases:
        # Where one phrase is nowhere, the others need not be looked for.
        if all(held) and _places(phrase, cut, known):
            held.append(_holding(connection, phrase, cut, known, roles))
    terms, phrases = _without(query, cut, known)
    banned = [_holding(connection, p, cut, known, ()) for p in phrases]
    return Conditions(
        units=_in_all(held) if held else None,
        messages=frozenset(k for keys_held in held for k in keys_held) if held else None,
        titled=frozenset.intersection(*map(_titles, held)) if held else frozenset(),
        without_terms=terms,
        without_units=frozenset(u for keys_held in banned for u in _units(keys_held)),
        without_chats=frozenset(c for keys_held in banned for c in _titles(keys_held)),
        roles=tuple(roles),
    )


def _in_all(held: Sequence[Sequence[int]]) -> frozenset[int]:
    """Units that hold one of the phrases themselves, and have each of the others in a message or in their title."""
    units = [_units(keys_held) for keys_held in held]
    titles = [_titles(keys_held) for keys_held in held]

    def has_all(unit: int) -> bool:
        chat = keys.chat_of_unit(unit)
        return all(unit in own or chat in titled for own, titled in zip(units, titles, strict=True))

    return frozenset(filter(has_all, frozenset().union(*units)))


def _units(found: Sequence[int]) -> frozenset[int]:
    return frozenset(keys.unit_of(k) for k in found if keys.lane_of(k) != keys.TITLE)


def _titles(found: Sequence[int]) -> frozenset[int]:
    return frozenset(keys.chat_of(k) for k in found if keys.lane_of(k) == keys.TITLE)


def _holding(
    connection: DuckDBPyConnection, phrase: str, cut: Cut, known: Known, roles: Sequence[str]
) -> Sequence[int]:
    """Keys of the messages (of the roles, if any) and titles that hold a phrase."""
    places = _places(phrase, cut, known)
    numbers = [i for i, terms in enumerate(places) for _ in terms]
    terms = [t for found in places for t in found]
    if not all(places) or not terms:
        return []
    (folded,) = connection.execute(_FOLDED, [phrase]).fetchone() or (phrase,)
    pattern = phrase_pattern(str(folded))
    sql = _PHRASE.format(terms=", ".join(f"{t}::UBIGINT" for t in terms), said=_SAID if roles else "")
    params: Params = [numbers, terms, len(places), pattern, *([list(roles)] if roles else []), pattern]
    return [k for (k,) in connection.execute(sql, params).fetchall()]


def _places(phrase: str, cut: Cut, known: Known) -> list[tuple[int, ...]]:
    """The terms of each different word of a phrase; a lone character of an unspaced script may be part of any word."""
    found: dict[str, tuple[int, ...]] = {}
    for raw in cut(phrase):
        for word in expand(raw).words:
            near = known.around(word) if len(word) == 1 and UNSPACED.match(word) else ()
            found[word] = (term_id(word), *(s.term for s in near))
    return list(found.values())


def _without(query: Query, cut: Cut, known: Known) -> tuple[tuple[int, ...], list[str]]:
    """(terms, phrases) that no unit may hold. A word that is more than one term without a whole is a phrase."""
    terms: list[int] = [
        t for p in query.without_prefixes for raw in cut(p)[-1:] for t in beginning(fold(raw), known).terms
    ]
    phrases = [p for p in query.without_phrases if cut(p)]
    for word in query.without:
        raws = cut(word)
        words, wholes = expand(raws[0]) if len(raws) == 1 else ((), ())
        if wholes:
            terms += [term_id(w) for w in wholes if _letters(w) == _letters(raws[0])]
        elif len(words) == 1 and not UNSPACED.match(words[0]):
            terms.append(term_id(words[0]))
        elif raws:
            phrases.append(word)
    return tuple(terms), phrases


def _letters(text: str) -> str:
    """What two spellings of one compound share."""
    return stem("".join(c for c in fold(text) if c.isalnum()))


def phrase_pattern(folded: str) -> str:
    """An RE2 pattern for the phrase as whole words; punctuation inside it must stand, spaces may be any.

    Of a phrase too long for a pattern its beginning: hardly two texts differ behind it.
    """
    folded = folded[:MAX_PATTERN].strip()
    body = _BETWEEN.join(_SPECIAL.sub(r"\\\1", word) for word in folded.split())
    left = _BEFORE if _has_borders(folded[:1]) else ""
    right = _AFTER if _has_borders(folded[-1:]) else ""
    return left + body + right


def _has_borders(character: str) -> bool:
    return character.isalnum() and not UNSPACED.match(character)
