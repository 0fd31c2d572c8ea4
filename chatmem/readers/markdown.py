"""Markdown transcripts: one file is one thread, cut at its role markers (formats.md 7.3).

Front matter and the lines above the first marker tell title, date, model and product. The id comes from the opening of
the talk, never from the file's name: people rename notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import NamedTuple

from chatmem.model import Chat, Hidden, Message, Origin, Record, Skipped
from chatmem.readers import _written_dates as dates
from chatmem.readers import clean
from chatmem.readers._decode import beginning, open_text
from chatmem.readers._markdown_roles import Marker, markers
from chatmem.readers._threads import ThreadIds, product
from chatmem.readers._turns import split_thinking
from chatmem.readers.base import NO, Claim, Level, Peek, ReadOptions
from chatmem.readers.unpack import Source, damage

name = "markdown"

_MAX_CHARACTERS = 64 << 20
_FACT = re.compile(
    r"(?:[-*>]\s+)?(?:\*\*|__|\*|_)?([A-Za-z][\w -]{1,24}?)(?::(?:\*\*|__|\*|_)?|(?:\*\*|__|\*|_):)\s*(.*)"
)
_LINK = re.compile(r"<?(?:\[[^\]]*\]\()?(https?://[^\s)>]+)")
_RULE = re.compile(r"(?:-{3,}|\*{3,}|_{3,}|={3,}|(?:[-*_] ){2,}[-*_])\s*")
_MODEL = re.compile(r"(?=.*\d)[\w.:/ -]{2,40}")
_KEYS = {
    "title": "title", "date": "created", "created": "created", "created_at": "created", "updated": "updated",
    "updated_at": "updated", "modified": "updated", "source": "source", "platform": "source", "url": "url",
    "link": "url", "model": "model", "id": "id", "conversation_id": "id", "project": "project",
}  # fmt: skip
_PLAIN_WORDS = {"user", "human", "you", "me", "prompt", "assistant", "ai", "response", "model", "bot", "system", "tool"}


def sniff(peek: Peek) -> Claim:
    # A note may begin with a `[link]` or quote JSON lines; a page of HTML is none, and aider's log has its own grammar.
    if peek.shape in ("sqlite", "empty") or (peek.shape == "json" and peek.top):
        return NO
    text = beginning(peek)
    if text.lstrip()[:1] == "<" or "# aider chat started at" in text:
        return NO
    found = markers(_lines(text))
    return Claim(Level.GENERIC, f"{len(found)} role markers such as {found[0].word!r}") if found else NO


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def read(sources: Sequence[Source], options: ReadOptions) -> Iterator[Record]:
    ids = ThreadIds()
    for source in sources:
        text, reason = _content(source)
        if reason:
            yield Skipped(source.where(), reason)
        if len(text) > _MAX_CHARACTERS:
            yield Skipped(source.where(), f"more than {_MAX_CHARACTERS >> 20} million characters in one note")
            continue
        lines = _lines(clean.text(text))
        found = markers(lines)
        if found:
            yield _chat(source, lines, found, ids, options.timezone)
        else:
            yield Skipped(source.where(), "no role markers of two speakers")


def _content(source: Source) -> tuple[str, str]:
    """The text, and why it ends early if it does."""
    pieces: list[str] = []
    size = 0
    with open_text(source) as stream:
        try:
            while size <= _MAX_CHARACTERS and (piece := stream.read(1 << 16)):
                pieces.append(piece)
                size += len(piece)
        except OSError as error:
            return "".join(pieces), damage(error)
    return "".join(pieces), ""


class _Head(NamedTuple):
    """What stands above the first marker: facts by our names, the first heading, and the rest."""

    facts: dict[str, str]
    title: str | None
    note: str


def _chat(source: Source, lines: list[str], found: list[Marker], ids: ThreadIds, zone: tzinfo) -> Chat:
    head = _head(lines[: found[0].line])
    facts = head.facts
    order = dates.order_of([facts.get("created", ""), *_written_times(lines, found)], zone)
    messages: list[Message] = []
    if head.note:
        messages.append(Message("note", "system", head.note, hidden="note", pointer="line 1"))
    ends = [marker.line for marker in found[1:]] + [len(lines)]
    for marker, end in zip(found, ends, strict=True):
        messages += _turn(marker, lines[marker.line + 1 : end], zone, order)
    created = dates.moment(facts.get("created", ""), zone, order)
    url = found_url[1] if (found_url := _LINK.match(facts.get("url", "") or facts.get("source", ""))) else None
    named = clean.title(facts.get("title")) or clean.title(head.title)
    return clean.complete(
        Chat(
            source=product(facts.get("source")) or product(url) or name,
            native_id=ids.of(facts.get("id"), messages, created),
            messages=tuple(messages),
            origin=Origin(source.path, source.member),
            title=named or _file_title(source),
            title_origin="export" if named else "derived",
            created_at=created,
            updated_at=dates.moment(facts.get("updated", ""), zone, order),
            project_name=facts.get("project"),
            project_id=facts.get("project"),
            model=facts.get("model") or next((m.model for m in messages if m.model), None),
            source_url=url,
        )
    )


def _file_title(source: Source) -> str | None:
    return None if source.path == "-" and source.member is None else clean.text(source.stem)


def _head(lines: list[str]) -> _Head:
    facts: dict[str, str] = {}
    title: str | None = None
    rest: list[str] = []
    for line in lines:
        fact = _FACT.fullmatch(line.strip())
        key = _KEYS.get("_".join(fact[1].lower().split())) if fact else None
        if fact and key and key not in facts:
            facts[key] = _unquoted(fact[2])
        elif title is None and line.startswith("# "):
            title = line[2:].strip().rstrip("#").strip()
        elif not _RULE.fullmatch(line):
            rest.append(line)
    return _Head({key: value for key, value in facts.items() if value}, title, "\n".join(rest).strip())


def _unquoted(value: str) -> str:
    value = value.strip().rstrip("*_").strip() if not value.strip().startswith(("'", '"')) else value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"`" else value


def _turn(marker: Marker, lines: list[str], zone: tzinfo, order: dates.Order) -> Iterator[Message]:
    beside = dates.moment(marker.aside, zone, order)
    aside = "" if beside else marker.aside
    body = _trimmed([marker.rest, *lines])
    below = _stamp(body[0], zone, order) if body and not beside else None
    body = _trimmed(body[1:]) if below else body
    thought, text = split_thinking("\n".join(body)) if marker.role == "assistant" else ("", "\n".join(body))
    hidden: Hidden | None = "system" if marker.role == "system" else "tool" if marker.role == "tool" else None
    message = Message(
        message_id=clean.digest(marker.role, text),
        role=marker.role,
        text=text,
        author=_author(marker, aside),
        model=_model(marker, aside),
        created_at=beside or below,
        hidden=hidden,
        pointer=f"line {marker.line + 1}",
    )
    if thought:
        yield replace(message, message_id=f"{message.message_id}/thinking", text=thought, hidden="thinking")
    if text.strip():
        yield message


def _written_times(lines: list[str], found: list[Marker]) -> Iterator[str]:
    """Whatever may be a time, beside a marker or below it, to tell days from months."""
    for marker in found:
        yield marker.aside
        yield next((_bare(line) for line in lines[marker.line + 1 : marker.line + 4] if line.strip()), "")


def _trimmed(lines: list[str]) -> list[str]:
    """Without the blank lines and the rules that only part the turns."""
    first, last = 0, len(lines)
    while first < last and (not lines[first].strip() or _RULE.fullmatch(lines[first])):
        first += 1
    while last > first and (not lines[last - 1].strip() or _RULE.fullmatch(lines[last - 1])):
        last -= 1
    return lines[first:last]


def _stamp(line: str, zone: tzinfo, order: dates.Order) -> datetime | None:
    """The time on a line of its own under the marker, as some exporters write it."""
    bare = _bare(line)
    return dates.moment(bare, zone, order) if ":" in bare and len(bare) <= 40 else None


def _bare(line: str) -> str:
    return line.strip().strip("*_>()[]").strip()


def _author(marker: Marker, aside: str) -> str | None:
    if marker.role == "user" and aside:
        return aside
    return None if marker.word.lower() in _PLAIN_WORDS else marker.word


def _model(marker: Marker, aside: str) -> str | None:
    if marker.role != "assistant":
        return None
    return aside if _MODEL.fullmatch(aside) else marker.word if marker.word.lower().startswith("gpt") else None
