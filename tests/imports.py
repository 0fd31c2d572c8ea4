"""Imports as tests run them, in this process; and the smallest exports of each kind that an import takes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, tzinfo
from functools import cache
from pathlib import Path
from typing import Any

from duckdb import DuckDBPyConnection

from chatmem.archive import read
from chatmem.archive.scope import Scope
from chatmem.archive.store import Store, open_workbench
from chatmem.import_report import FileReport, ImportReport, ImportRequest
from chatmem.ingest import run_import
from chatmem.readers.base import ReadOptions
from chatmem.render import as_json
from chatmem.render.progress import Silent


def uuid(number: int) -> str:
    """An id as products make them: unique all over the world."""
    return f"{number:08d}-0000-4000-8000-000000000000"


def create(store: Store) -> Store:
    """Make the archive of a store, without any chats."""
    store.create(_workbench())
    return store


def imported(store: Store, *paths: Path, zone: tzinfo = UTC, **options: Any) -> ImportReport:
    """What `chatmem import` does, without a command line. `options` are fields of ImportRequest."""
    request = ImportRequest(paths=paths, options=ReadOptions(timezone=zone), **{"user": "me", **options})
    return run_import(request, store, Silent())


def exported(store: Store) -> list[str]:
    """The lines of `chatmem export`."""
    connection = _workbench()
    with store.glance(connection):
        wanted = [chat_id for chat_id, _ in read.ordered(connection, Scope(subagents=True))]
        return [as_json.export_line(*c) for c in read.whole_chats(connection, read.numbers(connection, wanted))]


@cache
def _workbench() -> DuckDBPyConnection:
    """One for all looks: to open a database of its own for each would take most of the time of these tests."""
    return open_workbench()


def held(store: Store) -> dict[str, dict[str, Any]]:
    """The exported records by chat id."""
    return {record["chat_id"]: record for record in map(json.loads, exported(store))}


def shown(store: Store) -> dict[str, list[str]]:
    """The visible texts of every chat by chat id."""
    return {i: [m["text"] for m in record["messages"] if m["n"]] for i, record in held(store).items()}


def chats(report: ImportReport | FileReport) -> tuple[int, int, int]:
    """(new, updated, unchanged)"""
    files = report.files if isinstance(report, ImportReport) else [report]
    return (
        sum(f.chats_new for f in files),
        sum(f.chats_updated for f in files),
        sum(f.chats_unchanged for f in files),
    )


def messages(report: ImportReport) -> tuple[int, int]:
    """(new, updated)"""
    return report.total("messages_new"), report.total("messages_updated")


def moment(second: int) -> str:
    return datetime.fromtimestamp(1_770_000_000 + second, UTC).isoformat().replace("+00:00", "Z")


def turn(number: int, role: str, text: str, at: int | None = None, parent: int | None = None) -> dict[str, Any]:
    """A node of a ChatGPT conversation, said at second `at` (its number if not given), after the node before it."""
    return {"number": number, "role": role, "text": text, "at": number if at is None else at, "parent": parent}


def conversation(
    native_id: str, *turns: dict[str, Any], created: int = 0, updated: int | None = None, **more: Any
) -> dict[str, Any]:
    """A ChatGPT conversation whose displayed path ends with the last turn."""
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    before = "root"
    for said in turns:
        node = uuid(said["number"])
        parent = before if said["parent"] is None else uuid(said["parent"])
        mapping[parent]["children"].append(node)
        mapping[node] = {
            "id": node,
            "parent": parent,
            "children": [],
            "message": {
                "id": node,
                "author": {"role": said["role"]},
                "create_time": 1_770_000_000 + said["at"],
                "content": {"content_type": "text", "parts": [said["text"]]},
                "status": "finished_successfully",
                "recipient": "all",
                "metadata": {},
            },
        }
        before = node
    last = max((said["at"] for said in turns), default=created)
    return {
        "id": native_id,
        "conversation_id": native_id,
        "title": f"About {native_id}",
        "create_time": 1_770_000_000 + created,
        "update_time": 1_770_000_000 + (last if updated is None else updated),
        "mapping": mapping,
        "current_node": before,
        **more,
    }


def export(path: Path, *conversations: dict[str, Any]) -> Path:
    """A conversations.json."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(list(conversations)), "utf-8")
    return path


def line(number: int, text: str, session: str, role: str = "user", **more: Any) -> dict[str, Any]:
    """A line of a Claude Code session, said in minute `number`."""
    said = {"role": role, "content": text}
    if role == "assistant":
        said |= {"id": f"msg_{number:032d}", "model": "claude-test"}
    return {
        "type": role, "uuid": uuid(number), "sessionId": session, "timestamp": moment(60 * number), "cwd": "/w/app",
        "isSidechain": False, "message": said, **more,
    }  # fmt: skip


def session(folder: Path, name: str, rows: Iterable[dict[str, Any]]) -> Path:
    """A Claude Code session log; each line follows the one before it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    before = None
    text = ""
    for row in rows:
        text += json.dumps({"parentUuid": before, **row} if "uuid" in row else row) + "\n"
        before = row.get("uuid", before)
    path.write_text(text, "utf-8")
    return path


def table(path: Path, *rows: Sequence[str], head: str = "conversation_id,created_at,role,message") -> Path:
    """A CSV file of messages."""
    path.write_text("\n".join([head, *(",".join(row) for row in rows)]) + "\n", "utf-8")
    return path
