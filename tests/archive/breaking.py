"""A store that breaks in the middle of its nth opening, as a kill or a full disk would."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from duckdb import DuckDBPyConnection

from chatmem.archive.store import Store


class Breaking(Store):
    """`error` is raised at the end of opening number `breaks_at`: after its statements, before it is closed."""

    def __init__(self, home: Path, breaks_at: int, error: BaseException) -> None:
        super().__init__(home)
        self.left = breaks_at
        self.error = error

    @contextmanager
    def attached(self, connection: DuckDBPyConnection, read_only: bool = False) -> Iterator[None]:
        self.left -= 1
        with super().attached(connection, read_only):
            yield
            if self.left == 0:
                raise self.error
