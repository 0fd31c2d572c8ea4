"""What the file holds, whether its tables agree with each other, and a clean copy of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from chatmem.archive import keys
from chatmem.archive.store import Store
from chatmem.archive.tokenizer import VERSION

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SOURCES = """
SELECT source, count(*) FILTER (kind = 'thread'), count(*) FILTER (kind <> 'thread'), sum(messages)::BIGINT,
       min(created_at), max(updated_at)
FROM chat GROUP BY source ORDER BY source
"""
_PROJECTS = """
SELECT coalesce(project_name, project_id), count(*) FROM chat WHERE project_id IS NOT NULL
GROUP BY ALL ORDER BY 2 DESC, 1 LIMIT 200
"""
_ROWS = "SELECT (SELECT count(*) FROM message), (SELECT count(*) FROM posting), (SELECT count(*) FROM term)"

# Each gives rows of examples; a sentence says what they mean.
_CHECKS = {
    "chat ids that stand twice": "SELECT chat_id FROM chat GROUP BY chat_id HAVING count(*) > 1",
    "chats whose messages are not as many as counted": """
        SELECT c.chat_id FROM chat c LEFT JOIN message m ON m.chat_no = c.chat_no AND m.n IS NOT NULL
        GROUP BY c.chat_id, c.messages HAVING count(m.n) <> c.messages
    """,
    "messages without a chat": "SELECT message_id FROM message ANTI JOIN chat USING (chat_no)",
    "positions that stand twice in a chat": """
        SELECT any_value(message_id) FROM message GROUP BY chat_no, position HAVING count(*) > 1
    """,
    "messages missing from the word index; chatmem archive reindex": r"""
        SELECT message_id FROM message m
        WHERE regexp_matches(text, '[\p{L}\p{N}]')
            AND NOT EXISTS (SELECT 1 FROM posting p WHERE p.message_key = m.message_key)
    """,
    "words indexed for messages that do not exist; chatmem archive reindex": f"""
        SELECT DISTINCT message_key FROM posting
        WHERE ((message_key >> {keys.CHAT_SHIFT}) & {keys.CHAT_MASK}) IN (SELECT chat_no FROM chat)
            AND (message_key >> {keys.LANE_SHIFT}) <> {keys.TITLE}
            AND message_key NOT IN (SELECT message_key FROM message)
    """,
    "units that do not match their chat; chatmem archive reindex": f"""
        SELECT c.chat_id FROM chat c LEFT JOIN unit u
            ON ((u.unit_key >> {keys.UNIT_BITS}) & {keys.CHAT_MASK}) = c.chat_no
            AND (u.unit_key >> {keys.LANE_SHIFT - keys.OFFSET_BITS}) <= {keys.PEOPLE}
        GROUP BY c.chat_id, c.units HAVING count(u.unit_key) <> c.units
    """,
    "an index of another tokenizer; chatmem archive reindex": f"""
        SELECT value FROM stamp WHERE name = 'tokenizer' AND value <> '{VERSION}'
    """,
}


@dataclass(frozen=True, slots=True)
class SourceCount:
    """What one source gave. Times are naive UTC."""

    source: str
    chats: int
    subagents: int
    messages: int
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True, slots=True)
class Contents:
    sources: tuple[SourceCount, ...]
    projects: tuple[tuple[str, int], ...]
    stored_messages: int
    postings: int
    terms: int


def contents(connection: DuckDBPyConnection) -> Contents:
    rows = connection.execute(_ROWS).fetchone() or (0, 0, 0)
    return Contents(
        tuple(SourceCount(*row) for row in connection.execute(_SOURCES).fetchall()),
        tuple((name, count) for name, count in connection.execute(_PROJECTS).fetchall()),
        *(int(n) for n in rows),
    )


def faults(connection: DuckDBPyConnection) -> list[str]:
    """One sentence for each way in which the tables disagree."""
    found = []
    for meaning, sql in _CHECKS.items():
        rows = connection.execute(f"SELECT count(*), min(example) FROM ({sql}) t(example)").fetchone()
        if rows and rows[0]:
            found.append(f"{rows[0]:,} {meaning} (for example {rows[1]})")
    return found


def copy_database(store: Store, target: Path) -> None:
    """Write all tables to a new file, in order and without free space."""
    with store.reading() as connection:
        quoted = str(target).replace("'", "''")
        connection.execute(f"ATTACH '{quoted}' AS copy")
        connection.execute(f"COPY FROM DATABASE {store.path.stem} TO copy")
        connection.execute("DETACH copy")
