"""Advisory locks on files of their own: who holds one has written its process id into it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from chatmem.errors import ArchiveLockedError

_PAUSE = 0.005
_ID_BYTES = 20


@contextmanager
def exclusive(path: Path, wait: float, holder: str = "another chatmem process") -> Iterator[None]:
    """Alone behind this file, after at most `wait` seconds of waiting; a no-op without fcntl.

    Raises ArchiveLockedError naming the `holder` and its process id.
    """
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
                    raise _taken(descriptor, path, holder) from None
                time.sleep(_PAUSE)
        _sign(descriptor)
        yield
    finally:
        os.close(descriptor)


def _sign(descriptor: int) -> None:
    # A full disk keeps the id out, not the lock.
    with suppress(OSError):
        os.pwrite(descriptor, f"{os.getpid():<{_ID_BYTES}}".encode(), 0)


def _taken(descriptor: int, path: Path, holder: str) -> ArchiveLockedError:
    written = os.pread(descriptor, _ID_BYTES, 0).decode("ascii", "replace").strip()
    who = f"{holder} (process {written})" if written.isdigit() else holder
    return ArchiveLockedError(f"{who} is busy in {path.parent}", "wait for it to finish, then retry")
