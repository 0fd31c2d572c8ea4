"""What the file holds, whether its tables agree with each other, and a clean copy of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from chatmem.archive import keys, vectors
from chatmem.archive.lexicon import PLAIN_TEXT
from chatmem.archive.store import Store, translating
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
_ROWS = """
SELECT (SELECT count(*) FROM message), (SELECT count(*) FROM posting), (SELECT count(*) FROM term),
       (SELECT count(*) FROM vector SEMI JOIN message USING (message_key))
"""

_CHAT_OF_MESSAGE = keys.sql_chat("message_key")
_CHAT_OF_UNIT = keys.sql_chat_of_unit("unit_key")
_WORDS = r"[\p{L}\p{N}]"

# Each gives rows of examples; a sentence says what they mean.
CHECKS = {
    "chat ids that stand twice": "SELECT chat_id FROM chat GROUP BY chat_id HAVING count(*) > 1",
    "chat numbers that stand twice": "SELECT min(chat_id) FROM chat GROUP BY chat_no HAVING count(*) > 1",
    "chats whose messages are not as many as counted": """
        SELECT c.chat_id FROM chat c LEFT JOIN message m ON m.chat_no = c.chat_no AND m.n IS NOT NULL
        GROUP BY c.chat_id, c.messages HAVING count(m.n) <> c.messages
    """,
    "chats whose messages are not numbered from 1 on": """
        SELECT c.chat_id FROM chat c JOIN message m USING (chat_no) WHERE m.n IS NOT NULL
        GROUP BY c.chat_id HAVING count(DISTINCT m.n) <> count(*) OR min(m.n) <> 1 OR max(m.n) <> count(*)
    """,
    "messages without a chat": "SELECT message_id FROM message ANTI JOIN chat USING (chat_no)",
    "positions that stand twice in a chat": """
        SELECT min(message_id) FROM message GROUP BY chat_no, position HAVING count(*) > 1
    """,
    "messages missing from the word index; chatmem archive reindex": f"""
        SELECT message_id FROM message ANTI JOIN posting USING (message_key)
        WHERE regexp_matches({PLAIN_TEXT}, '{_WORDS}')
    """,
    "titles missing from the word index; chatmem archive reindex": f"""
        SELECT chat_id FROM (
            SELECT chat_id, title, {keys.sql_title("chat_no")}
                AS message_key
            FROM chat
        ) ANTI JOIN posting USING (message_key) WHERE regexp_matches(title, '{_WORDS}')
    """,
    "words indexed for messages that do not exist; chatmem archive reindex": f"""
        SELECT DISTINCT message_key FROM posting ANTI JOIN message USING (message_key)
        WHERE {_CHAT_OF_MESSAGE} IN (SELECT chat_no FROM chat) AND {keys.sql_lane("message_key")} <> {keys.TITLE}
    """,
    "words indexed for chats that do not exist; chatmem archive reindex": f"""
        SELECT DISTINCT message_key FROM posting
        WHERE {_CHAT_OF_MESSAGE} NOT IN (SELECT chat_no FROM chat)
            AND NOT EXISTS (SELECT 1 FROM stamp WHERE name = 'dead')
    """,
    "words without a spelling; chatmem archive reindex": f"""
        SELECT term FROM (
            SELECT DISTINCT term FROM posting WHERE {keys.sql_lane("message_key")} = {keys.TITLE}
        ) ANTI JOIN term USING (term)
    """,
    "units that do not match their chat; chatmem archive reindex": f"""
        SELECT c.chat_id FROM chat c LEFT JOIN unit u
            ON {_CHAT_OF_UNIT} = c.chat_no
            AND {keys.sql_lane_of_unit("u.unit_key")} <= {keys.PEOPLE}
        GROUP BY c.chat_id, c.units HAVING count(u.unit_key) <> c.units
    """,
    "messages without vectors that should have some; chatmem archive embed": f"""
        SELECT m.message_id FROM message m ANTI JOIN vector USING (message_key)
        WHERE {vectors.WANTED} AND NOT EXISTS (SELECT 1 FROM stamp WHERE name = 'unembedded')
    """,
    "vectors of messages that do not exist; chatmem archive compact": f"""
        SELECT DISTINCT message_key FROM vector ANTI JOIN message USING (message_key)
        WHERE {_CHAT_OF_MESSAGE} IN (SELECT chat_no FROM chat) OR NOT EXISTS (SELECT 1 FROM stamp WHERE name = 'dead')
    """,
    "facts of messages that do not exist; chatmem facts extract": """
        SELECT s.message_id FROM statement s WHERE s.chat_no IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM message m WHERE m.chat_no = s.chat_no AND m.message_id = s.message_id
        )
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
    vectors: int
    model: str
    dimension: int
    unembedded: int


def contents(connection: DuckDBPyConnection) -> Contents:
    rows = connection.execute(_ROWS).fetchone() or (0, 0, 0, 0)
    made_by = vectors.stamp(connection)
    _, unembedded = vectors.count(connection)
    stored, postings, terms, held = (int(n) for n in rows)
    return Contents(
        tuple(SourceCount(*row) for row in connection.execute(_SOURCES).fetchall()),
        tuple((name, count) for name, count in connection.execute(_PROJECTS).fetchall()),
        stored,
        postings,
        terms,
        held,
        made_by.name if made_by else "",
        made_by.dimension if made_by else 0,
        unembedded,
    )


def faults(connection: DuckDBPyConnection) -> list[str]:
    """One sentence for each way in which the tables disagree."""
    found = []
    for meaning, sql in CHECKS.items():
        rows = connection.execute(f"SELECT count(*), min(example) FROM ({sql}) t(example)").fetchone()
        if rows and rows[0]:
            found.append(f"{rows[0]:,} {meaning} (for example {rows[1]})")
    return found


def copy_database(store: Store, target: Path) -> None:
    """Write all tables to a new file, in order and without free space."""
    target.unlink(missing_ok=True)
    quoted = str(target).replace("'", "''")
    with store.reading() as connection, translating(target):
        connection.execute(f"ATTACH '{quoted}' AS copy (READ_WRITE)")
        connection.execute(f"COPY FROM DATABASE {store.path.stem} TO copy")
        connection.execute("DETACH copy")
