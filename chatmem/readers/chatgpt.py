"""ChatGPT data exports: classic (2023 to mid 2026), split shards and slim (formats.md section 2).

A conversation is a tree of nodes; `_chatgpt_tree` finds the displayed path, `_chatgpt_content` the text of a node.
"Branch in new chat" copies messages with their ids and times and does not say from where: a message older than its chat
may be such a copy, and then, at the end, the other chat that has the same message is looked for.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from chatmem.model import Attachment, Branch, Chat, Message, Note, Origin, Record, Role, Skipped
from chatmem.readers import clean
from chatmem.readers._chatgpt_assets import Assets
from chatmem.readers._chatgpt_content import KNOWN_TYPES, content_of, hidden_because, kind_of, text_of, visible_text
from chatmem.readers._chatgpt_tree import Node, Tree
from chatmem.readers.base import NO, Claim, Level, Peek, ReadOptions
from chatmem.readers.jsonstream import elements
from chatmem.readers.unpack import Source

name = "chatgpt"

# Keys that tell a side file of the export by its elements: it holds no chats.
_SIDE_KEYS = (
    {"export_files"},
    {"conversation_id", "rating"},
    {"conversation_id", "is_anonymous"},
    {"chatgpt_plus_user", "email"},
)
# Clocks of server and browser differ by seconds; a copied message is older than that.
_COPY_AGE = timedelta(minutes=1)
_SPOOL_IN_MEMORY = 8 << 20


def sniff(peek: Peek) -> Claim:
    for item in peek.items:
        mapping = item.get("mapping")
        if isinstance(mapping, dict) and not _is_deepseek(item, mapping):
            nodes = [n for n in mapping.values() if isinstance(n, dict)]
            if any("message" in n and "parent" in n for n in nodes):
                return Claim(Level.EXACT, "`mapping` of nodes with `message` and `parent`")
            if not nodes and "current_node" in item:
                return Claim(Level.EXACT, "an empty `mapping` with a `current_node`")
    if any(_is_side(item) for item in peek.items):
        return Claim(Level.SIDE, "a side file of a ChatGPT export, not chats")
    return NO


def _is_deepseek(item: dict[str, Any], mapping: dict[str, Any]) -> bool:
    messages = (n.get("message") for n in mapping.values() if isinstance(n, dict))
    return "inserted_at" in item or any(isinstance(m, dict) and "fragments" in m for m in messages)


def _is_side(item: Any) -> bool:
    if not isinstance(item, dict) or "mapping" in item:
        return False
    stored = [key for key, value in item.items() if key.endswith(".dat") and isinstance(value, str)]
    return any(keys <= item.keys() for keys in _SIDE_KEYS) or len(stored) == len(item) > 0


def read(sources: Sequence[Source], options: ReadOptions) -> Iterator[Record]:
    reading = _Reading()
    wanted: set[str] = set()
    with tempfile.SpooledTemporaryFile(_SPOOL_IN_MEMORY) as late:
        for number, source in enumerate(sources):
            for element in elements(source, "conversations"):
                if isinstance(element, Skipped):
                    yield element
                elif not _is_side(element.value):
                    record = reading.record(element.value, source, element.pointer)
                    yield from reading.new_notes()
                    older = _older_than_chat(element.value, record) if isinstance(record, Chat) else set()
                    if older:
                        wanted |= older
                        late.write(json.dumps([number, element.pointer, element.value]).encode() + b"\n")
                    else:
                        yield record
        late.seek(0)
        owners = _owners(sources, wanted) if wanted else {}
        for line in late:
            number, pointer, raw = json.loads(line)
            record = reading.record(raw, sources[number], pointer)
            yield _with_homes(record, owners) if isinstance(record, Chat) else record


def _older_than_chat(raw: dict[str, Any], chat: Chat) -> set[str]:
    begun = clean.moment(raw.get("create_time"))
    if begun is None:
        return set()
    return {m.message_id for m in chat.messages if m.created_at and m.created_at < begun - _COPY_AGE}


def _owners(sources: Sequence[Source], wanted: set[str]) -> dict[str, str]:
    """The chat in which each wanted message was written: one that has it and began before it."""
    owners: dict[str, str] = {}
    reading = _Reading()
    for source in sources:
        for element in elements(source, "conversations"):
            if isinstance(element, Skipped):
                continue
            record = reading.record(element.value, source, element.pointer)
            if isinstance(record, Chat):
                written = {m.message_id for m in record.messages} - _older_than_chat(element.value, record)
                owners.update({key: record.native_id for key in written & wanted if key not in owners})
    return owners


def _with_homes(chat: Chat, owners: dict[str, str]) -> Chat:
    homes = [owners.get(m.message_id) for m in chat.messages]
    copies = [home for home in homes if home not in (None, chat.native_id)]
    messages = (
        replace(m, home=home if home != chat.native_id else None) for m, home in zip(chat.messages, homes, strict=True)
    )
    return replace(chat, messages=tuple(messages), continues=copies[-1] if copies else None)


class _Reading:
    """What outlives a chat during an import: types that have been noted, and the assets of each folder."""

    def __init__(self) -> None:
        self._noted: set[str] = set()
        self._notes: list[Note] = []
        self._assets: dict[tuple[str, ...], Assets] = {}

    def record(self, raw: Any, source: Source, pointer: str) -> Chat | Skipped:
        if not isinstance(raw, dict):
            return Skipped(source.where(pointer), "not an object")
        mapping = raw.get("mapping")
        if not isinstance(mapping, dict):
            reason = "`mapping` is not an object" if "mapping" in raw else "no `mapping`"
            return Skipped(source.where(pointer), f"not a ChatGPT conversation: {reason}")
        try:
            nodes = {key: node for key, node in mapping.items() if isinstance(node, dict)}
            return _chat(raw, self._messages(nodes, raw.get("current_node"), source, pointer), source, pointer)
        except RecursionError:
            return Skipped(source.where(pointer), "nested too deeply")

    def new_notes(self) -> list[Note]:
        notes, self._notes = self._notes, []
        return notes

    def _messages(self, nodes: dict[str, Any], current: Any, source: Source, pointer: str) -> tuple[Message, ...]:
        assets = self._assets.setdefault(source.parts[:-1], Assets(source))
        spoken: dict[str, Message] = {}
        for key, node in nodes.items():
            raw = node.get("message")
            if isinstance(raw, dict):
                spoken[key] = self._message(key, raw, assets, source, pointer)
        tree = Tree({key: _node(node, spoken.get(key)) for key, node in nodes.items()})
        ordered = []
        for key, displayed in tree.order(current if isinstance(current, str) else None):
            if key in spoken:
                parent = tree.spoken_parent(key)
                parent_id = None if parent is None else spoken[parent].message_id
                ordered.append(_placed(spoken[key], parent_id, "main" if displayed else "alternate"))
        return tuple(_with_pictures(ordered))

    def _message(self, key: str, raw: dict[str, Any], assets: Assets, source: Source, pointer: str) -> Message:
        author, metadata, content = (
            clean.mapping(raw.get("author")),
            clean.mapping(raw.get("metadata")),
            content_of(raw),
        )
        kind = kind_of(content)
        known_role = clean.role(author.get("role"))
        if known_role is None or kind not in KNOWN_TYPES:
            unknown = f"content type {kind!r}" if known_role else f"role {author.get('role')!r}"
            self._note(unknown[:80], source.where(f"{pointer}/mapping/{key}"))
        role: Role = known_role or "tool"
        hidden = hidden_because(role, kind, raw.get("recipient"), metadata)
        text = text_of(content, kind) if hidden else visible_text(text_of(content, kind))
        attachments = assets.of(content, metadata.get("attachments"))
        if hidden is None and not text.strip():
            hidden = "placeholder"
            if attachments and role == "user":
                text, hidden = f"[attached: {', '.join(a.name for a in attachments)}]", None
        return Message(
            message_id=clean.optional(raw.get("id")) or clean.text(key),
            role=role,
            text=text,
            author=clean.optional(author.get("name")),
            model=clean.optional(metadata.get("model_slug")) if role == "assistant" else None,
            created_at=clean.moment(raw.get("create_time")),
            hidden=hidden,
            attachments=attachments,
            pointer=f"/mapping/{clean.text(key).replace('~', '~0').replace('/', '~1')}",
        )

    def _note(self, unknown: str, where: str) -> None:
        if unknown not in self._noted:
            self._noted.add(unknown)
            self._notes.append(Note(where, f"unknown {unknown}; kept as hidden text"))


def _placed(message: Message, parent_id: str | None, branch: Branch) -> Message:
    if parent_id is None and branch == "main":
        return message
    # Spelled out, because dataclasses.replace takes five times as long and every message passes here.
    m = message
    return Message(
        m.message_id, m.role, m.text, parent_id, m.author, m.model, m.created_at, branch, m.hidden, m.attachments,
        m.pointer, m.home,
    )  # fmt: skip


def _chat(raw: dict[str, Any], messages: tuple[Message, ...], source: Source, pointer: str) -> Chat:
    native_id = clean.optional(raw.get("conversation_id")) or clean.optional(raw.get("id"))
    url = f"https://chatgpt.com/c/{native_id}" if native_id else None
    gizmos = [clean.optional(raw.get(key)) or "" for key in ("gizmo_id", "conversation_template_id")]
    # Only ids are exported: `g-p-` is a project, any other a custom GPT.
    project = next((gizmo for gizmo in gizmos if gizmo.startswith("g-p-")), None)
    agent = next((gizmo for gizmo in gizmos if gizmo and not gizmo.startswith("g-p-")), None)
    models = [clean.optional(raw.get("default_model_slug")), *(m.model for m in messages if m.branch == "main")]
    return clean.complete(
        Chat(
            source=name,
            native_id=native_id or _digest(raw, messages),
            messages=messages,
            origin=Origin(source.path, source.member, pointer),
            title=clean.title(raw.get("title")),
            created_at=clean.moment(raw.get("create_time")),
            updated_at=clean.moment(raw.get("update_time")),
            project_id=project,
            agent_id=agent,
            # "auto" is a setting of the product, not a model.
            model=next((model for model in models if model and model != "auto"), None),
            source_url=url,
            archived=raw.get("is_archived") is True,
            starred=raw.get("is_starred") is True,
        )
    )


def _digest(raw: dict[str, Any], messages: tuple[Message, ...]) -> str:
    """An id for a chat without one, from its first visible message: it stays when the chat grows or moves."""
    first = next((m for m in messages if m.hidden is None and m.branch == "main"), None)
    return clean.digest(first.text if first else "", clean.moment(raw.get("create_time")))


def _node(raw: dict[str, Any], message: Message | None) -> Node:
    parent, children = raw.get("parent"), raw.get("children")
    return Node(
        parent=parent if isinstance(parent, str) else None,
        children=tuple(c for c in children if isinstance(c, str)) if isinstance(children, list) else (),
        spoken=message is not None,
        visible=message is not None and message.hidden is None,
        superseded=clean.mapping(raw.get("message")).get("weight") == 0,
        at=message.created_at if message else None,
    )


def _with_pictures(messages: list[Message]) -> Iterator[Message]:
    """Pictures made by a tool belong to the next visible answer of the same branch."""
    waiting: tuple[Attachment, ...] = ()
    before: Message | None = None
    for message in messages:
        if before is not None and message.parent_id != before.message_id:
            waiting = ()
        before = message
        if message.role == "tool":
            waiting += message.attachments
        elif waiting and message.role == "assistant" and message.hidden is None:
            message, waiting = replace(message, attachments=message.attachments + waiting), ()
        yield message
