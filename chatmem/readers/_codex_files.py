"""Which files of a Codex home belong to which session, told from their first lines.

Idle rollouts are rewritten as `.jsonl.zst`; while both exist the plain one is current. A damaged first line leaves the
file name, which holds the id and the local time of the start. Names live beside the sessions, in `session_index.jsonl`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo
from typing import Any

from chatmem.model import Skipped
from chatmem.readers import clean
from chatmem.readers._agent_logs import log_lines
from chatmem.readers.jsonstream import Element, elements, loads
from chatmem.readers.unpack import Source

INDEX = "session_index.jsonl"
_FILE_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_FILE_TIME = re.compile(r"rollout-(\d{4}-\d\d-\d\dT)(\d\d)-(\d\d)-(\d\d)")
_FIRST_LINE = 1 << 24
_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n" + _BOM
# From `sessions/2026/03/12/` up to the folder that holds `sessions`.
_LEVELS = 5
Names = dict[str, tuple[str, datetime | None]]


def is_object(top: Any) -> bool:
    """The single JSON object that sessions were before the rollouts."""
    return isinstance(top, dict) and isinstance(top.get("session"), dict) and isinstance(top.get("items"), list)


def session_elements(source: Source) -> Iterator[Element | Skipped]:
    """The lines of a rollout, or the header and the items of a single object."""
    first = _first_line(source)
    parsed = _parsed(first)
    whole: Any = parsed if is_object(parsed) else None
    if first.strip() == b"{":
        whole = next((e.value for e in elements(source) if isinstance(e, Element)), None)
    if not is_object(whole):
        yield from log_lines(source)
        return
    yield Element("/session", whole["session"])
    yield from (Element(f"/items/{number}", item) for number, item in enumerate(whole["items"]))


def native_id(source: Source) -> str | None:
    """The session's id from its first line, else from the file name."""
    first = _parsed(_first_line(source))
    if is_object(first):
        first = first["session"]
    header = first if "type" not in first else clean.mapping(first.get("payload"))
    if first.get("type") in (None, "session_meta") and (found := clean.optional(header.get("id"))):
        return found
    return file_id(source)


def file_id(source: Source) -> str | None:
    """The id that the name of a rollout ends with."""
    named = _FILE_ID.findall(source.stem)
    return named[-1].lower() if named else None


def file_time(source: Source, zone: tzinfo) -> datetime | None:
    found = _FILE_TIME.match(source.stem)
    return clean.moment("{}{}:{}:{}".format(*found.groups()), zone) if found else None


def current(sources: Sequence[Source], ids: Sequence[str | None]) -> dict[str, Source]:
    """The file of every session whose id is known: plain before compressed, then the larger."""
    best: dict[str, Source] = {}
    for source, session in zip(sources, ids, strict=True):
        if session and (session not in best or _rank(source) > _rank(best[session])):
            best[session] = source
    return best


def _rank(source: Source) -> tuple[bool, int]:
    return not (source.member or source.path).endswith((".zst", ".gz")), source.size


def _first_line(source: Source) -> bytes:
    try:
        with source.open() as stream:
            while (line := stream.readline(_FIRST_LINE)) and not line.strip(_BLANK):
                continue
            return line
    except Exception:  # reading the file as a whole says what is wrong with it
        return b""


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        return clean.mapping(loads(line.removeprefix(_BOM))) if line.strip(_BLANK) else {}
    except (ValueError, RecursionError):
        return {}


def thread_names(sources: Sequence[Source]) -> Names:
    """The last name of every session in any index among the sources or in a folder above them."""
    found: Names = {}
    seen: set[str] = set()
    folders: set[tuple[str, ...]] = set()
    for source in sources:
        if source.parts[:-1] not in folders:
            folders.add(source.parts[:-1])
            for index in _indexes(source):
                if index.where() not in seen:
                    seen.add(index.where())
                    found.update(_names(index))
    return found


def _indexes(source: Source) -> Iterator[Source]:
    for level in range(_LEVELS):
        index = source.sibling("../" * level + INDEX)
        if index is not None:
            yield index


def _names(index: Source) -> Iterator[tuple[str, tuple[str, datetime | None]]]:
    for element in log_lines(index):
        raw = {} if isinstance(element, Skipped) else clean.mapping(element.value)
        session, title = clean.optional(raw.get("id")), clean.title(raw.get("thread_name"))
        if session and title:
            yield session, (title, clean.moment(raw.get("updated_at")))
