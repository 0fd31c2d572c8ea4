"""Vectors of passages: made outside the archive, appended per batch, stamped with what made them.

Each passage has the signs of its vector in columns of 64 bits, which a search compares with those of the question, and
a copy of one byte a dimension, which ranks the few that come out. Between people a message means little without what
was said around it, so its vector leans towards those of its neighbours (LoCoMo: + 0.8 NDCG@10).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from chatmem.archive import keys, passages

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Raised when vectors are made in another way: passages, neighbours, rounding.
RECIPE = f"1/{passages.VERSION}"
# How much of a message's vector between people comes from the messages before and after it.
NEIGHBOURS_SHARE = 0.5
SIGNS = 64
# Passages at a time, to bound memory.
SLICE = 4_000
# The table that a new model's vectors are collected in until it has all of them.
NEXT = "vector_next"

_COLUMNS = {"message_key": "BIGINT", "start": "INTEGER", "stop": "INTEGER", "scale": "FLOAT", "copy": "BLOB"}
_STAMPS = {"vector": "vectors", NEXT: "vectors_next"}
_STAMP = "SELECT value FROM stamp WHERE name = ?"
_UNSTAMP = "DELETE FROM archive.stamp WHERE name = ?"
_IS_UNEMBEDDED = "SELECT count(*) FROM stamp WHERE name = 'unembedded'"
UNEMBEDDED = """
DELETE FROM archive.stamp WHERE name = 'unembedded'; INSERT INTO archive.stamp VALUES ('unembedded', '1')
"""
_EMBEDDED = "DELETE FROM archive.stamp WHERE name = 'unembedded'"
APPEND = "INSERT INTO archive.vector SELECT * FROM stage_vector"
# Made while the archive was open to imports: a chat may have been written again.
_APPEND_LIVING = "INSERT INTO archive.{table} SELECT * FROM stage_vector SEMI JOIN archive.message USING (message_key)"
# Vectors of messages that a chat's new version repeats.
COPY = """
INSERT INTO archive.vector
SELECT r.new_key, v.* EXCLUDE (message_key)
FROM archive.vector v JOIN (SELECT unnest(?::BIGINT[]) AS old_key, unnest(?::BIGINT[]) AS new_key) r
    ON v.message_key = r.old_key
"""
_HELD = """
SELECT m.chat_no, m.message_id, m.hash, m.message_key
FROM message m SEMI JOIN vector USING (message_key)
WHERE m.chat_no IN (SELECT unnest(?::INTEGER[]))
"""
WANTED = f"m.message_key < {keys.key(keys.TITLE, 0, 0, 0)}"
_PENDING = f"""
SELECT m.message_key, m.text FROM message m ANTI JOIN {{table}} USING (message_key)
WHERE {WANTED} AND m.message_key > ? ORDER BY m.message_key LIMIT ?
"""
_COUNT = f"""
SELECT count(*), count(*) FILTER (m.message_key NOT IN (SELECT message_key FROM {{table}}))
FROM message m WHERE {WANTED}
"""
_TEXTS = "SELECT message_key, text FROM message WHERE message_key IN (SELECT unnest(?::BIGINT[]))"


# (chat_no, message id, hash)
HeldKey = tuple[int, str, int]
# Name -> numpy array.
Columns = dict[str, Any]


class Encoder(Protocol):
    """What makes vectors (embed/base.py)."""

    @property
    def id(self) -> Any: ...
    def encode(self, texts: Sequence[str]) -> Any: ...


class Stamp(NamedTuple):
    """What made the vectors of an archive: the model (embed/base.py, ModelId) and our recipe."""

    name: str
    digest: str
    dimension: int
    folder: str = ""
    mark: str = ""
    recipe: str = RECIPE

    def same(self, other: Stamp | None) -> bool:
        """Whether vectors of both may be compared."""
        return other is not None and (self.digest, self.dimension, self.recipe) == (*other[1:3], other.recipe)


class Said(NamedTuple):
    """A message to be embedded."""

    message_key: int
    text: str


def stamp(connection: DuckDBPyConnection, table: str = "vector") -> Stamp | None:
    """What made the vectors of a table; None if it has none."""
    row = connection.execute(_STAMP, [_STAMPS[table]]).fetchone()
    return Stamp(**json.loads(row[0])) if row else None


def complete(connection: DuckDBPyConnection) -> bool:
    """Whether every message that should have vectors has them."""
    (missing,) = connection.execute(_IS_UNEMBEDDED).fetchone() or (0,)
    return not missing


def begin(workbench: DuckDBPyConnection, made_by: Stamp, table: str = "vector") -> None:
    """Make an empty table for a model's vectors, inside a transaction on the attached archive."""
    workbench.execute(f"CREATE OR REPLACE TABLE archive.{table} ({_declared(made_by.dimension)})")
    workbench.execute(_UNSTAMP, [_STAMPS[table]])
    workbench.execute("INSERT INTO archive.stamp VALUES (?, ?)", [_STAMPS[table], json.dumps(made_by._asdict())])


def replace(workbench: DuckDBPyConnection) -> None:
    """Put the next model's vectors in the place of the present ones, in one transaction."""
    execute = workbench.execute
    execute("BEGIN")
    # Of chats that were written again meanwhile.
    execute(f"DELETE FROM archive.{NEXT} WHERE message_key NOT IN (SELECT message_key FROM archive.message)")
    execute("DROP TABLE archive.vector")
    execute(f"ALTER TABLE archive.{NEXT} RENAME TO vector")
    execute("DELETE FROM archive.stamp WHERE name = 'vectors'")
    execute("UPDATE archive.stamp SET name = 'vectors' WHERE name = 'vectors_next'")
    execute("COMMIT")


def append(workbench: DuckDBPyConnection, table: str) -> None:
    """The staged vectors of messages that are still there, in one statement on the attached archive."""
    workbench.execute(_APPEND_LIVING.format(table=table))


def mark(workbench: DuckDBPyConnection, missing: int) -> None:
    """Say whether there are messages without vectors."""
    workbench.execute(UNEMBEDDED if missing else _EMBEDDED)


def drop_next(workbench: DuckDBPyConnection) -> None:
    workbench.execute(f"DROP TABLE IF EXISTS archive.{NEXT}")
    workbench.execute("DELETE FROM archive.stamp WHERE name = 'vectors_next'")


def sign_columns(dimension: int) -> int:
    return -(-dimension // SIGNS)


def held(connection: DuckDBPyConnection, chat_numbers: Sequence[int]) -> dict[HeldKey, int]:
    """(chat_no, message id, hash) -> key, of the messages of these chats that have vectors."""
    rows = connection.execute(_HELD, [list(chat_numbers)]).fetchall()
    return {(chat_no, message_id, content): key for chat_no, message_id, content, key in rows}


def count(connection: DuckDBPyConnection, table: str = "vector") -> tuple[int, int]:
    """(messages that should have vectors, those of them that have none)."""
    wanted, missing = connection.execute(_COUNT.format(table=table)).fetchone() or (0, 0)
    return wanted, missing


def pending(connection: DuckDBPyConnection, table: str, after: int, limit: int) -> list[Said]:
    """The next messages without vectors, in order."""
    return [Said(*row) for row in connection.execute(_PENDING.format(table=table), [after, limit]).fetchall()]


def neighbours(connection: DuckDBPyConnection, said: Iterable[Said]) -> list[Said]:
    """The messages around others between people, which their vectors lean on."""
    step = 1 << keys.OFFSET_BITS
    here = {one.message_key for one in said if keys.lane_of(one.message_key) == keys.PEOPLE}
    around = {key + way for key in here for way in (-step, step)} - here
    rows = connection.execute(_TEXTS, [sorted(around)]).fetchall() if around else []
    return [Said(*row) for row in rows]


def made(said: Sequence[Said], around: Sequence[Said], encoder: Encoder) -> list[Columns]:
    """Vectors of some messages, in the order of their keys, as numpy columns in parts; `around` are neighbours."""
    own, more = _cut(said), _cut(around)
    # Between people a message's vector needs those around it: they are made together.
    together = around or any(keys.lane_of(one.message_key) == keys.PEOPLE for one in said)
    step = max(1, len(own) if together else SLICE)
    parts = [own[start : start + step] for start in range(0, len(own), step)]
    return [_rows([*part, *more], len(part), encoder) for part in parts]


def stage(workbench: DuckDBPyConnection, parts: Sequence[Columns], dimension: int) -> None:
    """Make the table `stage_vector` of what was made."""
    workbench.execute(f"CREATE OR REPLACE TABLE stage_vector ({_declared(dimension)})")
    names = ", ".join(f"{name}::{kind}" for name, kind in _kinds(dimension).items())
    for batch in parts:
        workbench.execute(f"INSERT INTO stage_vector SELECT {names} FROM batch")
        del batch


def _rows(cut: Sequence[tuple[int, int, int, str]], own: int, encoder: Encoder) -> Columns:
    """The first `own` of some passages as numpy columns."""
    import numpy

    vectors = encoder.encode([text for *_, text in cut])
    numbers = numpy.array([row[:3] for row in cut], dtype=numpy.int64)
    return _columns(numbers[:own], _leaning(vectors, numbers[:, 0])[:own])


def _cut(said: Sequence[Said]) -> list[tuple[int, int, int, str]]:
    """(key, start, stop, text) of each passage; a blank message has one without text, to say that it was looked at."""
    return [
        (one.message_key, start, stop, one.text[start:stop])
        for one in said
        for start, stop in passages.passages(one.text) or [(0, 0)]
    ]


def _kinds(dimension: int) -> Mapping[str, str]:
    return _COLUMNS | {f"b{i}": "UBIGINT" for i in range(sign_columns(dimension))}


def _declared(dimension: int) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in _kinds(dimension).items())


def _leaning(vectors: Any, message_keys: Any) -> Any:
    """Vectors of messages between people, drawn towards the first passages of their neighbours."""
    import numpy

    people = numpy.flatnonzero(message_keys >> keys.LANE_SHIFT == keys.PEOPLE)
    if not len(people):
        return vectors
    unique, first = numpy.unique(message_keys, return_index=True)
    made = vectors.copy()
    here = message_keys[people]
    made[people] *= 1 - NEIGHBOURS_SHARE
    for way in (-1, 1):
        beside = here + (way << keys.OFFSET_BITS)
        at = numpy.searchsorted(unique, beside).clip(max=len(unique) - 1)
        other = numpy.where(unique[at] == beside, first[at], people)
        made[people] += NEIGHBOURS_SHARE / 2 * vectors[other]
    lengths = numpy.linalg.norm(made[people], axis=1, keepdims=True)
    made[people] /= numpy.where(lengths > 0, lengths, 1)
    return made


def _columns(numbers: Any, vectors: Any) -> Columns:
    """The rows as numpy columns. `numbers`: key, start, stop."""
    import numpy

    count, dimension = vectors.shape
    scale = numpy.abs(vectors).max(axis=1, initial=0.0) / 127
    copies = numpy.rint(vectors / numpy.where(scale > 0, scale, 1)[:, None]).astype(numpy.int8).tobytes()
    copy = numpy.empty(count, dtype=object)
    copy[:] = [copies[at * dimension : (at + 1) * dimension] for at in range(count)]
    signs = numpy.zeros((count, sign_columns(dimension) * SIGNS), dtype=bool)
    signs[:, :dimension] = vectors > 0
    words = numpy.packbits(signs, axis=1, bitorder="little").view("<u8")
    return {
        "message_key": numbers[:, 0].copy(), "start": numbers[:, 1].copy(), "stop": numbers[:, 2].copy(),
        "scale": scale.astype(numpy.float32), "copy": copy,
        **{f"b{i}": words[:, i].copy() for i in range(words.shape[1])},
    }  # fmt: skip
