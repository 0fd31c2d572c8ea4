"""Lexical ranking: BM25 over the postings of the scope.

    score = (own / max(own) + context / max(context) + 0.5 * chat / max(chat)) * author factor

(DESIGN section 3, the recipe without a model). Document frequencies, counts and average lengths are those of the scope,
so that nothing outside it can be felt. Units are exchanges in a talk with an assistant (own = the user's message,
context = message and replies) and messages between people (context = two messages to either side); both come from the
same postings by grouping. bm25.py holds the statement; here its variable parts are filled in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chatmem.archive import keys
from chatmem.archive.scope import where
from chatmem.search.bm25 import Parts, statement
from chatmem.search.hits import Hit, Ranking
from chatmem.search.limits import UNBANNED, Ask, authors_called, bans, dates_of, limits_of, wanted_units

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_ALSO = "also AS MATERIALIZED (SELECT unnest(?::BIGINT[]) AS unit_key),"


def rank(connection: DuckDBPyConnection, ask: Ask, everything: bool) -> Ranking:
    """The best units of the scope. `everything`: no row of the index is outside it, so none need be tested."""
    terms = [t for slot in ask.slots for t in slot]
    if not terms:
        return Ranking([])
    numbers = [i for i, slot in enumerate(ask.slots) for _ in slot]
    scope, params = where(ask.scope)
    limits, more = limits_of(ask)
    authors = authors_called(connection, ask.names)
    dated, times = dates_of(ask.scope)
    limits, more = limits + _ALSO, [*more, list(ask.also)]
    parts = _parts(ask, scope, limits)._replace(live=not everything, author=bool(authors), dated=dated)
    named = [authors] if authors else []
    values = [numbers, terms, *params, *more, *named, *times, *named, ask.limit, ask.limit]
    rows = connection.execute(statement(parts), values).fetchall()
    units, matched, idf = rows[0][:3]
    hits = [Hit._make((*row[3:-1], _slots(row[-1]), 0.0, 0.0)) for row in rows if row[3] is not None]
    return Ranking(hits, idf or {}, units, matched)


def _slots(bits: int) -> frozenset[int]:
    return frozenset(i for i in range(bits.bit_length()) if bits >> i & 1)


def _parts(ask: Ask, scope: str, limits: str) -> Parts:
    titled = ["true"]
    asked = ask.conditions
    if asked.units is not None:
        titled.append("s.chat_no IN (SELECT chat_no FROM titled)")
    if bans(asked):
        titled.append("s.chat_no NOT IN (SELECT chat_no FROM banned_chat)")
    if asked.roles:
        titled.append("false")
    return Parts(
        scope=scope,
        limits=limits,
        terms=", ".join(f"{t}::UBIGINT" for slot in ask.slots for t in slot),
        lanes=_lanes(ask.hidden, ask.branches),
        said="AND p.message_key IN (SELECT message_key FROM said)" if asked.roles else "",
        wanted=wanted_units(ask),
        speaking=f"AND unit_key IN (SELECT {keys.sql_unit('message_key')} FROM said)" if asked.roles else "",
        titled=" AND ".join(titled),
        unbanned=UNBANNED if bans(asked) else "true",
        per_chat=ask.per_chat,
        slots=sum(1 for slot in ask.slots if slot),
    )


def _lanes(hidden: bool, branches: bool) -> str:
    ranges = [f"p.message_key < {keys.key(keys.TITLE, 0, 0, 0)}"]
    if branches:
        ranges.append(f"p.message_key BETWEEN {_first(keys.ALTERNATE)} AND {_first(keys.HIDDEN) - 1}")
    if hidden:
        ranges.append(f"p.message_key >= {_first(keys.HIDDEN)}")
    return " OR ".join(ranges)


def _first(lane: int) -> int:
    return keys.key(lane, 0, 0, 0)
