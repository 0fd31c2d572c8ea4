"""Gemini CLI sessions: legacy `.json` and, from 0.39, `.jsonl` logs (formats.md 6.2).

A session is what its files name, not a file: after a resume the old `.json` stays beside the `.jsonl` that continues it
and only the latter counts. The project's path is kept outside the session; the session has a hash of it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from chatmem.model import Chat, Message, Note, Origin, Record, Skipped
from chatmem.readers import clean
from chatmem.readers._agent_logs import project_name
from chatmem.readers._gemini_replay import Entry, Replay
from chatmem.readers._gemini_turns import ROLES, turn
from chatmem.readers.base import NO, Claim, Level, Peek, ReadOptions
from chatmem.readers.jsonstream import Element, elements, lines, loads
from chatmem.readers.unpack import Source

name = "gemini-cli"

_LOGS = (".jsonl", ".ndjson")
# Copies that the CLI left behind while it wrote a session, or could not read one.
_LEFTOVERS = (".tmp-", ".unreadable-")


def sniff(peek: Peek) -> Claim:
    claim = _claim(peek)
    if claim.level == Level.EXACT and peek.source.name.startswith(_LEFTOVERS):
        return Claim(Level.SIDE, "a leftover copy of a Gemini CLI session; rename it to import it")
    return claim


def _claim(peek: Peek) -> Claim:
    if any(isinstance(i.get("sessionId"), str) and isinstance(i.get("projectHash"), str) for i in peek.items):
        return Claim(Level.EXACT, "`sessionId` with `projectHash`")
    if peek.shape == "jsonl" and any(_is_record(item) for item in peek.items):
        return Claim(Level.EXACT, "lines of a session log with `$set`, `$rewindTo` or `type` gemini")
    if isinstance(peek.top, list) and any({"sessionId", "messageId", "message"} <= i.keys() for i in peek.items):
        return Claim(Level.SIDE, "Gemini CLI's log of prompts; its sessions are in chats/")
    paths = clean.mapping(clean.mapping(peek.top).get("projects"))
    if paths and all(isinstance(slug, str) and re.match(r"/|\w:", path) for path, slug in paths.items()):
        return Claim(Level.SIDE, "Gemini CLI's list of projects; its sessions are in tmp/*/chats/")
    if peek.items and all(_is_api_content(item) for item in peek.items):
        return Claim(Level.SIDE, "a Gemini CLI checkpoint, raw model context; its session is in chats/")
    return NO


def _is_record(item: dict[str, Any]) -> bool:
    if isinstance(item.get("$set"), dict) or isinstance(item.get("$rewindTo"), str):
        return len(item) == 1
    return item.get("type") == "gemini" and {"id", "timestamp", "content"} <= item.keys()


def _is_api_content(item: dict[str, Any]) -> bool:
    history = item.get("history")
    if isinstance(history, list) and history:
        return all(isinstance(content, dict) and _is_api_content(content) for content in history)
    return item.get("role") in ("user", "model") and isinstance(item.get("parts"), list)


@dataclass(slots=True)
class _Session:
    """The files of one session. `parent`: the session that started it, if it is a sub-agent's."""

    native_id: str
    parent: str | None
    files: list[Source] = field(default_factory=list)


def read(sources: Sequence[Source], options: ReadOptions) -> Iterator[Record]:
    for session in _sessions(sources):
        logs = [file for file in session.files if file.name.endswith(_LOGS)]
        last = session.files[-1]
        if not logs and last.sibling(f"{last.stem}.jsonl") is not None:
            yield Note(last.where(), f"continued in {last.stem}.jsonl, which counts in its place")
            continue
        replay = Replay()
        for file in logs or session.files:
            for found in _records(file):
                if isinstance(found, Skipped):
                    yield found
                elif isinstance(found.value, dict):
                    replay.accept(found.value, found.pointer)
                else:
                    yield Skipped(file.where(found.pointer), "not an object")
        file = (logs or session.files)[-1]
        try:
            yield from _unknown(replay, file)
            yield _chat(session, replay, file)
        except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as error:
            yield Skipped(file.where(), f"not a Gemini CLI session ({error})"[:200])


def _sessions(sources: Sequence[Source]) -> Iterator[_Session]:
    """Sessions in source order, each with all files that name it; a file that lost its id goes by its twin's."""
    heads = [_metadata(source) for source in sources]
    twins = {(s.parts[:-1], s.stem): h["sessionId"] for s, h in zip(sources, heads, strict=True) if h}
    found: dict[str, _Session] = {}
    for source, head in zip(sources, heads, strict=True):
        session_id = twins.get((source.parts[:-1], source.stem)) or _stem(source)
        native_id, parent = _identity(source, clean.text(session_id), head)
        found.setdefault(native_id, _Session(native_id, parent)).files.append(source)
    yield from found.values()


def _stem(source: Source) -> str:
    return source.stem if source.path != "-" else clean.digest(next(_records(source), ""))


def _identity(source: Source, session_id: str, meta: dict[str, Any]) -> tuple[str, str | None]:
    """The session's id and its parent's. Older sub-agents record under the id of the session that started them."""
    folders = source.parts[:-1]
    nested = folders[-1] if len(folders) > 1 and folders[-2] == "chats" else None
    parent = nested or (session_id if meta.get("kind") == "subagent" else None)
    return (f"{session_id}/{source.stem}" if session_id == parent else session_id), parent


def _metadata(source: Source) -> dict[str, Any]:
    for found in _records(source):
        if isinstance(found, Element) and isinstance(found.value, dict):
            value = found.value if "sessionId" in found.value else clean.mapping(found.value.get("$set"))
            if isinstance(value.get("sessionId"), str) and value["sessionId"].strip():
                return {key: value.get(key) for key in ("sessionId", "kind")}
    return {}


def _records(source: Source) -> Iterator[Element | Skipped]:
    """Lines of a log, or the one object of a legacy file."""
    return lines(source) if source.name.endswith(_LOGS) or _has_whole_line(source) else elements(source)


def _has_whole_line(source: Source) -> bool:
    """Whether one of the first lines is an object: the very first may be torn, a legacy file is spread over many."""
    try:
        with source.open() as stream:
            first = [stream.readline(1 << 20) for _ in range(3)]
    except OSError:
        return False
    return any(isinstance(value, dict) for value in map(_parsed, first))


def _parsed(line: bytes) -> Any:
    try:
        return loads(line)
    except (ValueError, RecursionError):
        return None


def _unknown(replay: Replay, file: Source) -> Iterator[Note]:
    kinds = (clean.text(entry.record.get("type")) for entry in replay.main.values())
    for kind in dict.fromkeys(kinds):
        if kind.lower() not in ROLES:
            yield Note(file.where(), f"unknown message type `{kind or 'none'}`; kept as a hidden part")


def _chat(session: _Session, replay: Replay, file: Source) -> Chat:
    meta = replay.meta
    messages = tuple(_messages(replay))
    summary = clean.title(meta.get("summary"))
    prompts = (m.text for m in messages if m.role == "user" and m.hidden is None and m.branch == "main")
    spoken = (text for text in prompts if not text.lstrip().startswith(("/", "?")))
    project = _project(file, meta)
    return clean.complete(
        Chat(
            source=name,
            native_id=session.native_id,
            messages=messages,
            origin=Origin(file.path, file.member),
            title=summary or clean.derived_title(spoken),
            title_origin="export" if summary else "derived",
            created_at=clean.moment(meta.get("startTime")),
            updated_at=_updated(clean.moment(meta.get("lastUpdated")), messages),
            project_id=project or clean.optional(meta.get("projectHash")),
            project_name=project_name(project),
            model=next((m.model for m in reversed(messages) if m.model and m.branch == "main"), None),
            resume=None if session.parent else f"gemini --resume {session.native_id}",
            kind="subagent" if session.parent else "thread",
            parent_chat_id=f"{name}:{session.parent}" if session.parent else None,
        )
    )


def _updated(stated: datetime | None, messages: tuple[Message, ...]) -> datetime | None:
    """A log's first line tells when it began; what came after it may be later."""
    times = [m.created_at for m in messages if m.created_at is not None]
    return max([*times, stated] if stated else times, default=None)


def _messages(replay: Replay) -> Iterator[Message]:
    for key, entry in replay.main.items():
        for message in turn(entry):
            summary = key in replay.summaries and message.hidden is None
            yield replace(message, hidden="summary") if summary else message
    yield from _alternates(replay.rewound, False)
    yield from _alternates(replay.replaced, True)


def _alternates(entries: list[Entry], superseded: bool) -> Iterator[Message]:
    """Turns taken back stay findable; what a newer list replaced is only a stale copy."""
    for entry in entries:
        for message in turn(entry):
            hidden = message.hidden or ("copy" if superseded else None)
            yield replace(message, branch="alternate", hidden=hidden)


def _project(file: Source, meta: dict[str, Any]) -> str | None:
    """The project's path: from `.project_root` beside `chats/`, else the known path that has the session's hash."""
    try:
        for up in ("..", "../.."):
            marker = file.sibling(f"{up}/.project_root")
            if marker is not None:
                with marker.open() as stream:
                    return clean.optional(stream.read(4096).decode("utf-8", "replace"))
        directories = meta.get("directories")
        candidates = [*_known_projects(file), *(directories if isinstance(directories, list) else ())]
    except OSError:
        return None
    paths = [path for path in candidates if isinstance(path, str)]
    return next((path for path in paths if _digest(path) == meta.get("projectHash")), None)


def _digest(path: str) -> str:
    return hashlib.sha256(path.encode("utf-8", "replace")).hexdigest()


def _known_projects(file: Source) -> Iterator[str]:
    for up in ("../../..", "../../../.."):
        registry = file.sibling(f"{up}/projects.json")
        for found in elements(registry) if registry is not None else ():
            if isinstance(found, Element):
                yield from clean.mapping(clean.mapping(found.value).get("projects"))
