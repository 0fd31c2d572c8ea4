"""Reading the archive: chats, their messages, neighbours, pages by time, counts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from chatmem.archive import keys
from chatmem.archive.scope import Scope, naive, where
from chatmem.model import Attachment, Chat, Message, Origin

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class ChatRow:
    """A chat without its messages. `messages`: visible ones on the main path. Times are aware UTC."""

    chat_no: int
    chat_id: str
    source: str
    native_id: str
    title: str | None
    title_origin: str
    created_at: datetime | None
    updated_at: datetime | None
    project_id: str | None
    project_name: str | None
    user_id: str
    agent_id: str
    model: str | None
    source_url: str | None
    resume: str | None
    kind: str
    parent_chat_id: str | None
    continues: str | None
    archived: bool
    starred: bool
    origin_file: str
    origin_member: str | None
    assigned: str
    content_hash: int
    messages: int


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A stored message. `n`: its place among the visible messages of the main path, None for all others."""

    message_key: int
    chat_no: int
    position: int
    n: int | None
    message_id: str
    parent_id: str | None
    role: str
    author: str | None
    model: str | None
    created_at: datetime | None
    branch: str
    hidden: str | None
    text: str
    attachments: tuple[Attachment, ...]
    pointer: str
    home: str | None


_CHAT = ", ".join(f"c.{f.name}" for f in fields(ChatRow))
_MESSAGE = ", ".join(f"m.{f.name}" for f in fields(MessageRow))
_CHATS_BY_NO = f"SELECT {_CHAT} FROM chat c WHERE chat_no IN (SELECT unnest(?::INTEGER[]))"
_MESSAGES_OF = f"""
SELECT {_MESSAGE} FROM message m WHERE chat_no IN (SELECT unnest(?::INTEGER[])) {{only}} ORDER BY chat_no, position
"""
_MESSAGES_OF_UNITS = f"""
SELECT {_MESSAGE} FROM message m
WHERE m.chat_no IN (SELECT unnest(?::INTEGER[]))
    AND {keys.sql_unit("m.message_key")} IN (SELECT unnest(?::BIGINT[]))
ORDER BY message_key
"""
# The first message, and the latest question with the last reply to it.
_ENDS = f"""
WITH last_asked AS (
    SELECT chat_no, max(n) FILTER (role = 'user') AS asked, max(n) AS final
    FROM message WHERE chat_no IN (SELECT unnest(?::INTEGER[])) AND n IS NOT NULL
    GROUP BY ALL
)
SELECT {_MESSAGE} FROM message m JOIN last_asked l USING (chat_no)
WHERE m.chat_no IN (SELECT unnest(?::INTEGER[])) AND (n = 1 OR n = asked OR n = final)
ORDER BY chat_no, n
"""
_VISIBLE = "AND n IS NOT NULL"
# All but the last ones are told apart by their number, which is a column that is scanned quickly.
_TAILS = f"""
SELECT {_MESSAGE} FROM message m
JOIN (SELECT unnest(?::INTEGER[]) AS chat_no, unnest(?::INTEGER[]) AS first) t USING (chat_no)
WHERE m.chat_no IN (SELECT unnest(?::INTEGER[])) AND m.n >= t.first
ORDER BY m.chat_no, m.n
"""
_USERS = "SELECT DISTINCT user_id FROM chat c WHERE {scope} ORDER BY user_id LIMIT 20"
_REPLIES = "SELECT count(*) FROM message WHERE chat_no = ? AND n IS NOT NULL AND role = 'assistant'"
_NUMBERS = "SELECT chat_id, chat_no FROM chat WHERE chat_id IN (SELECT unnest(?::VARCHAR[]))"
_ORDERED = """
SELECT chat_id, messages FROM chat c WHERE {scope} ORDER BY coalesce(created_at, updated_at) NULLS FIRST, chat_id
"""
_COUNT = "SELECT count(*), coalesce(sum(messages), 0), min(created_at), max(updated_at) FROM chat c WHERE {scope}"
# Unknown times sort as the oldest; the id makes equal times a strict order, so that a cursor has one place.
_RECENT = f"""
SELECT {_CHAT} FROM chat c
WHERE {{scope}} AND {{window}}
ORDER BY coalesce(updated_at, '-infinity'::TIMESTAMP) {{order}}, chat_id {{order}}
LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class ScopeCount:
    """How much a scope holds."""

    chats: int
    messages: int
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place between two chats in time order."""

    updated_at: datetime | None
    chat_id: str


def count(connection: DuckDBPyConnection, scope: Scope) -> ScopeCount:
    predicate, params = where(scope)
    row = connection.execute(_COUNT.format(scope=predicate), params).fetchone() or (0, 0, None, None)
    return ScopeCount(int(row[0]), int(row[1]), _utc(row[2]), _utc(row[3]))


def total(connection: DuckDBPyConnection) -> int:
    """How many chats the archive holds, of every kind."""
    (chats_held,) = connection.execute("SELECT count(*) FROM chat").fetchone() or (0,)
    return int(chats_held)


def recent(
    connection: DuckDBPyConnection,
    scope: Scope,
    limit: int,
    oldest_first: bool = False,
    after: datetime | Cursor | None = None,
    before: datetime | Cursor | None = None,
) -> list[ChatRow]:
    """Chats by last activity. Bounds: a time (`after` inclusive, `before` exclusive) or a cursor (exclusive)."""
    predicate, params = where(scope, dated=False)
    clauses: list[str] = []
    for bound, sign, equal in ((after, ">", "="), (before, "<", "")):
        if isinstance(bound, Cursor):
            at = naive(bound.updated_at) if bound.updated_at else None
            clauses.append(
                f"(coalesce(updated_at, '-infinity'::TIMESTAMP), chat_id) {sign} "
                "(coalesce(?::TIMESTAMP, '-infinity'::TIMESTAMP), ?)"
            )
            params += [at, bound.chat_id]
        elif bound is not None:
            clauses.append(f"updated_at {sign}{equal} ?::TIMESTAMP")
            params.append(naive(bound))
    order = "ASC" if oldest_first else "DESC"
    sql = _RECENT.format(scope=predicate, window=" AND ".join(clauses) or "true", order=order)
    return [_chat_row(row) for row in connection.execute(sql, [*params, limit]).fetchall()]


def chats(connection: DuckDBPyConnection, chat_nos: Sequence[int]) -> dict[int, ChatRow]:
    """chat_no -> row."""
    rows = connection.execute(_CHATS_BY_NO, [list(chat_nos)]).fetchall()
    return {row[0]: _chat_row(row) for row in rows}


def messages(connection: DuckDBPyConnection, chat_nos: Sequence[int], visible: bool = False) -> Iterator[MessageRow]:
    """All (or all visible) messages of some chats, in reading order."""
    sql = _MESSAGES_OF.format(only=_VISIBLE if visible else "")
    return map(_message_row, connection.execute(sql, [list(chat_nos)]).fetchall())


def messages_of_units(
    connection: DuckDBPyConnection, chat_nos: Sequence[int], units: Sequence[int]
) -> Iterator[MessageRow]:
    """The messages of ranked units (all of them in the chats `chat_nos`), in key order."""
    return map(_message_row, connection.execute(_MESSAGES_OF_UNITS, [list(chat_nos), list(units)]).fetchall())


def ends(connection: DuckDBPyConnection, chat_nos: Sequence[int]) -> dict[int, list[MessageRow]]:
    """chat_no -> how the chat began and its latest exchange: one to three messages in order."""
    found: dict[int, list[MessageRow]] = {}
    if chat_nos:
        for row in connection.execute(_ENDS, [list(chat_nos), list(chat_nos)]).fetchall():
            message = _message_row(row)
            found.setdefault(message.chat_no, []).append(message)
    return found


def tails(connection: DuckDBPyConnection, rows: Sequence[ChatRow], count: int) -> dict[int, list[MessageRow]]:
    """chat_no -> the last `count` visible messages of some chats."""
    found: dict[int, list[MessageRow]] = {}
    if rows:
        numbers_, first = [row.chat_no for row in rows], [row.messages - count + 1 for row in rows]
        for row in connection.execute(_TAILS, [numbers_, first, numbers_]).fetchall():
            message = _message_row(row)
            found.setdefault(message.chat_no, []).append(message)
    return found


def users(connection: DuckDBPyConnection, scope: Scope) -> list[str]:
    """Whose chats are in scope; of many the first few."""
    predicate, params = where(scope)
    rows = connection.execute(_USERS.format(scope=predicate), params).fetchall()
    return [user for (user,) in rows]


def replies(connection: DuckDBPyConnection, chat_no: int) -> int:
    """How often the assistant has spoken in a chat."""
    (spoken,) = connection.execute(_REPLIES, [chat_no]).fetchone() or (0,)
    return int(spoken)


def ordered(connection: DuckDBPyConnection, scope: Scope) -> list[tuple[str, int]]:
    """(chat_id, messages) of every chat in scope, oldest first: an order that no way of importing changes."""
    predicate, params = where(scope)
    return [(i, n) for i, n in connection.execute(_ORDERED.format(scope=predicate), params).fetchall()]


def numbers(connection: DuckDBPyConnection, chat_ids: Sequence[str]) -> list[int]:
    """chat_no of each id that exists, in the order given."""
    table = dict(connection.execute(_NUMBERS, [list(chat_ids)]).fetchall())
    return [table[i] for i in chat_ids if i in table]


def whole_chats(
    connection: DuckDBPyConnection, chat_nos: Sequence[int]
) -> Iterator[tuple[Chat, list[MessageRow], ChatRow]]:
    """Chats with everything they hold, in the order given."""
    found = chats(connection, chat_nos)
    grouped: dict[int, list[MessageRow]] = {no: [] for no in chat_nos}
    for message in messages(connection, chat_nos):
        grouped[message.chat_no].append(message)
    for no in chat_nos:
        yield _as_chat(found[no], grouped[no]), grouped[no], found[no]


def _as_chat(row: ChatRow, stored: list[MessageRow]) -> Chat:
    shared = {f.name: getattr(row, f.name) for f in fields(ChatRow) if f.name in _CHAT_FIELDS}
    own = tuple(Message(**{name: getattr(m, name) for name in _MESSAGE_FIELDS}) for m in stored)
    return Chat(messages=own, origin=Origin(row.origin_file, row.origin_member), **shared)


_CHAT_FIELDS = {f.name for f in fields(Chat)} - {"messages", "origin"}
_MESSAGE_FIELDS = [f.name for f in fields(Message)]


def _chat_row(row: Sequence[Any]) -> ChatRow:
    values = list(row)
    values[6:8] = _utc(row[6]), _utc(row[7])
    return ChatRow(*values)


def _message_row(row: Sequence[Any]) -> MessageRow:
    values = list(row)
    values[9] = _utc(row[9])
    values[13] = tuple(Attachment(**a) for a in json.loads(row[13])) if row[13] else ()
    return MessageRow(*values)


def _utc(at: datetime | None) -> datetime | None:
    return at.replace(tzinfo=UTC) if at else None


_FIND = """
SELECT chat_no, chat_id FROM chat c
WHERE {scope} AND (chat_id = ? OR native_id = ? OR starts_with(chat_id, ?) OR starts_with(native_id, ?))
ORDER BY chat_id <> ? AND native_id <> ?, chat_id
LIMIT 6
"""
_SOURCES = "SELECT DISTINCT source FROM chat c WHERE {scope} ORDER BY 1"
_PROJECT_IDS = "SELECT DISTINCT project_id FROM chat WHERE project_id IN (SELECT unnest(?::VARCHAR[]))"
_NEAREST = """
SELECT chat_id FROM chat c WHERE {scope}
ORDER BY least(levenshtein(left(chat_id, ?), ?), levenshtein(left(native_id, ?), ?)),
         starts_with(chat_id, ?) DESC, chat_id
LIMIT 3
"""


def find(connection: DuckDBPyConnection, scope: Scope, name: str) -> list[tuple[int, str]]:
    """(chat_no, chat_id) of the chats that an id, native id or prefix of either means; exact ones alone if any."""
    predicate, params = where(scope)
    if not name:
        return []
    rows = connection.execute(_FIND.format(scope=predicate), [*params, *[name] * 6]).fetchall()
    exact = [(no, chat_id) for no, chat_id in rows if name in (chat_id, chat_id.split(":", 1)[1])]
    return exact or list(rows)


def sources(connection: DuckDBPyConnection, scope: Scope) -> list[str]:
    predicate, params = where(scope)
    return [s for (s,) in connection.execute(_SOURCES.format(scope=predicate), params).fetchall()]


def project_ids(connection: DuckDBPyConnection, among: Sequence[str]) -> set[str]:
    """Those of the ids that any chat's project has."""
    return {i for (i,) in connection.execute(_PROJECT_IDS, [list(among)]).fetchall()}


def nearest(connection: DuckDBPyConnection, scope: Scope, name: str) -> list[str]:
    """Chat ids in scope that begin most like `name`, which may be the beginning of an id; those of its source first."""
    predicate, params = where(scope)
    begun = name[:60]
    values = [*params, len(begun), begun, len(begun), begun, f"{name.partition(':')[0]}:"]
    return [i for (i,) in connection.execute(_NEAREST.format(scope=predicate), values).fetchall()]
