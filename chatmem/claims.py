"""Which file is read by which reader: walk the paths, leave out what is unchanged, let one reader claim each file.

Nothing is dropped silently: a file is claimed, known and unchanged, a side file, of no known format, or named with the
reason why it cannot be read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from chatmem.archive.ledger import FileState, Ledger, mtime_ns
from chatmem.errors import InputError, UsageError
from chatmem.import_report import FileReport, ImportReport, ImportRequest
from chatmem.model import Note, Skipped
from chatmem.readers import BESIDE, JOINING, READERS
from chatmem.readers.base import Level, Reader
from chatmem.readers.detect import detect
from chatmem.readers.unpack import Source, damage, sources


@dataclass(frozen=True, slots=True)
class Found:
    """A file as it looked before it was read. `named`: the user gave this very path."""

    source: Source
    named: bool
    mtime_ns: int


@dataclass(slots=True)
class Group:
    """The files of one reader, which may refer to each other. `beside`: see readers.BESIDE.

    `same_bytes`: the places of those that were read before, with other settings.
    """

    reader: Reader
    level: Level
    files: list[Found] = field(default_factory=list)
    beside: Mapping[str, str] = field(default_factory=dict)
    same_bytes: frozenset[str] = frozenset()


def find(request: ImportRequest, report: ImportReport) -> list[Found]:
    """Every file behind the paths, each once. Raises InputError for a path that is no use."""
    found: dict[tuple[str, str | None], Found] = {}
    for path in request.paths:
        absolute = path if str(path) == "-" else path.expanduser().absolute()
        empty = True
        for item in sources(absolute):
            empty = False
            if isinstance(item, Skipped):
                report.files.append(FileReport(str(absolute), "", skipped=[item]))
            else:
                named = item.member is None and item.path == str(absolute)
                changed = mtime_ns(item.file or Path(item.path))
                found.setdefault((item.path, item.member), Found(item, named, changed))
        if empty:
            raise InputError(f"nothing to read in {path}", "give an export file, or the folder that holds it")
    return list(found.values())


def claim(request: ImportRequest, report: ImportReport, found: list[Found], ledger: Ledger) -> list[Group]:
    """The files to read, by reader. All others are told in the report."""
    chosen = reader_called(request.format) if request.format else None
    known = _unchanged(found, request, ledger)
    groups: dict[str, Group] = {}
    side: list[tuple[Found, str, str]] = []
    for file in found:
        if file.source.where() in known:
            continue
        claimed = (chosen, Level.EXACT, "--format") if chosen else _claim(file, report)
        if claimed is None:
            continue
        reader, level, reason = claimed
        if level == Level.SIDE:
            side.append((file, reader.name, reason))
        else:
            groups.setdefault(reader.name, Group(reader, level)).files.append(file)
    for name in JOINING & groups.keys():
        read = {file.source.where() for file in groups[name].files}
        read |= {place for place, state in known.items() if state.format == name}
        groups[name].files = [file for file in found if file.source.where() in read]
        known = {place: state for place, state in known.items() if state.format != name}
    for file in found:
        if state := known.get(file.source.where()):
            held = FileReport(file.source.where(), state.format, file.named)
            held.chats_unchanged, held.chats_empty = state.chats, state.empty
            report.files.append(held)
    for group in groups.values():
        group.beside = _beside(group.reader.name, group.files)
        group.same_bytes = frozenset(f.source.where() for f in group.files if _state(f, ledger))
    _tell_side_files(report, side, groups.keys() | {f.format for f in report.files})
    return list(groups.values())


def _unchanged(found: Sequence[Found], request: ImportRequest, ledger: Ledger) -> dict[str, FileState]:
    """What is known, by their places, of the files that would be read as they were before."""
    same: dict[str, list[tuple[Found, FileState]]] = {}
    for file in found:
        if state := _state(file, ledger):
            same.setdefault(state.format, []).append((file, state))
    known = {}
    for name, pairs in same.items():
        beside = _beside(name, [file for file, _ in pairs])
        for file, state in pairs:
            place = file.source.where()
            if state.settings == request.settings(beside.get(place, "")):
                known[place] = state
    return known


def _state(file: Found, ledger: Ledger) -> FileState | None:
    return ledger.unchanged(file.source.path, file.source.member, file.source.size, file.mtime_ns)


def _beside(name: str, files: Sequence[Found]) -> Mapping[str, str]:
    return BESIDE[name]([f.source for f in files]) if name in BESIDE else {}


def reader_called(name: str) -> Reader:
    """Raises UsageError if there is none of this name."""
    for reader in READERS:
        if reader.name == name:
            return reader
    names = ", ".join(r.name for r in READERS)
    raise UsageError(f"unknown format {name!r}", f"--format takes one of: {names}")


def _claim(file: Found, report: ImportReport) -> tuple[Reader, Level, str] | None:
    source = file.source
    try:
        found = detect(source)
    except (OSError, EOFError, ValueError) as error:
        report.files.append(FileReport(source.where(), "", skipped=[Skipped(source.where(), damage(error))]))
        return None
    if found.reader is not None:
        return found.reader, found.level, found.reason
    # A stranger in a folder or archive is normal; a file that was named, or two claims, is worth a word.
    if file.named or found.level == Level.EXACT:
        hint = "" if found.level == Level.EXACT else "; name it with --format if you know better"
        report.files.append(FileReport(source.where(), "", skipped=[Skipped(source.where(), found.reason + hint)]))
    else:
        report.other_files += 1
    return None


def _tell_side_files(report: ImportReport, side: list[tuple[Found, str, str]], accompanied: set[str]) -> None:
    """A side file is news only if it came without what it belongs to."""
    for file, name, reason in side:
        notes = [] if name in accompanied else [Note(file.source.where(), reason)]
        report.files.append(FileReport(file.source.where(), name, file.named, notes=notes))
