"""Results as JSON: stable names, UTC times, the same bytes on a terminal and in a pipe."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from chatmem.archive.read import ChatRow, MessageRow
from chatmem.ingest import ImportReport
from chatmem.model import Chat


def dumps(value: Any) -> str:
    """One line of JSON, text as it is (not \\u-escaped). Control characters are escaped by JSON itself."""
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def time(at: datetime | None) -> str | None:
    """ISO 8601 in UTC with `Z`, a fraction only where there is one."""
    if at is None:
        return None
    text = at.astimezone(UTC).replace(tzinfo=None).isoformat()
    return (text.rstrip("0") if "." in text else text) + "Z"


def chat_record(chat: Chat, stored: list[MessageRow], row: ChatRow) -> dict[str, Any]:
    """`chatmem.chat/1`: one chat with everything it holds; the import of this record restores it."""
    return {
        "schema": "chatmem.chat/1",
        "chat_id": chat.chat_id,
        "source": chat.source,
        "native_id": chat.native_id,
        "title": chat.title,
        "title_origin": chat.title_origin,
        "created_at": time(chat.created_at),
        "updated_at": time(chat.updated_at),
        "project_id": chat.project_id,
        "project_name": chat.project_name,
        "user_id": chat.user_id,
        "agent_id": chat.agent_id,
        "model": chat.model,
        "source_url": chat.source_url,
        "resume": chat.resume,
        "kind": chat.kind,
        "parent_chat_id": chat.parent_chat_id,
        "continues": chat.continues,
        "archived": chat.archived,
        "starred": chat.starred,
        "messages": [_message_record(m, row) for m in stored],
    }


def _message_record(message: MessageRow, row: ChatRow) -> dict[str, Any]:
    record = {
        "n": message.n,
        "message_id": message.message_id,
        "parent_id": message.parent_id,
        "role": message.role,
        "author": message.author,
        "model": message.model,
        "created_at": time(message.created_at),
        "branch": message.branch,
        "hidden": message.hidden,
        "text": message.text,
        "attachments": [
            {"name": a.name, "mime": a.mime, "size": a.size, "pointer": a.pointer, "present": a.present}
            for a in message.attachments
        ],
        "origin": {"file": row.origin_file, "member": row.origin_member, "pointer": message.pointer},
    }
    return record | {"home": message.home} if message.home else record


def import_report(report: ImportReport) -> dict[str, Any]:
    """`chatmem.import/1`."""
    files = [
        {
            "path": f.path,
            "format": f.format or None,
            "chats": {
                "new": f.chats_new, "updated": f.chats_updated, "unchanged": f.chats_unchanged, "empty": f.chats_empty,
                "older": f.chats_old,
            },
            "messages": {"new": f.messages_new, "updated": f.messages_updated},
            "skipped": [{"where": s.where, "reason": s.reason} for s in f.skipped],
            "notes": [{"where": n.where, "note": n.text} for n in f.notes],
        }
        for f in report.files
    ]  # fmt: skip
    totals = {
        "files": len(report.files),
        "other_files": report.other_files,
        "chats": {
            name: report.total(f"chats_{name}") for name in ("new", "updated", "unchanged", "empty")
        } | {"older": report.total("chats_old")},
        "messages": {"new": report.total("messages_new"), "updated": report.total("messages_updated")},
        "skipped": len(report.problems()),
    }  # fmt: skip
    return {
        "schema": "chatmem.import/1",
        "dry_run": report.dry_run,
        "files": files,
        "totals": totals,
        "seconds": round(report.seconds, 3),
    }
