"""The DuckDB file: where it is, who may open it, and how to wait for it.

DuckDB lets one process write or many read, never both. So every opening is short, and a turnstile file keeps the order
fair: a writer holds the turnstile while it waits, and readers queue behind it instead of starving it.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from chatmem.archive import migrate
from chatmem.archive.locks import exclusive
from chatmem.errors import ArchiveError, ArchiveLockedError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

T = TypeVar("T")

FILE_NAME = "archive.duckdb"
WAIT_SECONDS = 10.0
PRIVATE = 0o077
_ATTACH = "ATTACH '{path}' AS archive ({mode})"
WORKBENCH_MEMORY = "500MB"
# DuckDB keeps every block that it has read while there is memory. A search reads many, most of them once.
FRUGAL_MEMORY = "250MB"
_HOLDER = re.compile(r"\(PID (\d+)\)")
_LOCKED = ("Could not set lock", "being used by another process", "Unique file handle conflict")
_FULL = ("No space left", "File too large", "Disk quota exceeded")


class Store:
    """The archive of one home directory. Opening raises ArchiveError (3) or ArchiveLockedError (75)."""

    def __init__(self, home: Path, wait: float = WAIT_SECONDS) -> None:
        self.home = home
        # The file may lie elsewhere, behind a link: it is replaced, never the link.
        self.path = _behind(home / FILE_NAME)
        self.wait = wait

    def exists(self) -> bool:
        """Raises ArchiveError if something else stands in the archive's place."""
        if self.path.is_file():
            return True
        link = self.home / FILE_NAME
        if link.is_symlink():
            raise ArchiveError(f"{link} leads to {self.path}, which is not there", "is its disk mounted?")
        if self.path.exists():
            raise ArchiveError(f"{self.path} is no file", "move it away")
        return False

    def own_files(self) -> list[Path]:
        """The home directory and what of ours lies in it, as far as it exists."""
        names = ("turnstile", "import.lock", "tmp", "cache")
        log = self.path.with_name(f"{self.path.name}.wal")
        return [p for p in (self.home, self.path, log, *(self.home / name for name in names)) if p.exists()]

    def prepare(self) -> None:
        """Make the home directory."""
        private()
        try:
            self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ArchiveError(
                f"cannot create {self.home}: {error.strerror}", "set CHATMEM_HOME to a folder you may write"
            ) from error

    def create(self, workbench: DuckDBPyConnection) -> None:
        """Make the archive unless there is one: whole with all its tables, or, if we are stopped, not at all."""
        self.prepare()
        begun = self.path.with_suffix(".new")
        with exclusive(self.home / "turnstile", self.wait):
            if self.exists():
                return
            begun.unlink(missing_ok=True)
            # Not by `attached`, which waits for the turnstile that is held here.
            with translating(self.path):
                workbench.execute(_ATTACH.format(path=_quoted(begun), mode="READ_WRITE"))
                _migrate(workbench)
                workbench.execute("DETACH archive")
            begun.replace(self.path)

    @contextmanager
    def reading(self) -> Iterator[DuckDBPyConnection]:
        """A read-only connection for one call. An archive that does not exist reads as an error (3)."""
        if not self.exists():
            raise ArchiveError(f"there is no archive at {self.path}", "chatmem import PATH makes one")
        connection = self._open()
        try:
            with translating(self.path):
                if migrate.is_behind(connection, self.path):
                    connection.close()
                    with open_workbench() as workbench:
                        self._upgrade(workbench)
                    connection = self._open()
                yield connection
        finally:
            connection.close()

    @contextmanager
    def attached(self, workbench: DuckDBPyConnection, read_only: bool = False) -> Iterator[None]:
        """Attach the archive to a workbench as `archive`, for one short transaction or look."""
        statement = _ATTACH.format(path=_quoted(self.path), mode="READ_ONLY" if read_only else "READ_WRITE")
        self._patiently(lambda: workbench.execute(statement))
        with translating(self.path):
            try:
                yield
            except BaseException:
                _leave(workbench)
                raise
            workbench.execute("DETACH archive")

    @contextmanager
    def glance(self, workbench: DuckDBPyConnection) -> Iterator[None]:
        """The archive read-only through a workbench that is there anyway: a tenth of the cost of `reading`."""
        while True:
            with self.attached(workbench, read_only=True):
                workbench.execute("USE archive")
                current = not migrate.is_behind(workbench, self.path)
                if current:
                    yield
                workbench.execute("USE memory")
            if current:
                return
            self._upgrade(workbench)

    @contextmanager
    def swapping(self) -> Iterator[None]:
        """Nobody opens the file meanwhile; its log is removed, for what it held is in the file that takes its place."""
        with exclusive(self.home / "turnstile", self.wait):
            yield
            self.path.with_name(self.path.name + ".wal").unlink(missing_ok=True)

    def _open(self) -> DuckDBPyConnection:
        import duckdb

        config: dict[str, str | bool | int | float | list[str]] = {"autoinstall_known_extensions": False}
        return self._patiently(lambda: duckdb.connect(str(self.path), read_only=True, config=config))

    def _upgrade(self, workbench: DuckDBPyConnection) -> None:
        with self.attached(workbench):
            _migrate(workbench)

    def _patiently(self, attempt: Callable[[], T]) -> T:
        """Retry while another process holds the file, with growing pauses, until `wait` seconds have gone.

        Whoever waits for the file holds the turnstile, so that nobody overtakes.
        """
        import duckdb

        deadline = time.monotonic() + self.wait
        pause = 0.002
        with exclusive(self.home / "turnstile", self.wait):
            while True:
                try:
                    return attempt()
                except duckdb.Error as error:
                    if not _is_locked(error) or time.monotonic() > deadline:
                        raise _translated(error, self.path) from error
                time.sleep(pause * (0.5 + random.random()))
                pause = min(pause * 1.5, 0.05)


def open_workbench() -> DuckDBPyConnection:
    """A database in memory, in which rows are made and from which archives are written. It may not spill yet."""
    import duckdb

    return duckdb.connect(
        config={
            "memory_limit": WORKBENCH_MEMORY, "autoinstall_known_extensions": False, "threads": 2, "temp_directory": "",
            "max_vacuum_tasks": 0,
        }
    )  # fmt: skip


@contextmanager
def transaction(connection: DuckDBPyConnection) -> Iterator[None]:
    """All of it or nothing."""
    connection.execute("BEGIN")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def frugally(connection: DuckDBPyConnection, attempt: Callable[[], T]) -> T:
    """Read with little memory; should that not do, with as much as it takes."""
    import duckdb

    connection.execute("SET memory_limit = ?", [FRUGAL_MEMORY])
    try:
        return attempt()
    except duckdb.OutOfMemoryException:
        connection.execute("RESET memory_limit")
        return attempt()
    finally:
        connection.execute("RESET memory_limit")


def private() -> None:
    """From now on all that this process makes is for its owner's eyes only: DuckDB takes no mode for its files."""
    os.umask(PRIVATE)


@contextmanager
def translating(path: Path) -> Iterator[None]:
    """What DuckDB says about a full disk or a damaged file, as an error a person can act on. Bugs of ours pass."""
    import duckdb

    try:
        yield
    except duckdb.Error as error:
        bugs = (duckdb.ProgrammingError, duckdb.DataError, duckdb.IntegrityError, duckdb.NotSupportedError)
        if isinstance(error, (*bugs, duckdb.InterruptException)):
            raise
        raise _translated(error, path) from error


def _migrate(workbench: DuckDBPyConnection) -> None:
    workbench.execute("USE archive")
    migrate.migrate(workbench)
    workbench.execute("USE memory")


def _behind(path: Path) -> Path:
    """Where a link leads to."""
    try:
        return path.resolve() if path.is_symlink() else path
    except (OSError, RuntimeError) as error:
        raise ArchiveError(f"{path} is a link that leads nowhere ({error})", "remove it") from error


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def _leave(connection: DuckDBPyConnection) -> None:
    """Undo and let go, whatever state the connection is in."""
    import duckdb

    for statement in ("ROLLBACK", "USE memory", "DETACH archive"):
        with suppress(duckdb.Error):
            connection.execute(statement)


def _is_locked(error: Exception) -> bool:
    return any(words in str(error) for words in _LOCKED)


def _translated(error: Exception, path: Path) -> ArchiveError | ArchiveLockedError:
    text = str(error)
    if _is_locked(error):
        holder = _HOLDER.search(text)
        who = f"process {holder.group(1)}" if holder else "another process"
        return ArchiveLockedError(f"{path} is in use by {who}", "wait for it to finish, then retry")
    if any(words in text for words in _FULL):
        return ArchiveError(f"no space left on the disk of {path}", "free some space and run the same command again")
    first = text.splitlines()[0][:200].removeprefix("IO Error: ")
    if "Out of Memory" in text:
        return ArchiveError(
            f"not enough memory, or no space in {path.parent} to do without", "free some and run it again"
        )
    if "version number" in text:
        return ArchiveError(f"{path} was written by another version of DuckDB ({first})", "pip install -U chatmem")
    if "Permission denied" in text or "Read-only file system" in text:
        return ArchiveError(f"{path} cannot be written ({first})", "set CHATMEM_HOME to a folder you may write")
    remedy = "if it is damaged put a backup in its place, or move it away and import again"
    return ArchiveError(f"{path} cannot be read ({first})", remedy)
