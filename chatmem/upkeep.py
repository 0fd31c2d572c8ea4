"""Looking after the archive: what it holds, whether it is sound, merging, shrinking, copying."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from chatmem.archive import health, lexicon
from chatmem.archive.store import Store, exclusive
from chatmem.archive.write import Writer
from chatmem.errors import ArchiveError, UsageError

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
WAIT = 2.0


@dataclass(frozen=True, slots=True)
class ArchiveInfo:
    """`contents` and `index` as archive/health.py counts them; `bytes` of the file."""

    path: Path
    bytes: int
    contents: health.Contents


def info(store: Store) -> ArchiveInfo:
    with store.reading() as connection:
        contents = health.contents(connection)
    return ArchiveInfo(store.path, store.path.stat().st_size, contents)


def check(store: Store) -> list[str]:
    """Sentences, one per fault; empty if all is well. Raises ArchiveError if the file cannot be opened."""
    faults = []
    for path, wanted in ((store.path, PRIVATE_FILE), (store.home, PRIVATE_FOLDER)):
        if path.exists() and stat.S_IMODE(path.stat().st_mode) & ~wanted:
            faults.append(f"{path} can be read by others; chmod {wanted:o} {path}")
    with store.reading() as connection:
        return faults + health.faults(connection)


def compact(store: Store) -> tuple[int, int]:
    """Merge the index and rewrite the file without free space. Gives the bytes before and after."""
    before = _size(store)
    with _importing(store):
        writer = Writer(store)
        try:
            lexicon.merge(store, writer.workbench, force=True)
        finally:
            writer.close()
        copy = store.path.with_suffix(".compact")
        copy.unlink(missing_ok=True)
        health.copy_database(store, copy)
        copy.chmod(PRIVATE_FILE)
        with store.swapping():
            copy.replace(store.path)
    return before, _size(store)


def reindex(store: Store) -> int:
    """Write every chat's index rows anew. Gives the number of chats."""
    with _importing(store):
        writer = Writer(store)
        try:
            return writer.rebuild_index()
        finally:
            writer.close()


def backup(store: Store, target: Path) -> Path:
    """Write a clean copy while nobody imports; readers go on."""
    if target.exists():
        raise UsageError(f"{target} exists", "choose another name: a backup overwrites nothing")
    _size(store)
    try:
        health.copy_database(store, target)
    except (OSError, ArchiveError) as error:
        target.unlink(missing_ok=True)
        raise UsageError(f"cannot write {target} ({error})", "choose another place") from error
    target.chmod(PRIVATE_FILE)
    return target


@contextmanager
def _importing(store: Store) -> Iterator[None]:
    """Alone with the archive as far as other writers are concerned."""
    _size(store)
    with exclusive(store.home / "import.lock", WAIT):
        yield


def _size(store: Store) -> int:
    if not store.exists():
        raise ArchiveError(f"there is no archive at {store.path}", "chatmem import PATH makes one")
    return store.path.stat().st_size
