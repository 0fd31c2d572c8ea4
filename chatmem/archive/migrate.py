"""Numbered schema files, applied once, in order, each in the transaction that records it.

A file is never edited once shipped. An archive that knows more migrations than this program was made by a newer one.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from chatmem.errors import ArchiveError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_LEDGER = """
CREATE TABLE IF NOT EXISTS migration (number INTEGER NOT NULL, name VARCHAR NOT NULL, applied_at TIMESTAMP NOT NULL)
"""
_APPLIED = "SELECT number FROM migration"
_RECORD = "INSERT INTO migration VALUES (?, ?, now()::TIMESTAMP)"


def scripts() -> list[tuple[int, str, str]]:
    """(number, name, SQL) of every migration, in order."""
    folder = files("chatmem.archive") / "schema"
    found = [(int(f.name[:4]), f.name, f.read_text("utf-8")) for f in folder.iterdir() if f.name.endswith(".sql")]
    return sorted(found)


def migrate(connection: DuckDBPyConnection) -> None:
    """Bring the database that is in use (USE archive) up to date. Raises ArchiveError if it is newer than we are."""
    connection.execute(_LEDGER)
    done = {number for (number,) in connection.execute(_APPLIED).fetchall()}
    known = scripts()
    if done - {number for number, _, _ in known}:
        raise ArchiveError("the archive was written by a newer chatmem", "upgrade: pip install -U chatmem")
    for number, name, sql in known:
        if number in done:
            continue
        connection.execute("BEGIN")
        connection.execute(sql)
        connection.execute(_RECORD, [number, name])
        connection.execute("COMMIT")
