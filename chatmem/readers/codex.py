"""OpenAI Codex CLI rollouts: one JSONL log per session, plain or zstd (formats.md section 5).

The first `session_meta` is the session; later ones belong to histories that a fork wrote again. Message ids are made
from turn, role, text and count, so a message has the same id in its own session and in every fork of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from chatmem.model import Chat, Message, Note, Origin, Record, Skipped
from chatmem.readers import clean
from chatmem.readers._agent_logs import attempt, own_title, project_name
from chatmem.readers._codex_files import (
    INDEX,
    Names,
    current,
    file_id,
    file_time,
    is_object,
    native_id,
    session_elements,
    thread_names,
)
from chatmem.readers._codex_fork import Parent, replay_end
from chatmem.readers._codex_log import ENVELOPES, Entry, Rollout
from chatmem.readers.base import NO, Claim, Level, Peek, ReadOptions
from chatmem.readers.unpack import Source

name = "codex"

_CWD = re.compile(r"<cwd>([^<]+)</cwd>")
_SECOND = timedelta(seconds=1)
_EXEC = "the output of `codex exec --json`; import the session itself from ~/.codex/sessions"


def sniff(peek: Peek) -> Claim:
    items = peek.items
    if is_object(peek.top):
        return Claim(Level.EXACT, "`session` and `items` of an early Codex session")
    if any(clean.text(item.get("type")) in ENVELOPES and isinstance(item.get("payload"), dict) for item in items):
        return Claim(Level.EXACT, "lines with the `type` and `payload` of a Codex rollout")
    if any("record_type" in item for item in items) or _is_bare(peek):
        return Claim(Level.EXACT, "bare items of an early Codex rollout")
    if peek.shape == "jsonl" and items:
        if all({"id", "thread_name"} <= item.keys() or {"session_id", "ts", "text"} <= item.keys() for item in items):
            return Claim(Level.SIDE, "names or prompts of Codex sessions, not the sessions")
        if items[0].get("type") == "thread.started":
            return Claim(Level.SIDE, _EXEC)
    return NO


def _is_bare(peek: Peek) -> bool:
    """Items without an envelope, as in spring 2025; without their header only the file name tells."""
    first = peek.items[0] if peek.items else {}
    if {"id", "timestamp", "instructions"} <= first.keys() and "type" not in first:
        return True
    named = peek.source.name.startswith("rollout-")
    return named and any(item.get("type") == "message" and "role" in item for item in peek.items)


@dataclass(frozen=True, slots=True)
class _Session:
    """A file read to its end: what it says, and its chosen entries with their ids."""

    source: Source
    native_id: str
    meta: dict[str, Any]
    log: Rollout
    entries: list[Entry]
    ids: list[str]

    @property
    def replayed_from(self) -> str | None:
        """The session whose history may stand at the beginning."""
        forked = clean.optional(self.meta.get("forked_from_id")) or self.foreign_meta[1]
        return forked if forked != self.native_id else None

    @property
    def foreign_meta(self) -> tuple[int, str | None]:
        """Where the header of another session stands, and its id."""
        metas = ((order, clean.optional(meta.get("id"))) for order, meta in self.log.metas)
        return next(((order, found) for order, found in metas if found and found != self.native_id), (0, None))

    @property
    def has_foreign_meta(self) -> bool:
        return self.foreign_meta[1] is not None


def read(sources: Sequence[Source], options: ReadOptions) -> Iterator[Record]:
    logs = [s for s in sources if s.name != INDEX]
    ids = [native_id(source) for source in logs]
    files, names = current(logs, ids), thread_names(sources)
    parents: dict[str, Parent | None] = {}
    for source, known in zip(logs, ids, strict=True):
        if known and files[known] is not source:
            yield Note(source.where(), f"an older copy of the session in {files[known].where()}")
            continue
        log = Rollout(options.timezone)
        yield from _fill(log, source)
        if not log.typed:
            continue
        session = _session(source, known, log)
        origin = session.replayed_from
        if origin and origin not in parents:
            parents[origin] = _parent(files.get(origin), options)
        try:
            yield _chat(session, parents[origin] if origin else None, names, options)
        except (OverflowError, TypeError, ValueError) as error:
            yield Skipped(source.where(), f"not a Codex session ({error})"[:200])


def beside(sources: Sequence[Source]) -> dict[str, str]:
    """Sessions are renamed in an index beside them."""
    names = thread_names(sources)
    return {s.where(): names[i][0] for s in sources if (i := file_id(s)) in names}


def _fill(log: Rollout, source: Source) -> Iterator[Skipped | Note]:
    """Read a file into the log; yields what could not be read."""
    for element in session_elements(source):
        if isinstance(element, Skipped):
            yield element
            continue
        if problem := attempt(log.add, element):
            yield Skipped(source.where(element.pointer), problem)
    for role, pointer in log.unknown.items():
        yield Note(source.where(pointer), f"messages of the unknown role {role!r} are kept hidden")
    if log.foreign and not log.typed:
        yield Note(source.where(), _EXEC)


def _session(source: Source, known: str | None, log: Rollout) -> _Session:
    metas = [meta for _, meta in log.metas]
    found = known or next((i for m in metas if (i := clean.optional(m.get("id")))), None) or source.stem
    meta = next((m for m in metas if clean.optional(m.get("id")) in (found, None)), {})
    entries = log.chosen()
    return _Session(source, found, meta, log, entries, list(_ids(entries)))


def _ids(entries: Sequence[Entry]) -> Iterator[str]:
    """Stable ids: the nth time that this text was said in this turn. A fork that repeats a history repeats them."""
    seen: Counter[str] = Counter()
    for entry in entries:
        key = clean.digest(entry.turn, entry.hidden or entry.role, entry.text)
        seen[key] += 1
        yield clean.digest(key, seen[key])


def _parent(source: Source | None, options: ReadOptions) -> Parent | None:
    if source is None:
        return None
    log = Rollout(options.timezone)
    for _ in _fill(log, source):
        pass
    return Parent(frozenset(mark.value for mark in log.turns), tuple(_ids(log.chosen())))


def _chat(session: _Session, parent: Parent | None, names: Names, options: ReadOptions) -> Chat:
    meta, log, source = session.meta, session.log, session.source
    origin = session.replayed_from
    start = session.foreign_meta[0]
    end = replay_end(log, session.entries, session.ids, start, parent, session.has_foreign_meta) if origin else 0
    end = min([end, *(o for o, m in log.metas if o > start and clean.optional(m.get("id")) == session.native_id)])
    started = clean.moment(meta.get("timestamp"), options.timezone) or log.first_at
    is_agent, above, agent = _agent(meta)
    folder = clean.optional(meta.get("cwd")) or log.cwd or _told_folder(session.entries)
    messages = tuple(_messages(session, start, end, parent, started))
    title = _title(session, names, end)
    return clean.complete(
        Chat(
            source=name,
            native_id=session.native_id,
            messages=messages,
            origin=Origin(source.path, source.member),
            title=title or own_title(messages),
            title_origin="export" if title else "derived",
            created_at=started or file_time(source, options.timezone),
            updated_at=log.last_at,
            project_id=folder,
            project_name=project_name(folder),
            agent_id=agent,
            model=log.model,
            resume=None if is_agent else f"codex resume {session.native_id}",
            kind="subagent" if is_agent else "thread",
            parent_chat_id=f"{name}:{above}" if above else None,
            continues=origin,
            archived="archived_sessions" in source.parts,
        )
    )


def _messages(
    session: _Session, start: int, end: int, parent: Parent | None, started: datetime | None
) -> Iterator[Message]:
    discarded = _rolled_back(session.entries)
    is_certain = parent is not None or session.has_foreign_meta
    for entry, message_id in zip(session.entries, session.ids, strict=True):
        if entry.channel == "rollback":
            continue
        replayed = start <= entry.order < end
        # Lines written again bear the time of the fork; lines older than the fork bear their own.
        is_old = entry.at is not None and started is not None and entry.at < started - _SECOND
        yield Message(
            message_id=message_id,
            role=entry.role,
            text=entry.text,
            model=entry.model,
            created_at=None if replayed and is_certain and not is_old else entry.at,
            branch="alternate" if entry.order in discarded else "main",
            hidden=entry.hidden,
            attachments=entry.files,
            pointer=entry.pointer,
            home=session.replayed_from if replayed else None,
        )


def _rolled_back(entries: Sequence[Entry]) -> set[int]:
    """What left the main path: everything from the nth last prompt on, at each rollback by n."""
    discarded: set[int] = set()
    prompts: list[int] = []
    for place, entry in enumerate(entries):
        if entry.channel == "rollback":
            count = max(0, min(entry.turns, len(prompts)))
            if count:
                discarded.update(e.order for e in entries[prompts[-count] : place])
                del prompts[-count:]
        elif entry.role == "user" and entry.hidden is None:
            prompts.append(place)
    return discarded


def _agent(meta: dict[str, Any]) -> tuple[bool, str | None, str | None]:
    """Whether a session is a sub-agent's, the session that started it, and what kind of agent it is."""
    source = clean.mapping(meta.get("source"))
    spawned = source.get("subagent", source.get("subAgent"))
    if spawned is None and meta.get("thread_source") != "subagent":
        return False, None, None
    spawn = clean.mapping(clean.mapping(spawned).get("thread_spawn"))
    above = spawn.get("parent_thread_id") or meta.get("parent_thread_id")
    session = clean.optional(meta.get("session_id"))
    other = session if session != clean.optional(meta.get("id")) else None
    kind = clean.optional(spawn.get("agent_role")) or (clean.optional(spawned) if isinstance(spawned, str) else None)
    return True, clean.optional(above) or other or clean.optional(meta.get("forked_from_id")), kind


def _told_folder(entries: Sequence[Entry]) -> str | None:
    """The working directory as the model was told it, for files that have no other record of it."""
    told = (_CWD.search(e.text) for e in entries if e.hidden == "injected")
    return next((clean.optional(found.group(1)) for found in told if found), None)


def _title(session: _Session, names: Names, end: int) -> str | None:
    """The last name given to the thread, by an event of its own or in the index."""
    own = [m for m in session.log.names if m.of == session.native_id or (m.of is None and m.order >= end)]
    event = own[-1] if own else None
    index, at = names.get(session.native_id, (None, None))
    if event and (index is None or at is None or (event.at is not None and event.at > at)):
        return event.value
    return index
