"""How often terms were said in a scope."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from chatmem.archive import keys
from chatmem.archive.scope import Scope, where

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_USES = f"""
SELECT p.term, count(*)
FROM posting p JOIN chat c ON c.chat_no = {keys.sql_chat("p.message_key")}
WHERE p.term IN ({{terms}}) AND p.message_key < {keys.key(keys.ALTERNATE, 0, 0, 0)} AND {{scope}}
GROUP BY p.term
"""


def uses(connection: DuckDBPyConnection, terms: Collection[int], scope: Scope) -> dict[int, int]:
    """Term -> messages and titles of the scope that have it."""
    if not terms:
        return {}
    predicate, params = where(scope)
    listed = ", ".join(f"{term}::UBIGINT" for term in sorted(terms))
    return dict(connection.execute(_USES.format(terms=listed, scope=predicate), params).fetchall())
