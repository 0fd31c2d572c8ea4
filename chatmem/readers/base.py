"""What a reader is: it recognises one export format and turns its files into Chats.

A reader is a module with a `name`, a `sniff` and a `read`. It yields records and knows nothing else: no archive, no
clock, no printing. A bad record becomes a Skipped and costs only itself; `read` raises only if a file cannot be opened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from enum import IntEnum
from typing import Any, Literal, Protocol

from chatmem.model import Record
from chatmem.readers.unpack import Source

Shape = Literal["json", "jsonl", "text", "sqlite", "binary", "empty"]


class Level(IntEnum):
    """How sure a reader is. SIDE: a known file of this format that holds no chats (users, manifests, indexes)."""

    NO = 0
    SIDE = 1
    GENERIC = 2
    EXACT = 3


@dataclass(frozen=True, slots=True)
class Claim:
    level: Level
    reason: str = ""


NO = Claim(Level.NO)


@dataclass(frozen=True, slots=True)
class Peek:
    """The beginning of a file, parsed once for all readers.

    `top` is the top-level JSON value with long arrays cut to a few elements. `items` are the objects to recognise a
    format by: elements of the array, of a `conversations` wrapper, the single object, or the first parsable lines.
    """

    source: Source
    shape: Shape
    text: str = ""
    top: Any = None
    items: tuple[dict[str, Any], ...] = field(default=())


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """`timezone`: for times that name none. `date_order`: what comes first in a date like 03/04/2025, if one knows."""

    timezone: tzinfo = UTC
    date_order: Literal["day", "month"] | None = None


class Reader(Protocol):
    """`name` is what `--format` takes and the import report prints."""

    name: str

    def sniff(self, peek: Peek) -> Claim:
        """Say how surely this file is of the format, and why, from parsed content (formats.md section 1)."""

    def read(self, sources: Sequence[Source], options: ReadOptions) -> Iterator[Record]:
        """Yield every chat of the sources, which are of one import and may refer to each other."""
