"""Ids and references, as any command prints them: which chat, and which of its messages, they mean."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from chatmem.archive import keys, read
from chatmem.archive.scope import Scope, where

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Where a query is one word, shorter ones are words.
SHORTEST_ID, SHORTEST_PREFIX, SHORTEST_MESSAGE_ID = 6, 8, 16
_WHOLE_ID = re.compile(r"[a-z][a-z0-9.-]*:\S")
_REFERENCE = re.compile(r"(.+)#([0-9]{1,9})", re.DOTALL)
_EXACT = "SELECT chat_no, chat_id FROM chat c WHERE {scope} AND (chat_id = ? OR native_id = ?) ORDER BY chat_id"
# The same message may stand in several chats, as a copy without a number in all but one.
_MESSAGE = """
SELECT m.chat_no, c.chat_id, m.n FROM message m JOIN chat c USING (chat_no)
WHERE {scope} AND m.message_id = ?
ORDER BY m.n IS NULL, c.chat_id, m.position LIMIT 10
"""
_ADDRESS = "SELECT chat_no, chat_id FROM chat c WHERE {scope} AND rtrim(source_url, '/') = ? ORDER BY chat_id"
_UNIT = f"SELECT {keys.sql_unit('message_key')} FROM message WHERE chat_no = ? AND n = ?"


class Reference(NamedTuple):
    """A chat, or the message `n` of it."""

    chat_no: int
    chat_id: str
    n: int | None = None


def cleaned(text: str) -> str:
    """The text as a database takes it."""
    return text.encode("utf-8", "replace").decode("utf-8").strip()


def _linked(connection: DuckDBPyConnection, scope: Scope, text: str) -> list[Reference]:
    """The chat whose address this is, as results print it."""
    if not text.startswith(("https://", "http://")):
        return []
    predicate, params = where(scope)
    rows = connection.execute(_ADDRESS.format(scope=predicate), [*params, text.rstrip("/")]).fetchall()
    return [Reference(*row) for row in rows]


def split(text: str) -> tuple[str, int | None]:
    """`chat_id#7` -> (chat_id, 7)."""
    found = _REFERENCE.fullmatch(text)
    return (found.group(1), int(found.group(2))) if found else (text, None)


def meant(connection: DuckDBPyConnection, scope: Scope, text: str) -> list[Reference]:
    """What an id, a reference, a message's id or a prefix of a chat's id may mean in scope; one, if it is exact."""
    wanted = cleaned(text)
    if not wanted:
        return []
    name, n = split(wanted)
    return (
        exact(connection, scope, wanted)
        or _linked(connection, scope, wanted)
        or [r._replace(n=n) for r in exact(connection, scope, name)]
        or _messages(connection, scope, wanted)
        or [Reference(*found, n) for found in read.find(connection, scope, name)]
    )


def named(connection: DuckDBPyConnection, scope: Scope, query: str) -> list[Reference]:
    """What a query means that is nothing but an id or reference; mostly nothing."""
    wanted = query.strip().strip("\"'“”")
    name, n = split(wanted)
    is_word = len(wanted) >= SHORTEST_ID and len(wanted.split()) == 1
    # What any verb prints is an id, however short it is and whatever blanks are in it.
    if not is_word and not _WHOLE_ID.match(wanted):
        return []
    found = exact(connection, scope, wanted) or [r._replace(n=n) for r in exact(connection, scope, name)]
    if not is_word:
        found = [r for r in found if r.chat_id in (wanted, name)]
    found = found or _linked(connection, scope, wanted)
    if not is_word:
        return _with_numbers(connection, found)
    if not found and any(c.isdigit() for c in name):
        begun = read.find(connection, scope, name) if len(name) >= SHORTEST_PREFIX else []
        found = [Reference(*begun[0], n)] if len(begun) == 1 else []
        if not found and len(wanted) >= SHORTEST_MESSAGE_ID:
            found = _messages(connection, scope, wanted)[:1]
    return _with_numbers(connection, found)


def _with_numbers(connection: DuckDBPyConnection, found: Sequence[Reference]) -> list[Reference]:
    """A number that the chat does not have means the chat."""
    return [r if r.n is None or unit(connection, r) is not None else r._replace(n=None) for r in found]


def exact(connection: DuckDBPyConnection, scope: Scope, name: str) -> list[Reference]:
    """The chat of this id, or those of this native id."""
    predicate, params = where(scope)
    rows = connection.execute(_EXACT.format(scope=predicate), [*params, name, name]).fetchall()
    whole = [Reference(*row) for row in rows if row[1] == name]
    return whole or [Reference(*row) for row in rows]


def _messages(connection: DuckDBPyConnection, scope: Scope, message_id: str) -> list[Reference]:
    """The message of this id where it has a number, else the chats that hold it."""
    predicate, params = where(scope)
    rows = connection.execute(_MESSAGE.format(scope=predicate), [*params, message_id]).fetchall()
    found = [Reference(*row) for row in rows]
    return [r for r in found if r.n is not None] or list({r.chat_no: r for r in found}.values())


def unit(connection: DuckDBPyConnection, one: Reference) -> int | None:
    """The key of the unit that a referenced message is part of; None if the chat has no such message."""
    row = connection.execute(_UNIT, [one.chat_no, one.n]).fetchone()
    return int(row[0]) if row else None
