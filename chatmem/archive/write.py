"""Chats into the archive: idempotent by content hash, in short transactions.

Rows and postings of a batch are made in an in-memory workbench; the archive is attached only for one transaction that
copies them in. A chat whose content changed is written again under a new chat_no, so nothing in the index is edited;
what the old number left there is dead (every query joins the chat table) until compaction drops it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from chatmem.archive import openings, statements
from chatmem.archive.embedding import Embedding, FindEncoder, Made
from chatmem.archive.known import Known, as_known, counted, inherited, is_another, is_newer, load
from chatmem.archive.layout import chat_hash, message_hash
from chatmem.archive.ledger import FORGET_FILE, RECORD_FILE
from chatmem.archive.lexicon import APPEND, MARK_DEAD, STAMP, merge, open_lexicon, stamped
from chatmem.archive.read import numbers, ordered, whole_chats
from chatmem.archive.scope import Scope
from chatmem.archive.staging import COPY_CHATS, COPY_MESSAGES, COPY_UNITS, Batch, Tables, stage, tables
from chatmem.archive.statements import Extractor, Row
from chatmem.archive.store import Store, open_workbench, translating
from chatmem.model import Chat

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Id = TypeVar("Id", str, int)

REBUILD_CHUNK = 500
_PAUSE = 0.05

# When a transaction is written out, DuckDB joins row groups that are not full, and holds the archive for seconds: after
# a large batch never. Small imports leave small groups that every search pays for: beyond this many, some are joined.
LARGE_BATCH = 2_000
FEW_ROW_GROUPS = 64
_JOIN_ROW_GROUPS = "SET max_vacuum_tasks = {tasks}"
_SCATTERED = """
SELECT count(DISTINCT row_group_id) > ? + (SELECT count(*) FROM archive.unit) / 10000
FROM pragma_storage_info('archive.unit')
"""

_DELETE = "DELETE FROM archive.{table} WHERE chat_no IN (SELECT unnest(?::INTEGER[]))"
# Copies that other chats own are hidden when an import is over; until then the archive says that it is not.
_UNSETTLED = "DELETE FROM archive.stamp WHERE name = 'unsettled'; INSERT INTO archive.stamp VALUES ('unsettled', '1')"
_SETTLED = "DELETE FROM archive.stamp WHERE name = 'unsettled'"
_IS_UNSETTLED = "SELECT count(*) FROM stamp WHERE name = 'unsettled'"
_OLD_HASHES = """
SELECT chat_no, message_id, hash FROM {prefix}message
WHERE chat_no IN (SELECT unnest(?::INTEGER[])) AND branch = 'main' AND (hidden IS NULL OR hidden = 'copy')
"""


class Outcome(NamedTuple):
    """What one chat changed: `tag` as given with it, and visible messages that are new or were updated."""

    tag: int
    is_new: bool
    messages_new: int
    messages_updated: int


class Writer:
    """Takes chats, tells what each would change, and writes them in batches while the next ones are being read.

    A context manager; use under the import lock, from one thread. One more thread indexes and writes the batch
    before, and what goes wrong there is raised by the next call here. Without an encoder nothing is embedded,
    without an extractor nothing is noted of what users say.
    """

    def __init__(
        self,
        store: Store,
        workbench: DuckDBPyConnection | None = None,
        reindexing: bool = False,
        find_encoder: FindEncoder = lambda made_by: None,
        extractor: Extractor | None = None,
    ) -> None:
        self.store = store
        self._extractor = extractor
        self._embedding = Embedding(find_encoder)
        self.workbench = workbench or open_workbench()
        store.create(self.workbench)
        spill = store.home / "tmp"
        # A killed import leaves its spill files, and nobody else writes now.
        shutil.rmtree(spill, ignore_errors=True)
        self.workbench.execute("SET temp_directory = ?", [str(spill)])
        open_lexicon(self.workbench)
        with store.glance(self.workbench):
            self._stale = not (reindexing or stamped(self.workbench))
            self.known = load(self.workbench)
            self._embedding.look(self.workbench)
            (self._unsettled,) = self.workbench.execute(_IS_UNSETTLED).fetchone() or (0,)
        if not self.known:
            with store.attached(self.workbench):
                self.workbench.execute(STAMP)
                if extractor:
                    statements.mark(self.workbench, extractor.name)
        self.outcomes: list[Outcome] = []
        self._openings: dict[str, openings.Opening | None] | None = None
        self._next_no = 1 + max((k.chat_no for k in self.known.values()), default=0)
        self._put: set[str] = set()
        self._batch = Batch()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="write")
        self._writing: tuple[Batch, Future[list[Outcome]]] | None = None

    def __enter__(self) -> Writer:
        """An index of another tokenizer is made anew first, unless that is what the writer is for."""
        if self._stale:
            try:
                self.rebuild_index()
            except BaseException:
                self.close()
                raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if isinstance(error, KeyboardInterrupt) and self._writing is not None:
            # Nobody who pressed Ctrl-C waits for a batch that is only half made.
            while wait([self._writing[1]], _PAUSE).not_done:
                self.workbench.interrupt()
        self.close()

    def close(self) -> None:
        """Let the batch that is being written end. What waits for the next one is lost; `finish` writes it."""
        self._thread.shutdown(wait=True)
        self.workbench.close()

    def put(self, chat: Chat, tag: int = 0, same_bytes: bool = False) -> bool:
        """Queue a chat that has a visible message. False: the archive already holds this or a newer version of it."""
        known = self._held(chat.chat_id)
        chat = inherited(chat, known)
        hashes = [message_hash(m) for m in chat.messages]
        content = chat_hash(chat, hashes)
        if known and not is_newer(chat, content, known, chat.chat_id in self._put, same_bytes):
            return False
        self._unsettled = 1
        self._put.add(chat.chat_id)
        self._add(chat, tag, hashes, content, known)
        return True

    def rewrite(self, chat: Chat, content_hash: int) -> None:
        """Queue a chat that the archive itself changed; its content is still what its reader said."""
        known = self._held(chat.chat_id)
        self._add(chat, None, [message_hash(m) for m in chat.messages], content_hash, known)

    def is_another(self, chat: Chat, same_bytes: bool = False) -> bool:
        """True if the archive holds another talk under this id: it does not begin like this one."""
        known = self._held(chat.chat_id)
        if known is None:
            return False
        if (told := is_another(chat, known, same_bytes)) is not None:
            return told
        if known.content_hash == chat_hash(chat, [message_hash(m) for m in chat.messages]):
            return False
        if self._openings is None:
            with self.reading() as connection:
                self._openings = {**openings.load(connection)}
        return openings.differ(self._openings.get(chat.chat_id), openings.opening(chat))

    @property
    def unsettled(self) -> bool:
        """Whether chats were written, now or before a crash, whose copies nobody has looked at."""
        return bool(self._unsettled)

    def settle(self) -> None:
        """Write what is left, and that copies are where they belong."""
        self._batch.settles = True
        self.finish()
        self._unsettled = 0

    def record(self, row: tuple[Any, ...]) -> None:
        """Note a file as read; the row is written in the transaction that holds the last of its chats."""
        self._batch.ledger.append(row)

    def finish(self) -> None:
        """Write what is left and wait for it."""
        self._flush()
        self._collect()

    @contextmanager
    def reading(self) -> Iterator[DuckDBPyConnection]:
        """A look at the archive with all that was put so far; cheaper than Store.reading."""
        self.finish()
        with self.store.glance(self.workbench):
            yield self.workbench

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
                self.rewrite(chat, row.content_hash)
        self.finish()
        merge(self.store, self.workbench, force=True)
        with self.store.attached(self.workbench):
            self.workbench.execute(STAMP)
        return len(wanted)

    def _held(self, chat_id: str) -> Known | None:
        """What is known of the chat, once every earlier version of it is written."""
        if chat_id in self._batch.ids:
            self._flush()
        if self._writing and chat_id in self._writing[0].ids:
            self._collect()
        return self.known.get(chat_id)

    def _add(self, chat: Chat, tag: int | None, hashes: list[int], content: int, known: Known | None) -> None:
        self._batch.add(chat, tag, self._next_no, hashes, content, known.chat_no if known else None)
        self._next_no += 1
        if self._openings is not None:
            self._openings[chat.chat_id] = openings.opening(chat)
        if self._batch.full():
            self._flush()

    def _flush(self) -> None:
        """Hand the batch to the writing thread, when the one before is done; its rows are made while one waits."""
        rows = tables(self._batch)
        if self._batch.replaced:
            # Only the archive knows which vectors can be kept.
            self._collect()
        made = self._embedding.make(self._batch, self._embedding.held(self._batch, self.workbench, self.store))
        self._collect()
        batch, self._batch = self._batch, Batch()
        if batch.chats or batch.ledger or batch.settles:
            self._writing = batch, self._thread.submit(self._write, batch, rows, made)

    def _collect(self) -> None:
        if self._writing is None:
            return
        batch, future = self._writing
        self.outcomes += future.result()
        self._writing = None
        for chat, number, content in zip(batch.chats, batch.numbers, batch.content, strict=True):
            self.known[chat.chat_id] = as_known(chat, number, content)

    def _write(self, batch: Batch, rows: Tables, made: Made) -> list[Outcome]:
        """One transaction. What was not committed leaves no trace."""
        execute = self.workbench.execute
        if batch.chats:
            with translating(self.store.path):
                stage(self.workbench, rows)
            self._embedding.stage(made, self.workbench)
        noted: Sequence[Row] = ()
        if batch.chats and self._extractor:
            noted = self._extractor.rows(statements.staged(self.workbench))
        with self.store.attached(self.workbench):
            replaced = list(batch.replaced.values())
            before = old_hashes(self.workbench, replaced, "archive.")
            execute(_JOIN_ROW_GROUPS.format(tasks=int(batch.messages < LARGE_BATCH and self._scattered())))
            execute("BEGIN")
            self._embedding.copy_in(made, self.workbench)
            if batch.chats:
                self._note(batch, noted)
            if replaced:
                execute(_DELETE.format(table="chat"), [replaced])
                execute(_DELETE.format(table="message"), [replaced])
                execute(MARK_DEAD)
            if batch.chats:
                for statement in (COPY_CHATS, COPY_MESSAGES, COPY_UNITS, APPEND):
                    execute(statement)
            if any(tag is not None for tag in batch.tags):
                execute(_UNSETTLED)
            if batch.settles:
                execute(_SETTLED)
            for row in batch.ledger:
                execute(FORGET_FILE, list(row[:2]))
                execute(RECORD_FILE, list(row))
            execute("COMMIT")
        return _outcomes(batch, before)

    def _note(self, batch: Batch, noted: Sequence[Row]) -> None:
        numbers = dict(zip((chat.chat_id for chat in batch.chats), batch.numbers, strict=True))
        statements.write(
            self.workbench,
            noted,
            list(batch.replaced.values()),
            [numbers[chat_id] for chat_id in batch.replaced],
            again=self._extractor is not None,
        )
        if self._extractor is None and any(tag is not None for tag in batch.tags):
            statements.mark(self.workbench, None)

    def _scattered(self) -> bool:
        (found,) = self.workbench.execute(_SCATTERED, [FEW_ROW_GROUPS]).fetchone() or (False,)
        return bool(found)


def old_hashes(connection: DuckDBPyConnection, chat_numbers: list[int], prefix: str = "") -> dict[int, dict[str, int]]:
    """chat_no -> message id -> hash, of the messages that a report counts."""
    found: dict[int, dict[str, int]] = {}
    if chat_numbers:
        rows = connection.execute(_OLD_HASHES.format(prefix=prefix), [chat_numbers]).fetchall()
        for number, message_id, value in rows:
            found.setdefault(number, {})[message_id] = value
    return found


def outcome(tag: int, new: dict[Id, int], old: dict[Id, int] | None) -> Outcome:
    """`new` and `old`: message id -> hash; `old` None if the chat is new."""
    if old is None:
        return Outcome(tag, True, len(new), 0)
    changed = sum(1 for key, value in new.items() if key in old and old[key] != value)
    return Outcome(tag, False, len(new.keys() - old.keys()), changed)


def _outcomes(batch: Batch, before: dict[int, dict[str, int]]) -> list[Outcome]:
    found = []
    for chat, tag, hashes in zip(batch.chats, batch.tags, batch.hashes, strict=True):
        if tag is not None:
            replaced = batch.replaced.get(chat.chat_id)
            old = None if replaced is None else before.get(replaced, {})
            found.append(outcome(tag, dict(counted(chat.messages, hashes)), old))
    return found
