"""What the archive remembers, for a prompt: the current chat, whose it is, earlier chats. Never a secret of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from chatmem import recall
from chatmem.archive import read
from chatmem.archive.read import ChatRow, MessageRow
from chatmem.archive.scope import Scope
from chatmem.config import Settings
from chatmem.evidence import redact
from chatmem.facts import never_store
from chatmem.prompt.parts import Turn
from chatmem.prompt.past import PastChat
from chatmem.prompt.request import Request
from chatmem.search.run import NOTHING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class Current(NamedTuple):
    """The current conversation: its turns, how often the assistant has spoken, and its chat if it is in the archive."""

    turns: Sequence[Turn]
    replies: int
    chat: ChatRow | None


def current(connection: DuckDBPyConnection, request: Request, settings: Settings) -> Current:
    """The conversation as it was before the message. Raises NotFoundError for a chat that is not in scope."""
    said: Sequence[Turn] = request.conversation
    spoken, row = sum(turn.role == "assistant" for turn in said), None
    if request.chat:
        row = chat(connection, request.scope, request.chat)
        # One more, for the message itself may be the last of them.
        last = read.tails(connection, [row], settings.conversation_loaded + 1)
        said = turns(last.get(row.chat_no, []), row)
        spoken = read.replies(connection, row.chat_no)
    if said and said[-1].role == "user" and said[-1].content.strip() == request.message.strip():
        said = said[:-1]
    return Current(said, spoken, row)


def turns(messages: Sequence[MessageRow], row: ChatRow) -> list[Turn]:
    return [
        Turn(m.role, m.text, f"{row.chat_id}#{m.n}")
        for m in messages
        if m.role in ("user", "assistant") and m.text.strip()
    ]


def safe(said: Sequence[Turn]) -> list[Turn]:
    """What is never stored as a fact is not handed to a model either."""
    return [turn._replace(content=never_store.masked(turn.content)) for turn in said]


def chat(connection: DuckDBPyConnection, scope: Scope, name: str) -> ChatRow:
    no, _ = recall.resolve(connection, replace(scope, subagents=True), name)
    return read.chats(connection, [no])[no]


def without(scope: Scope, chat: ChatRow | None) -> Scope:
    """What is remembered is not what is being said."""
    return replace(scope, without_chats=(*scope.without_chats, chat.chat_id)) if chat else scope


def of_chat(scope: Scope, chat: ChatRow | None) -> Scope:
    """The scope of a chat's user and agent, unless others are named."""
    if chat is None:
        return scope
    return replace(scope, users=scope.users or (chat.user_id,), agents=scope.agents or (chat.agent_id,))


def one_user(connection: DuckDBPyConnection, scope: Scope, settings: Settings) -> tuple[Scope, str]:
    """(the scope of one user, a note): prompts never mix people. Where it is not clear whose they are, of nobody."""
    if scope.users:
        return scope, ""
    here = read.users(connection, scope)
    if len(here) < 2:
        return scope, ""
    if settings.user in here:
        return replace(scope, users=(settings.user,)), ""
    return replace(
        scope, users=(NOTHING,)
    ), "nothing is remembered: there are several users here, --customer says whose"


def past_chats(
    connection: DuckDBPyConnection, scope: Scope, settings: Settings, old: Mapping[str, Sequence[str]]
) -> list[PastChat]:
    rows = read.recent(connection, scope, settings.past_chats) if settings.past_chats else []
    tails = read.tails(connection, rows, settings.past_messages)
    return [
        PastChat(
            row.chat_id,
            title(row),
            day(row.updated_at),
            tuple(
                turn._replace(outdated=tuple(old.get(turn.reference, ())))
                for turn in safe(turns(tails.get(row.chat_no, []), row))
            ),
        )
        for row in rows
    ]


def day(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d}" if at else ""


def title(row: ChatRow) -> str:
    """The title of a chat without secrets; "" if it has none."""
    return redact.title(row).title or ""
