"""What the archive holds of each chat, and whether another version of it is news. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from chatmem.archive.layout import micros
from chatmem.model import ASSIGNABLE, Chat, Message

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_KNOWN = """
SELECT chat_id, chat_no, content_hash, epoch_us(updated_at), messages,
       CASE WHEN title_origin = 'export' THEN title END, assigned, user_id, agent_id, project_id, project_name,
       origin_file, origin_member
FROM chat
"""


class Known(NamedTuple):
    """A stored chat. `updated_us`: microseconds since 1970, None if unknown. `title`: only one that an export gave.

    `assigned` as in model.Chat.
    """

    chat_no: int
    content_hash: int
    updated_us: int | None
    messages: int
    title: str | None
    assigned: str
    user_id: str | None
    agent_id: str | None
    project_id: str | None
    project_name: str | None
    origin_file: str
    origin_member: str | None


def load(connection: DuckDBPyConnection) -> dict[str, Known]:
    """All stored chats by their ids."""
    rows = connection.execute(_KNOWN).fetchall()
    return {chat_id: Known(*rest) for chat_id, *rest in rows}


def as_known(chat: Chat, chat_no: int, content_hash: int) -> Known:
    updated = micros(chat.updated_at) if chat.updated_at else None
    title = chat.title if chat.title_origin == "export" else None
    return Known(
        chat_no, content_hash, updated, sum(1 for _ in chat.visible()), title, chat.assigned, chat.user_id,
        chat.agent_id, chat.project_id, chat.project_name, chat.origin.file, chat.origin.member,
    )  # fmt: skip


def inherited(chat: Chat, known: Known | None) -> Chat:
    """The chat with what only an earlier import knew: a title, and what was assigned by hand.

    A title may stand in another file than the chat, and that file is not read again while it is unchanged. What
    somebody assigned once is not undone by an import that says nothing about it.
    """
    if known is None:
        return chat
    changes: dict[str, Any] = {}
    if known.title is not None and chat.title_origin != "export":
        changes = {"title": known.title, "title_origin": "export"}
    said = set(chat.assigned.split())
    if kept := set(known.assigned.split()) - said:
        changes |= {field: getattr(known, field) for name in kept for field in ASSIGNABLE[name]}
        changes["assigned"] = " ".join(sorted(said | kept))
    return replace(chat, **changes) if changes else chat


def is_another(chat: Chat, known: Known, same_bytes: bool) -> bool | None:
    """Whether the chat is another one than the stored chat of its id; None: only how the two begin can tell.

    Read again from the same bytes it is the same; assigned to two people it is not.
    """
    if same_bytes and _is_from_there(chat, known):
        return False
    assigned = "user" in chat.assigned.split() and "user" in known.assigned.split()
    return True if assigned and chat.user_id != known.user_id else None


def _is_from_there(chat: Chat, known: Known) -> bool:
    """Whether the stored chat is from the same file."""
    return (chat.origin.file, chat.origin.member) == (known.origin_file, known.origin_member)


def is_newer(chat: Chat, content_hash: int, known: Known, met: bool, same_bytes: bool) -> bool:
    """Whether to replace what is stored. An older export imported late must not take the archive back.

    `met`: what is stored was put by this import. `same_bytes`: the file is as it was, and only read with other
    settings, such as another zone.
    """
    if content_hash == known.content_hash:
        return False
    replaces = not met and _is_from_there(chat, known)
    if same_bytes and replaces:
        return True
    updated = micros(chat.updated_at) if chat.updated_at else None
    if updated is None or known.updated_us is None or updated == known.updated_us:
        # Where the time does not tell, the longer of two versions is the newer one; a file may be corrected.
        return replaces or sum(1 for _ in chat.visible()) >= known.messages
    return updated > known.updated_us


def counted(messages: tuple[Message, ...], hashes: list[int]) -> Iterator[tuple[str, int]]:
    """(message id, hash) of what a report counts: visible messages of the main path, copies among them."""
    for message, value in zip(messages, hashes, strict=True):
        if message.branch == "main" and message.hidden in (None, "copy"):
            yield message.message_id, value
