"""What is inside a zip, and zips inside that: one Source per member, refused where a member is an attack.

An archive is opened when a member of it is read. Only the last few stay open, with their spools, so neither thousands
of archives nor large nested ones use up descriptors or disk.
"""

from __future__ import annotations

import contextlib
import posixpath
import re
import shutil
import tempfile
import weakref
import zipfile
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import IO, BinaryIO, ClassVar

from chatmem.model import Skipped
from chatmem.readers._source import Source
from chatmem.readers._streams import BLOCK, ZIP, Damaged, damage, unpacked, zip_member

MAX_MEMBERS = 200_000
MAX_NESTING = 3
MAX_OPEN = 4
MAX_SPOOL = 32 << 30
SPOOL_IN_MEMORY = 8 << 20

_EMPTY_ZIP = b"PK\x05\x06"
# Documents that are zips themselves begin with one of these members (OPC, ODF and EPUB, JAR).
_DOCUMENTS = (b"[Content_Types].xml", b"mimetype", b"META-INF/")
_NAME_AT = 30
_JUNK_NAMES = {".DS_Store", "Thumbs.db", "desktop.ini"}
_LEAVES = re.compile(r"/|[A-Za-z]:/|(.*/)?\.\.(/|$)")
# General purpose flags (APPNOTE 4.4.4) and the file type in the upper half of the external attributes.
_ENCRYPTED, _UTF8_NAME = 0x1, 0x800
_TYPE_MASK, _SYMLINK = 0o170000, 0o120000
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass
class _Tally:
    """Members seen below one file that the user gave, over all levels of nesting."""

    members: int = 0


def is_junk(name: str) -> bool:
    """Files that operating systems leave behind."""
    return name in _JUNK_NAMES or name.startswith("._")


def expanded(source: Source) -> Iterator[Source | Skipped]:
    """The source itself, or its members if it is a zip. Raises PermissionError."""
    return _expanded(source, 0, _Tally())


def _expanded(source: Source, depth: int, tally: _Tally) -> Iterator[Source | Skipped]:
    try:
        with source.open() as stream:
            begin = stream.read(64)
    except PermissionError:
        raise
    except OSError as error:
        yield Skipped(source.where(), damage(error))
        return
    if not begin.startswith((ZIP, _EMPTY_ZIP)) or begin[_NAME_AT:].startswith(_DOCUMENTS):
        yield source
    elif depth >= MAX_NESTING:
        yield Skipped(source.where(), f"archives nested deeper than {MAX_NESTING}")
    else:
        yield from _members(source, depth, tally)


def _members(source: Source, depth: int, tally: _Tally) -> Iterator[Source | Skipped]:
    archive = _Archive(source)
    try:
        infos = archive.opened().infolist()
    except OSError as error:
        yield Skipped(source.where(), damage(error))
        return
    tally.members += len(infos)
    if tally.members > MAX_MEMBERS:
        yield Skipped(source.where(), f"{tally.members:,} members; more than {MAX_MEMBERS:,} is taken for an attack")
        return
    prefix = f"{source.member}!" if source.member else ""
    chosen = yield from _chosen(infos, f"{source.path}!{prefix}")
    table: dict[str, Source] = {}
    for name, info in chosen.items():
        table[name] = Source(source.path, prefix + name, info.file_size, archive.opener(info), table, name)
    for member in table.values():
        yield from _expanded(member, depth + 1, tally)


def _chosen(infos: list[zipfile.ZipInfo], place: str) -> Generator[Skipped, None, dict[str, zipfile.ZipInfo]]:
    """The members to read by normalised name; of several with one name the last, which is the one unzip leaves."""
    chosen: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        name = _name(info)
        if info.is_dir() or "__MACOSX" in name.split("/") or is_junk(posixpath.basename(name)):
            continue
        if reason := _refusal(info, name):
            yield Skipped(place + name, reason)
            continue
        name = posixpath.normpath(name)
        other = chosen.get(name)
        if other and (other.CRC, other.file_size) != (info.CRC, info.file_size):
            yield Skipped(place + name, "several members have this name; the last one is read")
        chosen[name] = info
    return chosen


def _name(info: zipfile.ZipInfo) -> str:
    """Some archivers write UTF-8 names without saying so; Windows tools write backslashes."""
    name = info.filename
    if not info.flag_bits & _UTF8_NAME and not name.isascii():
        with contextlib.suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return name.replace("\\", "/")


def _refusal(info: zipfile.ZipInfo, name: str) -> str:
    if _LEAVES.match(name):
        return "its path leaves the archive"
    if info.external_attr >> 16 & _TYPE_MASK == _SYMLINK:
        return "a symbolic link"
    if info.flag_bits & _ENCRYPTED:
        return "password-protected; unpack it first and import the folder"
    if info.compress_type not in _METHODS:
        # zipfile cannot bound what bzip2 and lzma unpack to at a time, and knows no others.
        return f"compression method {info.compress_type} is not supported; unpack it first and import the folder"
    return ""


class _Archive:
    """A zip that opens itself when needed. Closed when it falls out of the last few and no member is being read."""

    _recent: ClassVar[list[weakref.ref[_Archive]]] = []

    def __init__(self, source: Source) -> None:
        self._source = source
        self._zip: zipfile.ZipFile | None = None

    def opener(self, info: zipfile.ZipInfo) -> Callable[[], BinaryIO]:
        return lambda: unpacked(zip_member(self.opened(), info))

    def opened(self) -> zipfile.ZipFile:
        """Raises OSError if it cannot be read."""
        if self._zip is None:
            self._zip = _open_zip(self._source)
        others = [other for other in _Archive._recent if other() not in (None, self)]
        for oldest in others[: 1 - MAX_OPEN]:
            if (archive := oldest()) is not None:
                archive._zip = None
        _Archive._recent = [*others[1 - MAX_OPEN :], weakref.ref(self)]
        return self._zip


def _open_zip(source: Source) -> zipfile.ZipFile:
    """Zip needs random access: the file itself, or a spool for a zip inside a container."""
    stream = source.open()
    file = stream if stream.seekable() else _spooled(stream)
    try:
        archive = zipfile.ZipFile(file)
    except Exception as error:
        # A hostile directory makes zipfile raise anything from struct.error to NotImplementedError.
        file.close()
        raise error if isinstance(error, Damaged) else Damaged(damage(error)) from error
    # Streams of members keep the archive alive, and the archive its file.
    weakref.finalize(archive, file.close)
    return archive


def _spooled(stream: BinaryIO) -> IO[bytes]:
    room = min(MAX_SPOOL, shutil.disk_usage(tempfile.gettempdir()).free // 2)
    spool = tempfile.SpooledTemporaryFile(SPOOL_IN_MEMORY)  # noqa: SIM115 - lives as long as the ZipFile
    try:
        with stream:
            while block := stream.read(BLOCK):
                if spool.tell() + len(block) > room:
                    raise Damaged(f"an archive of more than {room >> 20:,} MiB inside an archive; unpack it first")
                spool.write(block)
        spool.seek(0)
    except BaseException:
        spool.close()
        raise
    return spool
