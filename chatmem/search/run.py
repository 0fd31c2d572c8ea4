"""A question in, ranked units out: parse, narrow the scope, look up the words, rank.

Everything that depends on the archive happens on one read-only connection; what a word is, how scores join and what
counts as an answer are decided by the pure modules beside this one.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from chatmem.archive import keys, lexicon, read
from chatmem.archive.scope import Scope, where
from chatmem.archive.store import frugally
from chatmem.archive.tokenizer import ASCII_TOKEN, RAW_TOKEN, fold
from chatmem.errors import ArchiveError
from chatmem.search import freshness, fusion, lexical, question, references, semantic, words
from chatmem.search.conditions import Conditions, conditions
from chatmem.search.fusion import Fusion
from chatmem.search.hits import Hit, Ranking, best
from chatmem.search.limits import Ask
from chatmem.search.query import Query
from chatmem.search.question import Meaning
from chatmem.search.uses import uses
from chatmem.search.words import Cut, Known, Spelled

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

By = Literal["chat", "message"]
Mode = Literal["hybrid", "lexical", "semantic"]
# Candidates by their words that meaning may bring forward: chats, or units if messages are listed.
CHATS, UNITS = 20, 100

_CUT_ALL = f"""
SELECT word, regexp_extract_all(word, $re${RAW_TOKEN}$re$) FROM (SELECT unnest(?::VARCHAR[]) AS word)
"""
# The shortest are the likeliest; a prefix of two letters may have more completions than a statement should hold.
_BEGINNING = f"""
SELECT text, term FROM term WHERE starts_with(text, ?) AND {{said}}
ORDER BY length(text), text, term LIMIT {words.MAX_COMPLETIONS + 1}
"""
_SAID_IN_SCOPE = f"""term IN (
    SELECT p.term FROM posting p JOIN chat c ON c.chat_no = {keys.sql_chat("p.message_key")}
    WHERE p.term IN (SELECT term FROM term WHERE starts_with(text, ?)) AND {{scope}}
)"""
_AROUND = "SELECT text, term FROM term WHERE contains(text, ?) AND length(text) = 2 ORDER BY text, term"
NOTHING = "\x00nothing"
# E0502, 40P01, pg_upgrade, v1.2: letters and digits together, or parts joined as in code. No date, no hyphenated word.
_IDENTIFIER = re.compile(r"(?=.*[^\W\d_])(?=.*\d)\S{3,}|\w+_\w+")


class SearchRequest(NamedTuple):
    """What is asked and of what. `limit`: results (chats with `per_chat` units each, or messages with `by` message)."""

    query: Query
    scope: Scope
    limit: int
    by: By = "chat"
    roles: tuple[str, ...] = ()
    hidden: bool = False
    branches: bool = False
    per_chat: int = 3
    mode: Mode = "hybrid"
    fusion: Fusion = "recipe"


class Found(NamedTuple):
    """Ranked units and what is needed to judge and quote them. `direct`: what the query names by its id.

    `everything`: the scope is the whole archive. `meaning`: the question's vector and what is near it.
    """

    query: Query
    ranking: Ranking
    lookup: words.Lookup
    conditions: Conditions
    scope_count: read.ScopeCount
    everything: bool
    direct: tuple[references.Reference, ...]
    meaning: Meaning
    wanted: Mode = "hybrid"

    @property
    def mode(self) -> Mode:
        """What was used: where there are no vectors to compare words are looked for, and without words meaning."""
        if not self.meaning.near.passages:
            return "lexical"
        return "hybrid" if self.lookup.asked and self.wanted != "semantic" else "semantic"

    def unknown(self) -> tuple[str, ...]:
        """The asked words that no text looked at has: neither as a whole, nor all their parts, nor a bigram of them."""
        return tuple(text for i, text in enumerate(self.lookup.asked) if self._known(i) == "no")

    def inexact(self) -> tuple[str, ...]:
        """The asked words that occur only in parts."""
        return tuple(text for i, text in enumerate(self.lookup.asked) if self._known(i) == "in parts")

    def coverage(self, hit: Hit) -> float:
        """Share of the question's weight that a unit (with its context and title) answers; unknown words weigh most."""
        reached = total = 0.0
        for asked in range(len(self.lookup.asked)):
            got, weight = self._weights(asked, hit.slots)
            reached += got
            total += weight
        return min(1.0, reached / total) if total else 0.0

    def _known(self, asked: int) -> Literal["yes", "in parts", "no"]:
        mine = self._slots(asked)
        wholes = [i for i, slot in mine if slot.kind == "whole"]
        if any(i in self.ranking.idf for i in wholes):
            return "yes"
        missing = self._missing(mine)
        bigrams = any(slot.kind == "bigram" and i in self.ranking.idf for i, slot in mine)
        if not missing:
            return "in parts" if wholes else "yes"
        return "in parts" if bigrams else "no"

    def _weights(self, asked: int, slots: frozenset[int]) -> tuple[float, float]:
        """(weight of what is there, weight of all) of an asked word. The whole answers for its parts."""
        mine = self._slots(asked)
        idf = self.ranking.idf
        parts = sum(idf.get(i, 0.0) for i, slot in mine if slot.kind != "whole")
        got = sum(idf.get(i, 0.0) for i, slot in mine if slot.kind != "whole" and i in slots)
        wholes = [i for i, slot in mine if slot.kind == "whole" and i in idf]
        if wholes:
            weight = max(parts, *(idf[i] for i in wholes))
            return (weight if any(i in slots for i in wholes) else got), weight
        return got, parts + len(self._missing(mine)) * math.log(1 + 2 * self.ranking.units)

    def _slots(self, asked: int) -> list[tuple[int, words.Slot]]:
        return [(i, slot) for i, slot in enumerate(self.lookup.slots) if slot.asked == asked]

    def _missing(self, mine: Sequence[tuple[int, words.Slot]]) -> list[int]:
        """Slots of parts that no text has. A bigram beside a known one may only be the seam between two words."""
        here = [(slot.kind, i in self.ranking.idf) for i, slot in mine if slot.kind != "whole"]
        return [
            place
            for place, (kind, known) in enumerate(here)
            if not known and not (kind == "bigram" and ("bigram", True) in here[max(0, place - 1) : place + 2])
        ]


def search(connection: DuckDBPyConnection, request: SearchRequest) -> Found:
    """Rank the units of the scope for the query. Raises ArchiveError if the index is of another tokenizer."""
    return frugally(connection, lambda: _found(connection, request))


def _found(connection: DuckDBPyConnection, request: SearchRequest) -> Found:
    if not lexicon.stamped(connection):
        raise ArchiveError("the word index was made by another version of chatmem", "chatmem archive reindex")
    query = request.query
    scope_count = read.count(connection, request.scope)
    cut = _cutter(connection, query)
    everything = scope_count.chats == read.total(connection) and lexicon.settled(connection)
    known = Known(
        lambda text: _beginning(connection, text, None if everything else request.scope),
        lambda text: _spelled(connection.execute(_AROUND, [text])),
    )
    lookup = words.lookup(query, cut, known)
    if len(lookup.slots) > words.MAX_SLOTS:
        lookup = words.rarest(lookup, uses(connection, {t for s in lookup.slots for t in s.terms}, request.scope))
    asked = conditions(connection, query, request.roles, cut, known)
    ask = Ask(
        slots=[s.terms for s in lookup.slots],
        scope=request.scope,
        names=words.names(query, cut),
        hidden=request.hidden,
        branches=request.branches,
        conditions=asked,
        limit=request.limit,
        per_chat=request.per_chat if request.by == "chat" else None,
    )
    meaning = _meaning(connection, request, ask, everything) if scope_count.chats else Meaning()
    ranking = Ranking([])
    if scope_count.chats:
        ranking, meaning = _ranking(connection, request, ask, everything, meaning)
    ranking = ranking._replace(hits=_exact_first(ranking, lookup))
    # Reciprocal ranks are all near-equal.
    if request.fusion != "rrf" and freshness.asks_for_latest(query.text):
        ranking = ranking._replace(hits=freshness.latest_first(ranking.hits))
    if ask.per_chat is not None:
        ranking = ranking._replace(hits=_best_of_each(ranking.hits, ask.per_chat))
    direct = references.named(connection, request.scope, query.text)
    return Found(query, ranking, lookup, asked, scope_count, everything, tuple(direct), meaning, request.mode)


def _meaning(connection: DuckDBPyConnection, request: SearchRequest, ask: Ask, everything: bool) -> Meaning:
    if request.mode == "lexical":
        return Meaning()
    asked = question.understood(connection, request.query)
    if not asked.vector:
        return asked
    return asked._replace(near=semantic.nearest(connection, ask, asked.vector, everything))


def _ranking(
    connection: DuckDBPyConnection, request: SearchRequest, ask: Ask, everything: bool, meaning: Meaning
) -> tuple[Ranking, Meaning]:
    near = meaning.near
    if not near.found:
        return lexical.rank(connection, ask, everything), meaning
    if request.mode == "semantic":
        ask = ask._replace(slots=())
    nearest = near.best()
    least = CHATS if ask.per_chat else UNITS
    ranking = lexical.rank(connection, ask._replace(limit=max(ask.limit, least), also=list(nearest)), everything)
    here = {hit.unit_key for hit in ranking.hits}
    found = [*ranking.hits, *semantic.hits(connection, [unit for unit in nearest if unit not in here], ask.names)]
    others = [hit.unit_key for hit in ranking.hits if hit.unit_key not in nearest]
    known = (*near.found, *semantic.of_units(connection, others, meaning.vector, ask.conditions.roles))
    if request.fusion == "rrf":
        hits = fusion.by_rank(found, best(known), near)
    else:
        hits = fusion.added(found, best(known), near, meaning.weight)
    return ranking._replace(hits=hits), meaning._replace(known=known)


def _exact_first(ranking: Ranking, lookup: words.Lookup) -> list[Hit]:
    """The hits that have the identifiers of the question before all others."""
    named = {asked for asked, text in enumerate(lookup.asked) if _IDENTIFIER.fullmatch(text)}
    wholes = {slot.asked for slot in lookup.slots if slot.kind == "whole"}
    exact = frozenset(
        i
        for i, slot in enumerate(lookup.slots)
        if slot.asked in named and i in ranking.idf and (slot.kind == "whole" or slot.asked not in wholes)
    )
    return sorted(ranking.hits, key=lambda hit: -len(hit.slots & exact)) if exact else ranking.hits


def _best_of_each(hits: Sequence[Hit], per_chat: int) -> list[Hit]:
    seen: Counter[int] = Counter()
    kept = []
    for hit in hits:
        seen[hit.chat_no] += 1
        if seen[hit.chat_no] <= per_chat:
            kept.append(hit)
    return kept


def respelled(connection: DuckDBPyConnection, query: Query, instead: Mapping[str, str]) -> Query:
    """The query with other spellings. `instead`: folded word -> spelling."""
    cut = _cutter(connection, query)
    words = []
    for word in query.words:
        for raw in cut(word):
            word = word.replace(raw, instead.get(fold(raw), raw))
        words.append(word)
    return query._replace(words=tuple(words))


def _cutter(connection: DuckDBPyConnection, query: Query) -> Cut:
    """The index's own tokenizer for every piece of the query, in one call."""
    pieces = dict.fromkeys(piece for kind in query[1:-1] for piece in kind if not piece.isascii())
    table = dict(connection.execute(_CUT_ALL, [list(pieces)]).fetchall()) if pieces else {}
    return lambda piece: ASCII_TOKEN.findall(piece) if piece.isascii() else table.get(piece, [])


def _beginning(connection: DuckDBPyConnection, text: str, scope: Scope | None) -> Sequence[Spelled]:
    """The shortest completions; more than MAX_COMPLETIONS if there are more. `scope` None: the whole archive."""
    found = _spelled(connection.execute(_BEGINNING.format(said="true"), [text]))
    if scope is None or len(found) <= words.MAX_COMPLETIONS:
        return found
    predicate, params = where(scope)
    said = _SAID_IN_SCOPE.format(scope=predicate)
    return _spelled(connection.execute(_BEGINNING.format(said=said), [text, text, *params]))


def _spelled(result: DuckDBPyConnection) -> Sequence[Spelled]:
    return [Spelled(*row) for row in result.fetchall()]


def filters(query: Query, moment: Callable[[str], datetime | None]) -> Scope:
    """The inline filters of a query as a scope."""
    after = [t for v in query.asked("after") if (t := moment(v))]
    before = [t for v in query.asked("before") if (t := moment(v))]
    return Scope(
        users=query.asked("user"),
        agents=query.asked("agent"),
        projects=query.asked("project"),
        sources=query.asked("source"),
        after=max(after, default=None),
        before=min(before, default=None),
    )


def narrowed(scope: Scope, more: Scope) -> Scope:
    """What both scopes allow: filters can only narrow."""
    return replace(
        scope,
        users=both(scope.users, more.users),
        agents=both(scope.agents, more.agents),
        also_projects=(*scope.also_projects, more.projects),
        sources=both(scope.sources, more.sources),
        after=max((t for t in (scope.after, more.after) if t), default=None),
        before=min((t for t in (scope.before, more.before) if t), default=None),
    )


def both(own: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    """Values that two limits allow, where an empty one allows all; something that nothing matches if none is left."""
    if not own or not more:
        return own or more
    lowered = {m.lower() for m in more}
    return tuple(o for o in own if o.lower() in lowered) or (NOTHING,)
