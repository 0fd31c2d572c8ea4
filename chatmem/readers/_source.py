"""One readable file, wherever it lies: what detection and readers see of an import."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from chatmem.readers._streams import BLOCK, unpacked

# A file may lie in a folder of downloads: looking around must not walk a whole disk.
_LEVELS_AROUND, _FILES_AROUND = 2, 50_000
_ABSOLUTE = re.compile(r"/|[A-Za-z]:/")


@dataclass(frozen=True, slots=True)
class Source:
    """One readable file. `path` is the file on disk, `member` its place inside containers (`a.zip!b.json` nests).

    `size` is in bytes, of the uncompressed content if the container says it. `open` gives a new stream each time; it
    and its stream raise OSError for whatever cannot be read. `inner` is the member's name in its own archive and
    `siblings` are the members of that archive by that name; `file` is where the file lies on disk.
    """

    path: str
    member: str | None
    size: int
    opener: Callable[[], BinaryIO] = field(repr=False, compare=False)
    siblings: Mapping[str, Source] = field(default_factory=dict, repr=False, compare=False)
    inner: str | None = field(default=None, repr=False, compare=False)
    file: Path | None = field(default=None, repr=False, compare=False)

    @property
    def name(self) -> str:
        """Base name without a compression suffix."""
        base = PurePosixPath((self.inner or self.member or self.path).replace("\\", "/")).name
        return base.removesuffix(".gz").removesuffix(".zst")

    @property
    def stem(self) -> str:
        return PurePosixPath(self.name).stem

    @property
    def parts(self) -> tuple[str, ...]:
        """All folder names and the base name, of container and member together."""
        inside = f"/{self.member.replace('!', '/')}" if self.member else ""
        return PurePosixPath(self.path.replace("\\", "/") + inside).parts

    def open(self) -> BinaryIO:
        return self.opener()

    def where(self, pointer: str = "") -> str:
        """Readable place for reports: `file`, `file!member`, with ` line 3` or ` /7` appended."""
        place = f"{self.path}!{self.member}" if self.member else self.path
        return f"{place} {pointer}" if pointer else place

    def sibling(self, relative: str) -> Source | None:
        """The file at `relative` (posix, may start with `../`) from this file's folder, in the same container."""
        if _ABSOLUTE.match(relative.replace("\\", "/")):
            return None
        if self.member is not None:
            return self.siblings.get(self._beside(relative))
        try:
            path = Path(os.path.normpath(self._folder / relative))
            return file_source(path) if path.is_file() else None
        except (OSError, ValueError):
            return None

    def around(self) -> Iterator[str]:
        """Relative paths (posix) of the files in this file's folder and below; on disk at most two levels below."""
        if self.member is not None:
            folder = posixpath.dirname(self.inner or self.member)
            prefix = f"{folder}/" if folder else ""
            yield from (name.removeprefix(prefix) for name in self.siblings if name.startswith(prefix))
            return
        base = str(self._folder)
        count = 0
        for root, dirs, files in os.walk(base):
            relative = os.path.relpath(root, base)
            depth = 0 if relative == "." else relative.count(os.sep) + 1
            dirs[:] = dirs if depth < _LEVELS_AROUND and count < _FILES_AROUND else []
            count += len(files)
            yield from (name if depth == 0 else f"{relative.replace(os.sep, '/')}/{name}" for name in files)

    def _beside(self, relative: str) -> str:
        return posixpath.normpath(posixpath.join(posixpath.dirname(self.inner or self.member or ""), relative))

    @property
    def _folder(self) -> Path:
        return (self.file or Path(self.path)).parent


def file_source(path: Path, shown: str | None = None) -> Source:
    """A Source for a plain or gzip/zstd-compressed file."""

    def opener() -> BinaryIO:
        return unpacked(path.open("rb", buffering=BLOCK))

    return Source(shown or printable(path), None, path.stat().st_size, opener, file=path)


def printable(path: Path) -> str:
    """The path as text that can be stored: bytes that no encoding explains would travel on as lone surrogates."""
    return os.fsencode(path).decode("utf-8", "replace")
