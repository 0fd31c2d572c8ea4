"""Claude Code sessions: one JSONL log per session, sub-agents in logs of their own (formats.md section 4).

The file name says whose session a log is; lines that name another session are copies made by a resume or a fork, and
keep its id as their home. A `summary` line often names a leaf in another file, so a first look over all files collects
them before any chat is built.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from chatmem.model import Chat, Message, Note, Origin, Record, Skipped
from chatmem.readers import clean
from chatmem.readers._agent_logs import attempt, log_lines, own_title, project_name
from chatmem.readers._claude_code_family import AGENT_FILE, Family, family, is_uuid, session_id
from chatmem.readers._claude_code_log import BOOKKEEPING, TALK, Line, Log
from chatmem.readers._claude_code_tree import parents, rewound, turns_before
from chatmem.readers.base import NO, Claim, Level, Peek, ReadOptions
from chatmem.readers.jsonstream import elements
from chatmem.readers.unpack import Source

name = "claude-code"

# A working directory as a folder name: `/home/dev` becomes `-home-dev`, `C:\work` becomes `C--work`.
_SLUG = re.compile(r"-|[A-Za-z]--")
_META = ".meta.json"
_INDEX = "sessions-index.json"


def sniff(peek: Peek) -> Claim:
    if _is_spill(peek.source):
        return Claim(Level.EXACT, "a tool result or note that Claude Code keeps beside its sessions, no chat")
    if any("projectHash" in item for item in peek.items):
        return NO
    if peek.shape in ("json", "jsonl") and not isinstance(peek.top, list) and any(map(_is_line, peek.items)):
        return Claim(Level.EXACT, "lines with the `type` and `sessionId` of a Claude Code session")
    return _side(peek)


def _is_line(item: dict[str, Any]) -> bool:
    kind = item.get("type")
    if not isinstance(kind, str):
        return False
    if kind in TALK:
        return "sessionId" in item and ("uuid" in item or isinstance(item.get("message"), dict))
    return kind in BOOKKEEPING and not {"sessionId", "leafUuid", "snapshot"}.isdisjoint(item)


def _side(peek: Peek) -> Claim:
    if peek.shape == "jsonl" and peek.items and all({"display", "project"} <= item.keys() for item in peek.items):
        return Claim(Level.SIDE, "a history of prompts; the sessions hold them too")
    if isinstance(peek.top, dict) and "agentType" in peek.top and "messages" not in peek.top:
        return Claim(Level.SIDE, "what kind of sub-agent a log belongs to")
    entries = peek.top.get("entries") if isinstance(peek.top, dict) else None
    if isinstance(entries, list) and any(isinstance(e, dict) and "sessionId" in e for e in entries):
        return Claim(Level.SIDE, "an index of sessions, not chats")
    return NO


def _is_spill(source: Source) -> bool:
    """Tool results and notes may quote whole transcripts: only where they lie tells what they are."""
    folders = source.parts[:-1]
    if len(folders) < 2:
        return False
    results = folders[-1] == "tool-results" and is_uuid(folders[-2])
    notes = folders[-1] == "memory" and source.name.endswith(".md") and _SLUG.match(folders[-2])
    return results or bool(notes)


def read(sources: Sequence[Source], options: ReadOptions) -> Iterator[Record]:
    logs = [s for s in sources if not _is_spill(s) and not s.name.endswith((_META, _INDEX))]
    known = family(logs)
    for source in logs:
        yield from _session(source, known, options)


def beside(sources: Sequence[Source]) -> dict[str, str]:
    """What kind of sub-agent a log belongs to, and its title, lie in a file of their own."""
    found = {}
    for source in sources:
        if source.stem.startswith(AGENT_FILE) and (side := source.sibling(f"{source.stem}{_META}")):
            found[source.where()] = str(side.size)
    return found


def _session(source: Source, known: Family, options: ReadOptions) -> Iterator[Record]:
    log = Log(options.timezone)
    for element in log_lines(source):
        if isinstance(element, Skipped):
            yield element
            continue
        if problem := attempt(log.add, element):
            yield Skipped(source.where(element.pointer), problem)
    for kind, pointer in log.unknown.items():
        yield Note(source.where(pointer), f"lines of the unknown type {kind[:40]!r} are kept hidden")
    if log.typed:
        agent = _agent(source, log)
        yield _agent_chat(source, log, agent) if agent else _thread(source, log, known)


def _agent(source: Source, log: Log) -> str | None:
    """The sub-agent whose log this is, or None for a session."""
    if source.stem.startswith(AGENT_FILE):
        return log.agent or source.stem.removeprefix(AGENT_FILE)
    return log.agent if all(line.side for line in log.lines) and source.stem not in log.sessions else None


def _thread(source: Source, log: Log, known: Family) -> Chat:
    session = session_id(source, log.sessions)
    homes = [_home(line, session, known) for line in log.lines]
    messages = tuple(_messages(log, homes, is_agent=False))
    counted = [m for m in messages if m.hidden is None]
    times = [m.created_at for m in counted if m.created_at and m.home is None]
    title = _title(log, session, homes, known)
    sdk = log.entrypoint is not None and log.entrypoint.startswith("sdk")
    return clean.complete(
        Chat(
            source=name,
            native_id=session,
            messages=messages,
            origin=Origin(source.path, source.member),
            title=title or own_title(messages),
            title_origin="export" if title else "derived",
            created_at=min(times, default=None),
            updated_at=max(times, default=None),
            resume=f"claude --resume {session}",
            agent_id=log.entrypoint if sdk else None,
            continues=next((home for home in reversed(homes) if home), None),
            **_shared(log, next((cwd for home, cwd in log.folders if home == session), None), counted),
        )
    )


def _agent_chat(source: Source, log: Log, agent: str) -> Chat:
    session = log.sessions[-1] if log.sessions else None
    messages = tuple(_messages(log, [None] * len(log.lines), is_agent=True))
    meta = _meta(source)
    return clean.complete(
        Chat(
            source=name,
            native_id=f"{session}/{agent}" if session else agent,
            messages=messages,
            origin=Origin(source.path, source.member),
            title=clean.title(meta.get("description")),
            agent_id=clean.optional(meta.get("agentType")),
            kind="subagent",
            parent_chat_id=f"{name}:{session}" if session else None,
            **_shared(log, None, [m for m in messages if m.hidden is None]),
        )
    )


def _shared(log: Log, folder: str | None, counted: Sequence[Message]) -> dict[str, Any]:
    folder = folder or (log.folders[0][1] if log.folders else None)
    model = next((m.model for m in reversed(counted) if m.model), None)
    return {"project_id": folder, "project_name": project_name(folder), "model": model}


def _meta(source: Source) -> dict[str, Any]:
    side = source.sibling(f"{source.stem}{_META}")
    if side is None:
        return {}
    try:
        return next((clean.mapping(e.value) for e in elements(side) if not isinstance(e, Skipped)), {})
    except Exception:  # a damaged note about the agent costs its name, not its talk
        return {}


def _home(line: Line, session: str, known: Family) -> str | None:
    """The session that owns a copied line, or None where that is the file's own."""
    home = line.session if line.session not in (None, session) else known.owners.get(line.uuid)
    return home if home != session else None


def _title(log: Log, session: str, homes: Sequence[str | None], known: Family) -> str | None:
    titles = {kind: title for kind, title, home in log.titles if home in (None, session)}
    own = (line.uuid for line, home in zip(reversed(log.lines), reversed(homes), strict=True) if home is None)
    summary = next((known.summaries[uuid] for uuid in own if uuid in known.summaries), None)
    return titles.get("custom-title") or titles.get("ai-title") or summary


def _messages(log: Log, homes: Sequence[str | None], is_agent: bool) -> Iterator[Message]:
    parts = log.parts.all
    before = parents(log.lines, log.index, [n for n, line in enumerate(log.lines) if is_agent or not line.side])
    # A prompt typed while the model worked may hang beside the talk without being a rewound branch.
    said = {part.place.line for part in parts if part.hidden is None}
    discarded = rewound(log.lines, before, {line for line in said if log.lines[line].kind != "attachment"})
    above = turns_before(log.lines, before, {part.message_id for part in parts})
    for part in parts:
        line = part.place.line
        parent = above.get(line)
        yield Message(
            message_id=part.message_id,
            role=part.role,
            text=part.text,
            parent_id=parent if parent != part.message_id else above.get(log.index[part.place.turn]),
            model=part.model,
            created_at=part.place.at,
            branch="alternate" if line in discarded else "main",
            # Old logs hold the talk of sub-agents between the lines of the session.
            hidden=part.hidden or (None if line in before else "tool"),
            attachments=part.files,
            pointer=part.place.pointer,
            home=homes[line],
        )
