"""File, folder, zip, gzip, zstd or stdin as one view: a list of Sources that can be opened again and again.

Containers are told by magic bytes, never by name. Nothing is extracted to disk by a member's own name, so a path
inside an archive cannot leave it; nested archives go through an unnamed spool. Limits stop decompression bombs.
"""

from __future__ import annotations

import gzip
import io
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any, BinaryIO, cast

from chatmem.errors import InputError
from chatmem.model import Skipped

MAX_MEMBERS = 200_000
MAX_RATIO = 2000
MAX_UNPACKED = 64 << 30
MAX_NESTING = 3
SPOOL_IN_MEMORY = 8 << 20

ZIP, GZIP, ZSTD = b"PK\x03\x04", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
SQLITE = b"SQLite format 3\x00"
JUNK_NAMES = {".DS_Store", "Thumbs.db", "desktop.ini"}
# Encrypted members carry bit 0 of the general purpose flags (APPNOTE 4.4.4).
ENCRYPTED = 0x1


@dataclass(frozen=True, slots=True)
class Source:
    """One readable file. `path` is the file on disk, `member` its place inside containers (`a.zip!b.json` nests).

    `size` is in bytes, of the uncompressed content if the container says it. `open` gives a new stream each time.
    """

    path: str
    member: str | None
    size: int
    opener: Callable[[], BinaryIO] = field(repr=False, compare=False)
    siblings: Mapping[str, Source] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        """Base name without a compression suffix."""
        base = PurePosixPath((self.member or self.path).replace("\\", "/").rsplit("!", 1)[-1]).name
        return base.removesuffix(".gz").removesuffix(".zst")

    @property
    def stem(self) -> str:
        return PurePosixPath(self.name).stem

    @property
    def parts(self) -> tuple[str, ...]:
        """All folder names and the base name, of container and member together."""
        joined = f"{self.path}/{self.member}" if self.member else self.path
        return PurePosixPath(joined.replace("\\", "/").replace("!", "/")).parts

    def open(self) -> BinaryIO:
        return self.opener()

    def where(self, pointer: str = "") -> str:
        """Readable place for reports: `file`, `file!member`, with ` line 3` or ` /7` appended."""
        place = f"{self.path}!{self.member}" if self.member else self.path
        return f"{place} {pointer}" if pointer else place

    def sibling(self, relative: str) -> Source | None:
        """The file at `relative` (posix, may start with `../`) from this file's folder, in the same container."""
        if self.member is not None:
            folder = PurePosixPath(self.member).parent
            target = os.path.normpath(str(folder / relative)).replace("\\", "/")
            return self.siblings.get(target)
        path = Path(os.path.normpath(Path(self.path).parent / relative))
        return file_source(path) if path.is_file() else None


def file_source(path: Path, shown: str | None = None) -> Source:
    """A Source for a plain or gzip/zstd-compressed file."""

    def opener() -> BinaryIO:
        return _decompressed(cast(BinaryIO, path.open("rb")))

    return Source(shown or str(path), None, path.stat().st_size, opener)


def sources(path: Path) -> Iterator[Source | Skipped]:
    """Every candidate file behind a path given by the user: itself, the files below it, or the members of a zip.

    Raises InputError if the path does not exist or cannot be read at all.
    """
    if str(path) == "-":
        yield from _container(_stdin_source(), 0)
        return
    if not path.exists():
        raise InputError(f"no such file or folder: {path}", "check the path, or see `chatmem import --discover`")
    try:
        if path.is_dir():
            yield from _walk(path)
        elif not path.is_file():
            raise InputError(f"{path} is neither a file nor a folder", "give an export file, a folder or `-` for stdin")
        else:
            yield from _container(file_source(path), 0)
    except PermissionError as error:
        raise InputError(f"no permission to read {path}", f"chmod u+r, or copy it first ({error.strerror})") from error


def _walk(folder: Path) -> Iterator[Source | Skipped]:
    errors: list[OSError] = []
    for root, dirs, files in os.walk(folder, onerror=errors.append):
        if root == str(folder) and errors:
            raise errors[0]
        dirs[:] = sorted(d for d in dirs if d != "__MACOSX" and not d.startswith(".git"))
        for name in sorted(files):
            path = Path(root) / name
            if name in JUNK_NAMES or name.startswith("._"):
                continue
            try:
                # A link may point anywhere; a walked folder only speaks for what is really in it.
                if path.is_symlink() or not path.is_file():
                    continue
                yield from _container(file_source(path), 0)
            except OSError as error:
                yield Skipped(str(path), error.strerror or type(error).__name__)
    if errors:
        if not Path(folder).exists():
            raise errors[0]
        yield from (Skipped(str(e.filename), e.strerror or "unreadable folder") for e in errors)


def _container(source: Source, depth: int) -> Iterator[Source | Skipped]:
    """The source itself, or its members if it is a zip."""
    try:
        with source.open() as stream:
            magic = stream.read(4)
        if magic != ZIP:
            yield source
        elif depth >= MAX_NESTING:
            yield Skipped(source.where(), f"archives nested deeper than {MAX_NESTING}")
        else:
            yield from _members(source, depth)
    except PermissionError:
        raise
    except (OSError, EOFError, ValueError, zipfile.BadZipFile) as error:
        yield Skipped(source.where(), damage(error))


def _members(source: Source, depth: int) -> Iterator[Source | Skipped]:
    archive = zipfile.ZipFile(_seekable(source))
    infos = archive.infolist()
    if len(infos) > MAX_MEMBERS:
        yield Skipped(source.where(), f"{len(infos):,} members; more than {MAX_MEMBERS:,} is taken for an attack")
        return
    table: dict[str, Source] = {}
    prefix = f"{source.member}!" if source.member else ""
    unpacked = 0
    for info in infos:
        name = info.filename
        if info.is_dir() or "__MACOSX/" in name or PurePosixPath(name).name in JUNK_NAMES:
            continue
        unpacked += info.file_size
        reason = _refusal(info, unpacked)
        if reason:
            yield Skipped(source.where() + ("!" if not prefix else "") + name, reason)
            continue
        if prefix + name in table:
            yield Skipped(source.where(name), "a second member of the same name")
            continue
        opener = _member_opener(archive, info)
        table[prefix + name] = Source(source.path, prefix + name, info.file_size, opener, table)
    for member in list(table.values()):
        yield from _container(member, depth + 1)


def _refusal(info: zipfile.ZipInfo, unpacked: int) -> str:
    name = info.filename.replace("\\", "/")
    if name.startswith("/") or ".." in PurePosixPath(name).parts or (len(name) > 1 and name[1] == ":"):
        return "its path leaves the archive"
    if info.external_attr >> 16 & 0o170000 == 0o120000:
        return "a symbolic link"
    if info.flag_bits & ENCRYPTED:
        return "password-protected; unpack it first and import the folder"
    if info.file_size > MAX_RATIO * max(info.compress_size, 1) and info.file_size > SPOOL_IN_MEMORY:
        return f"expands more than {MAX_RATIO}-fold; taken for a decompression bomb"
    if unpacked > MAX_UNPACKED:
        return f"the archive unpacks to more than {MAX_UNPACKED >> 30} GiB"
    return ""


def _member_opener(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], BinaryIO]:
    def opener() -> BinaryIO:
        return _decompressed(cast(BinaryIO, archive.open(info)))

    return opener


def _seekable(source: Source) -> IO[bytes]:
    """Zip needs random access: the file itself, or a spool for a zip inside a container."""
    if source.member is None and source.path != "-":
        return Path(source.path).open("rb")
    spool = tempfile.SpooledTemporaryFile(SPOOL_IN_MEMORY)  # noqa: SIM115 - lives as long as the ZipFile
    with source.open() as stream:
        shutil.copyfileobj(stream, spool)
    spool.seek(0)
    return cast(IO[bytes], spool)


def _stdin_source() -> Source:
    """Standard input is read once into a spool, so that it can be opened again."""
    spool = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
    shutil.copyfileobj(sys.stdin.buffer, spool)
    size = spool.tell()

    def opener() -> BinaryIO:
        view = os.fdopen(os.dup(spool.fileno()), "rb")
        view.seek(0)
        return _decompressed(view)

    return Source("-", None, size, opener)


def _decompressed(stream: BinaryIO) -> BinaryIO:
    """The stream itself, or a decompressing view if its first bytes say gzip or zstd."""
    buffered = cast(BinaryIO, stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(cast(Any, stream)))
    magic = cast(io.BufferedReader, buffered).peek(4)[:4]
    if magic[:2] == GZIP:
        return cast(BinaryIO, gzip.GzipFile(fileobj=buffered))
    if magic == ZSTD:
        import zstandard

        reader = zstandard.ZstdDecompressor().stream_reader(buffered, read_across_frames=True)
        return cast(BinaryIO, io.BufferedReader(cast(Any, reader)))
    return buffered


def damage(error: BaseException) -> str:
    """One plain clause for a container that cannot be read."""
    text = str(error) or type(error).__name__
    if isinstance(error, zipfile.BadZipFile):
        return f"not a whole zip file ({text}); download it again"
    if isinstance(error, EOFError):
        return "compressed data ends early; download it again"
    return text
