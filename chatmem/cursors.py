"""Places in the list of chats by time, as `recent` prints them for the next page."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from chatmem.archive.layout import micros
from chatmem.archive.read import ChatRow, Cursor

_CURSOR = re.compile(r"(-?[0-9]{1,18})?@(.+)", re.DOTALL)


def text(row: ChatRow) -> str:
    """`<microseconds>@<chat_id>`: a place in the time order that `--before` and `--after` take."""
    return f"{micros(row.updated_at) if row.updated_at else ''}@{row.chat_id}"


def parse(written: str) -> Cursor | None:
    """The cursor that a text is, or None."""
    found = _CURSOR.fullmatch(written)
    if not found:
        return None
    moment, chat_id = found.groups()
    try:
        at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(moment)) if moment else None
    except OverflowError:
        return None
    return Cursor(at, chat_id)
