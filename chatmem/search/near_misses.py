"""`Did you mean`: words of the scope that are spelled like a word nobody said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from chatmem.archive import keys
from chatmem.archive.scope import Scope, where
from chatmem.search.uses import uses

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MOST = 3
OFTEN = 1_000
# Only words that begin alike and are nearly as long are compared.
_NEAR = """
SELECT text, term, damerau_levenshtein(text, $word) AS distance
FROM term
WHERE text >= $first AND text < $next
    AND length(text) BETWEEN $length - $most AND $length + $most
    AND distance <= $most
"""
_WORD = r"'(?:^|[^\p{L}\p{N}])' || regexp_escape(?) || '(?:$|[^\p{L}\p{N}])'"
# A term stands for all endings of a word; this very one may have been said elsewhere only.
_SAID = f"""
WITH place AS (
    SELECT p.message_key, c.chat_no, c.title
    FROM posting p JOIN chat c ON c.chat_no = {keys.sql_chat("p.message_key")}
    WHERE p.term = ?::UBIGINT AND p.message_key < {keys.key(keys.ALTERNATE, 0, 0, 0)} AND {{scope}}
)
SELECT 1 FROM place WHERE regexp_matches(strip_accents(lower(title)), {{word}})
UNION ALL
SELECT 1 FROM place JOIN message m USING (message_key)
WHERE regexp_matches(strip_accents(lower(concat(m.author, ' ', m.text))), {{word}})
LIMIT 1
"""


class _Near(NamedTuple):
    text: str
    term: int
    distance: int


def near_misses(
    connection: DuckDBPyConnection, unknown: Sequence[str], scope: Scope, everything: bool
) -> Mapping[str, str]:
    """Spelling in scope -> the unknown word that it is at an edit distance of one from (two for long words).

    Nearest first. `everything`: the scope is the whole archive, so that every spelling is in it.
    """
    found: dict[str, str] = {}
    for word in [w for w in (text.rstrip("*") for text in unknown) if len(w) >= 4][:MOST]:
        candidates = _candidates(connection, word)
        # Only what the scope holds is told.
        used = uses(connection, {n.term for n in candidates}, scope)
        ranked = sorted((n.distance, -used[n.term], n.text, n) for n in candidates if n.term in used)
        if ranked and not ranked[0][0]:
            # The word itself is there: what keeps it out is a condition, not its spelling.
            continue
        for *_, near in ranked:
            # A spelling may be the stem of others, which nobody wrote; a frequent one was hardly never written.
            sure = everything and used[near.term] > OFTEN
            if len(found) < MOST and (sure or _said(connection, near, scope)):
                found.setdefault(near.text, word)
    return found


def _candidates(connection: DuckDBPyConnection, word: str) -> list[_Near]:
    first = ord(word[0])
    values = {
        "word": word,
        "first": word[0],
        "next": chr(first + 1) if first not in (0xD7FF, 0x10FFFF) else word[0] + chr(0x10FFFF),
        "length": len(word),
        "most": 2 if len(word) >= 7 else 1,
    }
    return [_Near(*row) for row in connection.execute(_NEAR, values).fetchall()]


def _said(connection: DuckDBPyConnection, near: _Near, scope: Scope) -> bool:
    predicate, params = where(scope)
    values = [near.term, *params, near.text, near.text]
    return connection.execute(_SAID.format(scope=predicate, word=_WORD), values).fetchone() is not None
