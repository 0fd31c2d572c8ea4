"""Which files were read, and when they looked how: an unchanged file is not opened again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_ROWS = """
SELECT path, member, format, bytes, mtime_ns, settings, chats, empty, messages FROM import_file
"""
FORGET_FILE = "DELETE FROM archive.import_file WHERE path = ? AND member IS NOT DISTINCT FROM ?"
RECORD_FILE = "INSERT INTO archive.import_file VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, now()::TIMESTAMP)"


@dataclass(frozen=True, slots=True)
class FileState:
    """A file as an earlier import saw it, and what it held. Only files without problems are remembered."""

    format: str
    size: int
    mtime_ns: int
    settings: str
    chats: int
    empty: int
    messages: int


class Ledger:
    """The remembered files by (path, member)."""

    def __init__(self, rows: list[tuple[Any, ...]]) -> None:
        self._files = {(path, member): FileState(*rest) for path, member, *rest in rows}

    @classmethod
    def load(cls, connection: DuckDBPyConnection) -> Ledger:
        return cls(connection.execute(_ROWS).fetchall())

    def unchanged(self, path: str, member: str | None, size: int, mtime: int) -> FileState | None:
        """What is known of this file, if it looks as it did when it was read."""
        state = self._files.get((path, member))
        if state is None or mtime < 0 or (state.size, state.mtime_ns) != (size, mtime):
            return None
        return state


def mtime_ns(path: Path) -> int:
    """Modification time in nanoseconds; -1 for what has none (standard input)."""
    try:
        return path.stat().st_mtime_ns if str(path) != "-" else -1
    except OSError:
        return -1
