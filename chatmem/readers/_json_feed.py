"""The bytes of a JSON file, given to the parser so that it stays known where the last good element ended.

ijson tells no positions. But if the bracket that ends an element is fed alone, the element arrives with that very byte.
The bytes since then are all that is needed to read on by other means when the parser stops.
"""

from __future__ import annotations

import io
import re
from collections import deque
from collections.abc import Iterator
from typing import BinaryIO, cast

BLOCK = 1 << 18
MAX_ELEMENT = 64 << 20
BOM = b"\xef\xbb\xbf"
# `ijson.items` keeps a path per level, so deep nesting would cost it memory in the square of the depth. The depth is
# estimated (brackets in strings count too) every so many brackets; the parser that takes over knows it exactly.
_MAX_DEPTH = 256
_NO_BRACKETS = bytes(set(range(256)) - set(b"{}[]"))
_ELEMENT_END = re.compile(rb"[}\]](?=\s*,\s*[{\[])")
_TAIL, _ENDS = 1 << 14, 8
_LONG = 4 << 20
# yajl misreads the escape of half a surrogate pair, and what follows it.
_HALF = re.compile(rb"\\u[dD](?:[89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..\\u[dD])[c-fC-F])")
_HIGH = re.compile(rb"\\u[dD][89abAB]..")
_HALVES = re.compile(
    rb"(?<!\\)((?:\\\\)*)\\u[dD](?:[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    rb"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD])[c-fC-F][0-9a-fA-F]{2})"
)


class Feed:
    """A file for ijson that knows where it is.

    It gives blocks out in pieces, cut before and behind brackets that may end an element: when a value arrives while
    `at_end` is true, the value ended with the last byte given out. `kept` are the bytes given out since `forget`,
    `given` counts them all.
    """

    def __init__(self, stream: BinaryIO, max_depth: int | None = _MAX_DEPTH) -> None:
        self._blocks = _blocks(stream)
        self._max_depth = max_depth
        self._pieces: deque[bytes] = deque()
        self._depth = 0
        self.kept = bytearray()
        self.given = 0
        self.at_end = False

    def read(self, size: int = -1) -> bytes:
        piece = self.take() if size else b""
        self.kept += piece
        self.given += len(piece)
        self.at_end = len(piece) == 1
        if self._max_depth is not None:
            self._check_depth(piece, self._max_depth)
        if len(self.kept) > MAX_ELEMENT:
            raise ValueError(f"longer than {MAX_ELEMENT >> 20} MiB")
        return piece

    def _check_depth(self, piece: bytes, deepest: int) -> None:
        brackets = piece.translate(None, _NO_BRACKETS)
        for begin in range(0, len(brackets), deepest):
            part = brackets[begin : begin + deepest]
            self._depth += 2 * (part.count(b"{") + part.count(b"[")) - len(part)
            if self._depth > deepest:
                raise ValueError("nested too deeply")

    def take(self) -> bytes:
        """The next bytes, not counted; nothing at the end."""
        if not self._pieces:
            # Only the tail of a block is searched, unless no end of an element has been found for long.
            self._pieces.extend(_cut(next(self._blocks, b""), thorough=len(self.kept) > _LONG))
        return self._pieces.popleft() if self._pieces else b""

    def all(self) -> bytes:
        """What is kept and what follows, as long as it is no more than one element may be."""
        while len(self.kept) <= MAX_ELEMENT and (piece := self.take()):
            self.kept += piece
        return bytes(self.kept)

    def forget(self) -> None:
        self.kept.clear()
        self._depth = 0

    def restart(self, *begin: bytes) -> None:
        """Give out these bytes before the rest of the file, as if it began with them."""
        self.forget()
        self._pieces.extendleft(reversed([piece for part in begin for piece in _cut(part, thorough=False)]))


def _cut(block: bytes, thorough: bool) -> Iterator[bytes]:
    ends = [match.start() for match in _ELEMENT_END.finditer(block, 0 if thorough else max(0, len(block) - _TAIL))]
    start = 0
    for end in ends if thorough else ends[-_ENDS:]:
        if end > start:
            yield block[start:end]
        yield block[end : end + 1]
        start = end + 1
    if start < len(block):
        yield block[start:]


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    """The file in blocks that end behind a quote, a blank or before an escape, without halves of surrogate pairs."""
    buffered = cast(io.BufferedReader, skip_bom(stream))
    held, trouble = b"", None
    while True:
        try:
            # `read1` gives what there is before it raises; `read` would lose the bytes before the damage.
            block = buffered.read1(BLOCK)
        except OSError as error:
            block, trouble = b"", error
        if not block:
            break
        block = held + block
        cut = _between_escapes(block)
        held, block = block[cut:], block[:cut]
        yield _HALVES.sub(rb"\1\\ufffd", block) if _HALF.search(block) else block
    if held:
        yield held
    if trouble is not None:
        raise trouble


def _between_escapes(block: bytes) -> int:
    cut = max(block.rfind(b'"'), block.rfind(b" ")) + 1
    if cut == 0 and (last := block.rfind(b"\\u")) > 0:
        return last - 6 if _HIGH.fullmatch(block, last - 6, last) else last
    return cut or len(block)


def skip_bom(stream: BinaryIO) -> BinaryIO:
    """The stream, past a UTF-8 byte order mark if there is one."""
    peek = getattr(stream, "peek", None)
    if peek is not None:
        if peek(3)[:3] == BOM:
            stream.read(3)
    elif stream.seekable() and stream.read(3) != BOM:
        stream.seek(0)
    return stream
