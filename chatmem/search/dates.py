"""Times as people write them, to the beginning of what they name. Pure: *now* and the zone are parameters."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo

_MONTH = re.compile(r"(\d{4})-(\d{1,2})")
_YEAR = re.compile(r"\d{4}")
_PERIOD = re.compile(r"(?:the )?(last|past|previous|this) (week|month|year)")
_AGO = re.compile(r"\bago\b|\bvor\b|\bhace\b|\bil y a\b|\bhá\b|前")
_PRECISE = re.compile(r"\d\s*:|hour|minute|second|\bnow\b|stunde|minuto|heure|hora|小时")
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")


def moment(text: str, now: datetime, zone: tzinfo) -> datetime | None:
    """Aware UTC of an ISO time or date, `2024-03`, `2024`, or words (`last week`, `3 months ago`); None if it is none.

    A period means its beginning in `zone`: `before yesterday` ends, and `after yesterday` begins, at its midnight.
    """
    wanted = text.strip()
    try:
        if _YEAR.fullmatch(wanted):
            return _local(datetime(int(wanted), 1, 1), zone)
        if month := _MONTH.fullmatch(wanted):
            return _local(datetime(int(month.group(1)), int(month.group(2)), 1), zone)
        if _DATE.fullmatch(wanted):
            year, month_no, day = map(int, wanted.split("-"))
            return _local(datetime(year, month_no, day), zone)
        parsed = datetime.fromisoformat(wanted)
        return parsed.astimezone(UTC) if parsed.tzinfo else _local(parsed, zone)
    except (ValueError, OverflowError):
        return _in_words(wanted, now, zone)


def _local(at: datetime, zone: tzinfo) -> datetime:
    return at.replace(tzinfo=zone).astimezone(UTC)


def _in_words(text: str, now: datetime, zone: tzinfo) -> datetime | None:
    here = now.astimezone(zone).replace(tzinfo=None)
    midnight = here.replace(hour=0, minute=0, second=0, microsecond=0)
    lowered = text.lower()
    if lowered in ("today", "yesterday"):
        return _local(midnight - timedelta(days=lowered == "yesterday"), zone)
    if not any(c.isalpha() for c in text) or len(text) > 60:
        return None
    period = _PERIOD.fullmatch(lowered)
    if period:
        return _local(_begin(midnight, period.group(2), period.group(1) in ("last", "past", "previous")), zone)
    import dateparser

    day = "current" if _AGO.search(lowered) else "first"
    settings = {"RELATIVE_BASE": here, "PREFER_DAY_OF_MONTH": day, "PREFER_DATES_FROM": "past"}
    found = dateparser.parse(text, languages=["en", "de", "fr", "es", "pt", "zh"], settings=settings)
    if found is None:
        return None
    found = found.replace(tzinfo=None)
    return _local(found if _PRECISE.search(lowered) else found.replace(hour=0, minute=0, second=0, microsecond=0), zone)


def _begin(midnight: datetime, unit: str, previous: bool) -> datetime:
    """The first day of this or the previous week, month or year."""
    if unit == "week":
        return midnight - timedelta(days=midnight.weekday() + 7 * previous)
    if unit == "year":
        return midnight.replace(year=midnight.year - previous, month=1, day=1)
    first = midnight.replace(day=1)
    return (first - timedelta(days=1)).replace(day=1) if previous else first
