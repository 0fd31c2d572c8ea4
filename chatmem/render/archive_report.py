"""What `chatmem archive` says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from chatmem.render import as_json
from chatmem.render.diagnostics import diagnostics
from chatmem.render.sink import Sink
from chatmem.render.terminal import cell, one_line, some

if TYPE_CHECKING:
    from chatmem.archive.health import Contents
    from chatmem.reembed import Embedded
    from chatmem.upkeep import ArchiveInfo

SHOWN_PROJECTS = 20


def print_info(sink: Sink, info: ArchiveInfo, json: bool) -> None:
    """Lines of name and value, tab-separated in a pipe, or `chatmem.archive-info/1`."""
    held = info.contents
    if json:
        sink.line(as_json.dumps(_document(info)))
        return
    columns = [("archive", one_line(str(info.path))), ("size", megabytes(info.bytes)), *_counts(held)]
    columns.append(("index", f"{held.postings:,} postings, {held.terms:,} terms"))
    if held.model:
        missing = f", {some(held.unembedded, 'message')} without: chatmem archive embed" if held.unembedded else ""
        vectors = f"{held.vectors:,} of {held.dimension} dimensions by {cell(held.model)}{missing}"
        columns.append(("vectors", vectors))
    else:
        columns.append(("vectors", "none: chatmem archive embed"))
    for source in held.sources:
        span = f", {source.first:%Y-%m-%d} to {source.last:%Y-%m-%d}" if source.first and source.last else ""
        inner = f", {some(source.subagents, 'sub-agent')}" if source.subagents else ""
        held_there = f"{some(source.chats, 'chat')}, {some(source.messages, 'message')}"
        columns.append(("source", f"{one_line(source.source)}: {held_there}{inner}{span}"))
    columns += [
        ("project", f"{one_line(name)}: {some(count, 'chat')}") for name, count in held.projects[:SHOWN_PROJECTS]
    ]
    if len(held.projects) > SHOWN_PROJECTS:
        columns.append(("project", f"… and {len(held.projects) - SHOWN_PROJECTS} more (--json lists them)"))
    for name, value in columns:
        sink.line(f"{name:<9}{value}" if sink.is_terminal() else f"{name}\t{value}")


def _counts(held: Contents) -> list[tuple[str, str]]:
    inner = sum(s.subagents for s in held.sources)
    return [
        ("chats", f"{_total(held, 'chats'):,}" + (f" and {some(inner, 'sub-agent')}" if inner else "")),
        ("messages", f"{_total(held, 'messages'):,} visible, {held.stored_messages:,} stored"),
    ]


def _total(held: Contents, name: str) -> int:
    return sum(getattr(source, name) for source in held.sources)


def _document(info: ArchiveInfo) -> dict[str, object]:
    held = info.contents
    return {
        "schema": "chatmem.archive-info/1",
        "path": str(info.path),
        "bytes": info.bytes,
        "chats": _total(held, "chats"),
        "subagents": _total(held, "subagents"),
        "messages": _total(held, "messages"),
        "stored_messages": held.stored_messages,
        "postings": held.postings,
        "terms": held.terms,
        "model": held.model or None,
        "dimension": held.dimension or None,
        "vectors": held.vectors,
        "messages_without_vectors": held.unembedded,
        "sources": [
            {
                "source": s.source, "chats": s.chats, "subagents": s.subagents, "messages": s.messages,
                "from": as_json.naive_time(s.first), "to": as_json.naive_time(s.last),
            }
            for s in held.sources
        ],
        "projects": [{"project": name, "chats": count} for name, count in held.projects],
    }  # fmt: skip


def print_faults(sink: Sink, faults: Sequence[str], json: bool) -> None:
    if json:
        sink.line(as_json.dumps({"schema": "chatmem.archive-check/1", "sound": not faults, "faults": list(faults)}))
        return
    for fault in faults:
        sink.line(f"fault\t{one_line(fault)}")
    if not faults:
        sink.line("sound")


def print_embedded(sink: Sink, done: Embedded, json: bool) -> None:
    """How many messages got vectors, or `chatmem.archive-embed/1`."""
    if json:
        sink.line(as_json.dumps({"schema": "chatmem.archive-embed/1", **asdict(done)}))
    else:
        rate = f" in {done.seconds:.1f} s" if done.messages else ""
        counted = f"{done.messages:,} of {some(done.total, 'message')}"
        sink.line(f"embedded {counted} with {cell(done.model)} ({done.dimension} dimensions){rate}")
    if done.slow:
        diagnostics.note("every search will load sentence-transformers, which takes seconds: no BERT with mean pooling")


def print_sizes(sink: Sink, before: int, after: int) -> None:
    sink.line(f"{megabytes(before)} -> {megabytes(after)}")


def megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
