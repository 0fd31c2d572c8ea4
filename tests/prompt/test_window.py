"""The current conversation within its limits, whatever it holds and whatever they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.config import Settings
from chatmem.prompt.parts import Turn, cut
from chatmem.prompt.window import window
from chatmem.tokens import Counter

COUNTER = Counter()
COUNT = COUNTER.whole()


def turns(*said: str) -> list[Turn]:
    """`u…` is said by the user, `a…` by the assistant."""
    return [Turn("user" if text[0] == "u" else "assistant", text) for text in said]


def kept(*said: str, **settings: Any) -> list[str]:
    return [turn.content for turn in window(turns(*said), replace(Settings(), **settings), COUNT).turns]


def test_of_replies_in_a_row_the_latest_stays() -> None:
    assert kept("u1", "a1", "a2", "a3", "u2") == ["u1", "a3", "u2"]


def test_twelve_are_loaded_and_six_kept() -> None:
    said = [f"{'ua'[n % 2]}{n}" for n in range(20)]
    found = window(turns(*said), Settings(), COUNT)
    assert [turn.content for turn in found.turns] == said[-6:]
    assert found.part.loaded == 12 and found.part.kept == 6
    assert [(d.what, d.why) for d in found.part.dropped] == [
        ("8 messages", "older than the last 12 messages"),
        ("6 messages", "older than the last 6 messages kept"),
    ]


def test_the_oldest_go_until_the_limits_hold() -> None:
    assert kept("u" + "x" * 50, "a" + "y" * 50, "u" + "z" * 50, conversation_characters=110) == [
        "a" + "y" * 50,
        "u" + "z" * 50,
    ]


def test_a_message_that_is_too_long_by_itself_is_cut_and_marked() -> None:
    (text,) = kept("u" + "word " * 100, conversation_characters=40)
    assert len(text) <= 40 and text.endswith("…") and text.startswith("uword word")


TEXTS = st.one_of(
    st.text(max_size=60), st.sampled_from(["👨‍👩‍👧‍👦" * 9, "e\u0301" * 40, "漢字" * 50, "العربية " * 20, "a " * 80])
)
TURNS = st.lists(st.builds(Turn, st.sampled_from(["user", "assistant"]), TEXTS), max_size=16)


@given(TURNS, st.integers(1, 300), st.integers(1, 60), st.integers(1, 14), st.integers(1, 8))
def test_no_limit_is_ever_passed_and_the_newest_is_always_there(
    conversation: list[Turn], characters: int, tokens: int, loaded: int, kept_at_most: int
) -> None:
    settings = replace(
        Settings(), conversation_characters=characters, conversation_tokens=tokens, conversation_loaded=loaded,
        conversation_kept=kept_at_most,
    )  # fmt: skip
    found = window(conversation, settings, COUNT)
    part = found.part
    assert part.characters == len(part.text) <= characters and part.tokens == COUNT(part.text) <= tokens
    assert len(found.turns) <= kept_at_most
    if conversation:
        newest = conversation[-1]
        assert found.turns[-1].role == newest.role
        assert newest.content.startswith(found.turns[-1].content.removesuffix("…"))
    for turn in found.turns[1:]:
        assert turn in conversation
    cut_or_left_out = len(found.turns) < len(conversation) or (conversation and found.turns[0] not in conversation)
    assert bool(part.dropped) == bool(cut_or_left_out)
    assert window(conversation, settings, COUNT) == found


@pytest.mark.parametrize("text", ["👨‍👩‍👧‍👦👨‍👩‍👧‍👦", "ne\u0301e\u0301", "🇵🇹🇩🇪🇫🇷", "\r\n\r\n", "한국어 텍스트"])
def test_no_character_is_ever_split(text: str) -> None:
    import regex  # type: ignore[import-untyped]

    clusters = regex.findall(r"\X", text)
    whole = {"".join(clusters[:n]).rstrip() for n in range(len(clusters) + 1)}
    for size in range(len(text) + 1):
        short = cut(text, size)
        assert len(short) <= size
        assert short == text or short.removesuffix("…") in whole
