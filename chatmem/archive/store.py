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

from chatmem.errors import ArchiveError, ArchiveLockedError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

T = TypeVar("T")

FILE_NAME = "archive.duckdb"
WAIT_SECONDS = 10.0
_HOLDER = re.compile(r"\(PID (\d+)\)")


class Store:
    """The archive of one home directory. Opening raises ArchiveError (3) or ArchiveLockedError (75)."""

    def __init__(self, home: Path, wait: float = WAIT_SECONDS) -> None:
        self.home = home
        self.path = home / FILE_NAME
        self.wait = wait

    def exists(self) -> bool:
        return self.path.exists()

    def prepare(self) -> None:
        """Make the home directory, readable by its owner only."""
        try:
            self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise ArchiveError(
                f"cannot create {self.home}: {error.strerror}", "set CHATMEM_HOME to a folder you may write"
            ) from error

    @contextmanager
    def reading(self) -> Iterator[DuckDBPyConnection]:
        """A read-only connection for one call. An archive that does not exist reads as an error (3)."""
        if not self.exists():
            raise ArchiveError(f"there is no archive at {self.path}", "chatmem import PATH makes one")
        connection = self._open(read_only=True)
        try:
            yield connection
        finally:
            connection.close()

    @contextmanager
    def attached(self, connection: DuckDBPyConnection) -> Iterator[None]:
        """Attach the archive for writing to a workbench connection as `archive`, for one short transaction."""
        import duckdb

        self.prepare()
        fresh = not self.exists()
        quoted = str(self.path).replace("'", "''")
        with self._turnstile():
            self._patiently(lambda: connection.execute(f"ATTACH '{quoted}' AS archive"))
        try:
            if fresh:
                self.path.chmod(0o600)
            yield
        except BaseException as error:
            _leave(connection)
            if isinstance(error, duckdb.Error):
                raise _translated(error, self.path) from error
            raise
        connection.execute("DETACH archive")

    @contextmanager
    def swapping(self) -> Iterator[None]:
        """Nobody opens the file meanwhile; its log is removed, for what it held is in the file that takes its place."""
        with self._turnstile():
            yield
            self.path.with_name(self.path.name + ".wal").unlink(missing_ok=True)

    def _open(self, read_only: bool) -> DuckDBPyConnection:
        import duckdb

        config: dict[str, str | bool | int | float | list[str]] = {"autoinstall_known_extensions": False}
        with self._turnstile():
            return self._patiently(lambda: duckdb.connect(str(self.path), read_only=read_only, config=config))

    def _patiently(self, attempt: Callable[[], T]) -> T:
        """Retry while another process holds the file, with growing pauses, until `wait` seconds have gone."""
        import duckdb

        deadline = time.monotonic() + self.wait
        pause = 0.002
        while True:
            try:
                return attempt()
            except duckdb.Error as error:
                if not _is_locked(error) or time.monotonic() > deadline:
                    raise _translated(error, self.path) from error
            time.sleep(pause * (0.5 + random.random()))
            pause = min(pause * 1.5, 0.05)

    @contextmanager
    def _turnstile(self) -> Iterator[None]:
        """Held only while opening; whoever waits for the file holds it, so that nobody overtakes."""
        with exclusive(self.home / "turnstile", self.wait):
            yield


@contextmanager
def exclusive(path: Path, wait: float) -> Iterator[None]:
    """An advisory lock on a file of its own, for at most `wait` seconds of waiting; a no-op without fcntl."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError:
        # A read-only medium can hold an archive to search, and needs no turns.
        yield
        return
    try:
        deadline = time.monotonic() + wait
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise ArchiveLockedError(
                        f"another chatmem process holds {path.name} in {path.parent}",
                        "wait for it to finish, then retry",
                    ) from None
                time.sleep(0.005)
        yield
    finally:
        os.close(descriptor)


def _leave(connection: DuckDBPyConnection) -> None:
    """Undo and let go, whatever state the connection is in."""
    import duckdb

    for statement in ("ROLLBACK", "USE memory", "DETACH archive"):
        with suppress(duckdb.Error):
            connection.execute(statement)


def _is_locked(error: Exception) -> bool:
    return "Could not set lock" in str(error) or "being used by another process" in str(error)


def _translated(error: Exception, path: Path) -> ArchiveError | ArchiveLockedError:
    text = str(error)
    if _is_locked(error):
        holder = _HOLDER.search(text)
        who = f"process {holder.group(1)}" if holder else "another process"
        return ArchiveLockedError(f"{path} is in use by {who}", "wait for it to finish, then retry")
    if "newer" in text or "version" in text.lower():
        return ArchiveError(f"{path} was written by another version of DuckDB", "upgrade: pip install -U chatmem")
    if "No space left" in text:
        return ArchiveError(f"no space left on the disk of {path}", "free some space and run the same command again")
    return ArchiveError(f"{path} cannot be opened ({text.splitlines()[0][:160]})", "chatmem archive check says more")
