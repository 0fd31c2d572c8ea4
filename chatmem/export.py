"""Chats in full, for `chatmem export`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chatmem.archive import read
from chatmem.archive.read import ChatRow, MessageRow
from chatmem.archive.scope import Scope
from chatmem.archive.store import Store
from chatmem.model import Chat
from chatmem.recall import check_projects, resolve

PART_MESSAGES = 20_000


def export_chats(store: Store, scope: Scope, names: Sequence[str]) -> Iterator[tuple[Chat, list[MessageRow], ChatRow]]:
    """Every chat of the scope in full, oldest first, or the named ones as they are named.

    The archive is open only while a part is read, never while it is printed: a slow pipe must not keep an import out.
    """
    with store.reading() as connection:
        check_projects(connection, scope)
        if names:
            numbers = dict.fromkeys(resolve(connection, scope, name)[0] for name in names)
            rows = read.chats(connection, list(numbers))
            wanted = [(rows[no].chat_id, rows[no].messages) for no in numbers]
        else:
            wanted = read.ordered(connection, scope)
    for part in _parts(wanted):
        with store.reading() as connection:
            held = list(read.whole_chats(connection, read.numbers(connection, part)))
        yield from held


def _parts(wanted: Sequence[tuple[str, int]]) -> Iterator[list[str]]:
    """Chat ids in parts of about PART_MESSAGES messages."""
    part: list[str] = []
    size = 0
    for chat_id, messages in wanted:
        part.append(chat_id)
        size += messages
        if size >= PART_MESSAGES:
            yield part
            part, size = [], 0
    if part:
        yield part
