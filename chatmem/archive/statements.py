"""What users said about themselves: the rows, one for each thing said in a message, and those added by hand.

A row belongs to its chat, as postings and vectors do: a chat that is written again brings its own. What a model found
is kept for the messages that are still there. Nothing here knows what the rows mean; facts/ledger.py does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from chatmem.archive import keys
from chatmem.archive.scope import Scope, where

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

HAND = "hand"
PATTERNS = "patterns/"

_SAID = f"""
SELECT chat_no, message_id, n, created_at, text FROM stage_message
WHERE role = 'user' AND {keys.sql_lane("message_key")} = {keys.EXCHANGE} AND n IS NOT NULL
ORDER BY message_key
"""
_COLUMNS = "chat_no, message_id, n, user_id, agent_id, attribute, value, says, quote, stated_at, place, extractor"
_INSERT = f"""
INSERT INTO archive.statement ({_COLUMNS}, first_no)
SELECT *, chat_no FROM (
    SELECT unnest(?::INTEGER[]) AS chat_no, unnest(?::VARCHAR[]), unnest(?::INTEGER[]), unnest(?::VARCHAR[]),
           unnest(?::VARCHAR[]), unnest(?::VARCHAR[]), unnest(?::VARCHAR[]), unnest(?::BOOLEAN[]), unnest(?::VARCHAR[]),
           unnest(?::TIMESTAMP[]), unnest(?::INTEGER[]), unnest(?::VARCHAR[])
)
"""
# Of a chat that is written again what nobody looks for anew moves to the messages that are still there.
_MOVE = f"""
INSERT INTO archive.statement ({_COLUMNS}, first_no)
SELECT m.chat_no, s.message_id, m.n, s.user_id, s.agent_id, s.attribute, s.value, s.says, s.quote, m.created_at,
       s.place, s.extractor, s.first_no
FROM archive.statement s
JOIN (SELECT unnest(?::INTEGER[]) AS old_no, unnest(?::INTEGER[]) AS new_no) r ON r.old_no = s.chat_no
JOIN stage_message m ON m.chat_no = r.new_no AND m.message_id = s.message_id AND contains(m.text, s.value)
WHERE (? OR NOT starts_with(s.extractor, '{PATTERNS}')) AND m.n IS NOT NULL
"""
_FIRST = """
SELECT r.new_no, coalesce(min(s.first_no), r.old_no)
FROM (SELECT unnest(?::INTEGER[]) AS old_no, unnest(?::INTEGER[]) AS new_no) r
LEFT JOIN archive.statement s ON s.chat_no = r.old_no
GROUP BY r.new_no, r.old_no
"""
_KEEP_PLACE = """
UPDATE archive.statement SET first_no = r.first_no
FROM (SELECT unnest(?::INTEGER[]) AS chat_no, unnest(?::INTEGER[]) AS first_no) r
WHERE statement.chat_no = r.chat_no
"""
_DROP = "DELETE FROM archive.{table} WHERE chat_no IN (SELECT unnest(?::INTEGER[]))"
_SETTLE = "DELETE FROM archive.stamp WHERE name = 'unextracted'"
UNEXTRACTED = f"{_SETTLE}; INSERT INTO archive.stamp VALUES ('unextracted', '1')"
_STAMP = "DELETE FROM archive.stamp WHERE name = 'extracted'; INSERT INTO archive.stamp VALUES ('extracted', ?)"
_EXTRACTED = "SELECT value FROM stamp WHERE name = 'extracted'"
_IS_UNEXTRACTED = "SELECT count(*) FROM stamp WHERE name = 'unextracted'"
_LOAD = """
SELECT coalesce(s.user_id, c.user_id) AS user_id, coalesce(s.agent_id, c.agent_id) AS agent_id, c.chat_id, s.n,
       s.attribute, s.value, s.says, s.quote, s.stated_at, s.extractor
FROM statement s {join}
WHERE {scope}
ORDER BY s.stated_at NULLS FIRST, s.first_no NULLS LAST, s.n, s.place
"""
_FORGOTTEN = "SELECT user_id, agent_id, attribute, digest FROM forgotten_fact"
_FORGET = "INSERT INTO archive.forgotten_fact VALUES (?, ?, ?, ?, now()::TIMESTAMP)"
_RECALL = "DELETE FROM archive.forgotten_fact WHERE (user_id, agent_id, attribute, digest) = (?, ?, ?, ?)"
_ERASE = """
UPDATE archive.statement s SET value = '', quote = '' WHERE s.attribute = ? AND s.value IN (SELECT unnest(?::VARCHAR[]))
AND (
    (s.user_id = ? AND s.agent_id = ?) OR
    s.chat_no IN (SELECT chat_no FROM archive.chat WHERE user_id = ? AND agent_id = ?)
)
"""
_MESSAGES = f"""
SELECT m.message_key, m.chat_no, m.message_id, m.n, m.created_at, m.text
FROM message m JOIN chat c USING (chat_no)
WHERE m.role = 'user' AND m.message_key < {keys.key(keys.PEOPLE, 0, 0, 0)} AND m.n IS NOT NULL AND {{scope}}
  AND m.message_key > ?
ORDER BY m.message_key LIMIT ?
"""
_SPEAKERS = """
SELECT DISTINCT c.user_id, c.agent_id
FROM (SELECT unnest(?::VARCHAR[]) AS chat_id, unnest(?::INTEGER[]) AS n) r
JOIN chat c USING (chat_id) JOIN statement s ON s.chat_no = c.chat_no AND s.n = r.n
"""
_UNSEEN = f"""
SELECT m.chat_no, m.message_id, m.n, m.created_at, m.text
FROM message m JOIN chat c USING (chat_no)
WHERE m.role = 'user' AND m.message_key < {keys.key(keys.PEOPLE, 0, 0, 0)} AND m.n IS NOT NULL AND {{scope}}
  AND m.chat_no NOT IN (SELECT chat_no FROM extraction WHERE extractor = ?)
ORDER BY m.message_key
"""


class Said(NamedTuple):
    """A visible message of a user in a talk with an assistant. `at` is UTC without zone, or None."""

    chat_no: int
    message_id: str
    n: int
    at: datetime | None
    text: str


class Row(NamedTuple):
    """Something said in a message, or by hand (then without chat, with the user and agent it is about)."""

    chat_no: int | None
    message_id: str | None
    n: int | None
    user_id: str | None
    agent_id: str | None
    attribute: str
    value: str
    says: bool
    quote: str
    stated_at: datetime | None
    place: int
    extractor: str


class Stated(NamedTuple):
    """A row as it is read: whose it is, and where it stands."""

    user_id: str
    agent_id: str
    chat_id: str | None
    n: int | None
    attribute: str
    value: str
    says: bool
    quote: str
    stated_at: datetime | None
    extractor: str


class Extractor(Protocol):
    """Finds what users say of themselves (facts/noting.py). `name` says which patterns it has."""

    @property
    def name(self) -> str: ...
    def rows(self, said: Iterable[Said]) -> list[Row]: ...


def staged(workbench: DuckDBPyConnection) -> list[Said]:
    """The users' messages of the batch on the workbench."""
    return [Said(*row) for row in workbench.execute(_SAID).fetchall()]


def write(
    workbench: DuckDBPyConnection, rows: Sequence[Row], old: Sequence[int], new: Sequence[int], again: bool
) -> None:
    """Inside a transaction on the attached archive: add rows; what the old versions of chats said goes, or moves.

    `again`: patterns are looked for again, so what they found in the old versions does not move.
    """
    if not old:
        append(workbench, rows)
        return
    first = workbench.execute(_FIRST, [list(old), list(new)]).fetchall()
    workbench.execute(_MOVE, [list(old), list(new), not again])
    for table in ("statement", "extraction"):
        workbench.execute(_DROP.format(table=table), [list(old)])
    append(workbench, rows)
    workbench.execute(_KEEP_PLACE, [list(column) for column in zip(*first, strict=True)])


def append(workbench: DuckDBPyConnection, rows: Sequence[Row]) -> None:
    if rows:
        workbench.execute(_INSERT, [list(column) for column in zip(*rows, strict=True)])


def drop_patterns(workbench: DuckDBPyConnection) -> None:
    """Remove what patterns found, on the attached archive."""
    workbench.execute(f"DELETE FROM archive.statement WHERE starts_with(extractor, '{PATTERNS}')")


def mark(workbench: DuckDBPyConnection, extractor: str | None) -> None:
    """All messages were looked through by this extractor; None: some were not."""
    if extractor is None:
        workbench.execute(UNEXTRACTED)
    else:
        workbench.execute(_SETTLE)
        workbench.execute(_STAMP, [extractor])


def looked_through(connection: DuckDBPyConnection, extractor: str) -> bool:
    """Whether this extractor has looked at every message."""
    (missing,) = connection.execute(_IS_UNEXTRACTED).fetchone() or (0,)
    found = connection.execute(_EXTRACTED).fetchone()
    return not missing and (found is None or found[0] == extractor)


def load(connection: DuckDBPyConnection, scope: Scope) -> list[Stated]:
    """What was said in the chats of the scope and by hand about its users and agents, the oldest first."""
    predicate, params = where(scope)
    if scope.projects or scope.also_projects or scope.sources or scope.chats:
        statement = _LOAD.format(join="JOIN chat c USING (chat_no)", scope=predicate)
        return [Stated(*row) for row in connection.execute(statement, params).fetchall()]
    hand = ["s.chat_no IS NULL"]
    more: list[object] = []
    for column, values in (("s.user_id", scope.users), ("s.agent_id", scope.agents)):
        if values:
            hand.append(f"{column} IN (SELECT unnest(?::VARCHAR[]))")
            more.append(list(values))
    scoped = f"(c.chat_no IS NOT NULL AND {predicate}) OR ({' AND '.join(hand)})"
    statement = _LOAD.format(join="LEFT JOIN chat c USING (chat_no)", scope=scoped)
    return [Stated(*row) for row in connection.execute(statement, [*params, *more]).fetchall()]


def forgotten(connection: DuckDBPyConnection) -> set[tuple[str, str, str, str]]:
    """(user, agent, attribute, digest of the value) of facts that shall not come back."""
    return set(connection.execute(_FORGOTTEN).fetchall())


def forget(
    workbench: DuckDBPyConnection, who: tuple[str, str], attribute: str, values: Sequence[str], key: str
) -> None:
    """Erase these values wherever they are stated, but for the fact that something was, and remember their `key`."""
    workbench.execute(_ERASE, [attribute, list(values), *who, *who])
    workbench.execute(_FORGET, [*who, attribute, key])


def remember(workbench: DuckDBPyConnection, who: tuple[str, str], attribute: str, key: str) -> None:
    """Let a forgotten fact be said again."""
    workbench.execute(_RECALL, [*who, attribute, key])


def messages(connection: DuckDBPyConnection, scope: Scope, after: int, limit: int) -> tuple[list[Said], int]:
    """The next users' messages of the scope behind a message_key, and the key of the last one."""
    predicate, params = where(scope)
    rows = connection.execute(_MESSAGES.format(scope=predicate), [*params, after, limit]).fetchall()
    return [Said(*row[1:]) for row in rows], rows[-1][0] if rows else after


def speakers(connection: DuckDBPyConnection, references: Sequence[str]) -> list[tuple[str, str]]:
    """(user, agent) of those among some messages, `chat_id#n`, that state something."""
    split = [reference.rpartition("#") for reference in references]
    told = [(chat_id, int(n)) for chat_id, _, n in split if n.isdecimal()]
    if not told:
        return []
    ids, numbers = zip(*told, strict=True)
    return connection.execute(_SPEAKERS, [list(ids), list(numbers)]).fetchall()


def unseen(connection: DuckDBPyConnection, scope: Scope, extractor: str) -> list[Said]:
    """The users' messages of the chats of the scope that an extractor has not looked through."""
    predicate, params = where(scope)
    return [Said(*row) for row in connection.execute(_UNSEEN.format(scope=predicate), [*params, extractor]).fetchall()]


def seen(workbench: DuckDBPyConnection, chat_no: int, extractor: str) -> None:
    workbench.execute("INSERT INTO archive.extraction VALUES (?, ?)", [chat_no, extractor])
