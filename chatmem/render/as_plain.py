"""Results for pipelines: one record a line, tab-separated, fixed columns, nothing wrapped or coloured.

The first column is an id or reference that every verb accepts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from chatmem.render.as_json import time
from chatmem.render.terminal import cell, one_line

if TYPE_CHECKING:
    from chatmem.evidence.answer import Evidence
    from chatmem.recall import Thread


def search_rows(results: Sequence[Evidence]) -> Iterator[str]:
    """ref, time of the quoted message or chat, source, project, title, excerpt."""
    for found in results:
        chat, best = found.chat, found.excerpts[0] if found.excerpts else None
        yield row(
            best.ref if best else chat.chat_id,
            time((best and best.created_at) or chat.updated_at),
            chat.source,
            chat.project_name or chat.project_id,
            chat.title,
            best.text if best else "",
        )


def recent_rows(results: Sequence[Evidence]) -> Iterator[str]:
    """chat id, last activity, source, project, messages, title."""
    for found in results:
        chat = found.chat
        project = chat.project_name or chat.project_id
        yield row(chat.chat_id, time(chat.updated_at), chat.source, project, str(chat.messages), chat.title)


def refs(results: Sequence[Evidence]) -> Iterator[str]:
    """The reference of what is quoted first, or the chat's id."""
    for found in results:
        yield found.excerpts[0].ref if found.excerpts else found.chat.chat_id


def thread_rows(shown: Thread) -> Iterator[str]:
    """ref (or chat id for parts without a number), time, role, author, hidden or alternate, text."""
    for message in shown.messages:
        ref = f"{shown.chat.chat_id}#{message.n}" if message.n else shown.chat.chat_id
        kind = message.hidden or ("" if message.branch == "main" else message.branch)
        yield row(ref, time(message.created_at), message.role, message.author, kind, message.text)


def row(name: str, *values: str | None) -> str:
    """`name` is an id or reference: its spaces stay, those of other values are runs of white space made one."""
    return "\t".join([cell(name), *(one_line(v or "") for v in values)])
