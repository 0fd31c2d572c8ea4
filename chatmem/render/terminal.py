"""What a terminal may be told: colour rules, times, and chat text without anything that acts on the screen."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, tzinfo
from typing import Literal

from chatmem.acting import ACTING

ColorChoice = Literal["auto", "always", "never"]

_CONTROL = re.compile(f"[\x00-\x08\x0b-\x1f{ACTING}]")
_NOT_IN_JSON = re.compile(f"[{ACTING}]")


def scrub(text: str) -> str:
    """Text from strangers with every control made visible (`ESC` as ␛, others as <U+XXXX>); tab and newline stay."""
    if text.isascii() and text.isprintable():
        return text
    return _CONTROL.sub(_visible, text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """Scrubbed text on one line, runs of white space as one space, for records of one line."""
    return " ".join(scrub(text).split())


def cell(text: str) -> str:
    """Scrubbed text on one line with its spaces as they are: an id must stay the id."""
    return scrub(text).replace("\t", " ").replace("\n", " ")


def escape_json(document: str) -> str:
    """A JSON document with the acting characters that JSON allows raw written as escapes: the same value."""
    if document.isascii() and "\x7f" not in document:
        return document
    return _NOT_IN_JSON.sub(_escaped, document)


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"<U+{code:04X}>"


def _escaped(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def wants_color(choice: ColorChoice, is_terminal: bool) -> bool:
    """--color beats NO_COLOR beats what the stream is."""
    if choice != "auto":
        return choice == "always"
    return is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def local_time(at: datetime | None, zone: tzinfo) -> str:
    """In the reader's zone to the minute; at the ends of the calendar, where a zone has no place, in UTC."""
    if at is None:
        return "no date"
    try:
        shown = at.astimezone(zone)
    except (OverflowError, ValueError):
        shown = at.astimezone(UTC)
    return shown.replace(tzinfo=None).isoformat(" ", "minutes")


def some(count: int, noun: str) -> str:
    """`1 chat`, `2,000 chats`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
