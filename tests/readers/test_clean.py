"""Rules that every format shares: times, Unicode, roles, titles, ids."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatmem.model import Chat, Message, Origin
from chatmem.readers import clean

NOON = datetime(2025, 3, 15, 20, 0, 1, tzinfo=UTC)


# -- times ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        1742068801,
        1742068801.0,
        1742068801000,
        1742068801000000,
        1742068801000000000,
        "1742068801",
        "1742068801.000",
        " 1742068801000 ",
        "2025-03-15T20:00:01Z",
        "2025-03-15t20:00:01z",
        "2025-03-15 20:00:01",
        "2025-03-15T20:00:01.000000000Z",
        "2025-03-15T20:00:01.0+00:00",
        "2025-03-15T21:00:01+01:00",
        "2025-03-15T14:30:01-0530",
        "2025-03-15 20:00:01 UTC",
        "2025-03-15 20:00:01 +0000",
        "20250315T200001Z",
        {"$date": "2025-03-15T20:00:01Z"},
        {"$date": {"$numberLong": "1742068801000"}},
        {"$date": 1742068801000},
    ],
)
def test_a_time_of_any_spelling_is_the_same_moment(value: Any) -> None:
    assert clean.moment(value) == NOON


def test_fractions_are_kept_to_the_microsecond() -> None:
    assert clean.moment("2025-03-15T20:00:01.123456789Z") == NOON.replace(microsecond=123456)
    assert clean.moment(1742068801.5) == NOON.replace(microsecond=500_000)
    assert clean.moment(1742068801123) == NOON.replace(microsecond=123_000)


def test_a_time_without_offset_is_local_and_one_with_offset_is_not() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    assert clean.moment("2025-03-15T21:00:01", berlin) == NOON
    assert clean.moment("2025-07-15T22:00:01", berlin) == datetime(2025, 7, 15, 20, 0, 1, tzinfo=UTC)
    assert clean.moment("2025-03-15T20:00:01Z", berlin) == NOON
    assert clean.moment(1742068801, berlin) == NOON


@pytest.mark.parametrize(
    "value",
    [
        None, 0, 0.0, -1, "0", "-5", "", "  ", True, False, [], {}, {"$date": None}, {"$date": {}}, {"a": 1},
        {"$date": {"$date": 1}}, "yesterday", "2025-13-01", "1970-01-01T00:00:00Z",
        "0001-01-01T00:00:00", "9999-12-31T23:59:59-10:00",
        float("nan"), float("inf"), 10**400, "9" * 500, 1e-9, "٢٠٢٥", b"2025", object(),
    ],
)  # fmt: skip
def test_no_time_is_no_time(value: Any) -> None:
    assert clean.moment(value) is None


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
KEYS = st.sampled_from(["$date", "$numberLong", "x"])


@settings(max_examples=150, deadline=None)
@given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner)))
def test_any_value_is_a_utc_moment_after_1970_or_none(value: Any) -> None:
    found = clean.moment(value, ZoneInfo("America/New_York"))
    assert found is None or (found.utcoffset() is not None and found.tzinfo is UTC and found.year >= 1970)


# -- text -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        ("ü 日本 😀", "ü 日本 😀"),
        ("\ud83d\ude00", "😀"),
        ("cut \ud83d", "cut \ufffd"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("nul\0l", "null"),
        ("nül\0l", "nüll"),
        ("", ""),
        (None, ""),
        (5, ""),
        (["x"], ""),
    ],
)
def test_text_can_be_stored(value: Any, text: str) -> None:
    assert clean.text(value) == text


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(codec=None)))
def test_any_text_can_be_encoded_and_sound_text_stays(value: str) -> None:
    cleaned = clean.text(value)
    cleaned.encode("utf-8")
    assert "\0" not in cleaned
    assert clean.text(cleaned) == cleaned


@pytest.mark.parametrize(
    ("value", "found"),
    [(" a ", "a"), ("  ", None), ("", None), (None, None), (5, "5"), (0, "0"), (1.5, "1.5"), (True, None), ([], None),
     (float("nan"), None), (float("inf"), None)],
)  # fmt: skip
def test_optional_values_are_words_or_nothing(value: Any, found: str | None) -> None:
    assert clean.optional(value) == found


def test_a_mapping_is_one_or_empty() -> None:
    assert clean.mapping({"a": 1}) == {"a": 1}
    assert clean.mapping([1]) == clean.mapping(None) == clean.mapping("x") == {}


@pytest.mark.parametrize(
    ("word", "role"),
    [("user", "user"), ("Human", "user"), ("END-USER", "user"), ("end_user", "user"), ("requester", "user"),
     ("assistant", "assistant"), ("ASSISTANT", "assistant"), ("model", "assistant"), (" gpt ", "assistant"),
     ("system", "system"), ("developer", "system"), ("function", "tool"), ("ipython", "tool"),
     ("critic", None), ("", None), (None, None), (1, None), (["user"], None)],
)  # fmt: skip
def test_roles_are_compared_without_case_and_never_guessed(word: Any, role: str | None) -> None:
    assert clean.role(word) == role


# -- titles -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("exported", "title"),
    [(" A\n title ", "A title"), ("", None), (None, None), ("New chat", None), ("UNTITLED", None),
     ("新しいチャット", None), (5, None), ("New chat about tea", "New chat about tea"), ("half \ud83d", "half \ufffd")],
)  # fmt: skip
def test_a_title_is_one_line_and_no_default(exported: Any, title: str | None) -> None:
    assert clean.title(exported) == title


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("Why do cats knead?", "Why do cats knead?"),
        ("\n\n  second line first \nthird", "second line first"),
        ("# A heading #", "A heading"),
        ("# C#", "C#"),
        ("> - quoted item", "quoted item"),
        ("**Bold**", "Bold"),
        ("**Bold** and plain", "**Bold** and plain"),
        ("`a` and `b`", "`a` and `b`"),
        ("__init__.py fails", "__init__.py fails"),
        ("-5 degrees", "-5 degrees"),
        ("*args and **kwargs", "*args and **kwargs"),
        ("---\nfront matter", "front matter"),
        ("```python\nimport os\n```", "import os"),
        ("👍", "👍"),
        ("???", "???"),
        ("  \n ", None),
        ("", None),
        ("word " * 30, "word " * 15 + "word…"),
        ("x" * 100, "x" * 80 + "…"),
    ],
)
def test_a_derived_title_is_the_first_line_with_words(prompt: str, title: str | None) -> None:
    assert clean.derived_title([prompt]) == title


def test_the_first_prompt_with_words_gives_the_title() -> None:
    assert clean.derived_title(["", "```\n```", "👍", "the question"]) == "the question"
    assert clean.derived_title([]) is None


# -- chats ------------------------------------------------------------------------------------------------------------


def message(key: str, at: datetime | None = None, **more: Any) -> Message:
    return Message(key, more.pop("role", "user"), more.pop("text", key), created_at=at, **more)


def chat(*messages: Message, **more: Any) -> Chat:
    return Chat("test", "c1", messages, Origin("file"), **more)


@pytest.mark.parametrize(
    ("ids", "unique"),
    [
        (["a", "b"], ["a", "b"]),
        (["a", "a", "a"], ["a", "a~2", "a~3"]),
        (["a", "a~2", "a"], ["a", "a~2", "a~3"]),
        (["a", "a", "a~2"], ["a", "a~2", "a~2~2"]),
        ([], []),
    ],
)
def test_repeated_ids_become_distinct(ids: list[str], unique: list[str]) -> None:
    assert [m.message_id for m in clean.unique_ids(message(key) for key in ids)] == unique


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(["a", "a~2", "a~3", "a~2~2", "b", ""])))
def test_ids_are_unique_whatever_they_were(ids: list[str]) -> None:
    unique = [m.message_id for m in clean.unique_ids(message(key) for key in ids)]
    assert len(set(unique)) == len(ids)


def test_complete_fills_in_only_what_is_missing() -> None:
    early, late = NOON, NOON.replace(hour=21)
    messages = (message("hello", late), message("x", early, hidden="tool", branch="alternate"), message("y"))
    filled = clean.complete(chat(*messages))
    assert (filled.title, filled.title_origin, filled.created_at, filled.updated_at) == (
        "hello",
        "derived",
        early,
        late,
    )
    kept = clean.complete(chat(*messages, title="Mine", created_at=late, updated_at=early))
    assert (kept.title, kept.title_origin, kept.created_at, kept.updated_at) == ("Mine", "export", late, early)


def test_a_title_comes_from_the_user_first_and_never_from_hidden_or_alternate_text() -> None:
    messages = (
        message("secret", hidden="injected"), message("other", branch="alternate"), message("answer", role="assistant"),
    )  # fmt: skip
    assert clean.complete(chat(*messages, message("question"))).title == "question"
    assert clean.complete(chat(*messages)).title == "answer"
    assert clean.complete(chat(*messages[:2])).title is None


def test_digests_are_stable_and_tell_parts_apart() -> None:
    assert clean.digest("a", 1, None) == "4d4c921084b03999dc84498d"
    assert clean.digest("ab", "c") != clean.digest("a", "bc")
    assert len(clean.digest("\ud83d")) == 24
