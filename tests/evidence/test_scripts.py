"""Matches and cuts in every script: nothing that a reader sees as one is missed or split for how it is encoded."""

from __future__ import annotations

import unicodedata

import pytest

from chatmem.archive.tokenizer import MAX_TOKEN
from chatmem.evidence.excerpt import Piece, excerpt
from chatmem.evidence.matches import Asked, Finder, Span, spans
from chatmem.tokens import Counter
from tests.evidence.scripts import FAMILY
from tests.evidence.test_matches import asked

COUNT = Counter().whole()
TAGS = "\U000e0067\U000e0062\U000e007f"


def marked(text: str, question: Asked) -> list[str]:
    return [text[s.start : s.end] for s in spans(text, question) if s.slot >= 0]


def quoted(source: str, found: list[Span], budget: int) -> tuple[Piece, str]:
    """The excerpt, and its text without the marks of cuts."""
    piece = excerpt(source, found, budget, COUNT)
    assert piece.tokens == (COUNT(piece.text) if piece.text else 0)
    assert piece.tokens <= budget
    return piece, source[piece.start : piece.end]


@pytest.mark.parametrize(
    ("word", "text", "wanted"),
    [
        ("running", "He ran, runs and is running.", ["runs", "running"]),
        ("study", "Studies of a studying student who studied", ["Studies", "studying", "studied"]),
        ("cafe", "the Café, CAFÉ and cafe\u0301", ["Café", "CAFÉ", "cafe\u0301"]),
        ("strasse", "Die Straße; STRASSE", ["Straße", "STRASSE"]),
        ("école", "à l'école et l’école", ["l'école", "l’école"]),
        ("iphone", "my iPhone, two iPhones and an iphone", ["iPhone", "iPhones", "iphone"]),
        ("getUserById", "call getUserById(1), not get_user", ["getUserById", "get_user"]),
        ("E0502", "error[E0502]: borrow", ["E0502"]),
        ("3.12", "Python 3.12, not 4.5.6", ["3.12"]),
        ("C++", "C++ and Java and c++", ["C++", "c++"]),
        ("src/app/main.py", "see src/app/main.py:12", ["src/app/main.py:12"]),
        ("数据库", "我的数据库很大", ["数据", "据库"]),
        ("データ", "大きなデータです", ["デー", "ータ"]),
        ("한국어", "나는 한국어를 한다", ["한국", "국어"]),
        ("ภาษา", "พูดภาษาไทย", ["ภา", "าษ", "ษา"]),
        ("привет", "Привет, мир", ["Привет"]),
        ("हिन्दी", "यह हिन्दी है", ["हिन्दी"]),
        ("مُحَمَّد", "قال محمد نعم", ["محمد"]),
        ("nothing", "there is something", []),
    ],
)
def test_a_word_is_found_as_it_stands(word: str, text: str, wanted: list[str]) -> None:
    found = marked(text, asked(word))

    if wanted and len(wanted[0]) <= 2:
        assert found == wanted
    else:
        assert [f for f in found if f in wanted] == wanted
        assert len(found) == len(wanted)


def test_places_are_right_where_folding_changes_lengths() -> None:
    text = "ﬁrst ﬃ 使用ﬁne数据库 İstanbul ½ straße"
    for word, wanted in (("fine", "ﬁne"), ("数据", "数据"), ("istanbul", "İstanbul"), ("strasse", "straße")):
        assert wanted in marked(text, asked(word))


def test_a_compound_answers_every_slot_it_has() -> None:
    (span_get, span_id) = spans("getUserById", asked("get", "id"))

    assert {span_get.slot, span_id.slot} == {0, 1}
    assert (span_get.start, span_get.end) == (span_id.start, span_id.end) == (0, 11)


@pytest.mark.parametrize(
    ("phrase", "text", "wanted"),
    [
        ("deadlock detected", "ERROR: Deadlock  Detected!", ["Deadlock  Detected"]),
        ("deadlock detected", "a **deadlock**\ndetected", ["deadlock**\ndetected"]),
        ("deadlock detected", "deadlock was detected", []),
        ("l'école", "à L’École", ["L’École"]),
        ("café noir", "un Cafe\u0301 noir", ["Cafe\u0301 noir"]),
        ("数据库", "我的数据库很大，数据 库", ["数据库"]),
        ("a.b(c)*", "x a.b(c)* y", ["a.b(c)*"]),
        ("zwei Wörter", "zwei Worter, zwei Wörter", ["zwei Worter", "zwei Wörter"]),
    ],
)
def test_a_phrase_is_a_place_of_its_own_that_outweighs_words(phrase: str, text: str, wanted: list[str]) -> None:
    found = [s for s in spans(text, asked(*phrase.split(), phrases=(phrase,))) if s.slot < 0]

    assert [text[s.start : s.end] for s in found] == wanted
    assert all(s.weight > 50 for s in found)


def test_decomposed_and_composed_text_are_found_by_either() -> None:
    for word in ("한국어", "émigré", "がぎぐ", "Äpfel"):
        for spelled in ("NFC", "NFD"):
            text = unicodedata.normalize(spelled, f"xx {word} yy")
            for queried in ("NFC", "NFD"):
                assert marked(text, asked(unicodedata.normalize(queried, word))), (word, spelled, queried)


@pytest.mark.parametrize("line", ["some ordinary words here, ", "日本語の文章ばかりです、", "oneword"])
def test_a_huge_text_is_searched_to_its_end(line: str) -> None:
    text = line * (3_000_000 // len(line)) + " the E0502 deadlock studies end"

    assert marked(text, asked("E0502", "deadlock", "study")) == ["E0502", "deadlock", "studies"]


def test_one_word_of_a_megabyte_is_found_by_its_beginning() -> None:
    word = "".join(f"{i:x}z" for i in range(200_000))

    (span,) = spans(word, asked(word[:MAX_TOKEN]))

    assert span == Span(0, MAX_TOKEN, 0)


def test_the_promise_of_a_text_is_the_number_of_words_that_it_may_have() -> None:
    finder = Finder(asked("sourdough", "hydration", "zebra"))

    assert [finder.promise(t) for t in ("sourdough hydration", "SOURDOUGH", "nothing")] == [2, 1, 0]


@pytest.mark.parametrize(
    "character",
    ["e" + "\u0301" * 5, FAMILY, "🇩🇪", "👍🏽", "1️⃣", "\u1112\u1161\u11ab", "\u0928\u093f", f"🏴{TAGS}"],
    ids=["accents", "family", "flag", "skin", "keycap", "jamo", "vowel sign", "tags"],
)
def test_no_character_is_split_even_without_a_single_space(character: str) -> None:
    source = character * 60
    for budget in range(1, 80):
        _, inner = quoted(source, [], budget)
        assert inner == character * (len(inner) // len(character))


def test_there_is_no_room_for_a_character_larger_than_the_budget() -> None:
    assert quoted(FAMILY * 3, [], 4)[0].text == ""
    assert quoted("word", [], 0)[0].text == ""
    assert quoted("   ", [], 10)[0].text == ""
    assert quoted("", [], 10)[0].text == ""


def test_words_are_not_cut_where_there_are_spaces() -> None:
    source = "antidisestablishmentarianism " * 100

    _, inner = quoted(source, [], 50)

    assert set(inner.split()) == {"antidisestablishmentarianism"}


def test_a_text_that_begins_with_an_ellipsis_keeps_its_own() -> None:
    source = "… " + "word " * 200

    assert quoted(source, [], 10)[0].lead == 0
    assert quoted(source, [Span(500, 504, 0)], 10)[0].lead == 1
