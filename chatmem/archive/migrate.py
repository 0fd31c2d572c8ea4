"""Numbered schema files, applied once, in order, each in the transaction that records it.

A file is never edited once shipped. An archive that knows more migrations than this program was made by a newer one.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from chatmem.errors import ArchiveError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# The number of the last schema file; a test compares. A search has no time to list the folder.
NEWEST = 4

_LEDGER = """
CREATE TABLE IF NOT EXISTS migration (number INTEGER NOT NULL, name VARCHAR NOT NULL, applied_at TIMESTAMP NOT NULL)
"""
_APPLIED = "SELECT number FROM migration"
_LAST = "SELECT coalesce(max(number), 0) FROM migration"
_RECORD = "INSERT INTO migration VALUES (?, ?, now()::TIMESTAMP)"


def scripts() -> list[tuple[int, str, str]]:
    """(number, name, SQL) of every migration, in order."""
    from importlib.resources import files

    folder = files("chatmem.archive") / "schema"
    found = [(int(f.name[:4]), f.name, f.read_text("utf-8")) for f in folder.iterdir() if f.name.endswith(".sql")]
    return sorted(found)


def is_behind(connection: DuckDBPyConnection, path: Path) -> bool:
    """True if migrations are missing. Raises ArchiveError if there are too many, or none because it is no archive."""
    import duckdb

    try:
        (last,) = connection.execute(_LAST).fetchone() or (0,)
    except duckdb.CatalogException as error:
        raise ArchiveError(f"{path} is a database, but no chatmem archive", "move it away and import again") from error
    _refuse_newer(last)
    return bool(last < NEWEST)


def migrate(connection: DuckDBPyConnection) -> None:
    """Bring the database that is in use (USE archive) up to date. Raises ArchiveError if it is newer than we are."""
    connection.execute(_LEDGER)
    done = {number for (number,) in connection.execute(_APPLIED).fetchall()}
    _refuse_newer(max(done, default=0))
    for number, name, sql in scripts():
        if number in done:
            continue
        connection.execute("BEGIN")
        connection.execute(sql)
        connection.execute(_RECORD, [number, name])
        connection.execute("COMMIT")


def _refuse_newer(number: int) -> None:
    if number > NEWEST:
        raise ArchiveError("the archive was written by a newer chatmem", "upgrade: pip install -U chatmem")
