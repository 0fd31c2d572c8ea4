"""Rules every format shares: times to UTC, unbroken Unicode, roles, titles (formats.md section 0)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from chatmem.model import Chat, Message, Role

# Magnitude tells the unit of a number: below 1e11 seconds, 1e14 milliseconds, 1e17 microseconds, above nanoseconds.
_UNITS = ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (float("inf"), 1e9))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FRACTION = re.compile(r"(\.\d{6})\d+")
_DIGITS = re.compile(r"\d+(\.\d+)?")

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

_DEFAULT_TITLES = {"new chat", "untitled", "new conversation", "untitled chat"}
_TITLE_LENGTH = 80
_MARKUP = re.compile(r"^[\s#>*_`~-]+|[\s*_`~]+$")


def moment(value: Any, zone: tzinfo = UTC) -> datetime | None:
    """A time of any spelling as aware UTC, or None if it is absent or makes no sense.

    Takes epoch numbers of any unit, digit strings, ISO 8601 with 0-9 fraction digits, and Mongo `{"$date": …}`.
    A text without an offset is local time of `zone`.
    """
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _from_number(float(value))
    if isinstance(value, dict):
        inner = value.get("$date", value.get("$numberLong"))
        return moment(inner, zone) if inner is not None else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    if _DIGITS.fullmatch(text):
        return _from_number(float(text))
    try:
        parsed = datetime.fromisoformat(_FRACTION.sub(r"\1", text))
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _from_number(number: float) -> datetime | None:
    if not 0 < number < 1e20:
        return None
    seconds = number / next(scale for limit, scale in _UNITS if number < limit)
    try:
        return _EPOCH + timedelta(microseconds=round(seconds * 1e6))
    except OverflowError:
        return None


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
        return str(value)
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
    """First non-blank line of the first prompt that has one, without markup, cut at a word near 80 characters."""
    for prompt in prompts:
        for line in prompt.splitlines():
            plain = " ".join(_MARKUP.sub("", line).split())
            if plain:
                return _shorten(plain)
    return None


def _shorten(line: str) -> str:
    if len(line) <= _TITLE_LENGTH:
        return line
    head = line[:_TITLE_LENGTH]
    cut = head.rfind(" ")
    return (head[:cut] if cut > _TITLE_LENGTH // 2 else head) + "…"


def digest(*parts: object) -> str:
    """A short stable id for content that carries none (never made from a position in the file)."""
    return hashlib.sha256("\x1f".join(str(p) for p in parts).encode("utf-8", "replace")).hexdigest()[:24]


def unique_ids(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The same messages with later repeats of an id made distinct by `~2`, `~3` …"""
    from dataclasses import replace

    seen: dict[str, int] = {}
    result = []
    for message in messages:
        count = seen[message.message_id] = seen.get(message.message_id, 0) + 1
        result.append(message if count == 1 else replace(message, message_id=f"{message.message_id}~{count}"))
    return tuple(result)


def complete(chat: Chat) -> Chat:
    """The chat with what an export left out: a derived title, times from its messages, distinct message ids."""
    from dataclasses import replace

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
