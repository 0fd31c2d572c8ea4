"""Rules every format shares: times to UTC, unbroken Unicode, roles, titles (formats.md section 0)."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from chatmem.acting import ACTING
from chatmem.model import Chat, Message, Role

# Magnitude tells the unit of a number: below 1e11 seconds, 1e14 milliseconds, 1e17 microseconds, above nanoseconds.
_UNITS = ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (float("inf"), 1e9))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DIGITS = re.compile(r"[0-9]+(\.[0-9]+)?")
# Ruby and Java write `2025-03-04 09:15:00 +0000` or ` UTC`.
_SPACED_ZONE = re.compile(r"\s+(UTC|GMT|Z|[+-]\d\d:?\d\d)$")

_ROLES: dict[str, Role] = {
    **dict.fromkeys(
        ("user", "human", "customer", "requester", "end-user", "end_user", "contact", "lead", "visitor", "prompter"),
        "user",
    ),
    **dict.fromkeys(
        ("assistant", "model", "gpt", "chatgpt", "bing", "bard", "claude", "gemini", "ai", "bot", "agent", "admin",
         "operator"),
        "assistant",
    ),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(
        ("tool", "function", "function_call", "tool_call", "observation", "tool_response", "ipython"), "tool"
    ),
}  # fmt: skip

_DEFAULT_TITLES = {
    "new chat", "new conversation", "new thread",
    "untitled", "untitled chat", "untitled conversation", "untitled thread",
    "neuer chat", "nouveau chat", "nuevo chat", "novo chat", "nuova chat", "新しいチャット", "新聊天", "新对话",
}  # fmt: skip
_TITLE_LENGTH = 80
_BLOCK_MARKS = re.compile(r"(\s|#{1,6}(?=\s)|>|[-*+](?=\s))+")
_EMPHASIS = re.compile(r"(\*{1,3}|__|`)((?:(?!\1).)+)\1")
_FENCE = re.compile(r"\s*(```|~~~)")


def moment(value: Any, zone: tzinfo = UTC) -> datetime | None:
    """A time of any spelling as aware UTC, or None if it is absent or makes no sense.

    Takes epoch numbers of any unit, digit strings, ISO 8601 with 0-9 fraction digits, and Mongo `{"$date": …}`.
    A text without an offset is local time of `zone`.
    """
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _from_number(value)
    if isinstance(value, dict):
        inner = value.get("$date", value.get("$numberLong"))
        return moment(inner, zone) if not isinstance(inner, dict) or "$date" not in inner else None
    return _from_text(value.strip(), zone) if isinstance(value, str) else None


def _from_number(number: float) -> datetime | None:
    if not 0 < number < 1e20:
        return None
    seconds = number / next(scale for limit, scale in _UNITS if number < limit)
    try:
        found = _EPOCH + timedelta(microseconds=round(seconds * 1e6))
    except OverflowError:
        return None
    return found if found > _EPOCH else None


def _from_text(written: str, zone: tzinfo) -> datetime | None:
    if _DIGITS.fullmatch(written):
        return _from_number(float(written))
    try:
        parsed = datetime.fromisoformat(_SPACED_ZONE.sub(_zone, written.upper()))
        found = (parsed if parsed.tzinfo else parsed.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    # Year 1 and 1970 are how programs write "no time".
    return found if found > _EPOCH else None


def _zone(match: re.Match[str]) -> str:
    return match[1] if match[1][0] in "+-" else "Z"


def text(value: Any) -> str:
    """A string that can be stored: surrogate pairs joined, lone surrogates replaced, NUL removed; else ""."""
    if not isinstance(value, str):
        return ""
    if value.isascii():
        return value.replace("\0", "") if "\0" in value else value
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "")
    return value.replace("\0", "")


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def optional(value: Any) -> str | None:
    """A non-blank string, cleaned, or None. Numbers become their digits."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value) if math.isfinite(value) else None
    cleaned = text(value).strip()
    return cleaned or None


def role(value: Any) -> Role | None:
    """The role that a product's word means, compared without case; None for an unknown word (do not guess)."""
    return _ROLES.get(value.strip().lower()) if isinstance(value, str) else None


def title(exported: Any) -> str | None:
    """The export's title on one line, or None if it is missing, blank or a product's default."""
    cleaned = " ".join(text(exported).split())
    return None if not cleaned or cleaned.lower() in _DEFAULT_TITLES else cleaned


def derived_title(prompts: Iterable[str]) -> str | None:
    """First line with words of the first prompt that has one, without markup, cut at a word near 80 characters."""
    wordless = None
    for prompt in prompts:
        for line in prompt.splitlines():
            plain = "" if _FENCE.match(line) else _without_markup(line)
            if any(map(str.isalnum, plain)):
                return _shorten(plain)
            wordless = wordless or plain or None
    return _shorten(wordless) if wordless else None


def _without_markup(line: str) -> str:
    marks = _BLOCK_MARKS.match(line)
    plain = " ".join(line[marks.end() if marks else 0 :].split())
    if marks and "#" in marks[0]:
        plain = re.sub(r"\s+#+$", "", plain)
    emphasis = _EMPHASIS.fullmatch(plain)
    return emphasis[2].strip() if emphasis else plain


def _shorten(line: str) -> str:
    if len(line) <= _TITLE_LENGTH:
        return line
    head = line[:_TITLE_LENGTH]
    cut = head.rfind(" ")
    return (head[:cut] if cut > _TITLE_LENGTH // 2 else head) + "…"


def digest(*parts: object) -> str:
    """A short stable id for content that carries none (never made from a position in the file)."""
    return hashlib.sha256("\x1f".join(str(p) for p in parts).encode("utf-8", "replace")).hexdigest()[:24]


_UNSEEN = re.compile(f"[\x00-\x1f{ACTING}]")


def printable(name: str) -> str:
    """An id as it can be printed, read and typed; one with control characters gets a name of its own."""
    if name.isprintable() or not _UNSEEN.search(name):
        return name
    return f"{_UNSEEN.sub('_', name)}~{digest(name)[:8]}"


def unique_ids(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The same messages with later repeats of an id made distinct by `~2`, `~3` …"""
    seen: set[str] = set()
    counts: dict[str, int] = {}
    result = []
    for message in messages:
        name = message.message_id
        while name in seen:
            counts[message.message_id] = counts.get(message.message_id, 1) + 1
            name = f"{message.message_id}~{counts[message.message_id]}"
        seen.add(name)
        result.append(message if name == message.message_id else replace(message, message_id=name))
    return tuple(result)


def complete(chat: Chat) -> Chat:
    """The chat with what an export left out: a derived title, times from its messages, distinct message ids."""
    times = [m.created_at for m in chat.messages if m.created_at is not None]
    named = title(chat.title)
    prompts = (m.text for m in chat.visible() if m.role == "user")
    found = named or derived_title(prompts) or derived_title(m.text for m in chat.visible())
    return replace(
        chat,
        messages=unique_ids(chat.messages),
        title=found,
        title_origin=chat.title_origin if named else "derived",
        created_at=chat.created_at or min(times, default=None),
        updated_at=chat.updated_at or max(times, default=None),
    )
