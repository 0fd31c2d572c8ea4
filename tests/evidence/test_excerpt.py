"""Excerpts are verbatim, bounded for every budget, cut between characters, and around the matches."""

from __future__ import annotations

from typing import Any

import pytest
import regex  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from chatmem.evidence.excerpt import ELLIPSIS, Piece, Window, excerpt, window
from chatmem.evidence.matches import Span, spans
from chatmem.tokens import Counter
from tests.evidence.scripts import FAMILY, TEXTS
from tests.evidence.test_matches import asked

COUNT = Counter().whole()
CLUSTER: Any = regex.compile(r"\X")
WORDS = ("heron", "東京", "größe", "id", "cafe")
ENGLISH = "The box stands on the roof. Readings jump when the sun hits it! Shade first, then a median over 5 samples.\n"
JAPANESE = "冷蔵庫の卵は約三週間もちます。賞味期限は生で食べる目安で、加熱すればもう少しもちます。"


def borders(text: str) -> set[int]:
    """The places between what one sees as characters."""
    return {0, *(m.end() for m in CLUSTER.finditer(text))}


def quote(text: str, budget: int, *words: str) -> Piece:
    return excerpt(text, spans(text, asked(*words)) if words else [], budget, COUNT)


def check(text: str, piece: Piece, budget: int) -> None:
    """What holds for every excerpt."""
    assert piece.tokens == COUNT(piece.text) <= budget
    inner = text[piece.start : piece.end]
    ink = text.strip()
    first = len(text) - len(text.lstrip())
    if piece.text:
        lead = ELLIPSIS if piece.start > first else ""
        tail = ELLIPSIS if piece.end < first + len(ink) else ""
        assert piece.text == lead + inner + tail
        assert piece.lead == len(lead)
        assert inner and inner == inner.strip()
    else:
        assert not inner


@given(text=TEXTS, budget=st.integers(1, 400), repeat=st.sampled_from([1, 1, 3, 30]))
@settings(max_examples=200, deadline=None)
def test_an_excerpt_is_verbatim_within_its_budget_and_cut_between_characters(
    text: str, budget: int, repeat: int
) -> None:
    text = text * repeat
    piece = quote(text, budget, *WORDS)
    check(text, piece, budget)
    if piece.text:
        assert {piece.start, piece.end} <= borders(text) | {len(text) - len(text.lstrip()), len(text.rstrip())}


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH * 12,
        JAPANESE * 15,
        f"{FAMILY} 🇯🇵🇫🇷 👍🏽 " * 25,
        "e\u0301\u0323\u0302 n\u0303 " * 80,
        "0123456789abcdef" * 200,
        " \n\t" * 50 + "one line" + "\n " * 90 + "another" * 30,
    ],
    ids=["english", "japanese", "emoji", "marks", "hexadecimal", "blank"],
)
def test_every_budget_from_1_to_400_is_kept(text: str) -> None:
    allowed = borders(text)
    found = spans(text, asked("sun", "加熱", "abcdef", "another"))
    for budget in range(1, 401):
        piece = excerpt(text, found, budget, COUNT)
        check(text, piece, budget)
        assert not piece.text or {piece.start, piece.end} <= allowed


def test_a_text_that_fits_is_quoted_whole_without_marks() -> None:
    assert quote(f"\n  {ENGLISH}\n", 400) == (ENGLISH.strip(), 3, 2 + len(ENGLISH), COUNT(ENGLISH.strip()), 0)


@pytest.mark.parametrize("text", ["", " \n\t ", "\u3000"])
def test_a_text_without_ink_gives_an_empty_excerpt(text: str) -> None:
    assert quote(text, 100, "heron")[0] == ""


def test_without_matches_the_beginning_is_quoted_up_to_the_end_of_a_sentence() -> None:
    piece = quote(ENGLISH * 20, 40)
    assert piece.start == 0
    assert piece.text.endswith((".…", "!…"))


@pytest.mark.parametrize("budget", range(12, 200, 17))
@pytest.mark.parametrize("filler", [ENGLISH, "word " * 20, "abc;" * 30 + " "])
def test_the_densest_place_is_kept(budget: int, filler: str) -> None:
    text = filler * 20 + "grey " + filler * 20 + "a grey heron eats fish " + filler * 20 + "heron " + filler * 9
    piece = quote(text, budget, "grey", "heron", "fish")
    assert "grey heron eats fish" in piece.text


def test_heavier_words_win_over_more_words() -> None:
    text = "red green " + ENGLISH * 30 + "deadlock " + ENGLISH * 30
    heavy = [s._replace(weight=9.0 if s.slot == 2 else 1.0) for s in spans(text, asked("red", "green", "deadlock"))]
    assert "deadlock" in excerpt(text, heavy, 50, COUNT).text


def pair(filler: str, apart: int, word: str, other: str) -> str:
    """A long text of `filler` with two words `apart` characters from each other."""
    return filler * 200 + word + (filler * apart)[:apart] + other + filler * 200


@pytest.mark.parametrize("budget", [60, 100, 300])
@pytest.mark.parametrize(
    ("filler", "word", "other"),
    [("あいうえお、", "東京", "大阪"), ("0x7f;", " heron ", " goose ")],
    ids=["kana", "code"],
)
def test_text_with_a_token_for_each_character_still_shows_the_matches(
    budget: int, filler: str, word: str, other: str
) -> None:
    piece = quote(pair(filler, 10, word, other), budget, word.strip(), other.strip())
    assert word.strip() in piece.text and other.strip() in piece.text


@pytest.mark.parametrize(
    ("budget", "apart", "filler", "word", "other"),
    [
        (60, 90, "あいうえお、", "東京", "大阪"),
        (300, 350, "あいうえお、", "東京", "大阪"),
        (100, 90, "🦩🪿🦆", " heron ", " goose "),
        (100, 200, "0x7f;", " heron ", " goose "),
    ],
)
def test_of_two_matches_that_do_not_fit_together_one_is_shown(
    budget: int, apart: int, filler: str, word: str, other: str
) -> None:
    piece = quote(pair(filler, apart, word, other), budget, word.strip(), other.strip())
    assert word.strip() in piece.text or other.strip() in piece.text


def test_a_huge_single_line_is_quoted_by_looking_at_little_of_it() -> None:
    text = "ab1," * 500_000 + "heron" + ",zz9" * 500_000
    seen: list[int] = []

    def counted(part: str) -> int:
        seen.append(len(part))
        return COUNT(part)

    piece = excerpt(text, spans(text, asked("heron")), 100, counted)
    assert "heron" in piece.text
    assert COUNT(piece.text) <= 100
    assert max(seen) <= 1_000 and len(seen) <= 10


def test_an_excerpt_stays_within_its_region_and_marks_what_is_left_out() -> None:
    text = ENGLISH * 10
    region = Window(len(ENGLISH) * 2, len(ENGLISH) * 3)
    piece = excerpt(text, [], 200, COUNT, region)
    assert region.start <= piece.start < piece.end <= region.end
    assert piece.text == f"…{ENGLISH.strip()}…"


@given(length=st.integers(0, 3_000), budget=st.integers(1, 200), places=st.lists(st.integers(0, 2_990), max_size=12))
@settings(max_examples=150, deadline=None)
def test_a_window_lies_in_the_text_and_holds_a_span_that_fits(length: int, budget: int, places: list[int]) -> None:
    source = "x" * length
    found = [Span(p, p + 3, i % 3) for i, p in enumerate(sorted(set(places))) if p + 3 <= length]
    place = window(source, found, budget)
    assert 0 <= place.start <= place.end <= length
    assert place.end - place.start <= max(1, int(budget * 4.5))
    if found and budget >= 2:
        assert any(place.holds(span) for span in found)
