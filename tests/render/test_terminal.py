"""Text from strangers is shown, never obeyed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.render.terminal import ColorChoice, cell, escape_json, local_time, one_line, scrub, wants_color
from tests.contracts.looks import acting
from tests.contracts.samples import HOSTILE

# Any text, and text that is mostly made of what acts on a terminal.
_ACTS = "\x00\x07\x08\x0b\x0d\x1b\x7f\x85\x90\x9b\x9d\u200e\u061c\u2028\u202e\u2066\ufffa\U000e0041\n\t [];m0A"
texts = st.text(st.characters(codec=None)) | st.text(_ACTS)


@given(texts)
def test_no_character_that_acts_on_a_terminal_survives_scrubbing(text: str) -> None:
    assert not acting(scrub(text))


@given(texts)
def test_scrubbing_twice_changes_nothing_more(text: str) -> None:
    assert scrub(scrub(text)) == scrub(text)


@given(st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs"))))
def test_what_does_not_act_stays_as_it_is(text: str) -> None:
    assert scrub(text) == text


@given(texts)
def test_a_record_of_one_line_has_neither_tabs_nor_line_ends(text: str) -> None:
    assert not set("\t\n\r\x0b\x0c\x85\u2028\u2029") & set(one_line(text))
    assert len(one_line(text).splitlines()) <= 1
    assert not set("\t\n\r") & set(cell(text))
    assert not acting(one_line(text)) | acting(cell(text))


def test_a_cell_keeps_the_spaces_of_an_id() -> None:
    assert cell("csv:ticket #7, part  2") == "csv:ticket #7, part  2"


def test_controls_are_made_visible_and_not_dropped() -> None:
    assert scrub("\x1b[2J\x07\x7f\x9b\u202e") == "␛[2J␇␡<U+009B><U+202E>"


def test_a_carriage_return_cannot_write_over_the_line() -> None:
    assert scrub("safe\rrm -rf\r\nend") == "safe\nrm -rf\nend"


@given(texts)
def test_json_keeps_its_value_and_has_nothing_that_acts(text: str) -> None:
    written = escape_json(json.dumps({"text": text, text: 1}, ensure_ascii=False))

    assert json.loads(written) == {"text": text, text: 1}
    assert not acting(written)


def test_json_leaves_ordinary_text_of_any_script_unescaped() -> None:
    written = json.dumps("naïve 北京 😀 שלום", ensure_ascii=False)

    assert escape_json(written) == written


def test_the_hostile_sample_of_the_contracts_really_acts() -> None:
    assert {"\x1b", "\x07", "\x9b", "\x9d", "\x08", "\x7f", "\u202e", "\u2066", "\u2028"} <= acting(HOSTILE)


@pytest.mark.parametrize(
    ("choice", "terminal", "no_color", "term", "wanted"),
    [
        ("auto", True, "", "xterm", True),
        ("auto", False, "", "xterm", False),
        ("auto", True, "1", "xterm", False),
        ("auto", True, "", "dumb", False),
        ("always", False, "1", "dumb", True),
        ("never", True, "", "xterm", False),
    ],
)
def test_the_flag_beats_no_color_which_beats_the_terminal(
    monkeypatch: pytest.MonkeyPatch, choice: ColorChoice, terminal: bool, no_color: str, term: str, wanted: bool
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setenv("TERM", term)

    assert wants_color(choice, terminal) is wanted


def test_a_time_is_shown_in_the_readers_zone_to_the_minute() -> None:
    at = datetime(2025, 3, 14, 23, 30, 59, tzinfo=UTC)

    assert local_time(at, ZoneInfo("Asia/Kolkata")) == "2025-03-15 05:00"
    assert local_time(at, UTC) == "2025-03-14 23:30"
    assert local_time(None, UTC) == "no date"


@given(st.datetimes(timezones=st.just(UTC)))
def test_every_time_can_be_shown_in_every_zone(at: datetime) -> None:
    for zone in (ZoneInfo("Pacific/Kiritimati"), ZoneInfo("America/Adak"), UTC):
        assert len(local_time(at, zone)) == len("2025-03-14 23:30")
