"""Rows of a CSV file, one after the other, past damage.

The csv module reads strictly, so that an unclosed quote is noticed instead of swallowing the rows behind it. When that
happens the first line of the row is read alone and leniently, and reading starts again at the next line.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TextIO

from chatmem.readers.unpack import damage

_MAX_CELL = 64 << 20


class Row(NamedTuple):
    """Cells and the number of the line they begin on; `damage` says what was wrong, cells may still be good."""

    line: int
    cells: list[str]
    damage: str = ""


class Dialect(NamedTuple):
    """`spaced`: blanks follow the delimiters, also before a quote."""

    delimiter: str
    spaced: bool = False

    def reader(self, lines: Iterable[str], strict: bool) -> Iterator[list[str]]:
        return csv.reader(lines, delimiter=self.delimiter, skipinitialspace=self.spaced, strict=strict)


def rows(stream: TextIO, dialect: Dialect) -> Iterator[Row]:
    """Every row that is not blank. A stream that breaks off ends with a Row of damage."""
    csv.field_size_limit(max(csv.field_size_limit(), _MAX_CELL))
    feed = _Feed(stream)
    reader = dialect.reader(feed, strict=True)
    while True:
        start = feed.begin()
        try:
            cells = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            line, alone = feed.rewind()
            # A quote that is wrong but ends on its line loses nothing; every spreadsheet reads on.
            closed = alone and "unexpected end" not in str(error)
            reason = "" if closed else f"a quote is not closed or not doubled; kept up to the end of its line ({error})"
            yield Row(start, _leniently(line.rstrip("\r\n"), dialect), reason)
            reader = dialect.reader(feed, strict=True)
            continue
        if any(cells):
            yield Row(start, cells)
    if feed.damage:
        yield Row(feed.number + 1, [], feed.damage)


def _leniently(line: str, dialect: Dialect) -> list[str]:
    try:
        return next(dialect.reader([line], strict=False), [])
    except csv.Error:
        return []


class _Feed:
    """The lines of a stream, which remembers those of the current row and can give all but the first once more."""

    def __init__(self, stream: TextIO) -> None:
        self.number = 0
        self.damage = ""
        self._stream = stream
        self._again: deque[str] = deque()
        self._taken: list[str] = []

    def __iter__(self) -> _Feed:
        return self

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else self._read()
        if not line:
            raise StopIteration
        self.number += 1
        self._taken.append(line)
        return line

    def begin(self) -> int:
        self._taken.clear()
        return self.number + 1

    def rewind(self) -> tuple[str, bool]:
        """The first line of the row, and whether it was the only one."""
        first, *rest = self._taken or [""]
        self._again.extendleft(reversed(rest))
        self.number -= len(rest)
        return first, not rest

    def _read(self) -> str:
        try:
            return self._stream.readline(_MAX_CELL)
        except OSError as error:
            self.damage = damage(error)
            return ""
