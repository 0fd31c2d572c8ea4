"""A source that tells how far it has been read, however often it is opened."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, BinaryIO, cast

from chatmem.readers.unpack import Source

BLOCK = 1 << 16


class Metered:
    """Opens the source; `begin` is called at each opening, `tell` with the bytes that were not read before.

    Readers may read a file twice, and a compressed file is shorter than what it holds: a source tells no more bytes
    than its size in all.
    """

    def __init__(self, source: Source, begin: Callable[[], None], tell: Callable[[int], None]) -> None:
        self._source = source
        self._begin = begin
        self._tell = tell
        self._told = 0

    def open(self) -> BinaryIO:
        self._begin()
        return cast(BinaryIO, io.BufferedReader(_Stream(self._source.open(), self), BLOCK))

    def reached(self, position: int) -> None:
        news = min(position, self._source.size) - self._told
        if news > 0:
            self._told += news
            self._tell(news)


class _Stream(io.RawIOBase):
    def __init__(self, stream: BinaryIO, meter: Metered) -> None:
        self._stream = stream
        self._meter = meter
        self._position = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        # At most one read below: what came before an error must not be lost with it.
        data = cast(io.BufferedReader, self._stream).read1(len(buffer))
        buffer[: len(data)] = data
        self._position += len(data)
        self._meter.reached(self._position)
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()
