"""Times as people write them, to the beginning of what they name. Pure: *now* and the zone are parameters."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo

_YEAR = re.compile(r"\d{4}")
_MONTH = re.compile(r"(\d{4})[-/.](\d{1,2})")
_DATE = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})")
# Slashes are read either way round; points are not.
_DAY_FIRST = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})")
# This and the last week, month and year, whose beginnings are meant.
_PERIODS = {
    ("week", 0): "this week|diese woche|cette semaine|esta semana|本周|这周|这个星期",
    ("week", 1): "(the )?(last|past|previous) week|letzte woche|(la )?semaine dernière|(la )?semana pasada"
    "|(a )?semana passada|上周|上个星期",
    ("month", 0): "this month|diesen monat|ce mois(-ci)?|este m[eê]s|这个月|本月",
    ("month", 1): "(the )?(last|past|previous) month|letzten monat|(le )?mois dernier|(el )?mes pasado"
    "|(o )?mês passado|上个月",
    ("year", 0): "this year|dieses jahr|cette année|este a[ñn]o|今年",
    ("year", 1): "(the )?(last|past|previous) year|letztes jahr|l'an(née)? derni(er|ère)|(el )?año pasado"
    "|(o )?ano passado|去年",
}
_AGO = re.compile(r"\bago\b|\bvor\b|\bhace\b|\bil y a\b|\bhá\b|前")
# A word of a language, not just letters among digits.
_WORD = re.compile(r"[^\W\d_]{3}|[\u4e00-\u9fff]")
_HOURS = re.compile(r"hour|minute|second|stunde|sekunde|minuto|segundo|heure|seconde|hora|小时|分钟|秒")
_PRECISE = re.compile(r"\d\s*:|\bnow\b")
LANGUAGES = ["en", "de", "fr", "es", "pt", "zh"]
LONGEST = 60


def moment(text: str, now: datetime, zone: tzinfo) -> datetime | None:
    """Aware UTC of an ISO time or date, `2024-03`, `2024`, or words (`last week`, `3 months ago`); None if it is none.

    A period means its beginning in `zone`: `before yesterday` ends, and `after yesterday` begins, at its midnight.
    """
    wanted = text.strip()
    try:
        return _numeric(wanted, zone) or _in_words(wanted.lower(), now, zone)
    except (ValueError, OverflowError):
        return None


def _numeric(text: str, zone: tzinfo) -> datetime | None:
    if _YEAR.fullmatch(text):
        return _local(datetime(int(text), 1, 1), zone)
    if month := _MONTH.fullmatch(text):
        return _local(datetime(int(month[1]), int(month[2]), 1), zone)
    if date := _DATE.fullmatch(text):
        return _local(datetime(int(date[1]), int(date[3]), int(date[4])), zone)
    if date := _DAY_FIRST.fullmatch(text):
        return _local(datetime(int(date[3]), int(date[2]), int(date[1])), zone)
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        return None
    return parsed.astimezone(UTC) if parsed.tzinfo else _local(parsed, zone)


def _local(at: datetime, zone: tzinfo) -> datetime:
    return at.replace(tzinfo=zone).astimezone(UTC)


def _in_words(text: str, now: datetime, zone: tzinfo) -> datetime | None:
    if not _WORD.search(text) or len(text) > LONGEST:
        return None
    here = now.astimezone(zone).replace(tzinfo=None)
    midnight = here.replace(hour=0, minute=0, second=0, microsecond=0)
    if text in ("today", "yesterday"):
        return _local(midnight - timedelta(days=text == "yesterday"), zone)
    for (unit, back), names in _PERIODS.items():
        if re.fullmatch(names, text):
            return _local(_begin(midnight, unit, bool(back)), zone)
    if _HOURS.search(text) and ":" not in text:
        # Hours are counted where no clock is ever put forward or back.
        counted = _parsed(text, now.astimezone(UTC).replace(tzinfo=None), "current")
        return counted.replace(tzinfo=UTC) if counted else None
    found = _parsed(text, here, "current" if _AGO.search(text) else "first")
    if found is None:
        return None
    return _local(found if _PRECISE.search(text) else found.replace(hour=0, minute=0, second=0, microsecond=0), zone)


def _parsed(text: str, base: datetime, day: str) -> datetime | None:
    """Naive, as `base` is. `day`: what a month without a day means."""
    import dateparser

    settings = {"RELATIVE_BASE": base, "PREFER_DAY_OF_MONTH": day, "PREFER_DATES_FROM": "past"}
    found: datetime | None = dateparser.parse(text, languages=LANGUAGES, settings=settings)
    return found.replace(tzinfo=None) if found else None


def _begin(midnight: datetime, unit: str, previous: bool) -> datetime:
    """The first day of this or the previous week, month or year."""
    if unit == "week":
        return midnight - timedelta(days=midnight.weekday() + 7 * previous)
    if unit == "year":
        return midnight.replace(year=midnight.year - previous, month=1, day=1)
    first = midnight.replace(day=1)
    return (first - timedelta(days=1)).replace(day=1) if previous else first
