"""The import verb: find the files, let one reader claim each, write their chats, report what happened."""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from chatmem.archive import openings
from chatmem.archive.dry_run import DryRun
from chatmem.archive.embedding import FindEncoder
from chatmem.archive.ledger import Ledger
from chatmem.archive.locks import exclusive
from chatmem.archive.store import Store, open_workbench
from chatmem.archive.vectors import Encoder, Stamp
from chatmem.archive.write import Writer
from chatmem.claims import Found, Group, claim, find, reader_called
from chatmem.errors import InputError, UsageError
from chatmem.facts.noting import PatternExtractor
from chatmem.import_report import FileReport, ImportReport, ImportRequest, Progress
from chatmem.metered import Metered
from chatmem.model import Chat, Record, Skipped
from chatmem.readers import clean
from chatmem.readers.base import Level
from chatmem.readers.unpack import Source, damage
from chatmem.settle import settle

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["FileReport", "ImportReport", "ImportRequest", "Progress", "run_import"]


def run_import(request: ImportRequest, store: Store, progress: Progress) -> ImportReport:
    """Import everything. Raises InputError if a path is unusable or nothing at all could be read."""
    started = time.monotonic()
    if request.format:
        reader_called(request.format)
    report = ImportReport(dry_run=request.dry_run)
    found = find(request, report)
    with open_workbench() as workbench:
        groups = claim(request, report, found, _ledger(store, workbench))
        if not report.files and not groups:
            named = ", ".join(str(p) for p in request.paths)
            raise InputError(f"no chat export found in {named}", "chatmem import --help lists the formats")
        if request.dry_run:
            Intake(request, report, progress, DryRun(store, workbench)).run(groups)
        elif groups or store.exists():
            store.prepare()
            with (
                exclusive(store.home / "import.lock", store.wait, "another import"),
                Writer(
                    store,
                    workbench,
                    find_encoder=_finder(request, report),
                    extractor=PatternExtractor() if request.facts else None,
                ) as writer,
            ):
                Intake(request, report, progress, writer).run(groups)
                settle(writer)
                writer.merge_index()
    report.without_silent_files()
    report.seconds = time.monotonic() - started
    return report


def _finder(request: ImportRequest, report: ImportReport) -> FindEncoder:
    """What makes vectors. That nothing does is no reason not to import: it is told, and can be made up for."""

    def find(made_by: Stamp | None) -> tuple[Encoder, Stamp] | None:
        if not request.embed:
            report.not_embedded = "--no-embed"
            return None
        from chatmem.embed import models

        try:
            return models.find_encoder(made_by)
        except UsageError as error:
            report.not_embedded = error.what
            return None

    return find


def _ledger(store: Store, workbench: DuckDBPyConnection) -> Ledger:
    if not store.exists():
        return Ledger([])
    with store.glance(workbench):
        return Ledger.load(workbench)


class Intake:
    """One run over the groups: records to chats, chats to the writer, everything into the report."""

    def __init__(
        self, request: ImportRequest, report: ImportReport, progress: Progress, writer: Writer | DryRun
    ) -> None:
        self.request = request
        self.report = report
        self.progress = progress
        self.writer = writer
        self.current = 0
        self.places: dict[str, int] = {}
        # What a reader gave before a file broke under it and it was started again.
        self.given: set[int] = set()
        self.given_before: set[int] = set()
        self.same_bytes: set[int] = set()
        self.openings: dict[tuple[int, str], openings.Opening | None] = {}
        self.seen_chats = self.seen_messages = 0

    def run(self, groups: list[Group]) -> None:
        self.progress.start(sum(f.source.size for group in groups for f in group.files if f.source.size > 0))
        for group in groups:
            self._read_group(group)
        self.writer.finish()
        for outcome in self.writer.outcomes:
            file = self.report.files[outcome.tag]
            file.chats_new += outcome.is_new
            file.chats_updated += not outcome.is_new
            file.messages_new += outcome.messages_new
            file.messages_updated += outcome.messages_updated

    def _read_group(self, group: Group) -> None:
        first = len(self.report.files)
        for number, file in enumerate(group.files, first):
            self.report.files.append(FileReport(file.source.where(), group.reader.name, file.named))
            self.places[file.source.where()] = number
        self.given, self.given_before = set(), set()
        self.openings.clear()
        self.same_bytes = {n for n, file in enumerate(group.files, first) if file.source.where() in group.same_bytes}
        watched = [self._watched(file.source, number) for number, file in enumerate(group.files, first)]
        while watched and (broken := self._read(group, watched)) is not None:
            # A reader ends with the file it cannot open; the others get another chance.
            place = self.report.files[broken].path
            watched = [source for source in watched if source.where() != place]
            self.given_before = set(self.given)
        for number, file in enumerate(group.files, first):
            self._remember(self.report.files[number], file, group.beside.get(file.source.where(), ""))

    def _read(self, group: Group, watched: list[Source]) -> int | None:
        """Read to the end, or give the index of the file that cannot be read."""
        self.current = self.places[watched[0].where()]
        records = group.reader.read(watched, self.request.options)
        while True:
            try:
                record = next(records, None)
            except Exception as error:  # whatever a reader trips over costs one file, not the import
                file = self.report.files[self.current]
                file.skipped.append(Skipped(file.path, _failure(error)))
                return self.current
            if record is None:
                return None
            self._take(record, group.level)

    def _remember(self, report: FileReport, file: Found, beside: str) -> None:
        source = file.source
        if not report.skipped and source.path != "-":
            held = report.chats_unchanged + report.chats_taken
            settings = self.request.settings(beside)
            self.writer.record(
                (source.path, source.member, report.format, source.size, file.mtime_ns, settings, held,
                 report.chats_empty, report.messages_read, 0)
            )  # fmt: skip

    def _watched(self, source: Source, number: int) -> Source:
        """The source, telling which file is being read and how far."""

        def begin() -> None:
            self.current = number

        return replace(source, opener=Metered(source, begin, self.progress.read).open)

    def _take(self, record: Record, level: Level) -> None:
        if isinstance(record, Chat):
            origin = record.origin
            place = f"{origin.file}!{origin.member}" if origin.member else origin.file
            key = hash((record.chat_id, place))
            if key not in self.given_before:
                self.given.add(key)
                self._take_chat(record, level, self.places.get(place, self.current))
            return
        key = hash(record)
        if key not in self.given_before:
            self.given.add(key)
            file = self.report.files[self._place(record.where)]
            file.skipped.append(record) if isinstance(record, Skipped) else file.notes.append(record)

    def _place(self, where: str) -> int:
        """The file that a place lies in: `file`, `file!member`, either with ` line 3` or ` /7` behind it."""
        words = where
        while words:
            if words in self.places:
                return self.places[words]
            words = words.rpartition(" ")[0]
        return self.current

    def _take_chat(self, chat: Chat, level: Level, number: int) -> None:
        file = self.report.files[number]
        # A chat of our own export may hold nothing but copies; it is one all the same.
        visible = sum(1 for m in chat.messages if m.branch == "main" and m.hidden in (None, "copy"))
        if not visible:
            file.chats_empty += 1
            return
        if self.request.since and chat.updated_at and chat.updated_at < self.request.since:
            file.chats_old += 1
            return
        chat = self._addressed(chat)
        try:
            chat = self._distinct(chat, number) if level == Level.GENERIC else self._once(chat, number)
            is_news = self.writer.put(chat, number, number in self.same_bytes)
        except UnicodeEncodeError as error:
            file.skipped.append(Skipped(f"{file.path} {chat.origin.pointer}".rstrip(), f"text that is none ({error})"))
            return
        file.chats_taken += is_news
        file.chats_unchanged += not is_news
        file.messages_read += visible
        self.seen_chats += 1
        self.seen_messages += visible
        self.progress.chats(self.seen_chats, self.seen_messages)

    def _distinct(self, chat: Chat, number: int) -> Chat:
        """Two files of a generic format may number different chats alike; both are kept."""
        for native_id in _other_ids(chat):
            other = replace(chat, native_id=native_id)
            if not self.writer.is_another(other, number in self.same_bytes):
                return other
        return chat

    def _once(self, chat: Chat, number: int) -> Chat:
        """Two talks of one file under one id are two chats, also where ids should be unique; both are kept."""
        begins = openings.opening(chat)
        for native_id in _other_ids(chat):
            before = self.openings.setdefault((number, f"{chat.source}:{native_id}"), begins)
            if not openings.differ(before, begins):
                return replace(chat, native_id=native_id) if native_id != chat.native_id else chat
        return chat

    def _addressed(self, chat: Chat) -> Chat:
        """The chat with its owner, agent and project filled in."""
        request = self.request
        return replace(
            chat,
            source=clean.printable(chat.source),
            native_id=clean.printable(chat.native_id),
            parent_chat_id=chat.parent_chat_id and ":".join(map(clean.printable, chat.parent_chat_id.split(":", 1))),
            user_id=request.user if request.force_user or not chat.user_id else chat.user_id,
            agent_id=request.agent or chat.agent_id or chat.source,
            project_id=request.project or chat.project_id,
            project_name=request.project or chat.project_name,
            assigned=" ".join(sorted({*chat.assigned.split(), *request.assigned().split()})),
        )


def _failure(error: Exception) -> str:
    if isinstance(error, OSError | EOFError | zlib.error):
        return damage(error)
    return f"chatmem fails to read it ({type(error).__name__}: {error}); please report this"[:300]


def _other_ids(chat: Chat) -> Iterator[str]:
    """The id of the chat, then what it is called if another chat has that id: by its user, by how it begins, by all."""
    yield chat.native_id
    if "user" in chat.assigned.split():
        yield f"{chat.native_id}~{clean.digest(chat.user_id)[:8]}"
    shown = list(chat.visible())
    question = next((m for m in shown if m.role == "user"), shown[0])
    yield f"{chat.native_id}~{clean.digest(question.text)[:8]}"
    yield f"{chat.native_id}~{clean.digest(question.text, *(m.text for m in shown[:3]))[:8]}"
    yield f"{chat.native_id}~{clean.digest(*((m.created_at, m.text) for m in shown))[:12]}"
