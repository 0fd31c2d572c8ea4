"""Messages that stand in several chats (resumed, forked, branched): one chat owns each, the others hold copies.

Readers only say which chat a record names as its home. Whether that chat is here, and holds the message, is known when
an import is over; then copies are hidden, or shown again if their home is missing, whatever order files came in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from chatmem.archive.ownership import GLOBAL_ID_LENGTH, Holder, owners

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_PARTS = "(m.hidden IS NULL OR m.hidden = 'copy')"
_HELD = f"""
WITH part AS (
    SELECT c.source, m.message_id, m.chat_no, m.home, m.hidden IS NOT NULL AS hidden
    FROM message m JOIN chat c USING (chat_no) WHERE {_PARTS}
), shared AS (
    SELECT source, message_id FROM part GROUP BY ALL
    HAVING count(*) > 1 AND (length(message_id) >= {GLOBAL_ID_LENGTH} OR count(home) > 0)
)
SELECT source, message_id, chat_no, home, hidden FROM part SEMI JOIN shared USING (source, message_id)
UNION ALL
SELECT source, message_id, chat_no, home, hidden FROM part ANTI JOIN shared USING (source, message_id) WHERE hidden
ORDER BY ALL
"""
# A chat whose time is that of its first message began with the first that it holds, also if that one is a copy.
_HOLDERS = f"""
WITH part AS (
    SELECT m.chat_no, m.message_id, m.hidden, m.created_at FROM message m
    WHERE {_PARTS} AND chat_no IN (SELECT unnest($numbers::INTEGER[]))
), times AS (
    SELECT chat_no, count(*) AS messages, min(created_at) AS first, min(created_at) FILTER (hidden IS NULL) AS own,
        min(created_at) FILTER (message_id NOT IN (SELECT unnest($shared::VARCHAR[]))) AS parted
    FROM part GROUP BY ALL
)
SELECT c.chat_no, c.native_id, CASE WHEN c.created_at = own THEN first ELSE c.created_at END, parted, t.messages
FROM chat c JOIN times t USING (chat_no)
"""


@dataclass(frozen=True, slots=True)
class Ownership:
    """What should be said of one message in one chat: whether it is a copy, and the native id of its home."""

    copy: bool
    home: str | None


def misplaced(connection: DuckDBPyConnection) -> dict[int, dict[str, Ownership]]:
    """chat_no -> message id -> ownership, for every chat with a copy that is not yet hidden or shown rightly."""
    rows = connection.execute(_HELD).fetchall()
    if not rows:
        return {}
    holders = _holders(connection, sorted({row[2] for row in rows}), sorted({row[1] for row in rows}))
    found: dict[int, dict[str, Ownership]] = {}
    wrong: set[int] = set()
    for (_, message_id), group in groupby(rows, key=lambda row: row[:2]):
        for chat_no, owned, right in _decided(message_id, list(group), holders):
            found.setdefault(chat_no, {})[message_id] = owned
            if not right:
                wrong.add(chat_no)
    return {chat_no: found[chat_no] for chat_no in sorted(wrong)}


def _holders(connection: DuckDBPyConnection, numbers: list[int], shared: list[str]) -> dict[int, Holder]:
    rows = connection.execute(_HOLDERS, {"numbers": numbers, "shared": shared}).fetchall()
    return {chat_no: Holder(*rest) for chat_no, *rest in rows}


def _decided(
    message_id: str, group: list[tuple[str, str, int, str | None, bool]], holders: dict[int, Holder]
) -> Iterator[tuple[int, Ownership, bool]]:
    """(chat_no, what should be said, whether the archive says so already)."""
    owned = owners(message_id, [(holders[chat_no], home) for _, _, chat_no, home, _ in group])
    for _, _, chat_no, home, hidden in group:
        owner = owned[holders[chat_no].native_id]
        is_copy = owner != holders[chat_no].native_id
        # Where ids alone tell, all copies name the owner; elsewhere the home is what the record says.
        wanted = owner if is_copy and (home is None or len(message_id) >= GLOBAL_ID_LENGTH) else home
        yield chat_no, Ownership(is_copy, wanted), (hidden, home) == (is_copy, wanted)
