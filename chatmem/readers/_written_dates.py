"""Dates as spreadsheets and people write them, read by one rule per file.

03/04/2025 is two days, depending on the writer. One value above 12 settles it for the whole file, else the reading in
which times run one way; if both fail such times stay unknown, because a wrong day in evidence is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal

from chatmem.readers import clean

Order = Literal["day", "month"] | None

_CLOCK = r"(?:[T,\s]\s*(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,]\d+)?)?\s*([AaPp])?\.?(?:[Mm]\.?)?)?"
_ZONE = r"\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?"
_NUMERIC = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})" + _CLOCK + _ZONE)
_YEAR_FIRST = re.compile(r"(\d{4})([/.-]|)(\d{1,2})\2(\d{1,2})" + _CLOCK + _ZONE)
_COMPACT = re.compile(r"((?:19|20)\d{2})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?)?")
_WORDED = re.compile(
    r"(?:[A-Za-z]{3,9},?\s+)?(?:(\d{1,2})(?:st|nd|rd|th)?[\s.-]+([A-Za-z]{3,9})|([A-Za-z]{3,9})\.?\s+(\d{1,2})(?:st|nd|rd|th)?)"
    r"[\s.,-]+(\d{4})(?:\s+at)?" + _CLOCK + _ZONE
)
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {month: number for number, month in enumerate(_MONTH_NAMES, 1)}
# Days since 1899-12-30, as spreadsheets count; the range covers 1982 to 2119 and no epoch a chat could have.
_SERIAL = (30_000, 80_000)
_SPREADSHEET_EPOCH = datetime(1899, 12, 30)


def ambiguous(text: str) -> tuple[int, int] | None:
    """The two numbers whose order a date like 03/04/2025 leaves open."""
    match = _NUMERIC.fullmatch(text.strip())
    return (int(match[1]), int(match[3])) if match and match[2] != "." else None


def order_of(texts: Iterable[str], zone: tzinfo) -> Order:
    """`day` or `month` first, by the values of a whole file; None if they do not tell."""
    readings: tuple[Literal["day", "month"], ...] = ("day", "month")
    turns = {order: [0, 0] for order in readings}
    last: dict[str, datetime] = {}
    for text in texts:
        numbers = ambiguous(text)
        if numbers is None:
            continue
        first, second = numbers
        if first > 12 >= second:
            return "day"
        if second > 12 >= first:
            return "month"
        for order in readings:
            at = moment(text, zone, order)
            if at and order in last and at != last[order]:
                turns[order][at > last[order]] += 1
            if at:
                last[order] = at
    straight = [order for order, steps in turns.items() if any(steps) and not all(steps)]
    return straight[0] if len(straight) == 1 else None


def moment(text: str, zone: tzinfo, order: str | None) -> datetime | None:
    """The time as UTC; a text without an offset is local time of `zone`. None if it cannot be told."""
    text = " ".join(text.split())
    if not text:
        return None
    # The common spelling first: patterns cost ten times as much.
    parsed = _iso(text) if text[4:5] == "-" else None
    parsed = parsed or _serial(text) or _by_pattern(text, order)
    if parsed is None:
        return clean.moment(text, zone)
    try:
        return (parsed if parsed.tzinfo else parsed.replace(tzinfo=zone)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _iso(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _serial(text: str) -> datetime | None:
    if not re.fullmatch(r"\d{5}([.,]\d+)?", text):
        return None
    days = float(text.replace(",", "."))
    if not _SERIAL[0] <= days < _SERIAL[1]:
        return None
    return _SPREADSHEET_EPOCH + timedelta(seconds=round(days * 86400))


def _by_pattern(text: str, order: str | None) -> datetime | None:
    if match := _NUMERIC.fullmatch(text):
        first, second, year = int(match[1]), int(match[3]), int(match[4])
        # Dots are only used by people who write the day first.
        order = "day" if match[2] == "." or first == second else order
        if order is None:
            return None
        day, month = (first, second) if order == "day" else (second, first)
        return _built(year + 2000 if year < 100 else year, month, day, match.groups()[4:])
    if match := _COMPACT.fullmatch(text):
        return _built(int(match[1]), int(match[2]), int(match[3]), (*match.groups()[3:], None, None))
    if match := _YEAR_FIRST.fullmatch(text):
        return _built(int(match[1]), int(match[3]), int(match[4]), match.groups()[4:]) if match[2] else None
    if match := _WORDED.fullmatch(text):
        day, month = int(match[1] or match[4]), _MONTHS.get((match[2] or match[3])[:3].lower(), 0)
        return _built(int(match[5]), month, day, match.groups()[5:])
    return None


def _built(year: int, month: int, day: int, clock: Iterable[str | None]) -> datetime | None:
    hour_text, minute, second, half, offset = clock
    hour = int(hour_text or 0)
    if half:
        hour = hour % 12 + (12 if half in "Pp" else 0)
    try:
        local = datetime(year, month, day, hour, int(minute or 0), int(second or 0))
    except ValueError:
        return None
    if not offset:
        return local
    if offset in ("Z", "UTC", "GMT"):
        return local.replace(tzinfo=UTC)
    signed = 1 if offset[0] == "+" else -1
    away = timedelta(hours=int(offset[1:3]), minutes=int(offset[-2:]))
    return (local - signed * away).replace(tzinfo=UTC)
