"""Spans point at the words of the question as they stand in a text, in any script and in texts of any size."""

from __future__ import annotations

import unicodedata

import pytest

from chatmem.archive.tokenizer import MAX_TOKEN, expand
from chatmem.evidence.matches import CHUNK, MOST_SPANS, Asked, Finder, Span, spans


def asked(*words: str, phrases: tuple[str, ...] = (), weights: dict[int, float] | None = None) -> Asked:
    """Slot i answers word i, by any of its terms."""
    spellings = {t: i for i, word in enumerate(words) for t in (*expand(word).words, *expand(word).wholes)}
    return Asked(spellings, weights or {}, phrases)


def marked(text: str, question: Asked) -> list[str]:
    return [text[s.start : s.end] for s in spans(text, question) if s.slot >= 0]


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


def test_a_place_weighs_what_its_slot_weighs() -> None:
    assert [s.weight for s in spans("rare frequent", asked("rare", "frequent", weights={0: 7.5}))] == [7.5, 1.0]


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


def test_rare_words_of_a_huge_text_are_found_among_thousands_of_frequent_ones() -> None:
    text = "common words " * 100_000 + "rare common. " + "common words " * 100_000

    found = spans(text, asked("common", "rare"))

    assert len(found) < MOST_SPANS + CHUNK
    assert "rare" in {text[s.start : s.end] for s in found}


def test_one_word_of_a_megabyte_is_found_by_its_beginning() -> None:
    word = "".join(f"{i:x}z" for i in range(200_000))

    (span,) = spans(word, asked(word[:MAX_TOKEN]))

    assert span == Span(0, MAX_TOKEN, 0)


def test_without_anything_asked_nothing_is_found() -> None:
    assert spans("any text", Asked({})) == []
    assert Finder(Asked({})).promise("any text") == 0


def test_the_promise_of_a_text_is_the_number_of_words_that_it_may_have() -> None:
    finder = Finder(asked("sourdough", "hydration", "zebra"))

    assert [finder.promise(t) for t in ("sourdough hydration", "SOURDOUGH", "nothing")] == [2, 1, 0]
