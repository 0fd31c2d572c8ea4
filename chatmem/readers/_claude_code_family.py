"""What only all session files together tell: summaries of other sessions, and who first said a line.

A first look searches bytes and parses next to nothing, so that it costs little beside the real reading. A fork may
stamp its own session on the lines that it copies; files that begin with the same line are such a family, and only
those are compared line by line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from chatmem.model import Skipped
from chatmem.readers import clean
from chatmem.readers._agent_logs import log_lines
from chatmem.readers.jsonstream import loads
from chatmem.readers.unpack import Source

AGENT_FILE = "agent-"
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
# In a string these quotes would be escaped, so this finds keys only.
_LINE_ID = re.compile(rb'"uuid":\s*"([^"\\]+)"')
# A summary line is short; longer lines that mention a leaf are talk.
_SUMMARY_LIMIT = 1 << 16


@dataclass(slots=True)
class Family:
    """`summaries`: titles by the leaf they belong to. `owners`: sessions by the id of a line that several hold."""

    summaries: dict[str, str] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)


def family(logs: Sequence[Source]) -> Family:
    found = Family()
    first: dict[bytes, list[Source]] = {}
    for source in logs:
        line_id = _look(source, found.summaries)
        if line_id and not source.stem.startswith(AGENT_FILE):
            first.setdefault(line_id, []).append(source)
    for relatives in first.values():
        if len(relatives) > 1:
            found.owners.update(_owners(relatives))
    return found


def _look(source: Source, summaries: dict[str, str]) -> bytes | None:
    """Collect the summaries of a file. Returns the id of its first line that has one."""
    line_id: bytes | None = None
    try:
        with source.open() as stream:
            for raw in stream:
                if b"leafUuid" in raw and len(raw) < _SUMMARY_LIMIT:
                    summaries.update(_summary(raw))
                if line_id is None and (match := _LINE_ID.search(raw)):
                    line_id = match.group(1)
    except Exception:  # the second look says what is wrong with the file
        return line_id
    return line_id


def _summary(raw: bytes) -> dict[str, str]:
    try:
        line = clean.mapping(loads(raw))
    except (ValueError, RecursionError):
        return {}
    leaf, title = clean.optional(line.get("leafUuid")), clean.title(line.get("summary"))
    return {leaf: title} if line.get("type") == "summary" and leaf and title else {}


def _owners(relatives: Sequence[Source]) -> dict[str, str]:
    """Who had a shared line first: the session that went on by itself first, or not at all."""
    members: dict[str, dict[str, str]] = {}
    for source in relatives:
        session, times = _line_times(source)
        members.setdefault(session, {}).update(times)
    holders = Counter(uuid for times in members.values() for uuid in times)

    def parted(session: str) -> str:
        return min((at for uuid, at in members[session].items() if holders[uuid] == 1), default="")

    owner: dict[str, str] = {}
    for session in sorted(members, key=parted):
        for uuid in members[session]:
            if holders[uuid] > 1:
                owner.setdefault(uuid, session)
    return owner


def _line_times(source: Source) -> tuple[str, dict[str, str]]:
    """The session of a file, and the times of its lines by their id."""
    times: dict[str, str] = {}
    sessions: list[str] = []
    for element in log_lines(source):
        raw = {} if isinstance(element, Skipped) else clean.mapping(element.value)
        if uuid := clean.optional(raw.get("uuid")):
            times.setdefault(uuid, clean.text(raw.get("timestamp")))
            sessions += filter(None, [clean.optional(raw.get("sessionId"))])
    return session_id(source, sessions), times


def session_id(source: Source, sessions: Sequence[str]) -> str:
    """The file's own id; of a renamed file the session that its last lines name, since copies come first."""
    inside = _UUID.search(source.stem)
    if source.stem in sessions or (inside and inside.group() == source.stem):
        return source.stem
    if inside and inside.group() in sessions:
        return inside.group()
    return sessions[-1] if sessions else source.stem


def is_uuid(text: str) -> bool:
    return _UUID.fullmatch(text) is not None
