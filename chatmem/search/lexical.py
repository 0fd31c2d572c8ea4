"""BM25 over the postings, one statement: own text, context and whole chat of every unit in scope.

    score = own / max(own) + context / max(context) + 0.5 * chat / max(chat)

(DESIGN section 3, the recipe without a model), times a factor if the query names the unit's author. Document
frequencies, counts and average lengths are those of the scope, so that nothing outside it can be felt. Units are
exchanges in a talk with an assistant (own = the user's message, context = message and replies) and messages between
people (context = two messages to either side); both come from the same postings by grouping.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from chatmem.archive import keys
from chatmem.archive.scope import Params, Scope, naive, where

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

OWN_K1, OWN_B = 0.9, 0.4
CONTEXT_K1, CONTEXT_B = 1.2, 0.75
CHAT_K1, CHAT_B = 1.2, 0.75
CHAT_WEIGHT = 0.5
AUTHOR_FACTOR = 1.5
TITLE_TF = 2
NEIGHBOURS = 2

_UNIT_LANE = keys.LANE_SHIFT - keys.OFFSET_BITS
_CHAT_OF_UNIT = f"((unit_key >> {keys.UNIT_BITS}) & {keys.CHAT_MASK})::INTEGER"

# {live}: the scope inside the scan; left out only when it could remove nothing.
_SCORES = f"""
WITH slot_term AS (SELECT unnest(?::UTINYINT[]) AS slot, unnest(?::UBIGINT[]) AS term),
scope AS MATERIALIZED (SELECT * FROM chat c WHERE {{scope}}),
n AS (
    SELECT greatest(count(*), 1)::DOUBLE AS chats, greatest(sum(units), 1)::DOUBLE AS units,
           greatest(sum(own_length), 1) / greatest(sum(units), 1) AS own_mean,
           greatest(sum(context_length), 1) / greatest(sum(units), 1) AS context_mean,
           greatest(avg(length), 1) AS chat_mean
    FROM scope
),
hit AS MATERIALIZED (
    SELECT slot, p.message_key >> {keys.OFFSET_BITS} AS unit_key, sum(tf)::INTEGER AS tf,
           coalesce(sum(tf) FILTER ((p.message_key & {keys.MAX_OFFSET}) = 0), 0)::INTEGER AS own_tf
    FROM posting p JOIN slot_term USING (term) {{live}}
    WHERE p.term IN ({{terms}}) AND ({{lanes}}) {{only}}
    GROUP BY ALL
),
-- A title belongs to the chat; a chat found by its title alone is shown with its first unit.
title AS (
    SELECT slot, s.chat_no, tf * {TITLE_TF} AS tf,
           (s.people::BIGINT << {_UNIT_LANE}) | (s.chat_no::BIGINT << {keys.UNIT_BITS}) AS unit_key
    FROM posting p JOIN slot_term USING (term)
    JOIN scope s ON s.chat_no = (p.message_key >> {keys.CHAT_SHIFT}) & {keys.CHAT_MASK}
    WHERE p.term IN ({{terms}}) AND (p.message_key >> {keys.LANE_SHIFT}) = {keys.TITLE} {{only}}
),
context AS (
    SELECT slot, unit_key, tf, own_tf FROM hit WHERE (unit_key >> {_UNIT_LANE}) <> {keys.PEOPLE}
    UNION ALL
    SELECT slot, unit_key + step, sum(tf), coalesce(sum(own_tf) FILTER (step = 0), 0)
    FROM hit, (SELECT unnest(range(-{NEIGHBOURS}, {NEIGHBOURS + 1})) AS step)
    WHERE (unit_key >> {_UNIT_LANE}) = {keys.PEOPLE}
    GROUP BY ALL
    UNION ALL
    SELECT slot, unit_key, 0, 0 FROM title
),
chat_tf AS (
    SELECT slot, chat_no, length, sum(tf) AS tf
    FROM (
        SELECT slot, {_CHAT_OF_UNIT} AS chat_no, sum(tf) AS tf FROM hit GROUP BY ALL
        UNION ALL
        SELECT slot, chat_no, tf FROM title
    ) JOIN scope USING (chat_no)
    GROUP BY ALL
),
unit_df AS (SELECT slot, count(*)::DOUBLE AS df, count(*) FILTER (own_tf > 0)::DOUBLE AS own_df FROM hit GROUP BY ALL),
chat_df AS (SELECT slot, count(*)::DOUBLE AS df FROM chat_tf GROUP BY ALL),
idf AS MATERIALIZED (
    SELECT slot, ln(1 + (chats - c.df + 0.5) / (c.df + 0.5)) AS chat_idf,
           ln(1 + (greatest(units - coalesce(u.df, 0), 0) + 0.5) / (coalesce(u.df, 0) + 0.5)) AS context_idf,
           ln(1 + (greatest(units - coalesce(u.own_df, 0), 0) + 0.5) / (coalesce(u.own_df, 0) + 0.5)) AS own_idf
    FROM chat_df c LEFT JOIN unit_df u USING (slot), n
),
chat_score AS (
    SELECT chat_no, sum(chat_idf * tf * {CHAT_K1 + 1}
        / (tf + {CHAT_K1} * ({1 - CHAT_B} + {CHAT_B} * length / chat_mean))) AS score
    FROM chat_tf JOIN idf USING (slot), n
    GROUP BY ALL
),
unit_score AS (
    SELECT unit_key,
        sum(context_idf * tf * {CONTEXT_K1 + 1}
            / (tf + {CONTEXT_K1} * ({1 - CONTEXT_B} + {CONTEXT_B} * context_length / context_mean))) AS context,
        sum(own_idf * own_tf * {OWN_K1 + 1}
            / (own_tf + {OWN_K1} * ({1 - OWN_B} + {OWN_B} * own_length / own_mean))) AS own,
        sum(context_idf) AS matched_idf,
        bit_or(1::UBIGINT << slot) AS slots,
        any_value(u.author) AS author,
        any_value(u.created_at) AS created_at
    FROM context JOIN unit u USING (unit_key) JOIN idf USING (slot), n
    GROUP BY ALL
),
scored AS (
    SELECT u.unit_key, c.chat_no, u.created_at, u.slots, u.matched_idf,
           coalesce(own / nullif(max(own) OVER (), 0), 0) AS own,
           coalesce(context / nullif(max(context) OVER (), 0), 0) AS context,
           coalesce(c.score / nullif(max(c.score) OVER (), 0), 0) AS chat,
           CASE WHEN {{author}} THEN {AUTHOR_FACTOR} ELSE 1 END::DOUBLE AS author_factor
    FROM unit_score u JOIN chat_score c ON c.chat_no = {_CHAT_OF_UNIT}
)
SELECT unit_key, s.chat_no, (own + context + {CHAT_WEIGHT} * chat) * author_factor AS score, own, context, chat,
       author_factor, slots, matched_idf, (SELECT sum(context_idf) FROM idf), (SELECT units FROM n)
FROM scored s {{dated}}
ORDER BY score DESC, coalesce(s.created_at, '-infinity'::TIMESTAMP) DESC, unit_key
LIMIT ?
"""
_DATED = """
JOIN chat c USING (chat_no)
WHERE coalesce(s.created_at, c.created_at) >= ?::TIMESTAMP AND coalesce(s.created_at, c.created_at) < ?::TIMESTAMP
"""
_LIVE = f"JOIN scope s ON s.chat_no = (p.message_key >> {keys.CHAT_SHIFT}) & {keys.CHAT_MASK}"
_AUTHOR = "len(list_intersect(string_split(lower(u.author), ' '), ?::VARCHAR[])) > 0"


@dataclass(frozen=True, slots=True)
class Hit:
    """One unit and its score in parts, each 0..1 of the best in scope. `slots`: bit i = query slot i is in it."""

    unit_key: int
    chat_no: int
    score: float
    own: float
    context: float
    chat: float
    author_factor: float
    slots: int
    matched_idf: float
    known_idf: float
    units: float

    def coverage(self, unknown_slots: int) -> float:
        """Share of the question's weight that the unit (with its context) answers; unknown words weigh most."""
        unknown = unknown_slots * math.log(1 + 2 * self.units)
        total = self.known_idf + unknown
        return min(1.0, self.matched_idf / total) if total > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Ask:
    """`slots[i]` are the term ids that count as query word i (one, or many for a prefix)."""

    slots: Sequence[Sequence[int]]
    scope: Scope
    names: Sequence[str] = ()
    hidden: bool = False
    branches: bool = False
    messages: str = ""
    message_params: tuple[object, ...] = ()
    limit: int = 200


def rank(connection: DuckDBPyConnection, ask: Ask, everything: bool) -> list[Hit]:
    """The best units of the scope. `everything`: no row of the index is outside it, so none need be tested.

    `ask.messages` is a further condition on `p.message_key` (phrases, roles), with its values.
    """
    numbers = [i for i, terms in enumerate(ask.slots) for _ in terms]
    terms = [t for slot in ask.slots for t in slot]
    if not terms:
        return []
    predicate, scope_params = where(ask.scope)
    dated = ask.scope.after is not None or ask.scope.before is not None
    sql = _SCORES.format(
        scope=predicate,
        live="" if everything else _LIVE,
        terms=", ".join(f"{t}::UBIGINT" for t in terms),
        lanes=_lanes(ask.hidden, ask.branches),
        only=f"AND ({ask.messages})" if ask.messages else "",
        author=_AUTHOR if ask.names else "false",
        dated=_DATED if dated else "",
    )
    params: Params = [numbers, terms, *scope_params, *ask.message_params, *ask.message_params]
    if ask.names:
        params.append([n.lower() for n in ask.names])
    if dated:
        params += [naive(ask.scope.after or datetime.min), naive(ask.scope.before or datetime.max)]
    return [Hit(*row) for row in connection.execute(sql, [*params, ask.limit]).fetchall()]


def _lanes(hidden: bool, branches: bool) -> str:
    ranges = [f"p.message_key < {keys.key(keys.TITLE, 0, 0, 0)}"]
    if branches:
        ranges.append(f"(p.message_key >> {keys.LANE_SHIFT}) = {keys.ALTERNATE}")
    if hidden:
        ranges.append(f"(p.message_key >> {keys.LANE_SHIFT}) = {keys.HIDDEN}")
    return " OR ".join(ranges)
