"""What `chatmem archive` says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chatmem.render import as_json
from chatmem.render.sink import Sink
from chatmem.render.terminal import one_line

if TYPE_CHECKING:
    from chatmem.upkeep import ArchiveInfo

SHOWN_PROJECTS = 20


def print_info(sink: Sink, info: ArchiveInfo, json: bool) -> None:
    """Tab-separated lines of name and value, or `chatmem.archive-info/1`."""
    held = info.contents
    if json:
        sink.line(as_json.dumps(_document(info)))
        return
    chats, messages = sum(s.chats for s in held.sources), sum(s.messages for s in held.sources)
    sink.line(f"archive\t{info.path}")
    sink.line(f"size\t{megabytes(info.bytes)}")
    sink.line(f"chats\t{chats:,}")
    sink.line(f"messages\t{messages:,} visible, {held.stored_messages:,} stored")
    sink.line(f"index\t{held.postings:,} postings, {held.terms:,} terms")
    for s in held.sources:
        span = f", {s.first:%Y-%m-%d} to {s.last:%Y-%m-%d}" if s.first and s.last else ""
        inner = f", {s.subagents:,} sub-agents" if s.subagents else ""
        sink.line(f"source\t{one_line(s.source)}: {s.chats:,} chats, {s.messages:,} messages{inner}{span}")
    for name, count in held.projects[:SHOWN_PROJECTS]:
        sink.line(f"project\t{one_line(name)}: {count:,} chats")
    if len(held.projects) > SHOWN_PROJECTS:
        sink.line(f"project\t… and {len(held.projects) - SHOWN_PROJECTS} more (--json lists them)")


def _document(info: ArchiveInfo) -> dict[str, object]:
    held = info.contents
    return {
        "schema": "chatmem.archive-info/1",
        "path": str(info.path),
        "bytes": info.bytes,
        "stored_messages": held.stored_messages,
        "postings": held.postings,
        "terms": held.terms,
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


def print_sizes(sink: Sink, before: int, after: int) -> None:
    sink.line(f"{megabytes(before)} -> {megabytes(after)}")


def megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
