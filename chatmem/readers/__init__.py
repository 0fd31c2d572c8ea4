"""The formats chatmem reads, most specific first; generic readers come last."""

from __future__ import annotations

from chatmem.readers import (
    chatgpt,
)
from chatmem.readers.base import Reader

READERS: tuple[Reader, ...] = (chatgpt,)
