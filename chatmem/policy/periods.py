"""The time that a message speaks of, as a range: yesterday, last week, in March, three days ago. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, tzinfo
from typing import NamedTuple


class Period(NamedTuple):
    """`after` inclusive, `before` exclusive, either may be open; `words` as they stand in the message."""

    after: datetime | None
    before: datetime | None
    words: str


Days = tuple[date | None, date | None]

_UNITS = {
    "day": r"days?|tage?n?|jours?|días?|dias?|天",
    "week": r"weeks?|wochen?|semaines?|semanas?|周|星期|个星期",
    "month": r"months?|monate?n?|mois|mes(?:es)?|mês|meses|个月",
    "year": r"years?|jahre?n?|ans?|années?|años?|anos?|年",
}
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "couple of": 2, "a couple of": 2,
    "einem": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4, "un": 1, "une": 1, "deux": 2, "trois": 3, "quatre": 4,
    "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "um": 1, "uma": 1, "dois": 2, "duas": 2, "três": 3, "quatro": 4,
    "一": 1, "两": 2, "三": 3, "四": 4, "几": 3,
}  # fmt: skip
_NUMBER = rf"(?P<number>\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_WEEKDAYS = (
    r"monday|montag|lundi|lunes|segunda(?:-feira)?|(?:星期|周|礼拜)一", r"tuesday|dienstag|mardi|martes|terça(?:-feira)?|(?:星期|周|礼拜)二",
    r"wednesday|mittwoch|mercredi|miércoles|quarta(?:-feira)?|(?:星期|周|礼拜)三", r"thursday|donnerstag|jeudi|jueves|quinta(?:-feira)?|(?:星期|周|礼拜)四",
    r"friday|freitag|vendredi|viernes|sexta(?:-feira)?|(?:星期|周|礼拜)五", r"saturday|samstag|samedi|sábado|(?:星期|周|礼拜)六",
    r"sunday|sonntag|dimanche|domingo|(?:星期|周|礼拜)(?:日|天)",
)  # fmt: skip
_MONTHS = (
    r"january|januar|janvier|enero|janeiro|一月|(?<!\d)1月", r"february|februar|février|febrero|fevereiro|二月|(?<!\d)2月",
    r"march|märz|mars|marzo|março|三月|(?<!\d)3月", r"april|avril|abril|四月|4月", r"may|mai|mayo|maio|五月|5月",
    r"june|juni|juin|junio|junho|六月|6月", r"july|juli|juillet|julio|julho|七月|7月", r"august|août|agosto|八月|8月",
    r"september|septembre|septiembre|setembro|九月|9月", r"october|oktober|octobre|octubre|outubro|十月|10月",
    r"november|novembre|noviembre|novembro|十一月|11月", r"december|dezember|décembre|diciembre|dezembro|十二月|12月",
)  # fmt: skip
_LAST = r"last|past|previous|letzten?|letztes|vergangenen?|vorigen?"
_LAST_BEHIND = r"derni[eè]re?s?|passée?|pasad[oa]|passad[oa]"
_THIS = r"this|diese[nrsm]?|cette|ce|est[ae]|nest[ae]|这(?:个)?|本"


def _day(today: date, back: int) -> Days:
    day = today - timedelta(days=back)
    return day, day + timedelta(days=1)


def _week(today: date, back: int) -> Days:
    monday = today - timedelta(days=today.weekday() + 7 * back)
    return monday, monday + timedelta(days=7)


def _month(today: date, back: int) -> Days:
    index = today.year * 12 + today.month - 1 - back
    return date(index // 12, index % 12 + 1, 1), date((index + 1) // 12, (index + 1) % 12 + 1, 1)


def _year(today: date, back: int) -> Days:
    return date(today.year - back, 1, 1), date(today.year - back + 1, 1, 1)


_OF: dict[str, Callable[[date, int], Days]] = {"day": _day, "week": _week, "month": _month, "year": _year}


def period(message: str, now: datetime, zone: tzinfo) -> Period | None:
    """The first time that a message speaks of; None if it speaks of none."""
    today = now.astimezone(zone).date()
    found = [one for rule in (_named, _ago, _unit, _weekday, _month_named, _written) if (one := rule(message, today))]
    if not found:
        return None
    start, stop, (after, before) = min(found, key=lambda one: (one[0], -one[1]))
    lead = message[:start]
    if re.search(r"(?i)\b(?:since|seit|depuis|desde)\s(?:the\s|dem\s|la\s|el\s|a\s|o\s)?$|从$|自$", lead):
        before = None
    elif re.search(
        r"(?i)\b(?:before|until|vor|bis|avant|antes de|até)\s(?:the\s|dem\s|la\s|el\s|a\s|o\s)?$", lead
    ) or re.search(r"之前|以前", message[stop : stop + 2]):
        after, before = None, after
    return Period(_at(after, zone), _at(before, zone), message[start:stop])


Found = tuple[int, int, Days]


def _at(day: date | None, zone: tzinfo) -> datetime | None:
    return datetime.combine(day, time(), zone) if day else None


def _named(message: str, today: date) -> Found | None:
    for words, back in (
        (r"\bthe day before yesterday\b|\bvorgestern\b|\bavant-hier\b|\banteayer\b|\banteontem\b|前天", 2),
        (r"\byesterday\b|\bgestern\b|\bhier(?: soir)?(?=[ ,?.!]|$)(?<!\bvon hier)|\bayer\b|\bontem\b|昨天", 1),
        (r"\btoday\b|\bthis morning\b|\bearlier today\b|\bheute\b|\baujourd['’]hui\b|\bhoy\b|\bhoje\b|今天", 0),
    ):
        if match := re.search(f"(?i){words}", message):
            # “hier” is here in German and yesterday in French.
            if match[0].lower() == "hier" and re.search(r"(?i)\b(?:ich|wir|ist|das|ein|und|der|die)\b", message):
                continue
            return match.start(), match.end(), _day(today, back)
    return None


def _ago(message: str, today: date) -> Found | None:
    for unit, words in _UNITS.items():
        pattern = (
            rf"(?i)\b{_NUMBER}\s(?:{words})\s(?:ago|atrás)\b|\b(?:vor|il y a|hace|há)\s{_NUMBER.replace('number', 'behind')}\s(?:{words})(?!\w)"
            rf"|{_NUMBER.replace('number', 'east')}\s?(?:{words})(?:之)?前"
        )
        if match := re.search(pattern, message):
            said = (match["number"] or match["behind"] or match["east"]).lower()
            back = int(said) if said.isdigit() else _NUMBERS[said]
            return match.start(), match.end(), _OF[unit](today, back)
    return None


def _unit(message: str, today: date) -> Found | None:
    for unit, words in _UNITS.items():
        for back, pattern in (
            (
                1,
                rf"(?i)\b(?:{_LAST})\s(?:{words})(?!\w)|\b(?:{words})\s(?:{_LAST_BEHIND})(?!\w)|上(?:个|一)?(?:{words})|(?:去)(?=年)年",
            ),
            (0, rf"(?i)(?:\b(?:{_THIS})\s|(?:这个|这|本))(?:{words})(?!\w)"),
        ):
            match = re.search(pattern, message)
            # “mes dernières …” are no month, but mine.
            if match and not re.match(r"(?i)mes derni", match[0]):
                return match.start(), match.end(), _OF[unit](today, back)
    return None


def _weekday(message: str, today: date) -> Found | None:
    for number, words in enumerate(_WEEKDAYS):
        pattern = rf"(?i)(?:\b(?:on|am|last|letzten|le|el|na|no|this)\s)(?:{words})(?!\w)|(?:上)?(?:{words})(?=[\u4e00-\u9fff])"
        if match := re.search(pattern, message):
            back = (today.weekday() - number) % 7 or 7
            return match.start(), match.end(), _day(today, back)
    return None


def _month_named(message: str, today: date) -> Found | None:
    for number, words in enumerate(_MONTHS, 1):
        pattern = rf"(?i)\b(?:in|during|of|from|last|since|before|im|ab|seit|en|depuis|avant|em|desde|antes de|letzten)\s(?P<month>{words})(?!\w)(?:\s(?:of\s|de\s)?(?P<year>(?:19|20)\d\d))?|(?:(?P<when>(?:19|20)\d\d)年)?(?P<east>{words})(?=[\u4e00-\u9fff])"
        if match := re.search(pattern, message):
            written = match["year"] or match["when"]
            year = int(written) if written else today.year - (number > today.month)
            start = match.start("month") if match["month"] else match.start()
            return start, match.end(), _month(date(year, number, 1), 0)
    return None


def _written(message: str, today: date) -> Found | None:
    match = re.search(r"\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b", message)
    if match:
        try:
            first = date(int(match[1]), int(match[2]), int(match[3] or 1))
        except ValueError:
            return None
        return match.start(), match.end(), _day(first, 0) if match[3] else _month(first, 0)
    match = re.search(r"(?i)\b(?:in|im Jahr|en|em)\s((?:19|20)\d\d)\b", message)
    return (match.start(1), match.end(1), _year(date(int(match[1]), 1, 1), 0)) if match else None
