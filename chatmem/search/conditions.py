"""What a message must be or must not hold, beyond having the words: phrases, roles, `-without`.

Phrases are looked up by their words and then verified in the stored text, so the index needs no positions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from chatmem.archive import keys
from chatmem.archive.scope import Params
from chatmem.archive.tokenizer import expand, term_id

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Cut = Callable[[str], list[str]]

_FOLD = "strip_accents(lower({}))"
_FOLDED = "SELECT strip_accents(lower(?))"
_HOLDING_ALL = """
SELECT message_key FROM posting WHERE term IN (SELECT unnest(?::UBIGINT[]))
GROUP BY message_key HAVING count(DISTINCT term) = ?
"""
_PHRASE = f"""
WITH candidate AS MATERIALIZED ({_HOLDING_ALL})
SELECT message_key FROM message JOIN candidate USING (message_key) WHERE regexp_matches({_FOLD.format("text")}, ?)
UNION ALL
SELECT ({keys.TITLE}::BIGINT << {keys.LANE_SHIFT}) | (chat_no::BIGINT << {keys.CHAT_SHIFT})
FROM chat WHERE regexp_matches({_FOLD.format("title")}, ?)
"""
_ROLE = "p.message_key IN (SELECT message_key FROM message WHERE role IN (SELECT unnest(?::VARCHAR[])))"
_WITHOUT = f"""
(p.message_key >> {keys.OFFSET_BITS}) NOT IN (
    SELECT message_key >> {keys.OFFSET_BITS} FROM posting WHERE term IN (SELECT unnest(?::UBIGINT[]))
)
"""


def conditions(
    connection: DuckDBPyConnection, phrases: Sequence[str], without: Sequence[str], roles: Sequence[str], cut: Cut
) -> tuple[str, Params]:
    """(SQL over `p.message_key`, values); empty if there is nothing to ask."""
    clauses: list[str] = []
    params: Params = []
    for phrase in phrases:
        found = _with_phrase(connection, phrase, cut)
        clauses.append("p.message_key IN (SELECT unnest(?::BIGINT[]))")
        params.append(found)
    excluded: list[int] = []
    for word in without:
        for raw in cut(word):
            expanded = expand(raw)
            excluded += [term_id(t) for t in (expanded.wholes or expanded.words)[-1:]]
    if excluded:
        clauses.append(_WITHOUT)
        params.append(excluded)
    if roles:
        clauses.append(_ROLE)
        params.append(list(roles))
    return " AND ".join(clauses), params


def _with_phrase(connection: DuckDBPyConnection, phrase: str, cut: Cut) -> list[int]:
    """Keys of the messages and titles that hold the words of a phrase side by side, whatever stands between words."""
    terms = list(dict.fromkeys(term_id(t) for raw in cut(phrase) for t in expand(raw).words))
    if not terms:
        return []
    (folded,) = connection.execute(_FOLDED, [phrase]).fetchone() or (phrase,)
    pattern = phrase_pattern(str(folded))
    return [k for (k,) in connection.execute(_PHRASE, [terms, len(terms), pattern, pattern]).fetchall()]


def phrase_pattern(folded: str) -> str:
    """An RE2 pattern for the phrase as whole words; punctuation inside it must stand, spaces may be any."""
    words = [re.sub(r"([^\w\s])", r"\\\1", w) for w in folded.split()]
    body = r"\s+".join(words)
    left = r"(?:^|[^\p{L}\p{N}_])" if folded[:1].isascii() else ""
    right = r"(?:$|[^\p{L}\p{N}_])" if folded[-1:].isascii() and folded[-1:].isalnum() else ""
    return (left if folded[:1].isalnum() else "") + body + right
