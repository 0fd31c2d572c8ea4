"""What a search may look at besides its scope, as pieces of SQL: phrases, left-out words, roles, dates, named authors.

Both rankings use them, so that neither finds what the other may not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from chatmem.archive import keys
from chatmem.archive.scope import Params, Scope, naive, where
from chatmem.archive.tokenizer import fold
from chatmem.search.bm25 import CHAT_OF_MESSAGE, CHAT_OF_UNIT
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
UNBANNED = f"unit_key NOT IN (SELECT unit_key FROM banned) AND {CHAT_OF_UNIT} NOT IN (SELECT chat_no FROM banned_chat)"
# A unit without a time has that of its chat, which the scope has looked at.
_DATED = "(u.created_at IS NULL OR (u.created_at >= ?::TIMESTAMP AND u.created_at < ?::TIMESTAMP))"


class Ask(NamedTuple):
    """`slots[i]` are the term ids that count as slot i (one, or many for a prefix). `names`: words that name authors.

    `limit` chats with at most `per_chat` units each, or units if that is None; and the units `also`, whatever they say.
    """

    slots: Sequence[Sequence[int]]
    scope: Scope
    names: frozenset[str] = frozenset()
    hidden: bool = False
    branches: bool = False
    conditions: Conditions = Conditions()
    limit: int = 5
    per_chat: int | None = 3
    also: Sequence[int] = ()


def limits_of(ask: Ask) -> tuple[str, Params]:
    """The sets that the conditions speak of, as SQL, and their values."""
    asked = ask.conditions
    sql, params = "", Params()
    if asked.units is not None:
        # A title counts for a chat that has the phrase where this search looks, not in a part that it leaves out.
        units = [unit for unit in asked.units if _looked_at(ask, keys.lane_of_unit(unit))]
        chats = {keys.chat_of_unit(unit) for unit in units}
        sql += _ALLOWED
        params += [sorted(units), sorted(asked.titled | chats)]
    if bans(asked):
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


def wanted_units(ask: Ask) -> str:
    """The predicate on `unit_key` for units that meet the conditions."""
    wanted = ["true"]
    if ask.conditions.units is not None:
        wanted.append("unit_key IN (SELECT unit_key FROM allowed)")
    if bans(ask.conditions):
        wanted.append(UNBANNED)
    if ask.hidden:
        wanted.append("unit_key NOT IN (SELECT unit_key FROM repeated)")
    return " AND ".join(wanted)


def _looked_at(ask: Ask, lane: int) -> bool:
    return lane < keys.TITLE or (lane == keys.ALTERNATE and ask.branches) or (lane == keys.HIDDEN and ask.hidden)


def bans(asked: Conditions) -> bool:
    return bool(asked.without_terms or asked.without_units or asked.without_chats)


def authors_called(connection: DuckDBPyConnection, names: frozenset[str]) -> list[str]:
    """The authors who have one of the names as a word of theirs."""
    if not names:
        return []
    found = connection.execute(_AUTHORS).fetchall()
    return sorted(author for (author,) in found if not names.isdisjoint(fold(author).split()))


def dates_of(scope: Scope) -> tuple[str, Params]:
    if scope.after is None and scope.before is None:
        return "true", []
    after = naive(scope.after) if scope.after else "-infinity"
    before = naive(scope.before) if scope.before else "infinity"
    return _DATED, [after, before]
