"""Chats into the archive: idempotent by content hash, in short transactions.

Rows and postings of a batch are made in an in-memory workbench; the archive is attached only for one transaction that
copies them in. A chat whose content changed is written again under a new chat_no, so nothing in the index is edited;
what the old number left there is dead (every query joins the chat table) until compaction drops it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from chatmem.archive import keys
from chatmem.archive.layout import chat_hash, is_people, message_hash, micros, place
from chatmem.archive.ledger import Ledger
from chatmem.archive.lexicon import APPEND, MARK_DEAD, STAMP, build_run, merge, open_lexicon, stamped
from chatmem.archive.migrate import migrate
from chatmem.archive.read import numbers, ordered, whole_chats
from chatmem.archive.scope import Scope
from chatmem.archive.store import Store
from chatmem.model import Chat

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

BATCH_MESSAGES = 40_000
BATCH_CHARACTERS = 48 << 20
WORKBENCH_MEMORY = "500MB"
REBUILD_CHUNK = 500

# Column -> type, in table order. numpy carries them, so a type is one of the three kinds it moves fast.
_CHAT_COLUMNS = {
    "chat_no": "i8", "chat_id": "text", "source": "text", "native_id": "text", "title": "text", "title_origin": "text",
    "created_at": "time", "updated_at": "time", "project_id": "text", "project_name": "text", "user_id": "text",
    "agent_id": "text", "model": "text", "source_url": "text", "resume": "text", "kind": "text",
    "parent_chat_id": "text", "continues": "text", "archived": "bool", "starred": "bool", "origin_file": "text",
    "origin_member": "text", "content_hash": "u8", "people": "bool", "messages": "i8",
}  # fmt: skip
_MESSAGE_COLUMNS = {
    "message_key": "i8", "chat_no": "i8", "position": "i8", "n": "i8", "message_id": "text", "parent_id": "text",
    "role": "text", "author": "text", "model": "text", "created_at": "time", "branch": "text", "hidden": "text",
    "text": "text", "attachments": "text", "pointer": "text", "home": "text", "hash": "u8",
}  # fmt: skip
# How a column's value is read back where numpy cannot say NULL.
_VALUE = {"n": "nullif(n, 0)"}
Tables = dict[str, tuple[tuple[tuple[str, str], ...], dict[str, Any]]]
_TYPES = {"text": "VARCHAR", "time": "TIMESTAMP", "i8": "BIGINT", "u8": "UBIGINT", "bool": "BOOLEAN"}

# A speaker's name is part of what was said: it is indexed with the message, so that "Caroline camping" finds hers.
_STAGE_TEXT = f"""
CREATE OR REPLACE TABLE stage_text AS
SELECT message_key, created_at, CASE
    WHEN author IS NOT NULL AND (message_key >> {keys.LANE_SHIFT}) <= {keys.PEOPLE} THEN author || ': ' || text
    ELSE text END AS text
FROM stage_message
UNION ALL
SELECT ({keys.TITLE}::BIGINT << {keys.LANE_SHIFT}) | (chat_no << {keys.CHAT_SHIFT}), NULL, title FROM stage_chat
WHERE title IS NOT NULL
"""
_STAGE_UNIT = f"""
CREATE OR REPLACE TABLE stage_unit AS
WITH unit AS (
    SELECT
        m.message_key >> {keys.OFFSET_BITS} AS unit_key,
        m.chat_no,
        coalesce(sum(l.length) FILTER (m.message_key & {keys.MAX_OFFSET} = 0), 0)::INTEGER AS own_length,
        coalesce(sum(l.length), 0)::INTEGER AS length,
        first(m.author ORDER BY m.message_key) AS author,
        first(m.created_at ORDER BY m.message_key) AS created_at
    FROM stage_message m LEFT JOIN stage_length l USING (message_key)
    GROUP BY ALL
)
SELECT
    *,
    unit_key >> {keys.LANE_SHIFT - keys.OFFSET_BITS} AS lane,
    CASE WHEN lane = {keys.PEOPLE} THEN sum(length) OVER neighbours ELSE length END::INTEGER AS context_length
FROM unit
WINDOW neighbours AS (
    PARTITION BY unit_key >> {keys.UNIT_BITS} ORDER BY unit_key RANGE BETWEEN 2 PRECEDING AND 2 FOLLOWING
)
"""
_UNITS = """
INSERT INTO archive.unit
SELECT unit_key, own_length, context_length, author, created_at FROM stage_unit ORDER BY unit_key
"""
_CHATS = f"""
INSERT INTO archive.chat
SELECT s.*, coalesce(u.units, 0), coalesce(u.own_length, 0), coalesce(u.context_length, 0), coalesce(u.length, 0)
FROM stage_chat s LEFT JOIN (
    SELECT chat_no, count(*)::INTEGER AS units, sum(own_length)::INTEGER AS own_length,
           sum(context_length)::INTEGER AS context_length, sum(length)::INTEGER AS length
    FROM stage_unit WHERE lane <= {keys.PEOPLE}
    GROUP BY ALL
) u USING (chat_no)
ORDER BY chat_no
"""
_MESSAGES = "INSERT INTO archive.message SELECT * FROM stage_message ORDER BY message_key"
_DELETE = "DELETE FROM archive.{table} WHERE chat_no IN (SELECT unnest(?::INTEGER[]))"
_KNOWN = "SELECT chat_id, chat_no, content_hash, epoch_us(updated_at) FROM {prefix}chat"
_FORGET_FILE = "DELETE FROM archive.import_file WHERE path = ? AND member IS NOT DISTINCT FROM ?"
_RECORD_FILE = "INSERT INTO archive.import_file VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, now()::TIMESTAMP)"
_SHARES_TEXT = """
SELECT count(*) FROM message WHERE chat_no = ? AND n IS NOT NULL AND text IN (SELECT unnest(?::VARCHAR[]))
"""
_OLD_HASHES = """
SELECT c.chat_id, m.message_id, m.hash FROM archive.message m JOIN archive.chat c USING (chat_no)
WHERE chat_no IN (SELECT unnest(?::INTEGER[])) AND m.hidden IS NULL
"""


class Known(NamedTuple):
    """What the archive holds of a chat."""

    chat_no: int
    content_hash: int
    updated_us: int | None


class Outcome(NamedTuple):
    """What one chat changed: `tag` as given with it, and visible messages that are new or were updated."""

    tag: int
    is_new: bool
    messages_new: int
    messages_updated: int


@dataclass(slots=True)
class Batch:
    """Rows that wait for the next transaction."""

    chats: list[Chat] = field(default_factory=list)
    tags: list[int] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    hashes: list[list[int]] = field(default_factory=list)
    content: list[int] = field(default_factory=list)
    replaced: list[int] = field(default_factory=list)
    ledger: list[tuple[Any, ...]] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    messages: int = 0
    characters: int = 0

    def full(self) -> bool:
        return self.messages >= BATCH_MESSAGES or self.characters >= BATCH_CHARACTERS


class Writer:
    """Takes chats, tells what each would change, and writes them in batches while the next ones are being read.

    Use under the import lock, from one thread; one more thread of its own indexes and writes the batch before.
    """

    def __init__(self, store: Store) -> None:
        import duckdb

        self.store = store
        store.prepare()
        self.workbench: DuckDBPyConnection = duckdb.connect(
            config={"memory_limit": WORKBENCH_MEMORY, "autoinstall_known_extensions": False, "threads": 2}
        )
        self.workbench.execute("SET temp_directory = ?", [str(store.home / "tmp")])
        open_lexicon(self.workbench)
        with store.attached(self.workbench):
            self.workbench.execute("USE archive")
            migrate(self.workbench)
            self.workbench.execute("USE memory")
            stale = not stamped(self.workbench, "archive.")
            rows = self.workbench.execute(_KNOWN.format(prefix="archive.")).fetchall()
            self.ledger = Ledger.load(self.workbench, "archive.")
        self.known = {chat_id: Known(*rest) for chat_id, *rest in rows}
        self.next_no = 1 + max((k.chat_no for k in self.known.values()), default=0)
        self.batch = Batch()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="write")
        self._writing: tuple[Batch, Future[list[Outcome]]] | None = None
        self.outcomes: list[Outcome] = []
        if stale:
            self.rebuild_index()
            self.outcomes.clear()

    def put(self, chat: Chat, tag: int = 0, content_hash: int | None = None) -> bool:
        """Queue a chat that has a visible message. False: the archive already holds this or a newer version of it.

        `content_hash` is given when the chat differs from what its reader said (settled copies).
        """
        if chat.chat_id in self.batch.ids:
            self.flush()
        if self._writing and chat.chat_id in self._writing[0].ids:
            self._collect()
        hashes = [message_hash(m) for m in chat.messages]
        content = content_hash or chat_hash(chat, hashes)
        known = self.known.get(chat.chat_id)
        if content_hash is None and known and not is_newer(chat, content, known):
            return False
        batch = self.batch
        batch.chats.append(chat)
        batch.tags.append(tag)
        batch.numbers.append(self.next_no)
        batch.hashes.append(hashes)
        batch.content.append(content)
        batch.ids.add(chat.chat_id)
        if known:
            batch.replaced.append(known.chat_no)
        batch.messages += len(chat.messages)
        batch.characters += sum(len(m.text) for m in chat.messages)
        self.next_no += 1
        if batch.full():
            self.flush()
        return True

    def conflicts(self, chat: Chat) -> bool:
        """True if the archive holds another chat under this id: none of its texts is in this one."""
        if chat.chat_id in self.batch.ids:
            self.flush()
        if self._writing and chat.chat_id in self._writing[0].ids:
            self._collect()
        known = self.known.get(chat.chat_id)
        if known is None:
            return False
        texts = [m.text for m in chat.visible()]
        with self.store.reading() as connection:
            shared = connection.execute(_SHARES_TEXT, [known.chat_no, texts]).fetchone()
        return not (shared and shared[0])

    def merge_index(self) -> None:
        """Put the runs of the word index together where that pays."""
        merge(self.store, self.workbench)

    def rebuild_index(self) -> int:
        """Write every chat again, with a new index. Gives the number of chats."""
        with self.store.reading() as connection:
            wanted = [chat_id for chat_id, _ in ordered(connection, Scope(subagents=True))]
        for start in range(0, len(wanted), REBUILD_CHUNK):
            with self.store.reading() as connection:
                held = list(whole_chats(connection, numbers(connection, wanted[start : start + REBUILD_CHUNK])))
            for chat, _, row in held:
                self.put(chat, content_hash=row.content_hash)
        self.finish()
        merge(self.store, self.workbench, force=True)
        with self.store.attached(self.workbench):
            self.workbench.execute(STAMP)
        return len(wanted)

    def record(self, row: tuple[Any, ...]) -> None:
        """Note a file as read; the row is written in the transaction that holds the last of its chats."""
        self.batch.ledger.append(row)

    def flush(self) -> None:
        """Hand the batch to the writing thread, when the one before is done."""
        self._collect()
        batch, self.batch = self.batch, Batch()
        if batch.chats or batch.ledger:
            # The rows are made here: the other thread is the slower one, and needs no Python while DuckDB works.
            tables = _tables(batch) if batch.chats else {}
            self._writing = batch, self._thread.submit(self._write, batch, tables)

    def _collect(self) -> None:
        if self._writing is None:
            return
        (batch, future), self._writing = self._writing, None
        self.outcomes += future.result()
        for chat, number, content in zip(batch.chats, batch.numbers, batch.content, strict=True):
            self.known[chat.chat_id] = Known(number, content, micros(chat.updated_at) if chat.updated_at else None)

    def finish(self) -> None:
        """Write what is left and wait for it."""
        self.flush()
        self._collect()

    def close(self) -> None:
        self._thread.shutdown(wait=True)
        self.workbench.close()

    def _write(self, batch: Batch, tables: Tables) -> list[Outcome]:
        """One transaction. What was not committed leaves no trace."""
        execute = self.workbench.execute
        if batch.chats:
            self._stage(tables)
        with self.store.attached(self.workbench):
            before = self._message_hashes(batch.replaced)
            execute("BEGIN")
            if batch.replaced:
                execute(_DELETE.format(table="chat"), [batch.replaced])
                execute(_DELETE.format(table="message"), [batch.replaced])
                execute(MARK_DEAD)
            if batch.chats:
                for statement in (_CHATS, _MESSAGES, _UNITS, APPEND):
                    execute(statement)
            for row in batch.ledger:
                execute(_FORGET_FILE, list(row[:2]))
                execute(_RECORD_FILE, list(row))
            execute("COMMIT")
        return _outcomes(batch, before)

    def _stage(self, tables: Tables) -> None:
        for name, (columns, batch) in tables.items():
            casts = ", ".join(f"{_VALUE.get(column, column)}::{_TYPES[kind]} AS {column}" for column, kind in columns)
            self.workbench.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT {casts} FROM batch")
            del batch
        self.workbench.execute(_STAGE_TEXT)
        build_run(self.workbench)
        self.workbench.execute(_STAGE_UNIT)

    def _message_hashes(self, chat_numbers: list[int]) -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = {}
        if chat_numbers:
            for chat_id, message_id, value in self.workbench.execute(_OLD_HASHES, [chat_numbers]).fetchall():
                found.setdefault(chat_id, {})[message_id] = value
        return found


class DryRun:
    """A writer that only tells what it would do."""

    def __init__(self, store: Store) -> None:
        self.known: dict[str, Known] = {}
        self.ledger = Ledger([])
        if store.exists():
            with store.reading() as connection:
                rows = connection.execute(_KNOWN.format(prefix="")).fetchall()
            self.known = {chat_id: Known(*rest) for chat_id, *rest in rows}

    def put(self, chat: Chat, tag: int = 0) -> bool:
        known = self.known.get(chat.chat_id)
        content = chat_hash(chat, [message_hash(m) for m in chat.messages])
        if known and not is_newer(chat, content, known):
            return False
        self.known[chat.chat_id] = Known(0, content, micros(chat.updated_at) if chat.updated_at else None)
        return True

    def conflicts(self, chat: Chat) -> bool:
        return False

    def record(self, row: tuple[Any, ...]) -> None:
        """Nothing is read for good."""


def _tables(batch: Batch) -> Tables:
    """The batch as numpy columns, which DuckDB scans without copying rows."""
    import numpy

    def columns(types: dict[str, str], rows: Iterable[tuple[Any, ...]]) -> dict[str, Any]:
        values = zip(*rows, strict=True)
        return {name: _array(numpy, kind, column) for (name, kind), column in zip(types.items(), values, strict=True)}

    return {
        "stage_chat": (tuple(_CHAT_COLUMNS.items()), columns(_CHAT_COLUMNS, _chat_rows(batch))),
        "stage_message": (tuple(_MESSAGE_COLUMNS.items()), columns(_MESSAGE_COLUMNS, _message_rows(batch))),
    }


def _array(numpy: Any, kind: str, column: tuple[Any, ...]) -> Any:
    if kind == "text":
        return numpy.array(column, dtype=object)
    if kind == "time":
        return numpy.array(column, dtype=numpy.int64).view("datetime64[us]")
    return numpy.array(column, dtype={"i8": numpy.int64, "u8": numpy.uint64, "bool": bool}[kind])


def is_newer(chat: Chat, content: int, known: Known) -> bool:
    """Whether to replace what is stored. An older export imported late must not take the archive back."""
    if content == known.content_hash:
        return False
    return chat.updated_at is None or known.updated_us is None or micros(chat.updated_at) >= known.updated_us


def _chat_rows(batch: Batch) -> Iterable[tuple[Any, ...]]:
    for chat, number, content in zip(batch.chats, batch.numbers, batch.content, strict=True):
        yield (
            number, chat.chat_id, chat.source, chat.native_id, chat.title, chat.title_origin, micros(chat.created_at),
            micros(chat.updated_at), chat.project_id, chat.project_name, chat.user_id, chat.agent_id, chat.model,
            chat.source_url, chat.resume, chat.kind, chat.parent_chat_id, chat.continues, chat.archived, chat.starred,
            chat.origin.file, chat.origin.member, content, is_people(chat), sum(1 for _ in chat.visible()),
        )  # fmt: skip


def _message_rows(batch: Batch) -> Iterable[tuple[Any, ...]]:
    for chat, number, hashes in zip(batch.chats, batch.numbers, batch.hashes, strict=True):
        for position, (m, placed) in enumerate(zip(chat.messages, place(chat, number), strict=True)):
            attachments = json.dumps([asdict(a) for a in m.attachments], ensure_ascii=False) if m.attachments else None
            yield (
                placed.message_key, number, position, placed.n or 0, m.message_id, m.parent_id, m.role, m.author,
                m.model, micros(m.created_at), m.branch, m.hidden, m.text, attachments, m.pointer, m.home,
                hashes[position],
            )  # fmt: skip


def _outcomes(batch: Batch, before: dict[str, dict[str, int]]) -> list[Outcome]:
    outcomes = []
    for chat, tag, hashes in zip(batch.chats, batch.tags, batch.hashes, strict=True):
        visible = {m.message_id: h for m, h in zip(chat.messages, hashes, strict=True) if m.hidden is None}
        old = before.get(chat.chat_id)
        if old is None:
            outcomes.append(Outcome(tag, True, len(visible), 0))
        else:
            changed = sum(1 for k, v in visible.items() if k in old and old[k] != v)
            outcomes.append(Outcome(tag, False, len(visible.keys() - old.keys()), changed))
    return outcomes
