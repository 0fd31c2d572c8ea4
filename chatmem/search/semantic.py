"""Ranking by meaning: the passages of the scope whose vectors are nearest to that of the question.

Exact search in two steps: the signs of all vectors in scope are compared with those of the question, and the copies of
the best are read and ranked by cosine. The scope and all conditions are inside the first step. A reply counts half of
what its question counts, so that a long answer does not drown the prompt that matters.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING

from chatmem.archive import keys
from chatmem.archive.scope import where
from chatmem.archive.vectors import SIGNS
from chatmem.search.bm25 import AUTHOR_FACTOR, CHAT_OF_MESSAGE
from chatmem.search.hits import Hit, Near, Passage
from chatmem.search.limits import Ask, authors_called, dates_of, limits_of, wanted_units

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Passages whose copies are read. Each lies in a block of its own when the archive is large.
RESCORED = 200
# So many standard deviations below the mean of the scope a cosine counts nothing.
FLOOR_DEVIATIONS = 2.0

_PLACE_BITS, _ABOVE_ZERO = 36, 1 << 14
_NEAR = f"""
WITH scope AS MATERIALIZED (SELECT chat_no FROM chat c WHERE {{scope}}),
{{limits}}
agreed AS (
    SELECT p.rowid AS place, {{dimension}} - 2 * ({{differing}})::INTEGER AS agreement,
           CASE WHEN (p.message_key & {keys.MAX_OFFSET}) = 0 THEN 2 ELSE 1 END AS weight
    FROM (SELECT rowid, *, message_key >> {keys.OFFSET_BITS} AS unit_key FROM vector) p
    {{joins}}
    WHERE p.message_key < {keys.key(keys.TITLE, 0, 0, 0)} AND {{wanted}} {{said}}
)
SELECT count(*), avg(agreement * weight), stddev_pop(agreement * weight),
       max(((agreement * weight + {_ABOVE_ZERO})::BIGINT << {_PLACE_BITS}) | place, {{limit}})
FROM agreed
"""
_COPIES = """
SELECT message_key, start, stop, scale, copy FROM vector WHERE rowid IN (SELECT unnest(?::BIGINT[]))
"""
_PLACES = f"""
SELECT rowid FROM vector WHERE (message_key >> {keys.OFFSET_BITS}) IN (SELECT unnest(?::BIGINT[])) {{said}}
"""
_SAID = "AND message_key IN (SELECT message_key FROM message WHERE role IN (SELECT unnest(?::VARCHAR[])))"
_UNITS = f"""
SELECT u.unit_key, c.chat_no, c.chat_id, u.created_at,
       CASE WHEN u.author IN (SELECT unnest(?::VARCHAR[])) THEN {AUTHOR_FACTOR} ELSE 1 END::DOUBLE
FROM unit u JOIN chat c ON c.chat_no = {keys.sql_chat_of_unit("u.unit_key")}
WHERE u.unit_key IN (SELECT unnest(?::BIGINT[]))
"""


def nearest(connection: DuckDBPyConnection, ask: Ask, vector: Sequence[float], everything: bool) -> Near:
    """The passages of the scope nearest to a vector of length one, nearest first.

    `everything`: no row of the index is outside the scope, so none need be tested.
    """
    if not any(vector):
        return Near(())
    scope, params = where(ask.scope)
    limits, more = limits_of(ask)
    dated, times = dates_of(ask.scope)
    signs = _signs(vector)
    joins = "" if everything else f"JOIN scope s ON s.chat_no = {CHAT_OF_MESSAGE}"
    wanted = wanted_units(ask)
    if times:
        joins += " JOIN unit u USING (unit_key)"
        wanted += f" AND {dated}"
    statement = _NEAR.format(
        scope=scope,
        limits=limits,
        dimension=len(vector),
        differing=" + ".join(f"bit_count(xor(b{i}, {sign}::UBIGINT))" for i, sign in enumerate(signs)),
        joins=joins,
        wanted=wanted,
        said="AND p.message_key IN (SELECT message_key FROM said)" if ask.conditions.roles else "",
        limit=RESCORED,
    )
    count, mean, spread, packed = connection.execute(statement, [*params, *more, *times]).fetchone() or (0, 0, 0, [])
    if not count:
        return Near(())
    places = [one & ((1 << _PLACE_BITS) - 1) for one in packed]
    floor = math.sin(math.pi / 2 * (mean - FLOOR_DEVIATIONS * spread) / (2 * len(vector)))
    return Near(_rescored(connection, places, vector), floor, count)


def of_units(
    connection: DuckDBPyConnection, units: Sequence[int], vector: Sequence[float], roles: Sequence[str] = ()
) -> list[Passage]:
    """The passages of some units, nearest first; with `roles` only of their messages."""
    statement = _PLACES.format(said=_SAID if roles else "")
    found = connection.execute(statement, [list(units), *([list(roles)] if roles else [])]).fetchall()
    places = [place for (place,) in found]
    return _rescored(connection, places, vector)


def hits(connection: DuckDBPyConnection, units: Sequence[int], names: frozenset[str]) -> list[Hit]:
    """Units that no word of the question led to, without a score yet."""
    rows = connection.execute(_UNITS, [authors_called(connection, names), list(units)]).fetchall()
    return [Hit(key, no, name, at, 0.0, 0.0, 0.0, 0.0, factor, frozenset()) for key, no, name, at, factor in rows]


def _rescored(connection: DuckDBPyConnection, places: Sequence[int], vector: Sequence[float]) -> list[Passage]:
    rows = connection.execute(_COPIES, [list(places)]).fetchall() if places else []
    found = [
        Passage(key, start, stop, scale * sum(map(operator.mul, vector, memoryview(copy).cast("b"))))
        for key, start, stop, scale, copy in rows
    ]
    return sorted(found, key=lambda passage: (-passage.weighted, passage.message_key, passage.start))


def _signs(vector: Sequence[float]) -> list[int]:
    """The signs of a vector, 64 to a number, as archive/vectors.py stores them."""
    return [
        sum(1 << bit for bit, x in enumerate(vector[start : start + SIGNS]) if x > 0)
        for start in range(0, len(vector), SIGNS)
    ]
