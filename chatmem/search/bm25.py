"""The statement behind lexical.py: BM25 of own text, context and chat of every unit in scope, and the leading ones.

Two things make it fast on frequent words: postings are grouped by one number (slot and unit together) with one sum (all
and own frequency together), and only the chats that lead get the columns that are shown. Scores are sums of whole
numbers, which doubles add exactly: they do not depend on the number of threads.
"""

from __future__ import annotations

from typing import NamedTuple

from chatmem.archive import keys

OWN_K1, OWN_B = 0.9, 0.4
CONTEXT_K1, CONTEXT_B = 1.2, 0.75
CHAT_K1, CHAT_B = 1.2, 0.75
CHAT_WEIGHT = 0.5
AUTHOR_FACTOR = 1.5
TITLE_TF = 2
NEIGHBOURS = 2

_LANE_SHIFT = keys.LANE_SHIFT - keys.OFFSET_BITS
_FIRST_TITLE, _FIRST_ALTERNATE = keys.key(keys.TITLE, 0, 0, 0), keys.key(keys.ALTERNATE, 0, 0, 0)
CHAT_OF_UNIT = keys.sql_chat_of_unit("unit_key")
CHAT_OF_MESSAGE = keys.sql_chat("p.message_key")
# A place is a slot and a unit: the key of a unit leaves 12 bits for the number of the slot.
_SLOT_SHIFT = _LANE_SHIFT + 3
_SLOT, _UNIT = f"(place >> {_SLOT_SHIFT})", f"(place & {(1 << _SLOT_SHIFT) - 1})"
_IS_PEOPLE = f"({_UNIT} >> {_LANE_SHIFT}) = {keys.PEOPLE}"
# The frequency in the unit in the low bits, that in its own message above; a sum of doubles is exact up to 2^53, and
# faster than one of BIGINTs, whose type is a HUGEINT.
_LOW_BITS = 28
_ALL_TF, _OWN_TF = f"(tf & {(1 << _LOW_BITS) - 1})", f"(tf >> {_LOW_BITS})"


# Scores are whole numbers of this fraction, which doubles add exactly; only shares of the best score are shown.
_STEP = float(1 << 40)


def _term(weight: str, tf: str, k1: float, b: float, slope: str, length: str) -> str:
    """The score of one slot as SQL: idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / mean)), a whole number.

    `weight` holds the idf and what else is constant for the slot, `slope` is k1 * b / mean.
    """
    return f"floor({weight} * {tf} / ({tf} + {k1 * (1 - b):.17e} + {slope} * {length}))"


_OWN_SCORE = _term("own_weight", _OWN_TF, OWN_K1, OWN_B, "own_slope", "own_length")
_CONTEXT_SCORE = _term("context_weight", _ALL_TF, CONTEXT_K1, CONTEXT_B, "context_slope", "context_length")
_CHAT_SCORE = _term("chat_weight", "tf", CHAT_K1, CHAT_B, "chat_slope", "length")
# {live}: the scope inside the scan; left out only when it could remove nothing.
_SCORES = f"""
WITH slot_term AS (SELECT unnest(?::BIGINT[]) AS slot, unnest(?::UBIGINT[]) AS term),
scope AS MATERIALIZED (
    SELECT chat_no, people, units, own_length, context_length, length FROM chat c WHERE {{scope}}
),
n AS MATERIALIZED (
    SELECT greatest(count(*), 1)::DOUBLE AS chats, greatest(sum(units), 1)::DOUBLE AS units,
           {OWN_K1 * OWN_B:.17e} * greatest(sum(units), 1) / greatest(sum(own_length), 1) AS own_slope,
           {CONTEXT_K1 * CONTEXT_B:.17e} * greatest(sum(units), 1) / greatest(sum(context_length), 1) AS context_slope,
           {CHAT_K1 * CHAT_B:.17e} / greatest(avg(length), 1) AS chat_slope
    FROM scope
),
{{limits}}
hit AS MATERIALIZED (
    SELECT place, sum(tf)::BIGINT AS tf
    FROM (
        SELECT {keys.sql_unit("p.message_key")} AS unit_key, (slot << {_SLOT_SHIFT}) | unit_key AS place,
               CASE WHEN (p.message_key & {keys.MAX_OFFSET}) = 0 THEN tf * {(1 << _LOW_BITS) + 1}::DOUBLE
                    ELSE tf::DOUBLE END AS tf
        FROM posting p JOIN slot_term USING (term) {{live}}
        WHERE p.term IN ({{terms}}) AND ({{lanes}}) {{said}}
    )
    WHERE {{wanted}}
    GROUP BY place
),
title AS MATERIALIZED (
    SELECT slot, s.chat_no, any_value(people) AS people, sum(tf)::DOUBLE * {TITLE_TF} AS tf
    FROM posting p JOIN slot_term USING (term) JOIN scope s ON s.chat_no = {CHAT_OF_MESSAGE}
    WHERE p.term IN ({{terms}}) AND p.message_key BETWEEN {_FIRST_TITLE} AND {_FIRST_ALTERNATE - 1} AND {{titled}}
    GROUP BY slot, s.chat_no
),
chat_tf AS MATERIALIZED (
    SELECT slot, chat_no, sum(tf) AS tf, sum(units) AS units, sum(owns) AS owns, max(titles) AS titles
    FROM (
        SELECT {_SLOT} AS slot, {keys.sql_chat_of_unit("place")} AS chat_no, sum({_ALL_TF}::DOUBLE) AS tf,
               count(*) AS units, count(*) FILTER ({_OWN_TF} > 0) AS owns, 0 AS titles
        FROM hit GROUP BY ALL
        UNION ALL
        SELECT slot, chat_no, tf, 0, 0, 1 FROM title
    )
    GROUP BY slot, chat_no
),
idf AS MATERIALIZED (
    SELECT slot, pow(2, slot) AS bit, ln(1 + (greatest(units - unit_df, 0) + 0.5) / (unit_df + 0.5)) AS idf,
           {_STEP * (CONTEXT_K1 + 1):.17e} * idf AS context_weight,
           {_STEP * (CHAT_K1 + 1):.17e} * ln(1 + (chats - chat_df + 0.5) / (chat_df + 0.5)) AS chat_weight,
           {_STEP * (OWN_K1 + 1):.17e} * ln(1 + (greatest(units - own_df, 0) + 0.5) / (own_df + 0.5)) AS own_weight
    FROM (
        SELECT slot, count(*)::DOUBLE AS chat_df, sum(units)::DOUBLE AS unit_df, sum(owns)::DOUBLE AS own_df
        FROM chat_tf GROUP BY slot
    ), n
),
chat_score AS MATERIALIZED (
    SELECT chat_no, sum({_CHAT_SCORE}) AS score,
           sum(chat_tf.units) AS quoted, sum(titles * bit) AS title_slots
    FROM chat_tf JOIN idf USING (slot) JOIN scope USING (chat_no), n
    GROUP BY chat_no
),
unit_tf AS MATERIALIZED (
    SELECT place, tf FROM hit WHERE NOT {_IS_PEOPLE}
    UNION ALL
    SELECT place, tf
    FROM (
        SELECT place, {_UNIT} AS unit_key, sum((CASE WHEN step = 0 THEN tf ELSE {_ALL_TF} END)::DOUBLE)::BIGINT AS tf
        FROM (
            SELECT place + step AS place, step, tf
            FROM hit, (SELECT unnest(range(-{NEIGHBOURS}, {NEIGHBOURS + 1})) AS step)
            WHERE {_IS_PEOPLE}
        )
        GROUP BY place
    )
    WHERE {{wanted}} {{speaking}}
    UNION ALL
    -- A chat found by its title alone is shown with its first unit.
    SELECT (slot << {_SLOT_SHIFT}) | unit_key AS place, 0
    FROM (
        SELECT slot, (people::BIGINT << {_LANE_SHIFT}) | (chat_no::BIGINT << {keys.UNIT_BITS}) AS unit_key
        FROM title JOIN chat_score USING (chat_no) WHERE quoted = 0
    )
    WHERE {{unbanned}}
),
unit_score AS MATERIALIZED (
    SELECT unit_key, {{any}}({{factor}}) AS factor, {{sum}}(bit) AS slots,
           {{sum}}({_OWN_SCORE}) AS in_own,
           {{sum}}({_CONTEXT_SCORE}) AS in_all
    FROM (SELECT {_UNIT} AS unit_key, {_SLOT} AS slot, tf FROM unit_tf) JOIN unit u USING (unit_key)
        JOIN idf USING (slot), n
    WHERE {{dated}}
    {{grouped}}
),
-- Units that are wanted for another reason than their words.
also_score AS (
    SELECT unit_key, {{factor}} AS factor, 0::DOUBLE AS slots, 0::DOUBLE AS in_own, 0::DOUBLE AS in_all
    FROM also ANTI JOIN unit_score USING (unit_key) JOIN unit u USING (unit_key)
),
most AS MATERIALIZED (
    SELECT nullif(max(in_own), 0) AS most_own, nullif(max(in_all), 0) AS most_context,
           nullif((SELECT max(score) FROM chat_score), 0) AS most_chat
    FROM unit_score
),
-- The best score of a chat is that of its best unit; only units of the chats that lead need all their columns.
of_chat AS MATERIALIZED (
    SELECT chat_no, max((units + {CHAT_WEIGHT} * coalesce(score / most_chat, 0)) * factor) AS best
    FROM (
        SELECT {CHAT_OF_UNIT} AS chat_no, factor,
               max(coalesce(in_own / most_own, 0) + coalesce(in_all / most_context, 0)) AS units
        FROM unit_score, most GROUP BY ALL
    ) JOIN chat_score USING (chat_no), most
    GROUP BY chat_no
),
front AS (
    SELECT chat_no, best
    FROM of_chat, (SELECT min(best) AS least FROM (SELECT best FROM of_chat ORDER BY best DESC LIMIT ?))
    WHERE best >= least
),
scored AS (
    SELECT unit_key, chat_no, chat_id, factor, best, coalesce(u.created_at, '-infinity'::TIMESTAMP) AS moment,
           slots::BIGINT | coalesce(title_slots, 0)::BIGINT AS slots, wanted,
           coalesce(in_own / most_own, 0) AS own, coalesce(in_all / most_context, 0) AS context,
           coalesce(c.score / most_chat, 0) AS chat, (own + context + {CHAT_WEIGHT} * chat) * factor AS score
    FROM (
        SELECT *, {CHAT_OF_UNIT} AS chat_no, unit_key IN (SELECT unit_key FROM also) AS wanted
        FROM (FROM unit_score UNION ALL FROM also_score)
    ) LEFT JOIN front USING (chat_no) LEFT JOIN chat_score c USING (chat_no) JOIN chat h USING (chat_no)
        JOIN unit u USING (unit_key), most
    WHERE wanted OR best IS NOT NULL
),
{{best}},
told AS (
    SELECT (SELECT units FROM n) AS units, (SELECT count(*) FROM {{counted}}) AS matched,
           (SELECT map(list(slot), list(idf)) FROM idf) AS idf
)
SELECT told.*, b.unit_key, b.chat_no, b.chat_id, nullif(b.moment, '-infinity') AS moment, b.score, b.own, b.context,
       b.chat, b.factor, b.slots
FROM told LEFT JOIN best b ON true
ORDER BY place
"""
# Equal scores: the newer one first, then by id, so that the order depends on nothing else.
_BEST_UNITS = """best AS (
    SELECT *, row_number() OVER (ORDER BY score DESC, moment DESC, chat_id, unit_key) AS place
    FROM scored QUALIFY place <= ? OR wanted
)"""
_BEST_CHATS = """numbered AS (
    SELECT *, row_number() OVER mine AS nth, first_value(moment) OVER mine AS newest FROM scored
    WINDOW mine AS (PARTITION BY chat_no ORDER BY score DESC, moment DESC, unit_key)
),
best AS (
    SELECT *, dense_rank() OVER (ORDER BY best DESC, newest DESC, chat_id) * 1000 + nth AS place
    FROM numbered WHERE nth <= {per_chat} OR wanted
    QUALIFY place < (? + 1) * 1000 OR wanted
)"""

_NAMED = f"CASE WHEN author IN (SELECT unnest(?::VARCHAR[])) THEN {AUTHOR_FACTOR} ELSE 1 END::DOUBLE"


class Parts(NamedTuple):
    """The variable pieces of the statement, each SQL, in the order of their bound values where they have some.

    `wanted` and `unbanned` speak of `unit_key`.
    """

    scope: str
    limits: str
    terms: str
    lanes: str
    said: str
    titled: str
    wanted: str
    speaking: str
    unbanned: str
    per_chat: int | None
    slots: int
    dated: str = "true"
    live: bool = True
    author: bool = False


def statement(parts: Parts) -> str:
    """The whole SQL. Its first two values are slot numbers and term ids, its last two the number of results, twice."""
    texts = {name: value for name, value in parts._asdict().items() if isinstance(value, str)}
    # The only slot of a query is at most once in a unit: nothing to sum, and grouping costs a third of the time.
    sums = parts.slots > 1
    return _SCORES.format(
        **texts,
        live=f"JOIN scope s ON s.chat_no = {CHAT_OF_MESSAGE}" if parts.live else "",
        any="any_value" if sums else "",
        sum="sum" if sums else "",
        grouped="GROUP BY unit_key" if sums else "",
        factor=_NAMED if parts.author else "1::DOUBLE",
        best=_BEST_UNITS if parts.per_chat is None else _BEST_CHATS.format(per_chat=parts.per_chat),
        counted="unit_score" if parts.per_chat is None else "of_chat",
    )
