"""Results as JSON: stable names, UTC times, the same bytes on a terminal and in a pipe."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from chatmem.render.terminal import escape_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from chatmem.archive.read import ChatRow, MessageRow, ScopeCount
    from chatmem.discover import AgentStore
    from chatmem.errors import ChatmemError
    from chatmem.evidence.answer import Answer, Evidence, Excerpt, Page
    from chatmem.ingest import ImportReport
    from chatmem.model import Chat
    from chatmem.recall import Thread


def dumps(value: Any) -> str:
    """One line of JSON with text as it is, except that every character that acts on a terminal is \\u-escaped."""
    return escape_json(json.dumps(value, ensure_ascii=False, separators=(", ", ": ")))


def time(at: datetime | None) -> str | None:
    """ISO 8601 in UTC with `Z`, a fraction only where there is one."""
    if at is None:
        return None
    text = at.astimezone(UTC).replace(tzinfo=None).isoformat()
    return (text.rstrip("0") if "." in text else text) + "Z"


def naive_time(at: datetime | None) -> str | None:
    """The same for a time without zone that is UTC already."""
    return time(at.replace(tzinfo=UTC)) if at else None


def export_line(chat: Chat, stored: list[MessageRow], row: ChatRow) -> str:
    return dumps(chat_record(chat, stored, row))


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
        "assigned": chat.assigned.split(),
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
        "not_embedded": report.not_embedded or None,
        "seconds": round(report.seconds, 3),
    }


def discovered(stores: Sequence[AgentStore]) -> dict[str, Any]:
    """`chatmem.discover/1`."""
    found = [{"name": s.name, "files": s.files, "path": str(s.path)} for s in stores]
    return {"schema": "chatmem.discover/1", "stores": found}


def answer(found: Answer, name: Any = None) -> dict[str, Any]:
    """`chatmem.search/1`. `name` is the id of a batch query."""
    return _head(name) | {
        "query": found.query,
        "mode_used": found.mode,
        "note": found.note or None,
        "by": found.by,
        "sufficiency": {
            "level": found.sufficiency.level,
            "reason": found.sufficiency.reason,
            "strength": found.sufficiency.strength,
        },
        "miss": found.miss or None,
        "scope": scope(found.scope),
        "matched": found.matched,
        "omitted": found.omitted,
        "tokens": found.tokens,
        "tokens_exact": found.tokens_exact,
        "did_you_mean": list(found.did_you_mean),
        "results": [result(e, found.by == "message") for e in found.results],
    }


def refusal(error: ChatmemError, name: Any = None) -> dict[str, Any]:
    """What stands in the place of an answer to a batch query that makes no sense."""
    return _head(name) | {"error": {"what": error.what, "next_step": error.next_step}, "results": []}


def _head(name: Any) -> dict[str, Any]:
    return {"schema": "chatmem.search/1"} | ({} if name is None else {"id": name})


def page(found: Page) -> dict[str, Any]:
    """`chatmem.recent/1`."""
    return {
        "schema": "chatmem.recent/1",
        "miss": found.miss or None,
        "scope": scope(found.scope),
        "omitted": found.omitted,
        "tokens": found.tokens,
        "next_cursor": found.next_cursor,
        "results": [result(e) for e in found.results],
    }


def scope(counted: ScopeCount) -> dict[str, Any]:
    return {
        "chats": counted.chats,
        "messages": counted.messages,
        "from": time(counted.first),
        "to": time(counted.last),
    }


def result(evidence: Evidence, one_message: bool = False) -> dict[str, Any]:
    """The fields of one result; with `one_message` those of its message beside those of its chat."""
    chat = evidence.chat
    record: dict[str, Any] = {"rank": evidence.rank, "chat_id": chat.chat_id}
    if one_message and evidence.excerpts:
        first = evidence.excerpts[0]
        record |= {
            "ref": first.ref, "message_id": first.message_id, "role": first.role, "author": first.author,
            "created_at": time(first.created_at), "text": first.text,
        }  # fmt: skip
    else:
        record |= {"created_at": time(chat.created_at)}
    record |= {
        "title": chat.title,
        "source": chat.source,
        "project_id": chat.project_id,
        "project_name": chat.project_name,
        "user_id": chat.user_id,
        "agent_id": chat.agent_id,
        "updated_at": time(chat.updated_at),
        "source_url": chat.source_url,
        "resume": chat.resume,
        "excerpt": evidence.excerpts[0].text if evidence.excerpts else "",
        "excerpts": [excerpt(e) for e in evidence.excerpts],
    }
    if evidence.score:
        s = evidence.score
        record["score"] = round(s.total, 4)
        record["score_parts"] = {
            "own": round(s.own, 4), "context": round(s.context, 4), "chat": round(s.chat, 4),
            "author_factor": s.author_factor, "meaning": round(s.meaning, 4), "cosine": round(s.cosine, 4),
        }  # fmt: skip
    return record


def excerpt(found: Excerpt) -> dict[str, Any]:
    record: dict[str, Any] = {
        "ref": found.ref,
        "message_id": found.message_id,
        "role": found.role,
        "author": found.author,
        "created_at": time(found.created_at),
        "text": found.text,
        "tokens": found.tokens,
        "matched": list(found.matched),
    }
    if found.outdated:
        record["outdated"] = list(found.outdated)
    if found.hidden:
        record["hidden"] = found.hidden
    if found.branch != "main":
        record["branch"] = found.branch
    return record


def thread(shown: Thread) -> dict[str, Any]:
    """`chatmem.show/1`."""
    chat = shown.chat
    return {
        "schema": "chatmem.show/1",
        "chat_id": chat.chat_id,
        "title": chat.title,
        "source": chat.source,
        "project_id": chat.project_id,
        "project_name": chat.project_name,
        "user_id": chat.user_id,
        "agent_id": chat.agent_id,
        "model": chat.model,
        "created_at": time(chat.created_at),
        "updated_at": time(chat.updated_at),
        "source_url": chat.source_url,
        "resume": chat.resume,
        "kind": chat.kind,
        "continues": chat.continues,
        "message_count": chat.messages,
        "focus": shown.focus,
        "before": shown.before,
        "after": shown.after,
        "messages": [_message_record(m, chat) for m in shown.messages],
    }
