"""What the archive holds of each chat, and whether another version of it is news. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from chatmem.archive.layout import micros
from chatmem.model import Chat, Message

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_KNOWN = """
SELECT chat_id, chat_no, content_hash, epoch_us(updated_at), messages, CASE WHEN title_origin = 'export' THEN title END
FROM chat
"""


class Known(NamedTuple):
    """A stored chat. `title` only if an export gave it; `messages` are the visible ones."""

    chat_no: int
    content_hash: int
    updated_us: int | None
    messages: int
    title: str | None


def load(connection: DuckDBPyConnection) -> dict[str, Known]:
    """All stored chats by their ids."""
    rows = connection.execute(_KNOWN).fetchall()
    return {chat_id: Known(*rest) for chat_id, *rest in rows}


def as_known(chat: Chat, chat_no: int, content_hash: int) -> Known:
    updated = micros(chat.updated_at) if chat.updated_at else None
    title = chat.title if chat.title_origin == "export" else None
    return Known(chat_no, content_hash, updated, sum(1 for _ in chat.visible()), title)


def titled(chat: Chat, known: Known | None) -> Chat:
    """The chat with the title that an export once gave it, if this version has only a derived one.

    A title may stand in another file than the chat, and that file is not read again while it is unchanged.
    """
    if known is None or known.title is None or chat.title_origin == "export":
        return chat
    return replace(chat, title=known.title, title_origin="export")


def is_newer(chat: Chat, content_hash: int, known: Known) -> bool:
    """Whether to replace what is stored. An older export imported late must not take the archive back."""
    if content_hash == known.content_hash:
        return False
    if chat.updated_at is None and known.updated_us is None:
        # Without times the longer of two versions is the newer one.
        return sum(1 for _ in chat.visible()) >= known.messages
    return chat.updated_at is None or known.updated_us is None or micros(chat.updated_at) >= known.updated_us


def counted(messages: tuple[Message, ...], hashes: list[int]) -> Iterator[tuple[str, int]]:
    """(message id, hash) of what a report counts: visible messages of the main path, copies among them."""
    for message, value in zip(messages, hashes, strict=True):
        if message.branch == "main" and message.hidden in (None, "copy"):
            yield message.message_id, value
