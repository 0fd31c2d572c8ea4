"""Messages that stand in several chats (resumed, forked, branched): one chat owns each, the others hold copies.

Readers only say which chat a record names as its home. Whether that chat is here, and holds the message, is known when
an import is over; then copies are hidden, or shown again if their home is missing, whatever order files came in.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from chatmem.archive.layout import hide_copies
from chatmem.archive.read import whole_chats
from chatmem.model import Chat

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Only ids that are unique all over the world can show that two records are one message.
GLOBAL_ID_LENGTH = 32
CHUNK = 100

# Native products that copy messages without saying so (ChatGPT "branch in new chat"): the oldest chat is the home.
_SHARED = f"""
WITH held AS (
    SELECT message_id, c.source, c.native_id, m.chat_no, m.home,
           first_value(c.native_id) OVER (PARTITION BY c.source, message_id ORDER BY c.created_at NULLS LAST, c.chat_id)
               AS owner
    FROM message m JOIN chat c USING (chat_no)
    WHERE length(message_id) >= {GLOBAL_ID_LENGTH} AND (hidden IS NULL OR hidden = 'copy')
)
SELECT chat_no, message_id, owner FROM held WHERE home IS NULL AND owner <> native_id
"""
_ANY_SHARED = f"""
SELECT count(*) > count(DISTINCT (c.source, message_id)) FROM message m JOIN chat c USING (chat_no)
WHERE length(message_id) >= {GLOBAL_ID_LENGTH} AND (hidden IS NULL OR hidden = 'copy')
"""
_HOMED = """
SELECT m.chat_no, m.message_id, h.chat_no IS NOT NULL AS owned, coalesce(m.hidden = 'copy', false) AS hidden
FROM message m
JOIN chat c ON c.chat_no = m.chat_no
LEFT JOIN (
    SELECT x.message_id, x.home, b.* FROM message x JOIN chat b USING (chat_no)
    WHERE x.hidden IS NULL OR x.hidden = 'copy'
) h ON h.source = c.source AND h.native_id = m.home AND h.message_id = m.message_id AND h.chat_no <> c.chat_no
    AND h.home IS DISTINCT FROM c.native_id
WHERE m.home IS NOT NULL AND (m.hidden IS NULL OR m.hidden = 'copy')
"""


def unsettled(connection: DuckDBPyConnection) -> list[tuple[Chat, int]]:
    """(chat as it should be, its content hash) for every chat whose copies are not yet hidden or shown rightly."""
    homes: dict[int, dict[str, str]] = {}
    shared = connection.execute(_ANY_SHARED).fetchone()
    if shared and shared[0]:
        for chat_no, message_id, owner in connection.execute(_SHARED).fetchall():
            homes.setdefault(chat_no, {})[message_id] = owner
    owned: dict[int, set[str]] = {no: set(ids) for no, ids in homes.items()}
    wrong = set(homes)
    for chat_no, message_id, is_owned, hidden in connection.execute(_HOMED).fetchall():
        if is_owned:
            owned.setdefault(chat_no, set()).add(message_id)
        if is_owned != hidden:
            wrong.add(chat_no)
    numbers = sorted(wrong)
    settled = []
    for start in range(0, len(numbers), CHUNK):
        for chat, _, row in whole_chats(connection, numbers[start : start + CHUNK]):
            named = _with_homes(chat, homes.get(row.chat_no, {}))
            settled.append((hide_copies(named, owned.get(row.chat_no, set())), row.content_hash))
    return settled


def _with_homes(chat: Chat, homes: dict[str, str]) -> Chat:
    if not homes:
        return chat
    return replace(chat, messages=tuple(replace(m, home=homes.get(m.message_id, m.home)) for m in chat.messages))
