"""How chats begin: what tells two chats apart that different files of a generic format number alike.

Native products have ids that are unique; in a table of tickets number 7 of one file may be another talk than number 7
of the next. A talk that grew or was exported again still begins as it did.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from chatmem.archive.layout import micros
from chatmem.model import Chat

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_FIRST = 3
# Many talks begin with a greeting; it proves nothing.
_SHORT = 16
# Times without a zone, read in two zones, lie at most this far apart (in microseconds).
_SHIFT = 26 * 3600 * 1_000_000

_OPENINGS = f"""
WITH asked AS (
    SELECT chat_no, coalesce(min(n) FILTER (role = 'user'), 1) AS n FROM message WHERE n IS NOT NULL GROUP BY ALL
), first AS (
    SELECT chat_no, list(md5_number_lower(text) ORDER BY n) AS texts FROM message WHERE n <= {_FIRST} GROUP BY ALL
)
SELECT c.chat_id, md5_number_lower(m.text), length(m.text) < {_SHORT}, epoch_us(m.created_at), f.texts
FROM chat c JOIN asked USING (chat_no) JOIN message m USING (chat_no, n) JOIN first f USING (chat_no)
"""


class Opening(NamedTuple):
    """Digests of the first question and of the first few messages; `asked_at` in microseconds since 1970."""

    question: int
    is_short: bool
    asked_at: int | None
    texts: tuple[int, ...]


def load(connection: DuckDBPyConnection) -> dict[str, Opening]:
    """The openings of all stored chats by chat id."""
    rows = connection.execute(_OPENINGS).fetchall()
    return {chat_id: Opening(question, short, at, tuple(texts)) for chat_id, question, short, at, texts in rows}


def opening(chat: Chat) -> Opening | None:
    """How the chat begins; None if nothing of it is visible."""
    shown = list(chat.visible())
    question = next((m for m in shown if m.role == "user"), next(iter(shown), None))
    if question is None:
        return None
    at = micros(question.created_at) if question.created_at else None
    texts = tuple(_digest(m.text) for m in shown[:_FIRST])
    return Opening(_digest(question.text), len(question.text) < _SHORT, at, texts)


def differ(one: Opening | None, other: Opening | None) -> bool:
    """True if no chat could begin both ways."""
    if one is None or other is None:
        return False
    if one.question != other.question:
        return True
    if one.asked_at is not None and other.asked_at is not None:
        return abs(one.asked_at - other.asked_at) > _SHIFT
    return one.is_short and any(a != b for a, b in zip(one.texts, other.texts, strict=False))


def _digest(text: str) -> int:
    """What DuckDB's md5_number_lower gives."""
    return int.from_bytes(hashlib.md5(text.encode("utf-8"), usedforsecurity=False).digest()[8:], "little")
