"""Chats into the archive: idempotent by content hash, in short transactions.

Rows and postings of a batch are made in an in-memory workbench; the archive is attached only for one transaction that
copies them in. A chat whose content changed is written again under a new chat_no, so nothing in the index is edited;
what the old number left there is dead (every query joins the chat table) until compaction drops it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from chatmem.archive import keys
from chatmem.archive.layout import chat_hash, is_people, message_hash, micros, place
from chatmem.archive.lexicon import APPEND, build_run, open_lexicon
from chatmem.archive.migrate import migrate
from chatmem.archive.store import Store
from chatmem.model import Chat

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

BATCH_MESSAGES = 40_000
BATCH_CHARACTERS = 48 << 20
WORKBENCH_MEMORY = "500MB"

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
_TYPES = {"text": "VARCHAR", "time": "TIMESTAMP", "i8": "BIGINT", "u8": "UBIGINT", "bool": "BOOLEAN"}

_STAGE_TEXT = f"""
CREATE OR REPLACE TABLE stage_text AS
SELECT message_key, text FROM stage_message
UNION ALL
SELECT ({keys.TITLE}::BIGINT << {keys.LANE_SHIFT}) | (chat_no << {keys.CHAT_SHIFT}), title FROM stage_chat
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
_KNOWN = "SELECT chat_id, chat_no, content_hash, epoch_us(updated_at), messages FROM archive.chat"
RECORD_FILE = "INSERT INTO archive.import_file VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, now()::TIMESTAMP)"
_OLD_HASHES = """
SELECT c.chat_id, m.message_id, m.hash FROM archive.message m JOIN archive.chat c USING (chat_no)
WHERE chat_no IN (SELECT unnest(?::INTEGER[])) AND m.hidden IS NULL
"""


class Known(NamedTuple):
    """What the archive holds of a chat."""

    chat_no: int
    content_hash: int
    updated_us: int | None
    messages: int


@dataclass(slots=True)
class Change:
    """What a batch did: chats and visible messages, new and updated."""

    chats_new: int = 0
    chats_updated: int = 0
    messages_new: int = 0
    messages_updated: int = 0


@dataclass(slots=True)
class Batch:
    """Rows that wait for the next transaction."""

    chats: list[Chat] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    hashes: list[list[int]] = field(default_factory=list)
    content: list[int] = field(default_factory=list)
    messages: int = 0
    characters: int = 0

    def full(self) -> bool:
        return self.messages >= BATCH_MESSAGES or self.characters >= BATCH_CHARACTERS


class Writer:
    """Takes chats, tells what each would change, and writes them in batches. Use from one thread, under the import lock."""

    def __init__(self, store: Store) -> None:
        import duckdb

        self.store = store
        self.workbench: DuckDBPyConnection = duckdb.connect(
            config={"memory_limit": WORKBENCH_MEMORY, "autoinstall_known_extensions": False, "threads": 2}
        )
        store.prepare()
        self.workbench.execute("SET temp_directory = ?", [str(store.home / "tmp")])
        open_lexicon(self.workbench)
        self.batch = Batch()
        with store.attached(self.workbench):
            self.workbench.execute("USE archive")
            migrate(self.workbench)
            self.workbench.execute("USE memory")
            rows = self.workbench.execute(_KNOWN).fetchall()
        self.known = {chat_id: Known(*rest) for chat_id, *rest in rows}
        self.next_no = 1 + max((k.chat_no for k in self.known.values()), default=0)

    def put(self, chat: Chat, content_hash: int | None = None) -> bool:
        """Queue a chat with a visible message. False: the archive already holds this or a newer version of it.

        `content_hash` is given when the chat differs from what its reader said (settled copies).
        """
        hashes = [message_hash(m) for m in chat.messages]
        content = content_hash or chat_hash(chat, hashes)
        known = self.known.get(chat.chat_id)
        if content_hash is None and known and not _is_newer(chat, content, known):
            return False
        number, self.next_no = self.next_no, self.next_no + 1
        self.batch.chats.append(chat)
        self.batch.numbers.append(number)
        self.batch.hashes.append(hashes)
        self.batch.content.append(content)
        self.batch.messages += len(chat.messages)
        self.batch.characters += sum(len(m.text) for m in chat.messages)
        return True

    def holds(self, chat_id: str) -> bool:
        """True while a version of this chat waits in the batch."""
        return any(chat.chat_id == chat_id for chat in self.batch.chats)

    def flush(self, ledger: Iterable[tuple[Any, ...]] = ()) -> Change:
        """Write the batch and the ledger rows of finished files in one transaction."""
        batch, self.batch = self.batch, Batch()
        ledger = list(ledger)
        if not batch.chats and not ledger:
            return Change()
        if batch.chats:
            self._stage(batch)
        old = [known.chat_no for c in batch.chats if (known := self.known.get(c.chat_id))]
        with self.store.attached(self.workbench):
            old_hashes = self._old_hashes(old)
            self.workbench.execute("BEGIN")
            if old:
                for table in ("chat", "message"):
                    self.workbench.execute(_DELETE.format(table=table), [old])
            if batch.chats:
                for statement in (_CHATS, _MESSAGES, _UNITS, APPEND):
                    self.workbench.execute(statement)
            for row in ledger:
                self.workbench.execute(RECORD_FILE, list(row))
            self.workbench.execute("COMMIT")
        change = _compare(batch, old_hashes)
        for chat, number, content in zip(batch.chats, batch.numbers, batch.content, strict=True):
            self.known[chat.chat_id] = Known(number, content, micros(chat.updated_at), 0)
        return change

    def _stage(self, batch: Batch) -> None:
        self._load("stage_chat", _CHAT_COLUMNS, _chat_rows(batch))
        self._load("stage_message", _MESSAGE_COLUMNS, _message_rows(batch))
        self.workbench.execute(_STAGE_TEXT)
        build_run(self.workbench)
        self.workbench.execute(_STAGE_UNIT)

    def _load(self, table: str, columns: dict[str, str], rows: Iterable[tuple[Any, ...]]) -> None:
        import numpy

        values = list(zip(*rows, strict=True))
        batch = {
            name: _array(numpy, kind, column) for (name, kind), column in zip(columns.items(), values, strict=True)
        }
        casts = ", ".join(f"{name}::{_TYPES[kind]} AS {name}" for name, kind in columns.items())
        if "n" in batch:
            casts = casts.replace("n::BIGINT AS n", "nullif(n, 0) AS n", 1)
        self.workbench.execute(f"CREATE OR REPLACE TABLE {table} AS SELECT {casts} FROM batch")
        del batch

    def _old_hashes(self, old: list[int]) -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = {}
        if old:
            for chat_id, message_id, value in self.workbench.execute(_OLD_HASHES, [old]).fetchall():
                found.setdefault(chat_id, {})[message_id] = value
        return found


def _array(numpy: Any, kind: str, column: tuple[Any, ...]) -> Any:
    if kind == "text":
        return numpy.array(column, dtype=object)
    if kind == "time":
        return numpy.array(column, dtype=numpy.int64).view("datetime64[us]")
    return numpy.array(column, dtype={"i8": numpy.int64, "u8": numpy.uint64, "bool": bool}[kind])


def _is_newer(chat: Chat, content: int, known: Known) -> bool:
    """An older export imported late must not take the archive back."""
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


def _compare(batch: Batch, old: dict[str, dict[str, int]]) -> Change:
    change = Change()
    for chat, hashes in zip(batch.chats, batch.hashes, strict=True):
        visible = {m.message_id: h for m, h in zip(chat.messages, hashes, strict=True) if m.hidden is None}
        before = old.get(chat.chat_id)
        if before is None:
            change.chats_new += 1
            change.messages_new += len(visible)
        else:
            change.chats_updated += 1
            change.messages_new += len(visible.keys() - before.keys())
            change.messages_updated += sum(1 for k, v in visible.items() if k in before and before[k] != v)
    return change
