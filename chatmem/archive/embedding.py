"""The vectors of a batch: made while it is staged, copied into the archive in its transaction.

A message that a chat's new version repeats keeps its vectors; only what is new is encoded. Without a model the batch is
written all the same, and the archive says that it has messages without vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from chatmem.archive import keys, vectors
from chatmem.archive.layout import place
from chatmem.archive.staging import Batch
from chatmem.archive.store import Store
from chatmem.archive.vectors import Columns, Encoder, HeldKey, Said, Stamp

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Gives what makes an archive's vectors (None: the archive has none yet), or None if nothing shall or can.
FindEncoder = Callable[[Stamp | None], tuple[Encoder, Stamp] | None]


class Made(NamedTuple):
    """Vectors to be written, if `made_by` is known; `old` messages' vectors are copied to `new` ones.

    `missing`: there are messages that get no vectors.
    """

    made_by: Stamp | None
    rows: Sequence[Columns]
    old: Sequence[int]
    new: Sequence[int]
    missing: bool


class Embedding:
    """Makes the vectors of batches. The model is looked for when the first of them comes."""

    def __init__(self, find: FindEncoder) -> None:
        self._find = find
        self._stamp: Stamp | None = None

    def look(self, connection: DuckDBPyConnection) -> None:
        """See what made the vectors that are there."""
        self._stamp = vectors.stamp(connection)

    @cached_property
    def _found(self) -> tuple[Encoder, Stamp] | None:
        return self._find(self._stamp)

    def make(self, batch: Batch, known: Mapping[HeldKey, int]) -> Made:
        """Encode what is new, if something makes vectors. `known` as `held` gives it."""
        said: list[Said] = []
        old: list[int] = []
        new: list[int] = []
        for chat, number, hashes in zip(batch.chats, batch.numbers, batch.hashes, strict=True):
            before = batch.replaced.get(chat.chat_id)
            for message, placed, content in zip(chat.messages, place(chat, number), hashes, strict=True):
                lane = keys.lane_of(placed.message_key)
                if lane > keys.PEOPLE:
                    continue
                source = known.get((before, message.message_id, content)) if before is not None else None
                # Between people the neighbours count too, and they may be others now.
                if source is not None and lane == keys.EXCHANGE == keys.lane_of(source):
                    old.append(source)
                    new.append(placed.message_key)
                else:
                    said.append(Said(placed.message_key, message.text))
        if not said or self._found is None:
            return Made(None, (), old, new, bool(said))
        encoder, made_by = self._found
        return Made(made_by, vectors.made(said, (), encoder), old, new, False)

    def stage(self, made: Made, workbench: DuckDBPyConnection) -> None:
        if made.made_by:
            vectors.stage(workbench, made.rows, made.made_by.dimension)

    def copy_in(self, staged: Made, workbench: DuckDBPyConnection) -> None:
        """Inside the transaction on the attached archive, before what the batch replaces is gone."""
        if staged.made_by and self._stamp is None:
            vectors.begin(workbench, staged.made_by)
            self._stamp = staged.made_by
        if staged.old:
            workbench.execute(vectors.COPY, [staged.old, staged.new])
        if staged.made_by:
            workbench.execute(vectors.APPEND)
        if staged.missing:
            workbench.execute(vectors.UNEMBEDDED)

    def held(self, batch: Batch, workbench: DuckDBPyConnection, store: Store) -> Mapping[HeldKey, int]:
        """The messages with vectors of chats that the batch replaces."""
        if not batch.replaced or self._stamp is None:
            return {}
        with store.glance(workbench):
            return vectors.held(workbench, list(batch.replaced.values()))
