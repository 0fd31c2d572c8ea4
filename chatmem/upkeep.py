"""Looking after the archive: what it holds, whether it is sound, merging, shrinking, copying."""

from __future__ import annotations

import shlex
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from chatmem.archive import health, lexicon
from chatmem.archive.locks import exclusive
from chatmem.archive.store import PRIVATE, Store, private
from chatmem.archive.vectors import Encoder, Stamp
from chatmem.archive.write import Writer
from chatmem.errors import ArchiveError, UsageError


@dataclass(frozen=True, slots=True)
class ArchiveInfo:
    """`contents` as archive/health.py counts them; `bytes` of the file."""

    path: Path
    bytes: int
    contents: health.Contents


def info(store: Store) -> ArchiveInfo:
    with store.reading() as connection:
        contents = health.contents(connection)
    return ArchiveInfo(store.path, store.path.stat().st_size, contents)


def check(store: Store) -> list[str]:
    """Sentences, one per fault; empty if all is well. Raises ArchiveError if the file cannot be opened."""
    with store.reading() as connection:
        found = health.faults(connection)
    open_to_others = (path for path in store.own_files() if stat.S_IMODE(path.stat().st_mode) & PRIVATE)
    return [*(f"others may read {path}; chmod go-rwx {path}" for path in open_to_others), *found]


def compact(store: Store) -> tuple[int, int]:
    """Merge the index and rewrite the file without free space. Gives the bytes before and after."""
    before = _size(store)
    copy = store.path.with_suffix(".compact")
    with _importing(store):
        with Writer(store) as writer:
            lexicon.merge(store, writer.workbench, force=True)
        try:
            health.copy_database(store, copy)
            with store.swapping():
                copy.replace(store.path)
        finally:
            _remove(copy)
    return before, _size(store)


def reindex(store: Store) -> int:
    """Write every chat's index rows anew. Gives the number of chats."""
    _size(store)
    with _importing(store), Writer(store, reindexing=True, find_encoder=_same_model) as writer:
        return writer.rebuild_index()


def _same_model(made_by: Stamp | None) -> tuple[Encoder, Stamp] | None:
    """The model that the archive has vectors of, if it is there: what is stored as it was keeps its vectors anyway."""
    from chatmem.embed import models

    try:
        return models.find_encoder(made_by) if made_by else None
    except UsageError:
        return None


def backup(store: Store, target: Path) -> Path:
    """Write a clean copy while nobody imports; readers go on."""
    _size(store)
    if target.exists():
        raise UsageError(f"{target} exists", "choose another name: a backup overwrites nothing")
    if not target.parent.is_dir():
        raise UsageError(f"there is no folder {target.parent}", f"mkdir -p {shlex.quote(str(target.parent))}")
    copy = target.with_name(f"{target.name}.part")
    private()
    with _importing(store):
        try:
            health.copy_database(store, copy)
            copy.replace(target)
        except OSError as error:
            raise ArchiveError(f"cannot write {target} ({error.strerror})", "choose another place") from error
        finally:
            _remove(copy)
    return target


@contextmanager
def _importing(store: Store) -> Iterator[None]:
    """Alone with the archive as far as other writers are concerned."""
    with exclusive(store.home / "import.lock", store.wait, "an import"):
        yield


def _size(store: Store) -> int:
    if not store.exists():
        raise ArchiveError(f"there is no archive at {store.path}", "chatmem import PATH makes one")
    return store.path.stat().st_size


def _remove(copy: Path) -> None:
    """What is left of a copy that did not come to its end."""
    for path in (copy, copy.with_name(f"{copy.name}.wal")):
        path.unlink(missing_ok=True)
