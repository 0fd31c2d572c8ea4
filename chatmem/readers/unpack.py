"""File, folder, zip, gzip, zstd or stdin as one view: a list of Sources that can be opened again and again.

Containers are told by magic bytes, never by name. Nothing is extracted to disk by a member's own name, so a path
inside an archive cannot leave it, and a walked folder only speaks for what really lies in it.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from chatmem.errors import InputError
from chatmem.model import Skipped
from chatmem.readers._archives import MAX_SPOOL, expanded, is_junk
from chatmem.readers._source import Source, file_source, printable
from chatmem.readers._streams import BLOCK, Damaged, SharedFile, damage, unpacked

__all__ = ["SQLITE", "Damaged", "Source", "damage", "file_source", "sources"]

SQLITE = b"SQLite format 3\x00"


def sources(path: Path) -> Iterator[Source | Skipped]:
    """Every candidate file behind a path given by the user: itself, the files below it, or the members of a zip.

    Raises InputError if the path does not exist or cannot be read at all.
    """
    if str(path) == "-":
        yield from expanded(_stdin_source())
        return
    try:
        if _is_folder(path):
            yield from _walk(path)
        else:
            yield from expanded(file_source(path))
    except PermissionError as error:
        raise InputError(f"no permission to read {path}", f"chmod u+r, or copy it first ({error.strerror})") from error


def _is_folder(path: Path) -> bool:
    try:
        if path.is_dir():
            return True
        if path.is_file():
            return False
        found = path.exists()
    except PermissionError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}", damage(error)) from error
    if found:
        raise InputError(f"{path} is neither a file nor a folder", "give an export file, a folder or `-` for stdin")
    raise InputError(f"no such file or folder: {path}", "check the path, or see `chatmem import --discover`")


def _walk(folder: Path) -> Iterator[Source | Skipped]:
    errors: list[OSError] = []
    for root, dirs, files in os.walk(folder, onerror=errors.append):
        dirs[:] = sorted(d for d in dirs if d != "__MACOSX" and not d.startswith(".git"))
        linked = [d for d in dirs if Path(root, d).is_symlink()]
        for name in sorted([*files, *linked]):
            if not is_junk(name):
                yield from _found(Path(root, name), folder)
    if errors and Path(errors[0].filename) == folder:
        raise errors[0]
    yield from (Skipped(printable(Path(e.filename)), damage(e)) for e in errors)


def _found(path: Path, folder: Path) -> Iterator[Source | Skipped]:
    try:
        if path.is_symlink():
            # What it leads to inside the folder is read there; a dangling one or a device is no export.
            target = Path(os.path.realpath(path))
            if (target.is_file() or target.is_dir()) and not target.is_relative_to(os.path.realpath(folder)):
                yield Skipped(printable(path), f"a link out of the folder; import {printable(target)} if you want it")
        elif path.is_file():
            yield from expanded(file_source(path))
    except OSError as error:
        yield Skipped(printable(path), damage(error))


def _stdin_source() -> Source:
    """Standard input is read once into a spool, so that it can be opened again."""
    spool = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the source
    while block := sys.stdin.buffer.read(BLOCK):
        if spool.tell() > MAX_SPOOL:
            raise InputError(f"standard input is longer than {MAX_SPOOL >> 30} GiB", "save it to a file, import that")
        spool.write(block)

    def opener() -> BinaryIO:
        return unpacked(cast(BinaryIO, io.BufferedReader(SharedFile(cast(BinaryIO, spool)), BLOCK)))

    weakref.finalize(opener, spool.close)
    return Source("-", None, spool.tell(), opener)
