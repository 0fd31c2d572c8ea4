"""A batch of chats as tables of the workbench, index rows included, ready to be copied into the archive.

Everything here happens outside the archive, so that its lock is held only for the copying.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from chatmem.archive import keys
from chatmem.archive.layout import is_people, micros, place
from chatmem.archive.lexicon import build_run, open_lexicon
from chatmem.model import Chat, Message

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Table -> (what to select, its columns by name).
Tables = dict[str, tuple[str, dict[str, Any]]]

# Small enough that copying a batch in, which keeps readers out, takes a fraction of a second.
BATCH_MESSAGES = 20_000
BATCH_WEIGHT = 24 << 20

# Column -> type, in table order. numpy carries them, so a type is one of the kinds it moves fast.
_CHAT_COLUMNS = {
    "chat_no": "i8", "chat_id": "text", "source": "text", "native_id": "text", "title": "text", "title_origin": "text",
    "created_at": "time", "updated_at": "time", "project_id": "text", "project_name": "text", "user_id": "text",
    "agent_id": "text", "model": "text", "source_url": "text", "resume": "text", "kind": "text",
    "parent_chat_id": "text", "continues": "text", "archived": "bool", "starred": "bool", "origin_file": "text",
    "origin_member": "text", "content_hash": "u8", "people": "bool", "messages": "i8", "assigned": "text",
}  # fmt: skip
_MESSAGE_COLUMNS = {
    "message_key": "i8", "chat_no": "i8", "position": "i8", "n": "i8 or null", "message_id": "text",
    "parent_id": "text", "role": "text", "author": "text", "model": "text", "created_at": "time", "branch": "text",
    "hidden": "text", "text": "text", "attachments": "text", "pointer": "text", "home": "text", "hash": "u8",
}  # fmt: skip
_SELECT = {
    "text": "{0}::VARCHAR AS {0}", "time": "{0}::TIMESTAMP AS {0}", "bool": "{0}::BOOLEAN AS {0}",
    "i8": "{0}::BIGINT AS {0}", "u8": "{0}::UBIGINT AS {0}", "i8 or null": "nullif({0}, 0) AS {0}",
}  # fmt: skip

# Characters. Cutting out tokens takes time and memory in the square of a text, so a giant one (a log, a pasted file) is
# cut in pieces first. All of it is stored; as many pieces are indexed as the memory of the workbench allows.
_PIECE = 1 << 19
_PIECES = (128, 32, 8, 1)
_PIECE_COLUMNS = {"message_key": "i8", "piece": "i8", "created_at": "time", "text": "text"}
_LESS = "DELETE FROM stage_piece WHERE piece >= ?"
_LEFT = "SELECT count(*) FROM stage_piece"

# A speaker's name is part of what was said: it is indexed with the message, so that "Caroline camping" finds hers.
_STAGE_TEXT = f"""
CREATE OR REPLACE TABLE stage_text AS
SELECT message_key, created_at, CASE
    WHEN author IS NOT NULL AND {keys.sql_lane("message_key")} <= {keys.PEOPLE} THEN author || ': ' || text
    ELSE text END AS text
FROM stage_message ANTI JOIN stage_piece USING (message_key)
UNION ALL
SELECT message_key, created_at, text FROM stage_piece
UNION ALL
SELECT {keys.sql_title("chat_no")}, NULL, title FROM stage_chat
WHERE title IS NOT NULL
"""
_STAGE_UNIT = f"""
CREATE OR REPLACE TABLE stage_unit AS
WITH unit AS (
    SELECT
        {keys.sql_unit("m.message_key")} AS unit_key,
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
    {keys.sql_lane_of_unit("unit_key")} AS lane,
    CASE WHEN lane = {keys.PEOPLE} THEN sum(length) OVER neighbours ELSE length END::INTEGER AS context_length
FROM unit
WINDOW neighbours AS (
    PARTITION BY unit_key >> {keys.UNIT_BITS} ORDER BY unit_key RANGE BETWEEN 2 PRECEDING AND 2 FOLLOWING
)
"""
COPY_CHATS = f"""
INSERT INTO archive.chat
SELECT s.* EXCLUDE (assigned), coalesce(u.units, 0), coalesce(u.own_length, 0), coalesce(u.context_length, 0),
       coalesce(u.length, 0), assigned
FROM stage_chat s LEFT JOIN (
    SELECT chat_no, count(*)::INTEGER AS units, sum(own_length)::INTEGER AS own_length,
           sum(context_length)::INTEGER AS context_length, sum(length)::INTEGER AS length
    FROM stage_unit WHERE lane <= {keys.PEOPLE}
    GROUP BY ALL
) u USING (chat_no)
ORDER BY chat_no
"""
COPY_MESSAGES = "INSERT INTO archive.message SELECT * FROM stage_message ORDER BY message_key"
COPY_UNITS = """
INSERT INTO archive.unit
SELECT unit_key, own_length, context_length, author, created_at FROM stage_unit ORDER BY unit_key
"""


@dataclass(slots=True)
class Batch:
    """Rows that wait for the next transaction: per chat its tag, number, message hashes and content hash.

    A tag says whom to tell what changed; None: nobody. `replaced` are the numbers of versions that go, by chat id.
    `settles`: with this batch all copies are where they belong.
    """

    chats: list[Chat] = field(default_factory=list)
    tags: list[int | None] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    hashes: list[list[int]] = field(default_factory=list)
    content: list[int] = field(default_factory=list)
    replaced: dict[str, int] = field(default_factory=dict)
    ledger: list[tuple[Any, ...]] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    messages: int = 0
    weight: int = 0
    settles: bool = False

    def add(
        self, chat: Chat, tag: int | None, number: int, hashes: list[int], content: int, replaced: int | None
    ) -> None:
        self.chats.append(chat)
        self.tags.append(tag)
        self.numbers.append(number)
        self.hashes.append(hashes)
        self.content.append(content)
        self.ids.add(chat.chat_id)
        if replaced is not None:
            self.replaced[chat.chat_id] = replaced
        self.messages += len(chat.messages)
        self.weight += sum(_weight(m.text) for m in chat.messages)

    def full(self) -> bool:
        return self.messages >= BATCH_MESSAGES or self.weight >= BATCH_WEIGHT


def _weight(text: str) -> int:
    """What a text costs to index, in characters of English: every character of unspaced script is a word."""
    return len(text) if text.isascii() else 2 * len(text.encode("utf-8"))


def tables(batch: Batch) -> Tables:
    """The rows as numpy columns, which DuckDB scans without copying rows; empty for a batch without chats.

    To be called by the reading thread: the writing one is the slower, and needs no Python while DuckDB works.
    """
    if not batch.chats:
        return {}
    rows = {
        "stage_chat": (_CHAT_COLUMNS, _chat_rows(batch)),
        "stage_message": (_MESSAGE_COLUMNS, _message_rows(batch)),
        "stage_piece": (_PIECE_COLUMNS, _piece_rows(batch)),
    }
    return {name: (_selected(columns), _columns(columns, found)) for name, (columns, found) in rows.items()}


def stage(workbench: DuckDBPyConnection, tables: Tables) -> None:
    """Make the tables `stage_chat`, `stage_message`, `stage_unit`, and the `run` of postings (lexicon.py)."""
    import duckdb

    for name, (selected, batch) in tables.items():
        workbench.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT {selected} FROM batch")
        del batch
    for pieces in _PIECES:
        try:
            (left,) = workbench.execute(_LESS, [pieces]).execute(_LEFT).fetchone() or (0,)
            workbench.execute(_STAGE_TEXT)
            build_run(workbench, giant=left > 0)
            break
        except duckdb.OutOfMemoryException:
            if not left or pieces == _PIECES[-1]:
                raise
            open_lexicon(workbench)
    workbench.execute(_STAGE_UNIT)


def _selected(columns: dict[str, str]) -> str:
    return ", ".join(_SELECT[kind].format(name) for name, kind in columns.items())


def _columns(columns: dict[str, str], rows: Iterable[tuple[Any, ...]]) -> dict[str, Any]:
    import numpy

    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    return {name: _array(numpy, kind, column) for (name, kind), column in zip(columns.items(), values, strict=True)}


def _array(numpy: Any, kind: str, column: tuple[Any, ...]) -> Any:
    if kind == "text":
        return numpy.array(column, dtype=object)
    if kind == "time":
        return numpy.array(column, dtype=numpy.int64).view("datetime64[us]")
    return numpy.array(column, dtype={"u8": numpy.uint64, "bool": bool}.get(kind, numpy.int64))


def _chat_rows(batch: Batch) -> Iterable[tuple[Any, ...]]:
    for chat, number, content in zip(batch.chats, batch.numbers, batch.content, strict=True):
        yield (
            number, chat.chat_id, chat.source, chat.native_id, chat.title, chat.title_origin, micros(chat.created_at),
            micros(chat.updated_at), chat.project_id, chat.project_name, chat.user_id, chat.agent_id, chat.model,
            chat.source_url, chat.resume, chat.kind, chat.parent_chat_id, chat.continues, chat.archived, chat.starred,
            chat.origin.file, chat.origin.member, content, is_people(chat), sum(1 for _ in chat.visible()),
            chat.assigned,
        )  # fmt: skip


def _message_rows(batch: Batch) -> Iterable[tuple[Any, ...]]:
    for chat, number, hashes in zip(batch.chats, batch.numbers, batch.hashes, strict=True):
        for position, (m, placed) in enumerate(zip(chat.messages, place(chat, number), strict=True)):
            attachments = json.dumps([asdict(a) for a in m.attachments], ensure_ascii=False) if m.attachments else None
            yield (
                placed.message_key, number, position, placed.n or 0, m.message_id, m.parent_id, m.role, m.author,
                m.model, micros(m.created_at), m.branch, m.hidden, m.text, attachments,
                chat.origin.pointer + m.pointer, m.home, hashes[position],
            )  # fmt: skip


def _piece_rows(batch: Batch) -> Iterator[tuple[Any, ...]]:
    """The pieces of giant messages; the first has the author and the time, which are indexed too."""
    for chat, number in zip(batch.chats, batch.numbers, strict=True):
        if any(len(m.text) > _PIECE for m in chat.messages):
            for m, placed in zip(chat.messages, place(chat, number), strict=True):
                if len(m.text) > _PIECE:
                    yield from _pieces(m, placed.message_key)


def _pieces(message: Message, key: int) -> Iterator[tuple[Any, ...]]:
    spoken = message.author and keys.lane_of(key) <= keys.PEOPLE
    for piece, start in enumerate(range(0, min(len(message.text), _PIECE * _PIECES[0]), _PIECE)):
        prefix = f"{message.author}: " if spoken and not piece else ""
        at = micros(None if piece else message.created_at)
        yield key, piece, at, prefix + message.text[start : start + _PIECE]
