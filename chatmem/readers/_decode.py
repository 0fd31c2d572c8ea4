"""Text files as people's tools wrote them: UTF-8 with or without a mark, or Windows-1252.

The platform's own encoding is never asked. A byte that fits nowhere becomes U+FFFD and costs only itself. UTF-16 has
become UTF-8 before it gets here (see unpack).
"""

from __future__ import annotations

import codecs
import io

from chatmem.readers.base import Peek
from chatmem.readers.unpack import Source

_HEAD, _PEEK = 1 << 20, 1 << 16
# Valid UTF-8 sequences of two to four bytes; a file that has one is UTF-8 even if other bytes are broken.
_LEAD = ((0xC2, 0xDF, 1), (0xE0, 0xEF, 2), (0xF0, 0xF4, 3))


def open_text(source: Source) -> io.TextIOWrapper:
    """A decoding stream that leaves line ends alone. Reading it raises OSError where packed bytes are damaged."""
    return io.TextIOWrapper(source.open(), encoding=encoding(head(source, _HEAD)), errors="replace", newline="")


def beginning(peek: Peek) -> str:
    """The text that a file begins with, also if stray NULs made it look binary; "" if it is none."""
    if peek.shape != "binary":
        return peek.text
    start = head(peek.source, _PEEK)
    # A text does not hold many; pictures and archives do.
    return "" if start.count(0) * 20 > len(start) else start.decode(encoding(start), "replace").replace("\0", "")


def head(source: Source, size: int) -> bytes:
    """The first bytes of a source, or those before its damage."""
    found = bytearray()
    with source.open() as stream:
        # `read` would throw away what it had when it met the damage.
        read = getattr(stream, "read1", stream.read)
        try:
            while len(found) < size and (piece := read(size - len(found))):
                found += piece
        except OSError:
            pass
    return bytes(found)


def encoding(start: bytes) -> str:
    """The name of the encoding that the first bytes of a file speak for."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return "utf-8-sig" if _has_utf8(start) else "cp1252"
    return "utf-8-sig"


def _has_utf8(start: bytes) -> bool:
    for place, byte in enumerate(start):
        if byte >= 0xC2:
            length = next((n for low, high, n in _LEAD if low <= byte <= high), 0)
            tail = start[place + 1 : place + 1 + length]
            if length and len(tail) == length and all(0x80 <= b <= 0xBF for b in tail):
                return True
    return False
