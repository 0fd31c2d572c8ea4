"""What a person types, as a query: every operator, and that nothing is a syntax error."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.search.query import Query, parse


def understood(key: str, value: str) -> bool:
    return (key, value) != ("before", "never")


def told(text: str) -> dict[str, Any]:
    """The parts that are not empty."""
    return {name: value for name, value in parse(text, understood)._asdict().items() if value and name != "text"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("deadlock detected", {"words": ("deadlock", "detected")}),
        ('"deadlock detected"', {"phrases": ("deadlock detected",)}),
        ('a "b c" d "e"', {"words": ("a", "d"), "phrases": ("b c", "e")}),
        ("“b c” „d e“ «f g» 「h」", {"phrases": ("b c", "d e", "f g", "h")}),
        ('"  b c "', {"phrases": ("b c",)}),
        ("a -mysql", {"words": ("a",), "without": ("mysql",)}),
        ('a -"b c"', {"words": ("a",), "without_phrases": ("b c",)}),
        ("a -pre*", {"words": ("a",), "without_prefixes": ("pre",)}),
        ("-猫 犬", {"words": ("犬",), "without": ("猫",)}),
        ("getUser* x", {"words": ("x",), "prefixes": ("getUser",)}),
        ("ab* 数*", {"prefixes": ("ab", "数")}),
        ("project:shop x", {"words": ("x",), "filters": (("project", "shop"),)}),
        ('project:"my shop" x', {"words": ("x",), "filters": (("project", "my shop"),)}),
        ("user:a user:b", {"filters": (("user", "a"), ("user", "b"))}),
        ("before:2024 after:2023-01", {"filters": (("before", "2024"), ("after", "2023-01"))}),
        ("source:codex role:user agent:gpt", {"filters": (("source", "codex"), ("role", "user"), ("agent", "gpt"))}),
        ("source:claude-code", {"filters": (("source", "claude-code"),)}),
        ("project:/home/me/x", {"filters": (("project", "/home/me/x"),)}),
    ],
)
def test_operators(text: str, wanted: dict[str, Any]) -> None:
    assert told(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # A quote that measures or is left open, dashes of command lines and of prose, stars alone.
        ('a 5" and 7" disk', {"words": ("a", "5", "and", "7", "disk")}),
        ('"left open', {"words": ("left", "open")}),
        ('left "open', {"words": ("left", "open")}),
        ('don"t', {"words": ("don", "t")}),
        ("git log --oneline", {"words": ("git", "log", "--oneline")}),
        ("tar -x - y", {"words": ("tar", "-x", "-", "y")}),
        ("foo-bar", {"words": ("foo-bar",)}),
        ("* ** a* -*", {"words": ("*", "**", "a*", "-*")}),
        ("foo.* x", {"words": ("foo.*", "x")}),
        # Colons that make no filter.
        ("https://x.io/a?b=c", {"words": ("https://x.io/a?b=c",)}),
        ("std::vector a:b:c", {"words": ("std::vector", "a:b:c")}),
        ("C:\\Users\\me", {"words": ("C:\\Users\\me",)}),
        ("Project:x", {"words": ("Project:x",)}),
        ("project: x", {"words": ("project:", "x")}),
        ("note:later", {"words": ("note:later",)}),
        ('error:"dead lock"', {"words": ("error",), "phrases": ("dead lock",)}),
        ("before:never", {"words": ("before:never",)}),
        # A filter cannot be turned round, and must not do the contrary.
        ("-project:shop x", {"words": ("x",), "without": ("project:shop",)}),
        ("print('x') \"a(b)\"", {"words": ("print('x')",), "phrases": ("a(b)",)}),
    ],
)
def test_what_only_looks_like_an_operator_is_words(text: str, wanted: dict[str, Any]) -> None:
    assert told(text) == wanted


@pytest.mark.parametrize("text", ["", " ", "\n\t", '"', '""', '" "', "“”", '-""', "  \u3000 "])
def test_nothing_is_nothing(text: str) -> None:
    assert parse(text)._replace(text="") in (Query(""), Query("", words=("-",)))


def test_what_is_no_unicode_is_replaced() -> None:
    assert parse("caf\udce9 x") == Query("caf? x", ("caf?", "x"))


def test_values_of_one_filter_are_asked_for_by_name() -> None:
    query = parse("user:a x user:b project:c")

    assert (query.asked("user"), query.asked("project"), query.asked("role")) == (("a", "b"), ("c",), ())


OPERATORS = st.sampled_from('" “ ” - * : project: before: -" ( ) \\ ~ ^ [ ] % _ \' \x00 \u202e 数 é a b'.split(" "))


@given(st.text(max_size=80) | st.lists(OPERATORS, max_size=30).map("".join))
def test_every_letter_of_any_text_is_in_some_part(text: str) -> None:
    parts = parse(text)
    kept = " ".join([*(w for kind in parts[1:-1] for w in kind), *(f"{k} {v}" for k, v in parts.filters)])

    assert sorted(c for c in kept if c.isalnum()) == sorted(c for c in text if c.isalnum())


def test_ten_thousand_characters_are_parsed() -> None:
    for text in ("a" * 10_000, '"' * 10_001, "-" * 10_000, "a:" * 5_000, ' "a' * 3_333, "a* " * 3_333):
        assert parse(text).text == text
