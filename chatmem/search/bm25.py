"""The statement behind lexical.py: BM25 of own text, context and chat of every unit in scope, and the leading ones.

A slot of the query is a pair of columns (`t0`, `t1`, …), so that postings are grouped once, by unit: grouping by unit
and slot costs twice the time on a frequent word. Sums are of whole numbers and every score is one expression, so the
result does not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from chatmem.archive import keys

OWN_K1, OWN_B = 0.9, 0.4
CONTEXT_K1, CONTEXT_B = 1.2, 0.75
CHAT_K1, CHAT_B = 1.2, 0.75
CHAT_WEIGHT = 0.5
AUTHOR_FACTOR = 1.5
TITLE_TF = 2
NEIGHBOURS = 2

_UNIT_LANE = keys.LANE_SHIFT - keys.OFFSET_BITS
CHAT_OF_UNIT = f"((unit_key >> {keys.UNIT_BITS}) & {keys.CHAT_MASK})"
CHAT_OF_MESSAGE = f"((p.message_key >> {keys.CHAT_SHIFT}) & {keys.CHAT_MASK})"
_TITLES = f"p.message_key BETWEEN {keys.key(keys.TITLE, 0, 0, 0)} AND {keys.key(keys.ALTERNATE, 0, 0, 0) - 1}"

# One sum gives both frequencies of a slot in a unit: the whole unit's in the low bits, the own message's above. It is a
# sum of doubles, which is exact up to 2^53 and faster than one of BIGINTs, whose type is a HUGEINT.
_LOW_BITS = 28
_LOW, _HIGH = f"(t{{i}} & {(1 << _LOW_BITS) - 1})", f"(t{{i}} >> {_LOW_BITS})"
_SUM = "sum(CASE WHEN term IN ({terms}) THEN tf END)::BIGINT AS t{i}"
_SPREAD = f"sum((CASE WHEN step = 0 THEN t{{i}} ELSE {_LOW} END)::DOUBLE)::BIGINT AS t{{i}}"
_OF_CHAT = f"sum({_LOW}::DOUBLE) AS t{{i}}, count(t{{i}}) AS units{{i}}, count(nullif({_HIGH}, 0)) AS owns{{i}}"
_TITLE_TF = f"(title.t{{i}} & {(1 << _LOW_BITS) - 1}) * {TITLE_TF}::DOUBLE"
_OF_BOTH = f"""
        CASE WHEN title.t{{i}} IS NULL THEN h.t{{i}} ELSE coalesce(h.t{{i}}, 0) + {_TITLE_TF} END AS t{{i}},
        units{{i}}, owns{{i}}"""
_DF = """
    count(t{i})::DOUBLE AS chats{i}, coalesce(sum(units{i}), 0)::DOUBLE AS units{i},
    coalesce(sum(owns{i}), 0)::DOUBLE AS owns{i}"""
_IDF = """
    ln(1 + (chats - chats{i} + 0.5) / (chats{i} + 0.5)) AS chat_idf{i},
    ln(1 + (greatest(units - units{i}, 0) + 0.5) / (units{i} + 0.5)) AS context_idf{i},
    ln(1 + (greatest(units - owns{i}, 0) + 0.5) / (owns{i} + 0.5)) AS own_idf{i},
    chats{i} > 0 AS known{i}"""
_CHAT_TERM = f"coalesce(chat_idf{{i}} * t{{i}} * {CHAT_K1 + 1} / (t{{i}} + norm), 0)"
_CONTEXT_TERM = f"coalesce(context_idf{{i}} * {_LOW} * {CONTEXT_K1 + 1} / ({_LOW} + context_norm), 0)"
_OWN_TERM = f"coalesce(own_idf{{i}} * {_HIGH} * {OWN_K1 + 1} / ({_HIGH} + own_norm), 0)"
_HAS = "((t{i} IS NOT NULL)::UBIGINT << {i})"
_TITLE_HAS = "((title.t{i} IS NOT NULL)::UBIGINT << {i})"

# {live}: the scope inside the scan; left out only when it could remove nothing.
_SCORES = f"""
WITH scope AS MATERIALIZED (
    SELECT chat_no, people, units, own_length, context_length, length FROM chat c WHERE {{scope}}
),
n AS MATERIALIZED (
    SELECT greatest(count(*), 1)::DOUBLE AS chats, greatest(sum(units), 1)::DOUBLE AS units,
           greatest(sum(own_length), 1) / greatest(sum(units), 1) AS own_mean,
           greatest(sum(context_length), 1) / greatest(sum(units), 1) AS context_mean,
           greatest(avg(length), 1) AS chat_mean
    FROM scope
),
{{limits}}
hit AS MATERIALIZED (
    SELECT unit_key, {{sum}}
    FROM (
        SELECT term, p.message_key >> {keys.OFFSET_BITS} AS unit_key,
               CASE WHEN (p.message_key & {keys.MAX_OFFSET}) = 0 THEN tf * {(1 << _LOW_BITS) + 1}::DOUBLE
                    ELSE tf::DOUBLE END AS tf
        FROM posting p {{live}}
        WHERE p.term IN ({{terms}}) AND ({{lanes}}) {{said}}
    )
    WHERE {{wanted}}
    GROUP BY unit_key
),
title AS MATERIALIZED (
    SELECT s.chat_no, any_value(people) AS people, {{sum}}
    FROM posting p JOIN scope s ON s.chat_no = {CHAT_OF_MESSAGE}
    WHERE p.term IN ({{terms}}) AND {_TITLES} AND {{titled}}
    GROUP BY s.chat_no
),
chat_tf AS MATERIALIZED (
    SELECT chat_no, {{of_both}}, h.chat_no IS NOT NULL AS quoted
    FROM (SELECT {CHAT_OF_UNIT} AS chat_no, {{of_chat}} FROM hit GROUP BY ALL) h FULL JOIN title USING (chat_no)
),
unit_tf AS (
    SELECT unit_key, {{t}} FROM hit WHERE (unit_key >> {_UNIT_LANE}) <> {keys.PEOPLE}
    UNION ALL
    SELECT * FROM (
        SELECT unit_key + step AS unit_key, {{spread}}
        FROM hit, (SELECT unnest(range(-{NEIGHBOURS}, {NEIGHBOURS + 1})) AS step)
        WHERE (unit_key >> {_UNIT_LANE}) = {keys.PEOPLE}
        GROUP BY ALL
    ) WHERE {{wanted}} {{speaking}}
    UNION ALL
    -- A chat found by its title alone is shown with its first unit.
    SELECT * FROM (
        SELECT (people::BIGINT << {_UNIT_LANE}) | (chat_no::BIGINT << {keys.UNIT_BITS}) AS unit_key, {{nothing}}
        FROM title JOIN chat_tf USING (chat_no) WHERE NOT quoted
    ) WHERE {{unbanned}}
),
idf AS MATERIALIZED (SELECT {{idf}} FROM (SELECT {{df}} FROM chat_tf), n),
chat_score AS MATERIALIZED (
    SELECT chat_no, {{chat_terms}} AS score
    FROM (
        SELECT chat_tf.*, {CHAT_K1} * ({1 - CHAT_B} + {CHAT_B} * length / chat_mean) AS norm
        FROM chat_tf JOIN scope USING (chat_no), n
    ), idf
),
unit_score AS MATERIALIZED (
    SELECT unit_key, {{has}} AS slots, {{context_terms}} AS in_context, {{own_terms}} AS in_own, {{factor}} AS factor
    FROM (
        SELECT unit_tf.*, {{author}},
               {CONTEXT_K1} * ({1 - CONTEXT_B} + {CONTEXT_B} * context_length / context_mean) AS context_norm,
               {OWN_K1} * ({1 - OWN_B} + {OWN_B} * own_length / own_mean) AS own_norm
        FROM unit_tf JOIN unit u USING (unit_key), n
        WHERE {{dated}}
    ), idf
),
most AS MATERIALIZED (
    SELECT nullif(max(in_own), 0) AS most_own, nullif(max(in_context), 0) AS most_context,
           nullif((SELECT max(score) FROM chat_score), 0) AS most_chat
    FROM unit_score
),
-- The best score of a chat is that of its best unit; only units of the chats that lead need all their parts.
of_chat AS MATERIALIZED (
    SELECT chat_no, max((units + {CHAT_WEIGHT} * coalesce(score / most_chat, 0)) * factor) AS best
    FROM (
        SELECT {CHAT_OF_UNIT} AS chat_no, factor,
               max(coalesce(in_own / most_own, 0) + coalesce(in_context / most_context, 0)) AS units
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
    SELECT unit_key, s.chat_no, chat_id, slots, factor, best, coalesce(u.created_at, '-infinity'::TIMESTAMP) AS moment,
           coalesce(in_own / most_own, 0) AS own, coalesce(in_context / most_context, 0) AS context,
           coalesce(c.score / most_chat, 0) AS chat, (own + context + {CHAT_WEIGHT} * chat) * factor AS score
    FROM (SELECT *, {CHAT_OF_UNIT} AS chat_no FROM unit_score) JOIN front USING (chat_no)
        JOIN chat_score c USING (chat_no) JOIN chat s USING (chat_no) JOIN unit u USING (unit_key), most
),
{{best}},
told AS (SELECT units, (SELECT count(*) FROM {{counted}}) AS matched, [{{idfs}}] AS idfs, [{{known}}] AS known FROM idf)
SELECT told.*, b.unit_key, b.chat_no, b.score, b.own, b.context, b.chat, b.factor, b.slots | ({{title_has}})
FROM told LEFT JOIN best b ON true LEFT JOIN title USING (chat_no)
ORDER BY place
"""
# Equal scores: the newer one first, then by id, so that the order depends on nothing else.
_BEST_UNITS = """best AS (
    SELECT *, row_number() OVER (ORDER BY score DESC, moment DESC, chat_id, unit_key) AS place
    FROM scored QUALIFY place <= ?
)"""
_BEST_CHATS = """numbered AS (
    SELECT *, row_number() OVER mine AS nth, first_value(moment) OVER mine AS newest FROM scored
    WINDOW mine AS (PARTITION BY chat_no ORDER BY score DESC, moment DESC, unit_key)
),
best AS (
    SELECT *, dense_rank() OVER (ORDER BY best DESC, newest DESC, chat_id) * 1000 + nth AS place
    FROM numbered WHERE nth <= {per_chat}
    QUALIFY place < (? + 1) * 1000
)"""


class Parts(NamedTuple):
    """The variable pieces of the statement, each SQL, in the order of their bound values where they have some."""

    scope: str
    limits: str
    live: bool
    lanes: str
    said: str
    wanted: str
    speaking: str
    titled: str
    unbanned: str
    author: bool
    dated: str
    per_chat: int | None


def statement(slots: Sequence[Sequence[int]], parts: Parts) -> str:
    """The whole SQL for these slots of term ids. Its last two values are the number of results, twice."""
    ids = [", ".join(f"{t}::UBIGINT" for t in terms) or "0::UBIGINT" for terms in slots]

    def each(template: str, glue: str = ", ") -> str:
        return glue.join(template.format(i=i, terms=terms) for i, terms in enumerate(ids))

    shown = _BEST_UNITS if parts.per_chat is None else _BEST_CHATS.format(per_chat=parts.per_chat)
    return _SCORES.format(
        **{name: value for name, value in parts._asdict().items() if isinstance(value, str)},
        live=f"JOIN scope s ON s.chat_no = {CHAT_OF_MESSAGE}" if parts.live else "",
        terms=", ".join(ids),
        sum=each(_SUM),
        t=each("t{i}"),
        nothing=each("NULL::BIGINT"),
        spread=each(_SPREAD),
        of_chat=each(_OF_CHAT),
        of_both=each(_OF_BOTH),
        df=each(_DF),
        idf=each(_IDF) + ", units",
        has=each(_HAS, " | "),
        title_has=each(_TITLE_HAS, " | "),
        chat_terms=each(_CHAT_TERM, " + "),
        context_terms=each(_CONTEXT_TERM, " + "),
        own_terms=each(_OWN_TERM, " + "),
        idfs=each("context_idf{i}"),
        known=each("known{i}"),
        author="u.author" if parts.author else "NULL AS author",
        factor=f"(CASE WHEN author IN (SELECT unnest(?::VARCHAR[])) THEN {AUTHOR_FACTOR} ELSE 1 END)::DOUBLE"
        if parts.author
        else "1::DOUBLE",
        best=shown,
        counted="unit_score" if parts.per_chat is None else "of_chat",
    )
