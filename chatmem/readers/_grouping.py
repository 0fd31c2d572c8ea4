"""Records of many threads that lie mixed in one file, and the order they were spoken in.

Interleaved rows force a reader to see the whole file before it may yield the first thread. The records wait in a
spool on disk; memory holds eight bytes for each and an entry per thread. File order stays unless times deny it.
"""

from __future__ import annotations

import json
import tempfile
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Any, TypeVar

import orjson

from chatmem.readers.jsonstream import loads

T = TypeVar("T")

_IN_MEMORY = 32 << 20
# How many steps in one direction must stand against each step in the other before times count as an order.
_MAJORITY = 2


class Grouped:
    """JSON values by key, keys in order of first appearance, values in order of arrival."""

    def __init__(self) -> None:
        self._spool = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed by __exit__
        self._places: dict[str, array[int]] = {}
        self._end = 0

    def __enter__(self) -> Grouped:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._spool.close()

    def add(self, key: str, value: Any) -> None:
        """Raises RecursionError for a value nested too deeply to write."""
        self._places.setdefault(key, array("q")).append(self._end)
        self._end += self._spool.write(_dumps([key, value]) + b"\n")

    def arrived(self) -> Iterator[tuple[str, Any]]:
        """Every (key, value) as it came. Not to be mixed with `groups`."""
        self._spool.seek(0)
        for line in self._spool:
            key, value = loads(line)
            yield key, value

    def groups(self) -> Iterator[tuple[str, list[Any]]]:
        for key, places in self._places.items():
            yield key, [self._at(place) for place in places]

    def _at(self, place: int) -> Any:
        self._spool.seek(place)
        return loads(self._spool.readline())[1]


def _dumps(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:
        # Lone surrogates and huge numbers, which orjson refuses.
        return json.dumps(value).encode("ascii")


@dataclass(slots=True)
class Direction:
    """Which way the times of a file run, told from neighbours of one thread, else from neighbours in the file."""

    last: dict[str, datetime] = field(default_factory=dict)
    previous: datetime | None = None
    within: list[int] = field(default_factory=lambda: [0, 0])
    across: list[int] = field(default_factory=lambda: [0, 0])

    def see(self, key: str, at: datetime | None) -> None:
        if at is not None:
            _count(self.within, self.last.get(key), at)
            _count(self.across, self.previous, at)
            self.last[key] = self.previous = at

    @property
    def sign(self) -> int:
        """1: oldest first, -1: newest first, 0: the times say nothing."""
        down, up = self.within if any(self.within) else self.across
        if up >= _MAJORITY * max(down, 1) or (up and not down):
            return 1
        return -1 if down >= _MAJORITY * max(up, 1) or (down and not up) else 0


def _count(steps: list[int], before: datetime | None, now: datetime) -> None:
    if before is not None and before != now:
        steps[now > before] += 1


def in_order(records: Iterable[tuple[datetime | None, T]], sign: int) -> list[T]:
    """The records of one thread as spoken: turned round if the file is newest first, sorted if times are an order.

    The sort is stable and a record without a time stays behind its neighbour.
    """
    known = list(records)[:: sign or 1]
    if not sign:
        return [record for _, record in known]
    keyed: list[tuple[float, T]] = []
    latest = float("-inf")
    for at, record in known:
        latest = at.timestamp() if at else latest
        keyed.append((latest, record))
    return [record for _, record in sorted(keyed, key=lambda pair: pair[0])]
