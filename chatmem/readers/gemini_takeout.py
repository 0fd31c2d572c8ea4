"""Gemini Apps activity from Google Takeout, the JSON form (formats.md 6.1).

The file is a log of activities, newest first: each row is one prompt with its answer, and only some rows name their
thread. Rows are grouped by that name alone, never by time. A row's id is its whole-second time and its prompt, which
the HTML form of the same export has too. Every Google product writes such a file, so the header decides.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

import orjson

from chatmem.model import Attachment, Chat, Message, Origin, Record, Skipped
from chatmem.readers import clean
from chatmem.readers._agent_logs import attached
from chatmem.readers.base import NO, Claim, Level, Peek, ReadOptions
from chatmem.readers.html_text import html_text
from chatmem.readers.jsonstream import Element, elements
from chatmem.readers.unpack import Source

name = "gemini-takeout"
_SOURCE = "gemini"

_APP = re.compile(r"\b(?:gemini|bard)\b", re.IGNORECASE)
_THREAD = re.compile(r"https?://(?:gemini|bard)\.google\.com/(?:u/\d+/)?app/(?:c_)?([0-9A-Za-z_-]+)")
_GEM = re.compile(r"(.+) was used in this chat")
# The activity stands before the prompt, in the account's language, with or without a colon.
_PROMPTED = re.compile(
    r"(?:Prompted|Asked|Said|Branched|Answered|Live Prompt|Submitted query|Hiciste la petición|Υποβλήθηκε το ερώτημα)"
    r"(?:\s*[:：]\s*|\s+|$)"
    r"|(?:Запит|Запрос|Prompt|Eingegebener Prompt|送信したメッセージ|プロンプト|已提示|Has dicho|Preguntado)\s*[:：]\s*"
)
_OTHER = re.compile(
    r"(?:Created|Used|Gave feedback|Selected preferred|Added|Cleared|Searched|Answered survey)(?![^\W_])"
)
_LABEL = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)?\s?[:：]\s+")
_ANSWERS_APART = "\n\n---\n\n"


def sniff(peek: Peek) -> Claim:
    rows = [item for item in peek.items if _is_row(item)] if isinstance(peek.top, list) else []
    if any(_is_gemini(row) for row in rows):
        return Claim(Level.EXACT, "activity rows whose product is Gemini Apps")
    if rows:
        product = clean.optional(rows[0].get("header")) or "another product"
        return Claim(Level.SIDE, f"Google activity of {product}, not of Gemini")
    return NO


def _is_row(item: dict[str, Any]) -> bool:
    return {"header", "time"} <= item.keys() and bool({"title", "safeHtmlItem"} & item.keys())


def _is_gemini(row: dict[str, Any]) -> bool:
    """By the product's name, which is Latin in every language, or by answers beside its own activity control."""
    named = [row.get("header"), *_list(row.get("products"))]
    if "safeHtmlItem" in row:
        named += _list(row.get("activityControls"))
    return any(_APP.search(text) for text in named if isinstance(text, str)) or bool(_threads(row))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _threads(row: dict[str, Any]) -> set[str]:
    texts = [row.get("titleUrl")]
    for detail in _list(row.get("details")):
        texts += [clean.mapping(detail).get("url"), clean.mapping(detail).get("name")]
    return {thread for text in texts if isinstance(text, str) for thread in _THREAD.findall(text)}


@dataclass(slots=True)
class _Place:
    """Where a row waits in the spool. `thread` None: the export does not say to which thread it belongs."""

    thread: str | None
    offset: int
    size: int
    answered: bool


def read(sources: Sequence[Source], options: ReadOptions) -> Iterator[Record]:
    """Rows of a thread lie apart, also in other files, so all wait in a spool and only their places in memory."""
    places: dict[str, _Place] = {}
    with tempfile.SpooledTemporaryFile(max_size=8 << 20) as spool:
        for number, source in enumerate(sources):
            for element in elements(source):
                row = element if isinstance(element, Skipped) else _row(element, source, options)
                if isinstance(row, Skipped):
                    yield row
                elif row is not None:
                    _keep({**row, "source": number}, places, spool)
        threads: dict[str, list[_Place]] = {}
        for key, place in places.items():
            threads.setdefault(place.thread or key, []).append(place)
        for native_id, members in threads.items():
            yield _chat(native_id, [_fetch(place, spool) for place in members], sources)


def _row(element: Element, source: Source, options: ReadOptions) -> dict[str, Any] | Skipped | None:
    """The row as it will wait, None for what is no chat turn."""
    raw = element.value
    if not isinstance(raw, dict):
        return Skipped(source.where(element.pointer), "an activity that is not an object")
    if not _is_gemini(raw) and raw.get("header") != "AI Mode":
        return None
    title = raw.get("title")
    if title is not None and not isinstance(title, str):
        return Skipped(source.where(element.pointer), "`title` is not a text")
    items = raw.get("safeHtmlItem")
    answers = [clean.text(clean.mapping(i).get("html")) for i in ([items] if isinstance(items, dict) else _list(items))]
    answer = _ANSWERS_APART.join(filter(None, map(html_text, answers)))
    prompt = _prompt(clean.text(title).strip(), clean.text(raw.get("header")), bool(answer))
    if prompt is None:
        return None
    at = clean.moment(raw.get("time"), options.timezone)
    threads = _threads(raw)
    return {
        "key": clean.digest(at.replace(microsecond=0).isoformat() if at else "", " ".join(prompt.split())),
        "thread": threads.pop() if len(threads) == 1 else None,
        "at": at.isoformat() if at else None,
        "prompt": prompt,
        "answer": answer,
        "files": _files(raw, source),
        "gem": _gem(raw),
        "pointer": element.pointer,
    }


def _prompt(title: str, header: str, answered: bool) -> str | None:
    """What the user said, None if the activity is no prompt. Of an unknown language, a row with an answer is one."""
    if _OTHER.match(title):
        return None
    known = _PROMPTED.match(title)
    if known:
        return title[known.end() :].strip()
    if not answered:
        return None
    label = None if header in ("Gemini Apps", "Bard", "AI Mode") else _LABEL.match(title)
    return title[label.end() :].strip() if label else title


def _files(raw: dict[str, Any], source: Source) -> list[list[Any]]:
    """[name, path in the export, whether it is there] of every attached file, each once."""
    listed = [(clean.mapping(s).get("url"), clean.mapping(s).get("name")) for s in _list(raw.get("subtitles"))]
    listed += [(raw.get("imageFile"), None)]
    for file in _list(raw.get("attachedFiles")):
        inner = clean.mapping(file)
        listed.append(
            (file, None) if isinstance(file, str) else (inner.get("url") or inner.get("name"), inner.get("name"))
        )
    found: dict[str, list[Any]] = {}
    for path, label in listed:
        pointer = clean.optional(path) if isinstance(path, str) else None
        if pointer and "://" not in pointer and pointer not in found:
            shown = (clean.optional(label) or pointer).lstrip("- ")
            found[pointer] = [shown or pointer, pointer, source.sibling(pointer) is not None]
    return list(found.values())


def _gem(raw: dict[str, Any]) -> str | None:
    names = (clean.text(clean.mapping(s).get("name")) for s in _list(raw.get("subtitles")))
    return next((match[1].strip() for match in map(_GEM.match, names) if match), None)


def _keep(row: dict[str, Any], places: dict[str, _Place], spool: IO[bytes]) -> None:
    """Remember the row once: older exports repeat it, perhaps without its thread or its answer."""
    key, thread, answered = row["key"], row["thread"], bool(row["answer"])
    known = places.get(key)
    if known is not None and thread and known.thread and known.thread != thread:
        key = row["key"] = clean.digest(key, thread)
        known = places.get(key)
    if known is not None and (known.answered or not answered):
        known.thread = known.thread or thread
        return
    data = orjson.dumps(row)
    offset = spool.seek(0, 2)
    spool.write(data)
    places[key] = _Place(thread or (known.thread if known else None), offset, len(data), answered)


def _fetch(place: _Place, spool: IO[bytes]) -> dict[str, Any]:
    spool.seek(place.offset)
    row: dict[str, Any] = orjson.loads(spool.read(place.size))
    return {**row, "thread": place.thread}


def _chat(native_id: str, rows: list[dict[str, Any]], sources: Sequence[Source]) -> Chat:
    rows = _oldest_first(rows)
    source = sources[rows[0]["source"]]
    thread = rows[0]["thread"]
    # With one row the chat's record is the row; with several it is the file, unless a row stands in another one.
    pointers = [row["pointer"] if row["source"] == rows[0]["source"] else "" for row in rows] if len(rows) > 1 else [""]
    return clean.complete(
        Chat(
            source=_SOURCE,
            native_id=native_id,
            messages=tuple(m for row, pointer in zip(rows, pointers, strict=True) for m in _messages(row, pointer)),
            origin=Origin(source.path, source.member, rows[0]["pointer"] if len(rows) == 1 else ""),
            agent_id=next((row["gem"] for row in rows if row["gem"]), None),
            source_url=f"https://gemini.google.com/app/{thread}" if thread else None,
        )
    )


def _oldest_first(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The file is newest first; a stable sort by time then leaves rows of the same second in their order."""
    first, last = rows[0]["at"] or "", rows[-1]["at"] or ""
    ordered = rows if first < last else rows[::-1]
    return sorted(ordered, key=lambda row: str(row["at"])) if all(row["at"] for row in rows) else ordered


def _messages(row: dict[str, Any], pointer: str) -> Iterator[Message]:
    """Prompt and answer share the row's time. An older export may have had the row as a chat of its own: its home."""
    at = clean.moment(row["at"])
    home = row["key"] if row["thread"] else None
    files = tuple(Attachment(label, pointer=path, present=present) for label, path, present in row["files"])
    text = row["prompt"] or attached(files)
    yield Message(
        message_id=f"{row['key']}/prompt",
        role="user",
        text=text,
        created_at=at,
        hidden=None if text else "placeholder",
        attachments=files,
        pointer=pointer,
        home=home,
    )
    if row["answer"]:
        message_id = f"{row['key']}/answer"
        parent_id = f"{row['key']}/prompt"
        yield Message(message_id, "assistant", row["answer"], parent_id, created_at=at, pointer=pointer, home=home)
