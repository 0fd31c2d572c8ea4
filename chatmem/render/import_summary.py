"""What an import did, for people (tables of lines) and for programs (chatmem.import/1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from chatmem.render import as_json
from chatmem.render.diagnostics import diagnostics
from chatmem.render.sink import Sink
from chatmem.render.terminal import one_line, some

if TYPE_CHECKING:
    from chatmem.discover import AgentStore
    from chatmem.ingest import FileReport, ImportReport

SHOWN = 20


def print_report(sink: Sink, report: ImportReport, json: bool) -> None:
    """The result to stdout, problems and notes to stderr; with `json` all of it is in the document."""
    if json:
        sink.line(as_json.dumps(as_json.import_report(report)))
    else:
        for line in _lines(report) if not diagnostics.quiet else ():
            sink.line(line)
        _tell([f"note: {n.where}: {n.text}" for f in report.files for n in f.notes], "notes", diagnostics.note)
        if report.not_embedded:
            diagnostics.note(f"the new messages have no vectors ({report.not_embedded}): chatmem archive embed")
        if report.other_files:
            diagnostics.detail(f"{some(report.other_files, 'other file')} without chats")
    _tell([f"skipped {p.where}: {p.reason}" for p in report.problems()], "skipped", diagnostics.problem)


def _tell(sentences: Sequence[str], what: str, say: Callable[[str], None]) -> None:
    for sentence in sentences[:SHOWN]:
        say(sentence)
    if len(sentences) > SHOWN:
        say(f"… and {len(sentences) - SHOWN:,} more {what}; --json lists them all")


def _lines(report: ImportReport) -> list[str]:
    """One line per source: what is new, updated, unchanged; then the total."""
    sources: dict[str, list[FileReport]] = {}
    for file in report.files:
        if file.format:
            sources.setdefault(file.format, []).append(file)
    verb = "would import" if report.dry_run else "imported"
    lines = [f"{name}: {_counts(files)}" for name, files in sorted(sources.items()) if _any(files)]
    skipped = f", {len(report.problems()):,} skipped" if report.problems() else ""
    total = report.total("chats_new") + report.total("chats_updated")
    rate = f" in {report.seconds:.1f} s" if report.seconds >= 0.05 else ""
    lines.append(f"{verb} {some(total, 'chat')}, {some(report.total('messages_new'), 'new message')}{skipped}{rate}")
    return lines


def _any(files: Sequence[FileReport]) -> bool:
    return any(f.chats_new or f.chats_updated or f.chats_unchanged or f.chats_empty or f.chats_old for f in files)


def _counts(files: Sequence[FileReport]) -> str:
    def total(name: str) -> int:
        return sum(getattr(f, name) for f in files)

    parts = [f"{total('chats_new'):,} new", f"{total('chats_updated'):,} updated"]
    parts.append(f"{total('chats_unchanged'):,} unchanged chats")
    if total("chats_empty"):
        parts.append(f"{total('chats_empty'):,} empty")
    if total("chats_old"):
        parts.append(f"{total('chats_old'):,} before --since")
    messages = f"{total('messages_new'):,} new messages"
    if total("messages_updated"):
        messages += f", {total('messages_updated'):,} updated"
    return f"{', '.join(parts)}; {messages} ({some(len(files), 'file')})"


def discovered(sink: Sink, stores: Sequence[AgentStore], importing: bool) -> None:
    """The stores found, one a line: name, session files, path. They are the result only if nothing is imported."""
    for store in stores:
        line = f"{store.name}\t{store.files}\t{one_line(str(store.path))}"
        diagnostics.note(line.replace("\t", " ")) if importing else sink.line(line)
    if not stores:
        diagnostics.note("no store of a coding agent found in this home directory")
    elif not importing:
        diagnostics.note("import them with: chatmem import --discover --yes")
