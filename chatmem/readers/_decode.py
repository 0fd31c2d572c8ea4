"""Text files as people's tools wrote them: UTF-8 with or without a mark, UTF-16, or Windows-1252.

The platform's own encoding is never asked. A byte that fits nowhere becomes U+FFFD and costs only itself.
"""

from __future__ import annotations

import codecs
import io

from chatmem.readers.unpack import Source

_HEAD = 1 << 20
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# Valid UTF-8 sequences of two to four bytes; a file that has one is UTF-8 even if other bytes are broken.
_LEAD = ((0xC2, 0xDF, 1), (0xE0, 0xEF, 2), (0xF0, 0xF4, 3))


def open_text(source: Source) -> io.TextIOWrapper:
    """A decoding stream that leaves line ends alone."""
    with source.open() as stream:
        head = stream.read(_HEAD)
    return io.TextIOWrapper(source.open(), encoding=encoding(head), errors="replace", newline="")


def encoding(head: bytes) -> str:
    """The name of the encoding that the first bytes of a file speak for."""
    if head[:2] in _UTF16:
        return "utf-16"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "utf-8-sig" if _has_utf8(head) else "cp1252"
    return "utf-8-sig"


def _has_utf8(head: bytes) -> bool:
    for place, byte in enumerate(head):
        if byte >= 0xC2:
            length = next((n for low, high, n in _LEAD if low <= byte <= high), 0)
            tail = head[place + 1 : place + 1 + length]
            if length and len(tail) == length and all(0x80 <= b <= 0xBF for b in tail):
                return True
    return False
