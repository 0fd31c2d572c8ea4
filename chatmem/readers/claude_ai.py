"""Being written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chatmem.model import Record
from chatmem.readers.base import NO, Claim, Peek, ReadOptions
from chatmem.readers.unpack import Source

name = "claude"


def sniff(peek: Peek) -> Claim:
    return NO


def read(sources: Sequence[Source], options: ReadOptions) -> Iterator[Record]:
    yield from ()
