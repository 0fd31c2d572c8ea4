"""chatmem's own export: one `chatmem.chat/1` object a line, read back without a loss (SPEC section 3).

Values are taken as they stand: nothing is trimmed, and what other readers derive is only derived where it is missing.
Every key may be absent but the messages and an identity, which `chat_id` can supply.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, get_args

from chatmem.model import ASSIGNABLE, Attachment, Chat, Hidden, Message, Note, Origin, Record, Skipped
from chatmem.readers import clean
from chatmem.readers._json_records import records
from chatmem.readers.base import NO, Claim, Level, Peek, ReadOptions
from chatmem.readers.jsonstream import Element
from chatmem.readers.unpack import Source

name = "chatmem"

SCHEMA = "chatmem.chat/1"
_HIDDEN: tuple[Hidden, ...] = get_args(Hidden)


def sniff(peek: Peek) -> Claim:
    if any(_is_record(item) for item in peek.items):
        return Claim(Level.EXACT, f"`schema` is {SCHEMA}")
    return NO


def _is_record(value: Any) -> bool:
    return isinstance(value, dict) and value.get("schema") == SCHEMA


def read(sources: Sequence[Source], options: ReadOptions) -> Iterator[Record]:
    for source in sources:
        for record in records(source, _is_record):
            if isinstance(record, Skipped):
                yield record
            elif not _is_record(record.value):
                yield Skipped(source.where(record.pointer), f"its `schema` is not {SCHEMA}")
            else:
                yield from _chat(source, record)


def _chat(source: Source, record: Element) -> Iterator[Record]:
    raw, where = record.value, source.where(record.pointer)
    product, _, native_id = (_string(raw.get("chat_id")) or "").partition(":")
    product, native_id = _string(raw.get("source")) or product, _string(raw.get("native_id")) or native_id
    if not product or not native_id:
        yield Skipped(where, "neither `source` and `native_id` nor a `chat_id`")
        return
    if not isinstance(raw.get("messages"), list):
        yield Skipped(where, "no list of `messages`")
        return
    messages: list[Message] = []
    origin = _origin(raw.get("origin"))
    for number, value in enumerate(raw["messages"]):
        pointer = f"/messages/{number}"
        if not isinstance(value, dict):
            yield Skipped(source.where(record.pointer + pointer), "not a message object")
            continue
        origin = origin or _origin(value.get("origin"))
        yield from _remarks(source, record.pointer + pointer, value)
        messages.append(_message(value, pointer))
    yield clean.complete(
        Chat(
            source=product,
            native_id=native_id,
            messages=tuple(messages),
            # An exported message's pointer is whole, so the chat adds none to it.
            origin=Origin(origin.file, origin.member) if origin else Origin(source.path, source.member, record.pointer),
            title=_string(raw.get("title")),
            title_origin="derived" if raw.get("title_origin") == "derived" else "export",
            created_at=_moment(raw, "created_at"),
            updated_at=_moment(raw, "updated_at"),
            project_id=_string(raw.get("project_id")),
            project_name=_string(raw.get("project_name")),
            user_id=_string(raw.get("user_id")),
            agent_id=_string(raw.get("agent_id")),
            model=_string(raw.get("model")),
            source_url=_string(raw.get("source_url")),
            resume=_string(raw.get("resume")),
            kind="subagent" if raw.get("kind") == "subagent" else "thread",
            parent_chat_id=_string(raw.get("parent_chat_id")),
            continues=_string(raw.get("continues")),
            archived=raw.get("archived") is True,
            starred=raw.get("starred") is True,
            assigned=_assigned(raw.get("assigned")),
        )
    )


def _assigned(names: Any) -> str:
    return " ".join(name for name in ASSIGNABLE if name in names) if isinstance(names, list) else ""


def _message(raw: dict[str, Any], pointer: str) -> Message:
    role = clean.role(raw.get("role"))
    text = clean.text(raw.get("text"))
    hidden = raw.get("hidden")
    if hidden is not None and hidden not in _HIDDEN:
        hidden = "note"
    origin = _origin(raw.get("origin"))
    return Message(
        message_id=_string(raw.get("message_id")) or clean.digest(role, raw.get("created_at"), text),
        role=role or "tool",
        text=text,
        parent_id=_string(raw.get("parent_id")),
        author=_string(raw.get("author")),
        model=_string(raw.get("model")),
        created_at=_moment(raw, "created_at"),
        branch="alternate" if raw.get("branch") == "alternate" else "main",
        hidden=hidden if role or hidden else "tool",
        attachments=_attachments(raw.get("attachments")),
        pointer=origin.pointer if origin else pointer,
        home=_string(raw.get("home")),
    )


def _remarks(source: Source, pointer: str, raw: dict[str, Any]) -> Iterator[Note]:
    """Words that this version does not know: the message is kept, hidden."""
    if clean.role(raw.get("role")) is None:
        yield Note(source.where(pointer), f"unknown role {str(raw.get('role'))[:40]!r}, kept hidden")
    if raw.get("hidden") is not None and raw["hidden"] not in _HIDDEN:
        yield Note(source.where(pointer), f"unknown reason to hide {str(raw['hidden'])[:40]!r}, kept hidden")


def _origin(value: Any) -> Origin | None:
    if not isinstance(value, dict) or not isinstance(value.get("file"), str):
        return None
    return Origin(clean.text(value["file"]), _string(value.get("member")), clean.text(value.get("pointer")))


def _attachments(value: Any) -> tuple[Attachment, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(
        Attachment(
            name=clean.text(a.get("name")),
            mime=_string(a.get("mime")),
            size=a["size"] if isinstance(a.get("size"), int) and not isinstance(a["size"], bool) else None,
            pointer=_string(a.get("pointer")),
            present=a.get("present") is True,
        )
        for a in value
        if isinstance(a, dict)
    )


def _moment(raw: dict[str, Any], key: str) -> datetime | None:
    return clean.moment(raw.get(key))


def _string(value: Any) -> str | None:
    """The text as it stands; None if there is none."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return clean.text(value) or None
