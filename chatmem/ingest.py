"""The import verb: find the files, let one reader claim each, write their chats, report what happened.

Nothing is dropped silently: every file is read, known and unchanged, a side file, or named with the reason why not.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

from chatmem.archive import copies
from chatmem.archive.ledger import mtime_ns
from chatmem.archive.store import Store, exclusive
from chatmem.archive.write import DryRun, Outcome, Writer
from chatmem.errors import InputError, UsageError
from chatmem.model import Chat, Note, Record, Skipped
from chatmem.readers import READERS, clean
from chatmem.readers.base import Level, Reader, ReadOptions
from chatmem.readers.detect import detect
from chatmem.readers.unpack import Source, damage, sources

# Raised when a reader gives other chats for the same bytes, so that unchanged files are read again.
READERS_VERSION = 1
IMPORT_WAIT = 2.0


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What to import and how. `user`: the human side of chats that name none."""

    paths: tuple[Path, ...]
    user: str
    options: ReadOptions
    format: str | None = None
    project: str | None = None
    agent: str | None = None
    force_user: bool = False
    since: datetime | None = None
    dry_run: bool = False

    def settings(self) -> str:
        """Everything besides the bytes that decides what a file becomes."""
        zone = str(self.options.timezone)
        forced = self.user if self.force_user else ""
        return repr((READERS_VERSION, self.format, self.project, forced, self.agent, str(self.since or ""), zone))


@dataclass(slots=True)
class FileReport:
    """One file or archive member. `skipped` holds problems only; `notes` what is worth knowing and no loss."""

    path: str
    format: str
    chats_new: int = 0
    chats_updated: int = 0
    chats_unchanged: int = 0
    chats_empty: int = 0
    messages_new: int = 0
    messages_updated: int = 0
    messages_read: int = 0
    chats_taken: int = 0
    chats_old: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


@dataclass(slots=True)
class ImportReport:
    """`other_files`: walked files that are no chats of any known format."""

    files: list[FileReport] = field(default_factory=list)
    other_files: int = 0
    seconds: float = 0.0
    dry_run: bool = False

    def total(self, name: str) -> int:
        return sum(getattr(f, name) for f in self.files)

    def problems(self) -> list[Skipped]:
        return [s for f in self.files for s in f.skipped]


class Progress(Protocol):
    """Told how far a long import has come."""

    def start(self, total_bytes: int) -> None: ...
    def read(self, size: int) -> None: ...
    def chats(self, chats: int, messages: int) -> None: ...


def run_import(request: ImportRequest, store: Store, progress: Progress) -> ImportReport:
    """Import everything. Raises InputError if a path is unusable or nothing at all could be read."""
    report = ImportReport(dry_run=request.dry_run)
    found = list(_find(request, report))
    if request.dry_run:
        _Import(request, report, progress, DryRun(store)).run(found)
    else:
        store.prepare()
        with exclusive(store.home / "import.lock", IMPORT_WAIT):
            _write(request, report, progress, store, found)
    if not report.files:
        named = ", ".join(str(p) for p in request.paths)
        raise InputError(f"no chat export found in {named}", "chatmem import --help lists the formats")
    return report


def _write(
    request: ImportRequest, report: ImportReport, progress: Progress, store: Store, found: list[tuple[Source, bool]]
) -> None:
    writer = Writer(store)
    try:
        _Import(request, report, progress, writer).run(found)
        writer.finish()
        _settle_copies(store, writer)
        for outcome in writer.outcomes:
            _add(report.files[outcome.tag], outcome)
        writer.merge_index()
    finally:
        writer.close()


def _add(file: FileReport, outcome: Outcome) -> None:
    file.chats_new += outcome.is_new
    file.chats_updated += not outcome.is_new
    file.messages_new += outcome.messages_new
    file.messages_updated += outcome.messages_updated


def _settle_copies(store: Store, writer: Writer) -> None:
    """Hide what other chats own, now that all of them are here. Counts are those of the export, not of this."""
    counted = len(writer.outcomes)
    if not counted:
        return
    with store.reading() as connection:
        waiting = copies.unsettled(connection)
    for chat, content_hash in waiting:
        writer.put(chat, content_hash=content_hash)
    writer.finish()
    del writer.outcomes[counted:]


def _find(request: ImportRequest, report: ImportReport) -> Iterator[tuple[Source, bool]]:
    """(source, whether the user named this very file). Raises InputError for a path that is no use."""
    for path in request.paths:
        absolute = path if str(path) == "-" else path.expanduser().absolute()
        empty = True
        for item in sources(absolute):
            empty = False
            if isinstance(item, Skipped):
                report.files.append(FileReport(str(absolute), "", skipped=[item]))
            else:
                yield item, item.member is None and item.path == str(absolute)
        if empty:
            raise InputError(f"nothing to read in {path}", "give an export file, or the folder that holds it")


class _Import:
    """One run: claims, then groups, then records."""

    def __init__(
        self, request: ImportRequest, report: ImportReport, progress: Progress, writer: Writer | DryRun
    ) -> None:
        self.request = request
        self.report = report
        self.progress = progress
        self.writer = writer
        self.settings = request.settings()
        self.current = 0
        self.tags: dict[tuple[str, str | None], int] = {}
        self.seen_chats = self.seen_messages = 0

    def run(self, found: list[tuple[Source, bool]]) -> None:
        groups: dict[str, tuple[Reader, Level, list[Source]]] = {}
        side: list[tuple[Source, str, str]] = []
        for source, named in found:
            if self._unchanged(source):
                continue
            claimed = self._claim(source, named)
            if claimed is None:
                continue
            reader, level, reason = claimed
            if level == Level.SIDE:
                side.append((source, reader.name, reason))
            else:
                groups.setdefault(reader.name, (reader, level, []))[2].append(source)
        self._tell_side_files(side, groups.keys() | {f.format for f in self.report.files})
        self.progress.start(sum(s.size for _, _, group in groups.values() for s in group if s.size > 0))
        for reader, level, group in groups.values():
            self._read(reader, level, group)

    def _unchanged(self, source: Source) -> bool:
        state = self.writer.ledger.unchanged(source.path, source.member, source.size, self.settings)
        if state is None:
            return False
        self.report.files.append(
            FileReport(_shown(source), state.format, chats_unchanged=state.chats, chats_empty=state.empty)
        )
        return True

    def _claim(self, source: Source, named: bool) -> tuple[Reader, Level, str] | None:
        if self.request.format:
            return _reader(self.request.format), Level.EXACT, "--format"
        try:
            found = detect(source)
        except (OSError, EOFError, ValueError) as error:
            self._skip_file(source, damage(error))
            return None
        if found.reader is None:
            # A stranger in a folder or archive is normal; a file that was named, or two claims, is worth a word.
            if named or found.level == Level.EXACT:
                hint = "" if found.level == Level.EXACT else "; name it with --format if you know better"
                self._skip_file(source, found.reason + hint)
            else:
                self.report.other_files += 1
            return None
        return found.reader, found.level, found.reason

    def _skip_file(self, source: Source, reason: str) -> None:
        self.report.files.append(FileReport(_shown(source), "", skipped=[Skipped(source.where(), reason)]))

    def _tell_side_files(self, side: list[tuple[Source, str, str]], accompanied: set[str]) -> None:
        """A side file is news only if it came without what it belongs to."""
        for source, name, reason in side:
            notes = [] if name in accompanied else [Note(source.where(), reason)]
            self.report.files.append(FileReport(_shown(source), name, notes=notes))

    def _read(self, reader: Reader, level: Level, group: list[Source]) -> None:
        first = len(self.report.files)
        for offset, source in enumerate(group):
            self.report.files.append(FileReport(_shown(source), reader.name))
            self.tags[source.path, source.member] = first + offset
        self.current = first
        watched = [self._watched(source, first + i) for i, source in enumerate(group)]
        try:
            for record in reader.read(watched, self.request.options):
                self._take(record, level)
        except (OSError, EOFError, zlib.error) as error:
            # The container broke under the reader: what it gave so far stands, the rest is reported.
            place = self.report.files[self.current]
            place.skipped.append(Skipped(place.path, damage(error)))
        for offset, source in enumerate(group):
            self._remember(self.report.files[first + offset], source)

    def _remember(self, file: FileReport, source: Source) -> None:
        if not file.skipped and source.path != "-":
            held = file.chats_unchanged + file.chats_taken
            self.writer.record(
                (source.path, source.member, file.format, source.size, mtime_ns(source.path), self.settings, held,
                 file.chats_empty, file.messages_read, 0)
            )  # fmt: skip

    def _watched(self, source: Source, tag: int) -> Source:
        """The source, telling which file is being read and how far."""

        def opener() -> BinaryIO:
            self.current = tag
            return cast(BinaryIO, io.BufferedReader(_Metered(source.open(), self.progress.read), 1 << 18))

        return replace(source, opener=opener)

    def _take(self, record: Record, level: Level) -> None:
        file = self.report.files[self.current]
        if isinstance(record, Skipped):
            file.skipped.append(record)
        elif isinstance(record, Note):
            file.notes.append(record)
        else:
            tag = self.tags.get((record.origin.file, record.origin.member), self.current)
            self._take_chat(record, level, tag)

    def _take_chat(self, chat: Chat, level: Level, tag: int) -> None:
        file = self.report.files[tag]
        visible = sum(1 for _ in chat.visible())
        if not visible:
            file.chats_empty += 1
            return
        if self.request.since and chat.updated_at and chat.updated_at < self.request.since:
            file.chats_old += 1
            return
        chat = self._addressed(chat)
        if level == Level.GENERIC and self.writer.conflicts(chat):
            # Two files of a generic format may number different chats alike; both are kept.
            opening = next(chat.visible()).text
            chat = replace(chat, native_id=f"{chat.native_id}~{clean.digest(opening)[:8]}")
        if self.writer.put(chat, tag):
            file.chats_taken += 1
        else:
            file.chats_unchanged += 1
        file.messages_read += visible
        self.seen_chats += 1
        self.seen_messages += visible
        self.progress.chats(self.seen_chats, self.seen_messages)

    def _addressed(self, chat: Chat) -> Chat:
        """The chat with its owner, agent and project filled in."""
        request = self.request
        return replace(
            chat,
            user_id=request.user if request.force_user or not chat.user_id else chat.user_id,
            agent_id=request.agent or chat.agent_id or chat.source,
            project_id=request.project or chat.project_id,
            project_name=request.project or chat.project_name,
        )


class _Metered(io.RawIOBase):
    """A stream that tells how many bytes pass."""

    def __init__(self, stream: BinaryIO, tell: Callable[[int], None]) -> None:
        self._stream = stream
        self._tell = tell

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self._tell(len(data))
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


def _shown(source: Source) -> str:
    return source.where()


def _reader(name: str) -> Reader:
    for reader in READERS:
        if reader.name == name:
            return reader
    names = ", ".join(r.name for r in READERS)
    raise UsageError(f"unknown format {name!r}", f"--format takes one of: {names}")
