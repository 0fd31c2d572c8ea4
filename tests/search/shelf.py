"""Small archives made of chats as values, and a way to search them: what the tests of search and evidence share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chatmem import recall
from chatmem.archive.scope import Scope
from chatmem.archive.store import Store
from chatmem.archive.write import Writer
from chatmem.config import Settings
from chatmem.embed.models import find_encoder
from chatmem.evidence.answer import Answer
from chatmem.model import Chat, Message, Origin
from chatmem.search.dates import moment
from chatmem.tokens import Counter

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
START = datetime(2025, 3, 14, 9, tzinfo=UTC)
SETTINGS = Settings()
COUNTER = Counter()


def said(text: str, role: Any = "user", at: datetime | None = START, **more: Any) -> Message:
    """A message whose id does not matter."""
    return Message(more.pop("message_id", ""), role, text, created_at=at, **more)


def replied(text: str, at: datetime | None = START, **more: Any) -> Message:
    return said(text, "assistant", at, **more)


def chat(name: str, *messages: Message | str, **more: Any) -> Chat:
    """A chat `test:<name>`; texts alternate between user and assistant, a minute apart."""
    made: list[Message] = []
    for i, one in enumerate(messages):
        if isinstance(one, str):
            one = said(one, "assistant" if i % 2 else "user", START + timedelta(minutes=i))
        made.append(_named(one, f"{name}-{i}"))
    times = [m.created_at for m in made if m.created_at]
    given: dict[str, Any] = {
        "created_at": min(times, default=None),
        "updated_at": max(times, default=None),
        "user_id": "me",
        "agent_id": "test",
    }
    return Chat("test", name, tuple(made), Origin("test.json"), **(given | more))


def _named(message: Message, name: str) -> Message:
    from dataclasses import replace

    return message if message.message_id else replace(message, message_id=name)


def put(home: Path, chats: Iterable[Chat], embed: bool = False) -> Store:
    """Write the chats to the archive of `home`, newer versions over older ones; `embed` with the default model."""
    store = Store(home)
    with Writer(store, find_encoder=find_encoder if embed else lambda made_by: None) as writer:
        for one in chats:
            writer.put(one)
        writer.finish()
    return store


@contextmanager
def shelf(home: Path, *chats: Chat, embed: bool = False) -> Iterator[DuckDBPyConnection]:
    """A connection to an archive that holds these chats."""
    with put(home, chats, embed).reading() as connection:
        yield connection


def look(connection: DuckDBPyConnection, text: str, scope: Scope | None = None, **changes: Any) -> Answer:
    """The answer to a search at NOW in UTC; `changes` are fields of a Lookup."""
    ask = recall.Lookup(text, scope or Scope(), 10, 2_000, lambda t: moment(t, NOW, UTC))
    return recall.search_chats(connection, ask._replace(**changes), SETTINGS, COUNTER)


def names(answer: Answer) -> list[str]:
    """The native ids of the chats found, in order."""
    return [e.chat.native_id for e in answer.results]


def refs(answer: Answer) -> list[str]:
    """The first reference of each result, without the source."""
    return [e.excerpts[0].ref.removeprefix("test:") for e in answer.results if e.excerpts]
