"""`archive embed`: give every message its vectors, of the present model or of another one.

Searches and imports go on meanwhile. Vectors of another model are collected beside the present ones, which stay in use
until all are there; whoever stops it and runs it again goes on where it was.
"""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from chatmem.archive import vectors
from chatmem.archive.locks import exclusive
from chatmem.archive.store import Store, open_workbench
from chatmem.archive.vectors import NEXT, Stamp
from chatmem.embed import models, static
from chatmem.embed.base import Model
from chatmem.errors import ArchiveError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Seconds that a batch should take: an import that waits for the archive waits for one.
BATCH_SECONDS = 2.0


class Progress(Protocol):
    """Told how many messages there are to do, and how many are done."""

    def start(self, messages: int) -> None: ...
    def done(self, messages: int) -> None: ...


@dataclass(frozen=True, slots=True)
class Embedded:
    """`messages` that got vectors now, of `total`; `slow`: every search will have to load sentence-transformers."""

    model: str
    dimension: int
    messages: int
    total: int
    seconds: float
    slow: bool


def embed(store: Store, name: str | None, device: str | None, progress: Progress) -> Embedded:
    """Make all missing vectors. `name`: of the model; None for the one that the archive has, or the default.

    Raises UsageError if the model cannot be loaded.
    """
    if not store.exists():
        raise ArchiveError(f"there is no archive at {store.path}", "chatmem import PATH makes one")
    started = time.monotonic()
    with open_workbench() as workbench:
        with store.glance(workbench):
            present = vectors.stamp(workbench)
        model = models.open_model(name or (present.folder or present.name if present else static.NAME), device)
        made_by = models.stamp_of(model)
        table = _prepare(store, workbench, made_by)
        count, total = _fill(store, workbench, model, table, progress)
        _finish(store, workbench, table)
    seconds = time.monotonic() - started
    return Embedded(model.id.name, model.id.dimension, count, total, seconds, models.is_slow(made_by))


def _prepare(store: Store, workbench: DuckDBPyConnection, made_by: Stamp) -> str:
    """The table to fill: the present one if it is of this model, else a new one, begun or found."""
    with _alone(store):
        with store.glance(workbench):
            present, begun = vectors.stamp(workbench), vectors.stamp(workbench, NEXT)
        with store.attached(workbench):
            if made_by.same(present):
                vectors.drop_next(workbench)
                return "vector"
            table = NEXT if present else "vector"
            if table == "vector" or not made_by.same(begun):
                vectors.begin(workbench, made_by, table)
            return table


def _fill(store: Store, workbench: DuckDBPyConnection, model: Model, table: str, progress: Progress) -> tuple[int, int]:
    """(messages that got vectors, messages in all)"""
    with store.glance(workbench):
        total, missing = vectors.count(workbench, table)
    progress.start(missing)
    done, size, after, passed = 0, model.pace, -1, 0
    while True:
        with store.glance(workbench):
            said = vectors.pending(workbench, table, after, size)
            around = vectors.neighbours(workbench, said)
        if not said:
            if done == passed:
                return done, total
            # Imports may have brought messages that stand before this place.
            after, passed = -1, done
            continue
        began = time.monotonic()
        vectors.stage(workbench, vectors.made(said, around, model), model.id.dimension)
        took = time.monotonic() - began
        with _alone(store), store.attached(workbench):
            vectors.append(workbench, table)
        after = said[-1].message_key
        done += len(said)
        progress.done(done)
        size = max(1, min(model.pace, int(size * BATCH_SECONDS / max(took, 1e-3))))


def _finish(store: Store, workbench: DuckDBPyConnection, table: str) -> None:
    """Put the new vectors to use, unless an import brought new messages meanwhile: they are told as missing."""
    with _alone(store):
        with store.glance(workbench):
            _, missing = vectors.count(workbench, table)
        with store.attached(workbench):
            if table == NEXT:
                vectors.replace(workbench)
            vectors.mark(workbench, missing)


def _alone(store: Store) -> AbstractContextManager[None]:
    return exclusive(store.home / "import.lock", store.wait, "an import")
