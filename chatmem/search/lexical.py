"""Lexical ranking: BM25 over the postings of the scope.

    score = (own / max(own) + context / max(context) + 0.5 * chat / max(chat)) * author factor

(DESIGN section 3, the recipe without a model). Document frequencies, counts and average lengths are those of the scope,
so that nothing outside it can be felt. Units are exchanges in a talk with an assistant (own = the user's message,
context = message and replies) and messages between people (context = two messages to either side); both come from the
same postings by grouping. bm25.py holds the statement; here its variable parts are filled in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from chatmem.archive import keys
from chatmem.archive.scope import Params, Scope, naive, where
from chatmem.archive.tokenizer import fold
from chatmem.search.bm25 import CHAT_OF_MESSAGE, CHAT_OF_UNIT, Parts, statement
from chatmem.search.conditions import Conditions

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_AUTHORS = "SELECT DISTINCT author FROM unit WHERE author IS NOT NULL"
_ALLOWED = """
allowed AS MATERIALIZED (SELECT unnest(?::BIGINT[]) AS unit_key),
titled AS MATERIALIZED (SELECT unnest(?::BIGINT[]) AS chat_no),
"""
_BANNED = f"""
banned AS MATERIALIZED (
    SELECT {keys.sql_unit("message_key")} AS unit_key FROM posting WHERE term IN ({{terms}})
    UNION ALL
    SELECT unnest(?::BIGINT[])
),
banned_chat AS MATERIALIZED (
    SELECT {CHAT_OF_MESSAGE} AS chat_no FROM posting p
    WHERE term IN ({{terms}}) AND {keys.sql_lane("p.message_key")} = {keys.TITLE}
    UNION ALL
    SELECT unnest(?::BIGINT[])
),
"""
_SAID = """
said AS MATERIALIZED (SELECT message_key FROM message WHERE role IN (SELECT unnest(?::VARCHAR[]))),
"""
# Hidden parts that a resumed session repeats, of chats whose own session is looked at too.
_REPEATED = f"""
repeated AS MATERIALIZED (
    SELECT {keys.sql_unit("m.message_key")} AS unit_key
    FROM message m JOIN chat o USING (chat_no) JOIN chat c ON c.source = o.source AND c.native_id = m.home
    WHERE m.home IS NOT NULL AND m.hidden IS NOT NULL AND {{scope}}
),
"""
_UNBANNED = f"unit_key NOT IN (SELECT unit_key FROM banned) AND {CHAT_OF_UNIT} NOT IN (SELECT chat_no FROM banned_chat)"
# A unit without a time has that of its chat, which the scope has looked at.
_DATED = "(u.created_at IS NULL OR (u.created_at >= ?::TIMESTAMP AND u.created_at < ?::TIMESTAMP))"


class Hit(NamedTuple):
    """One unit and its score in parts, each 0..1 of the best in scope. `slots` that unit or title have."""

    unit_key: int
    chat_no: int
    score: float
    own: float
    context: float
    chat: float
    author_factor: float
    slots: frozenset[int]


class Ranking(NamedTuple):
    """`hits`, best first. `idf` of each slot that any text looked at has; that of an unknown one is ln(1 + 2 * units).

    `units` of the scope; `matched` units or chats in all.
    """

    hits: list[Hit]
    idf: Mapping[int, float] = {}
    units: float = 0
    matched: int = 0


class Ask(NamedTuple):
    """`slots[i]` are the term ids that count as slot i (one, or many for a prefix). `names`: words that name authors.

    `limit` chats with at most `per_chat` units each, or units if that is None.
    """

    slots: Sequence[Sequence[int]]
    scope: Scope
    names: frozenset[str] = frozenset()
    hidden: bool = False
    branches: bool = False
    conditions: Conditions = Conditions()
    limit: int = 5
    per_chat: int | None = 3


def rank(connection: DuckDBPyConnection, ask: Ask, everything: bool) -> Ranking:
    """The best units of the scope. `everything`: no row of the index is outside it, so none need be tested."""
    terms = [t for slot in ask.slots for t in slot]
    if not terms:
        return Ranking([])
    numbers = [i for i, slot in enumerate(ask.slots) for _ in slot]
    scope, params = where(ask.scope)
    limits, more = _limits(ask)
    authors = _authors(connection, ask.names)
    dated, times = _dated(ask.scope)
    parts = _parts(ask, scope, limits)._replace(live=not everything, author=bool(authors), dated=dated)
    named = [authors] if authors else []
    values = [numbers, terms, *params, *more, *named, *times, ask.limit, ask.limit]
    rows = connection.execute(statement(parts), values).fetchall()
    units, matched, idf = rows[0][:3]
    hits = [Hit._make((*row[3:-1], _slots(row[-1]))) for row in rows if row[3] is not None]
    return Ranking(hits, idf or {}, units, matched)


def _slots(bits: int) -> frozenset[int]:
    return frozenset(i for i in range(bits.bit_length()) if bits >> i & 1)


def _parts(ask: Ask, scope: str, limits: str) -> Parts:
    wanted, titled = ["true"], ["true"]
    asked = ask.conditions
    if asked.units is not None:
        wanted.append("unit_key IN (SELECT unit_key FROM allowed)")
        titled.append("s.chat_no IN (SELECT chat_no FROM titled)")
    if _bans(asked):
        wanted.append(_UNBANNED)
        titled.append("s.chat_no NOT IN (SELECT chat_no FROM banned_chat)")
    if asked.roles:
        titled.append("false")
    if ask.hidden:
        wanted.append("unit_key NOT IN (SELECT unit_key FROM repeated)")
    return Parts(
        scope=scope,
        limits=limits,
        terms=", ".join(f"{t}::UBIGINT" for slot in ask.slots for t in slot),
        lanes=_lanes(ask.hidden, ask.branches),
        said="AND p.message_key IN (SELECT message_key FROM said)" if asked.roles else "",
        wanted=" AND ".join(wanted),
        speaking=f"AND unit_key IN (SELECT {keys.sql_unit('message_key')} FROM said)" if asked.roles else "",
        titled=" AND ".join(titled),
        unbanned=_UNBANNED if _bans(asked) else "true",
        per_chat=ask.per_chat,
        slots=sum(1 for slot in ask.slots if slot),
    )


def _limits(ask: Ask) -> tuple[str, Params]:
    """The sets that the conditions speak of, as SQL, and their values."""
    asked = ask.conditions
    sql, params = "", Params()
    if asked.units is not None:
        # A title counts for a chat that has the phrase where this search looks, not in a part that it leaves out.
        units = [unit for unit in asked.units if _looked_at(ask, keys.lane_of_unit(unit))]
        chats = {keys.chat_of_unit(unit) for unit in units}
        sql += _ALLOWED
        params += [sorted(units), sorted(asked.titled | chats)]
    if _bans(asked):
        sql += _BANNED.format(terms=", ".join(f"{t}::UBIGINT" for t in asked.without_terms) or "NULL")
        params += [sorted(asked.without_units), sorted(asked.without_chats)]
    if asked.roles:
        sql += _SAID
        params.append(list(asked.roles))
    if ask.hidden:
        scope, values = where(ask.scope)
        sql += _REPEATED.format(scope=scope)
        params += values
    return sql, params


def _looked_at(ask: Ask, lane: int) -> bool:
    return lane < keys.TITLE or (lane == keys.ALTERNATE and ask.branches) or (lane == keys.HIDDEN and ask.hidden)


def _bans(asked: Conditions) -> bool:
    return bool(asked.without_terms or asked.without_units or asked.without_chats)


def _authors(connection: DuckDBPyConnection, names: frozenset[str]) -> list[str]:
    """The authors who have one of the names as a word of theirs."""
    if not names:
        return []
    found = connection.execute(_AUTHORS).fetchall()
    return sorted(author for (author,) in found if not names.isdisjoint(fold(author).split()))


def _dated(scope: Scope) -> tuple[str, Params]:
    if scope.after is None and scope.before is None:
        return "true", []
    after = naive(scope.after) if scope.after else "-infinity"
    before = naive(scope.before) if scope.before else "infinity"
    return _DATED, [after, before]


def _lanes(hidden: bool, branches: bool) -> str:
    ranges = [f"p.message_key < {keys.key(keys.TITLE, 0, 0, 0)}"]
    if branches:
        ranges.append(f"p.message_key BETWEEN {_first(keys.ALTERNATE)} AND {_first(keys.HIDDEN) - 1}")
    if hidden:
        ranges.append(f"p.message_key >= {_first(keys.HIDDEN)}")
    return " OR ".join(ranges)


def _first(lane: int) -> int:
    return keys.key(lane, 0, 0, 0)
