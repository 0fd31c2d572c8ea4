"""Every way to write a time that is understood, and that anything else is no time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatmem.search.dates import moment

BERLIN, NEW_YORK, KOLKATA = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York"), ZoneInfo("Asia/Kolkata")
# A Wednesday.
NOW = datetime(2026, 4, 15, 12, 30, tzinfo=UTC)


def at(text: str, now: datetime = NOW, zone: ZoneInfo = ZoneInfo("UTC")) -> str | None:
    """What is understood, in the zone that it was written in, or in UTC if it names an instant."""
    found = moment(text, now, zone)
    assert found is None or found.utcoffset() == timedelta(0)
    return found.astimezone(zone).strftime("%Y-%m-%d %H:%M") if found else None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("2024", "2024-01-01 00:00"),
        ("2024-03", "2024-03-01 00:00"),
        ("2024-3", "2024-03-01 00:00"),
        ("2024/03", "2024-03-01 00:00"),
        ("2024-03-14", "2024-03-14 00:00"),
        ("2024-3-4", "2024-03-04 00:00"),
        ("2024/03/14", "2024-03-14 00:00"),
        ("2024.03.14", "2024-03-14 00:00"),
        ("14.3.2024", "2024-03-14 00:00"),
        (" 2024-03-14 ", "2024-03-14 00:00"),
        ("20240314", "2024-03-14 00:00"),
        ("2024-03-14T10:20", "2024-03-14 10:20"),
        ("2024-03-14 10:20:30", "2024-03-14 10:20"),
        ("2024-02-29", "2024-02-29 00:00"),
        ("today", "2026-04-15 00:00"),
        ("Yesterday", "2026-04-14 00:00"),
        ("this week", "2026-04-13 00:00"),
        ("last week", "2026-04-06 00:00"),
        ("the past week", "2026-04-06 00:00"),
        ("this month", "2026-04-01 00:00"),
        ("last month", "2026-03-01 00:00"),
        ("previous month", "2026-03-01 00:00"),
        ("this year", "2026-01-01 00:00"),
        ("last year", "2025-01-01 00:00"),
        ("letzte Woche", "2026-04-06 00:00"),
        ("letzten Monat", "2026-03-01 00:00"),
        ("la semaine dernière", "2026-04-06 00:00"),
        ("l'année dernière", "2025-01-01 00:00"),
        ("la semana pasada", "2026-04-06 00:00"),
        ("mês passado", "2026-03-01 00:00"),
        ("上周", "2026-04-06 00:00"),
        ("上个月", "2026-03-01 00:00"),
        ("3 days ago", "2026-04-12 00:00"),
        ("two weeks ago", "2026-04-01 00:00"),
        ("3 months ago", "2026-01-15 00:00"),
        ("a year ago", "2025-04-15 00:00"),
        ("vor 3 Tagen", "2026-04-12 00:00"),
        ("gestern", "2026-04-14 00:00"),
        ("il y a 3 jours", "2026-04-12 00:00"),
        ("hace 2 semanas", "2026-04-01 00:00"),
        ("há 3 dias", "2026-04-12 00:00"),
        ("昨天", "2026-04-14 00:00"),
        ("3天前", "2026-04-12 00:00"),
        ("March 2024", "2024-03-01 00:00"),
        ("march", "2026-03-01 00:00"),
        ("december", "2025-12-01 00:00"),
        ("14 March 2024", "2024-03-14 00:00"),
        ("March 14, 2024", "2024-03-14 00:00"),
        ("monday", "2026-04-13 00:00"),
        ("the day before yesterday", "2026-04-13 00:00"),
        ("yesterday 10:20", "2026-04-14 10:20"),
        ("2 hours ago", "2026-04-15 10:30"),
        ("90 minutes ago", "2026-04-15 11:00"),
        ("now", "2026-04-15 12:30"),
    ],
)  # fmt: skip
def test_a_time_is_the_beginning_of_what_it_names(text: str, wanted: str) -> None:
    assert at(text) == wanted


@pytest.mark.parametrize("zone", [BERLIN, NEW_YORK, KOLKATA], ids=str)
def test_a_day_begins_at_midnight_of_the_reader(zone: ZoneInfo) -> None:
    assert at("2024-03", zone=zone) == "2024-03-01 00:00"
    assert at("yesterday", zone=zone) == "2026-04-14 00:00"
    assert at("last week", zone=zone) == "2026-04-06 00:00"
    assert at("3 days ago", zone=zone) == "2026-04-12 00:00"


def test_today_is_where_the_reader_is() -> None:
    late = datetime(2026, 4, 15, 23, 30, tzinfo=UTC)

    assert (at("today", late, BERLIN), at("today", late, NEW_YORK)) == ("2026-04-16 00:00", "2026-04-15 00:00")


def test_an_offset_in_the_text_beats_the_zone() -> None:
    assert moment("2024-03-14T10:00Z", NOW, BERLIN) == datetime(2024, 3, 14, 10, tzinfo=UTC)
    assert moment("2024-03-14T10:00-05:00", NOW, BERLIN) == datetime(2024, 3, 14, 15, tzinfo=UTC)


def test_days_are_days_and_hours_are_hours_when_the_clock_changes() -> None:
    # In Berlin the clock went from 2 to 3 on 2026-03-29, and goes from 3 to 2 on 2026-10-25.
    spring = datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    autumn = datetime(2026, 10, 25, 12, tzinfo=UTC)

    assert at("today", spring, BERLIN) == "2026-03-29 00:00"
    assert at("yesterday", spring + timedelta(days=1), BERLIN) == "2026-03-29 00:00"
    assert moment("2 hours ago", spring, BERLIN) == spring - timedelta(hours=2)
    assert moment("15 hours ago", autumn, BERLIN) == autumn - timedelta(hours=15)
    assert moment("yesterday", autumn, BERLIN) == datetime(2026, 10, 23, 22, tzinfo=UTC)
    assert moment("2026-03-29 02:30", NOW, BERLIN) == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "text", "wanted"),
    [
        (datetime(2026, 3, 31, 12, tzinfo=UTC), "last month", "2026-02-01 00:00"),
        (datetime(2026, 3, 31, 12, tzinfo=UTC), "1 month ago", "2026-02-28 00:00"),
        (datetime(2024, 3, 31, 12, tzinfo=UTC), "1 month ago", "2024-02-29 00:00"),
        (datetime(2024, 2, 29, 12, tzinfo=UTC), "1 year ago", "2023-02-28 00:00"),
        (datetime(2024, 2, 29, 12, tzinfo=UTC), "last year", "2023-01-01 00:00"),
        (datetime(2026, 1, 1, 0, tzinfo=UTC), "last week", "2025-12-22 00:00"),
        (datetime(2026, 1, 1, 0, tzinfo=UTC), "last month", "2025-12-01 00:00"),
        (datetime(2026, 1, 1, 0, tzinfo=UTC), "yesterday", "2025-12-31 00:00"),
    ],
)
def test_months_and_years_end_where_they_end(now: datetime, text: str, wanted: str) -> None:
    assert at(text, now) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "", "   ", "banana", "a", "x", "m", "0", "13", "1e5", "99999", "1700000000", "nan", "inf", "-", "@", "\x00",
        "2024-13", "2024-00", "2024-02-30", "2023-02-29", "2024-06-31", "2024-03-14T25:00", "32.1.2024", "0000",
        "0000-00-00", "Q3 2024", "3/14/2024", "14/03/2024", "10:30", "999999 years ago", "2026 years ago", "week",
        "x" * 10_000, "last " * 200, "2024-03-14 and more",
    ],
)  # fmt: skip
def test_nonsense_is_no_time(text: str) -> None:
    assert at(text) is None


@pytest.mark.parametrize("text", ["0001-01-01", "9999-12-31", "9999", "9999-12-31T23:59:59", "0001"])
def test_the_ends_of_the_calendar_are_no_crash(text: str) -> None:
    for zone in (BERLIN, NEW_YORK, KOLKATA):
        at(text, zone=zone)


PIECES = st.sampled_from(
    "last next ago in 3 -1 0 2024 13 31 week weeks month year day hour march vor il y a 前 天 now : - . T".split()
)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=20) | st.lists(PIECES, max_size=6).map(" ".join) | st.lists(PIECES, max_size=6).map("".join))
def test_any_text_at_all_is_a_time_or_none(text: str) -> None:
    at(text, zone=BERLIN)
