"""Byte streams with one face: unpacked by magic bytes, UTF-16 turned into UTF-8, stopped when they turn out a bomb.

Whatever is wrong with compressed bytes is raised as Damaged, an OSError, so that nobody has to know the four kinds of
error that gzip, zlib, zipfile and zstandard raise. What came before the damage has been delivered by then.
"""

from __future__ import annotations

import codecs
import gzip
import io
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, cast

ZIP, GZIP, ZSTD = b"PK\x03\x04", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

BLOCK = 1 << 16
# A zstd block of 4 bytes may hold 128 KiB, so 4 KiB of input make at most 128 MiB at a time.
_ZSTD_INPUT = 1 << 12
# Deflate reaches 1032 at most. Below the allowance no ratio is an attack; an archive in an archive hardly shrinks.
MAX_RATIO = 2000
MAX_ARCHIVE_RATIO = 100
ALLOWANCE = 256 << 20
MAX_STREAM = 64 << 30


class Damaged(OSError):
    """Compressed bytes that cannot be unpacked, or that unpack to more than any export would."""


class _Unpacked(io.RawIOBase):
    """The blocks of `blocks` as a stream. `packed` tells how many compressed bytes they came from so far."""

    def __init__(self, blocks: Iterator[bytes], packed: Callable[[], int], below: BinaryIO) -> None:
        self._blocks, self._packed, self._below = blocks, packed, below
        self._left = memoryview(b"")
        self._total = 0
        self._ratio = MAX_RATIO

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._left:
            self._left = memoryview(self._next())
        size = min(len(buffer), len(self._left))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size

    def _next(self) -> bytes:
        try:
            block = next(filter(None, self._blocks), b"")
        except Damaged:
            raise
        except Exception as error:
            raise Damaged(damage(error)) from error
        if self._total == 0 and block.startswith(ZIP):
            self._ratio = MAX_ARCHIVE_RATIO
        self._total += len(block)
        if self._total > max(ALLOWANCE, self._ratio * self._packed()) or self._total > MAX_STREAM:
            raise Damaged(f"unpacks to more than {self._total >> 20:,} MiB; taken for a decompression bomb")
        return block

    def close(self) -> None:
        if not self.closed:
            self._below.close()
        super().close()


class SharedFile(io.RawIOBase):
    """A view with a position of its own on a file that others read too. Closing it leaves the file open."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._position = file, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_CUR:
            offset += self._position
        self._position = self._file.seek(offset, io.SEEK_SET if whence == io.SEEK_CUR else whence)
        return self._position

    def readinto(self, buffer: Any) -> int:
        self._file.seek(self._position)
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)


def unpacked(stream: BinaryIO) -> BinaryIO:
    """The stream itself, or what it holds if its first bytes say gzip, zstd or UTF-16. Owns the stream from now on."""
    magic = head(stream, 4)
    if magic[:2] == GZIP:
        counted = _Counted(stream)
        stream = _stream(_gunzip(counted), lambda: counted.total, stream)
    elif magic == ZSTD:
        counted = _Counted(stream)
        stream = _stream(_unzstd(counted), lambda: counted.total, stream)
    if head(stream, 2) in UTF16:
        counted = _Counted(stream)
        stream = _stream(_to_utf8(counted), lambda: counted.total, stream)
    return stream


def zip_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> BinaryIO:
    """The bytes of a member; zipfile itself stops at the size that the archive claims for it."""
    try:
        below = cast(BinaryIO, archive.open(info))
    except Exception as error:
        raise Damaged(damage(error)) from error
    return _stream(_blocks(below), lambda: info.compress_size, below)


def head(stream: BinaryIO, size: int) -> bytes:
    """The next bytes without taking them. Closes the stream if it cannot be read."""
    try:
        return cast(io.BufferedReader, stream).peek(size)[:size]
    except BaseException:
        stream.close()
        raise


def damage(error: BaseException) -> str:
    """One plain clause for a container that cannot be read."""
    text = str(error) or type(error).__name__
    if isinstance(error, zipfile.BadZipFile):
        return f"not a whole zip file ({text}); download it again"
    if isinstance(error, EOFError):
        return "compressed data ends early; download it again"
    if isinstance(error, zlib.error | gzip.BadGzipFile) or type(error).__name__ == "ZstdError":
        return f"compressed data is damaged ({text}); download it again"
    return (error.strerror or text) if isinstance(error, OSError) else text


class _Counted:
    """The part of a file that decompressors use, with a count of the bytes taken."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self.total = stream, 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.total += len(data)
        return data


def _stream(blocks: Iterator[bytes], packed: Callable[[], int], below: BinaryIO) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(_Unpacked(blocks, packed, below), BLOCK))


def _blocks(stream: Any) -> Iterator[bytes]:
    # `read1` gives what there is before it raises; `read` would lose the bytes before the damage.
    while block := stream.read1(BLOCK):
        yield block


def _gunzip(packed: _Counted) -> Iterator[bytes]:
    with gzip.GzipFile(fileobj=cast(Any, packed), mode="rb") as stream:
        yield from _blocks(stream)


def _unzstd(packed: _Counted) -> Iterator[bytes]:
    """Frame by frame: only the frame object tells whether its frame ended or the file was cut."""
    import zstandard

    context = zstandard.ZstdDecompressor()
    frame = None
    rest = b""
    while block := rest or packed.read(_ZSTD_INPUT):
        frame = frame or context.decompressobj()
        if data := frame.decompress(block):
            yield data
        rest, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
    if frame is not None:
        raise EOFError


def _to_utf8(stream: _Counted) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    while block := stream.read(BLOCK):
        yield decoder.decode(block).encode("utf-8", "replace")
    yield decoder.decode(b"", final=True).encode("utf-8", "replace")
