"""`Did you mean`: words of the scope that are spelled like a word nobody said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chatmem.archive import keys
from chatmem.archive.scope import Scope, where

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MOST = 3
# Only words that begin alike and are nearly as long are compared, and only what the scope holds is told.
_NEAR = f"""
WITH scope AS (SELECT chat_no FROM chat c WHERE {{scope}}),
near AS (
    SELECT text, term, damerau_levenshtein(text, ?) AS distance
    FROM term
    WHERE text[1] = ?[1] AND length(text) BETWEEN length(?) - 1 AND length(?) + 1
        AND damerau_levenshtein(text, ?) <= ?
    ORDER BY distance, text LIMIT 30
)
SELECT near.text, distance, count(*) AS uses
FROM near JOIN posting p USING (term)
JOIN scope s ON s.chat_no = (p.message_key >> {keys.CHAT_SHIFT}) & {keys.CHAT_MASK}
WHERE p.message_key < {keys.key(keys.ALTERNATE, 0, 0, 0)}
GROUP BY ALL
ORDER BY distance, uses DESC, near.text
LIMIT {MOST}
"""


def near_misses(connection: DuckDBPyConnection, unknown: Sequence[str], scope: Scope) -> list[str]:
    """Spellings in scope at an edit distance of one (two for long words) from the unknown words."""
    predicate, params = where(scope)
    found: list[str] = []
    for word in unknown[:MOST]:
        if len(word) >= 4:
            distance = 2 if len(word) >= 7 else 1
            values = [*params, word, word, word, word, word, distance]
            found += [text for text, *_ in connection.execute(_NEAR.format(scope=predicate), values).fetchall()]
    return list(dict.fromkeys(found))[:MOST]
