"""What every excerpt promises, for every text and every budget."""

from __future__ import annotations

import pytest
import regex  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from chatmem.evidence.excerpt import ELLIPSIS, Piece, Window, excerpt, window
from chatmem.evidence.matches import Asked, Span, spans
from chatmem.tokens import Counter

COUNT = Counter().whole()
WORDS = (
    "hydration", "sourdough.", "The", "loaf;", "Größe", "naïve", "e\u0301clair", "\u0928\u093f", "👩‍👩‍👧", "🇩🇪", "👍🏽",
    "1️⃣", "データベース。", "数据库", "각", "\u1112\u1161\u11ab", "ภาษาไทย",
    "https://example.com/a/b?c=d", "\n\n", "\r\n", "\t",
    "supercalifragilisticexpialidocious", "…", "Z̷̢̈a̴l̸", "==", "x" * 90,
)  # fmt: skip
FAMILY, TAGS = "👩\u200d👩\u200d👧\u200d👦", "\U000e0067\U000e0062\U000e007f"
TEXT = st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join) | st.lists(st.sampled_from(WORDS)).map("".join)
ASKED = Asked({"hydrat": 0, "sourdough": 1, "数据": 2, "loaf": 3})


def body(piece: Piece) -> str:
    """The excerpt without the marks that were put on it."""
    text = piece.text[piece.lead :]
    return text[: piece.end - piece.start]


def borders(text: str) -> set[int]:
    """Places where no character as a reader sees it is cut."""
    return {m.start() for m in regex.finditer(r"\X", text)} | {len(text)}


def check(source: str, found: list[Span], budget: int) -> Piece:
    piece = excerpt(source, found, budget, COUNT)
    assert piece.tokens == (COUNT(piece.text) if piece.text else 0)
    assert piece.tokens <= budget
    assert body(piece) == source[piece.start : piece.end]
    if piece.text:
        assert {piece.start, piece.end} <= borders(source)
        assert body(piece) == body(piece).strip() != ""
        before, after = source[: piece.start].strip(), source[piece.end :].strip()
        assert piece.text == (ELLIPSIS if before else "") + body(piece) + (ELLIPSIS if after else "")
    return piece


@settings(max_examples=150, deadline=None)
@given(TEXT, st.integers(0, 400))
def test_an_excerpt_is_verbatim_marked_and_within_its_budget(source: str, budget: int) -> None:
    check(source, spans(source, ASKED), budget)


@settings(max_examples=100, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=300), st.integers(1, 40))
def test_so_is_one_of_any_text_at_all(source: str, budget: int) -> None:
    check(source, [], budget)


@pytest.mark.parametrize(
    "text", ["sourdough at 75 % hydration, wholemeal. " * 60, "数据库索引优化。" * 80, f"{FAMILY}🇩🇪" * 60]
)
def test_every_budget_from_one_to_four_hundred_is_kept_and_used(text: str) -> None:
    found = spans(text, ASKED)
    for budget in range(1, 401):
        piece = check(text, found, budget)
        assert piece.tokens >= min(budget // 2 - 12, COUNT(text.strip()))


@settings(max_examples=60, deadline=None)
@given(TEXT, st.integers(1, 60), st.integers(0, 300), st.integers(0, 300))
def test_an_excerpt_stays_in_the_region_that_it_is_given(source: str, budget: int, low: int, high: int) -> None:
    region = Window(min(low, high, len(source)), min(max(low, high), len(source)))

    piece = excerpt(source, spans(source, ASKED), budget, COUNT, region)

    assert not piece.text or (region.start <= piece.start and piece.end <= region.end)


def test_a_short_text_is_quoted_whole_without_the_space_around_it() -> None:
    assert check("  \n all of it.\n\n", [], 20) == Piece("all of it.", 4, 14, 4)


def test_the_heaviest_matches_are_shown_wherever_they_stand() -> None:
    filler = "nothing to see here, move along please. "
    source = filler * 50 + "sourdough only. " + filler * 50 + "sourdough with hydration. " + filler * 50

    piece = check(source, spans(source, ASKED), 30)

    assert "sourdough with hydration" in piece.text
    assert piece.text.startswith(ELLIPSIS)
    assert piece.text.endswith(ELLIPSIS)


def test_a_rare_word_outweighs_many_frequent_ones() -> None:
    source = "loaf sourdough loaf. " * 30 + "filler words only. " * 60 + "hydration"
    asked = Asked(ASKED.spellings, {0: 5.0, 1: 0.2, 3: 0.2})

    assert "hydration" in check(source, spans(source, asked), 20).text


def test_cuts_prefer_the_ends_of_sentences_and_lines() -> None:
    source = "One sentence here. " * 20 + "Then hydration comes.\nA line.\n" + "One more sentence. " * 20

    piece = check(source, spans(source, ASKED), 40)

    assert body(piece)[-1] == "."
    assert source[piece.start - 2 : piece.start] in (". ", ".\n")


def test_words_are_not_cut_where_there_are_spaces() -> None:
    source = "antidisestablishmentarianism " * 100

    piece = check(source, [], 50)

    assert set(body(piece).split()) == {"antidisestablishmentarianism"}


def test_a_text_that_begins_with_an_ellipsis_keeps_its_own() -> None:
    source = "… " + "word " * 200

    assert check(source, [], 10).lead == 0
    assert check(source, [Span(500, 504, 0)], 10).lead == 1


@pytest.mark.parametrize(
    "character",
    ["e" + "\u0301" * 5, FAMILY, "🇩🇪", "👍🏽", "1️⃣", "\u1112\u1161\u11ab", "\u0928\u093f", f"🏴{TAGS}"],
    ids=["accents", "family", "flag", "skin", "keycap", "jamo", "vowel sign", "tags"],
)
def test_no_character_is_split_even_without_a_single_space(character: str) -> None:
    source = character * 60
    for budget in range(1, 80):
        piece = check(source, [], budget)
        assert body(piece) == character * (len(body(piece)) // len(character))


def test_there_is_no_room_for_a_character_larger_than_the_budget() -> None:
    assert check(FAMILY * 3, [], 4).text == ""
    assert check("word", [], 0).text == ""
    assert check("   ", [], 10).text == ""
    assert check("", [], 10).text == ""


def test_a_window_covers_a_short_text_and_is_centred_in_a_long_one() -> None:
    assert window("short", [], 10) == (0, 5)
    left, right = window("x" * 10_000, [Span(5_000, 5_004, 0)], 10)
    assert right - left == 45
    assert left < 5_000 < 5_004 < right
