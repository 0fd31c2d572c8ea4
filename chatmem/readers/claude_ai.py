"""Claude.ai: account exports of both layouts, API-shaped objects, share snapshots, design chats (formats.md section 3).

Every file called conversations.json looks alike from outside, so only `uuid` with `chat_messages` (or `messages` with a
`sender`) is Claude; a `mapping` never is. Without parent links the array order is the talk; with them the tree is, and
an unknown parent means the preceding element. Times never order anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from chatmem.model import Branch, Chat, Message, Note, Origin, Record, Role, Skipped
from chatmem.readers import clean
from chatmem.readers._agent_logs import attached
from chatmem.readers._claude_blocks import Part, attachments, parts
from chatmem.readers.base import NO, Claim, Level, Peek, ReadOptions
from chatmem.readers.jsonstream import Element, elements, lines, top_level
from chatmem.readers.unpack import Source

name = "claude"

# The parent of a first message: 00000000-0000-4000-8000-000000000000.
_ROOT = "00000000-0000-"


def sniff(peek: Peek) -> Claim:
    for item in peek.items:
        if isinstance(item.get("mapping"), dict):
            return NO
        if "uuid" in item or "conversation_uuid" in item:
            if "chat_messages" in item:
                return Claim(Level.EXACT, "`uuid` with `chat_messages`")
            if any(_is_turn(message) for message in _listed(item.get("messages"))):
                return Claim(Level.EXACT, "`uuid` with `messages` that have a `sender`, or a `role` and a `uuid`")
        if any("contentBlocks" in clean.mapping(m.get("content")) for m in _listed(item.get("messages"))):
            return Claim(Level.EXACT, "`messages` with `contentBlocks`, a design chat")
    return _side(peek)


def _listed(value: Any) -> list[dict[str, Any]]:
    return [element for element in value if isinstance(element, dict)] if isinstance(value, list) else []


def _is_turn(message: dict[str, Any]) -> bool:
    return "sender" in message or {"uuid", "role"} <= message.keys()


def _side(peek: Peek) -> Claim:
    top = clean.mapping(peek.top)
    files = [f for f in _listed(top.get("data_files")) if "category" in f and "export_url" in f]
    if files:
        names = [clean.optional(f.get("filename")) for f in files if f.get("category") == "conversations"]
        wanted = ", ".join(n for n in names if n) or "conversations-000.zip"
        return Claim(Level.SIDE, f"a list of what to download, not chats; download the listed files, import {wanted}")
    for item in peek.items:
        if "uuid" in item and item.keys() & {"docs", "prompt_template", "is_starter_project"}:
            return Claim(Level.SIDE, "Claude projects and their documents, not chats")
        if item.keys() & {"conversations_memory", "project_memories", "memory_files"}:
            return Claim(Level.SIDE, "Claude's memory of the account, not chats")
        if {"uuid", "email_address"} <= item.keys() or {"uuid", "full_name"} <= item.keys():
            return Claim(Level.SIDE, "Claude account holders, not chats")
    return NO


def read(sources: Sequence[Source], options: ReadOptions) -> Iterator[Record]:
    reported: set[str] = set()
    for source in sources:
        for element in _elements(source):
            if isinstance(element, Skipped):
                yield element
                continue
            try:
                records = list(_conversation(element, source))
            except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
                records = [Skipped(source.where(element.pointer), f"not a Claude conversation ({error})"[:200])]
            for record in records:
                if not isinstance(record, Note) or record.text not in reported:
                    yield record
                if isinstance(record, Note):
                    reported.add(record.text)


def _elements(source: Source) -> Iterator[Element | Skipped]:
    if source.name.endswith((".jsonl", ".ndjson")):
        return lines(source)
    return elements(source, top_level(source)[1] or None)


@dataclass(frozen=True, slots=True)
class _Turn:
    """A message of the export: its place in the array, what it is called, who speaks, when and what."""

    index: int
    raw: dict[str, Any]
    message_id: str
    role: Role | None
    at: datetime | None
    parts: list[Part]


def _conversation(element: Element, source: Source) -> Iterator[Record]:
    raw, where = element.value, source.where(element.pointer)
    if not isinstance(raw, dict) or isinstance(raw.get("mapping"), dict):
        yield Skipped(where, "not a Claude conversation")
        return
    key = "messages" if raw.get("chat_messages") is None and "messages" in raw else "chat_messages"
    listed = raw.get(key) or []
    if not isinstance(listed, list):
        yield Skipped(where, f"`{key}` is not a list")
        return
    for index, message in enumerate(listed):
        if not isinstance(message, dict):
            yield Skipped(f"{where}/{key}/{index}", "a message that is not an object")
    turns = [_turn(index, message) for index, message in enumerate(listed) if isinstance(message, dict)]
    for turn in turns:
        if turn.role is None:
            speaker = clean.optional(turn.raw.get("sender")) or clean.optional(turn.raw.get("role")) or "nobody"
            yield Note(where, f"unknown sender `{speaker}`; what it says is kept hidden")
        for kind in filter(None, dict.fromkeys(part.new_type for part in turn.parts)):
            yield Note(where, f"unknown block type `{kind}`; kept as a hidden part")
    yield _chat(raw, key, turns, Origin(source.path, source.member, element.pointer))


def _turn(index: int, raw: dict[str, Any]) -> _Turn:
    time = raw.get("created_at") or clean.mapping(raw.get("content")).get("timestamp")
    role = clean.role(raw.get("sender")) or clean.role(raw.get("role"))
    found = parts(raw)
    words = "\n".join(part.text for part in found)
    message_id = clean.optional(raw.get("uuid")) or clean.digest(raw.get("sender"), time, words)
    return _Turn(index, raw, message_id, role, clean.moment(time), found)


def _chat(raw: dict[str, Any], key: str, turns: list[_Turn], origin: Origin) -> Chat:
    messages = tuple(_messages(turns, clean.optional(raw.get("current_leaf_message_uuid")), key))
    # A share snapshot is a copy of a conversation and names it; its own uuid leads nowhere.
    native_id = clean.optional(raw.get("conversation_uuid")) or clean.optional(raw.get("uuid"))
    design = any("contentBlocks" in clean.mapping(turn.raw.get("content")) for turn in turns)
    project = clean.mapping(raw.get("project"))
    first = next((m.text for m in messages if m.hidden is None), "")
    titles = (clean.title(raw.get(field)) for field in ("name", "snapshot_name", "title"))
    return clean.complete(
        Chat(
            source=name,
            native_id=native_id or clean.digest(first, raw.get("created_at")),
            messages=messages,
            origin=origin,
            title=next((t for t in titles if t), None),
            created_at=clean.moment(raw.get("created_at")),
            updated_at=clean.moment(raw.get("updated_at")),
            project_id=clean.optional(project.get("uuid")) or clean.optional(raw.get("project_uuid")),
            project_name=clean.optional(project.get("name")),
            model=clean.optional(raw.get("model")) or next((m.model for m in messages if m.model), None),
            source_url=f"https://claude.ai/chat/{native_id}" if native_id and not design else None,
            starred=raw.get("is_starred") is True,
        )
    )


def _messages(turns: list[_Turn], leaf_id: str | None, key: str) -> Iterator[Message]:
    """The main path from root to leaf, then the alternates in array order."""
    parents = _parents(turns)
    path = _path(parents, _leaf(turns, parents, leaf_id))
    linked = any("parent_message_uuid" in turn.raw for turn in turns)
    shown = set(path)
    for position in [*path, *(p for p in range(len(turns)) if p not in shown)]:
        above = parents[position] if linked else None
        parent_id = turns[above].message_id if above is not None else None
        yield from _split(turns[position], parent_id, "main" if position in shown else "alternate", key)


def _parents(turns: list[_Turn]) -> list[int | None]:
    """The position of each turn's parent; the preceding turn where the export names none that it holds."""
    places: dict[str, int] = {}
    for position, turn in enumerate(turns):
        places.setdefault(turn.message_id, position)
    found: list[int | None] = []
    for position, turn in enumerate(turns):
        named = clean.optional(turn.raw.get("parent_message_uuid")) or ""
        before = position - 1 if position else None
        place = places.get(named, before)
        found.append(None if named.startswith(_ROOT) else before if place == position else place)
    return found


def _leaf(turns: list[_Turn], parents: list[int | None], leaf_id: str | None) -> int | None:
    """The shown leaf: the one the export names, else the latest by time, then by position."""
    for position, turn in enumerate(turns):
        if turn.message_id == leaf_id:
            return position
    leaves = set(range(len(turns))) - set(parents) or set(range(len(turns)))

    def age(position: int) -> tuple[float, int]:
        at = turns[position].at
        return (at.timestamp() if at else float("-inf"), position)

    return max(leaves, key=age, default=None)


def _path(parents: list[int | None], leaf: int | None) -> list[int]:
    """Positions from the root to `leaf`; a cycle ends the walk."""
    path: dict[int, None] = {}
    while leaf is not None and leaf not in path:
        path[leaf] = None
        leaf = parents[leaf]
    return list(path)[::-1]


def _split(turn: _Turn, parent_id: str | None, branch: Branch, key: str) -> Iterator[Message]:
    """One visible message with the turn's id, its hidden parts around it as they were read."""
    role = turn.role or "system"
    whole = Message(
        message_id=turn.message_id,
        role=role,
        text="",
        parent_id=parent_id,
        model=clean.optional(turn.raw.get("model")) if role == "assistant" else None,
        created_at=turn.at,
        branch=branch,
        pointer=f"/{key}/{turn.index}",
    )
    pieces = turn.parts if any(part.slot == "" for part in turn.parts) else [*turn.parts, Part("", "")]
    files = list(attachments(turn.raw))
    pieces = [*pieces, *(Part("attachment", content, "injected") for _, content in files if content)]
    messages = list(_named(whole, pieces))
    documents = tuple(
        replace(part.attachment, pointer=message.message_id)
        for part, message in zip(pieces, messages, strict=True)
        if part.attachment
    )
    shown = replace(whole, attachments=tuple(file for file, _ in files) + documents)
    for part, message in zip(pieces, messages, strict=True):
        yield message if part.slot else _visible(shown, part.text)


def _named(whole: Message, pieces: list[Part]) -> Iterator[Message]:
    counts: Counter[str] = Counter()
    for part in pieces:
        counts[part.slot] += 1
        number = f"/{counts[part.slot]}" if part.slot == "tool" or counts[part.slot] > 1 else ""
        yield replace(
            whole,
            message_id=f"{whole.message_id}/{part.slot}{number}",
            role=part.role or whole.role,
            text=part.text,
            hidden=part.hidden or ("system" if whole.role in ("system", "tool") else None),
        )


def _visible(whole: Message, text: str) -> Message:
    if whole.role in ("system", "tool"):
        return replace(whole, text=text, hidden="system" if whole.role == "system" else "tool")
    if text.strip():
        return replace(whole, text=text)
    if whole.attachments and whole.role == "user":
        return replace(whole, text=attached(whole.attachments))
    return replace(whole, hidden="placeholder")
