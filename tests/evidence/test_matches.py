"""Spans of the asked words: where they stand, spelled as the text spells them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chatmem.archive.tokenizer import expand, fold
from chatmem.evidence.matches import CHUNK, MOST_SPANS, PHRASE_WEIGHT, Asked, Span, spans
from tests.evidence.scripts import TEXTS


def asked(*words: str, phrases: tuple[str, ...] = ()) -> Asked:
    """A question of these words, each a slot of its own."""
    found = [expand(word) for word in words]
    return Asked({term: slot for slot, one in enumerate(found) for term in (*one.words, *one.wholes)}, {}, phrases)


def marked(text: str, *words: str) -> list[str]:
    return [text[s.start : s.end] for s in spans(text, asked(*words))]


@pytest.mark.parametrize(
    ("text", "word", "found"),
    [
        ("Two herons, one HERON.", "heron", ["herons", "HERON"]),
        ("Happiness of the happy.", "happy", ["Happiness", "happy"]),
        ("Größe, grosse und GRÖSSE", "größe", ["Größe", "grosse", "GRÖSSE"]),
        ("un cafe\u0301 et un café", "cafe", ["cafe\u0301", "café"]),
        ("call getUserById(7) or get_user_by_id", "getUserById", ["getUserById", "get_user_by_id"]),
        ("error E0502 and E05021", "E0502", ["E0502"]),
        ("Don't; don’t", "don't", ["Don't", "don’t"]),
        ("GPT-4o mini", "gpt-4o", ["GPT-4o"]),
        ("東京タワーと東京駅", "東京", ["東京", "東京"]),
        ("жёлтые цветы", "желтый", ["жёлтые"]),
        ("concatenate cats", "cat", ["cats"]),
        ("", "cat", []),
    ],
)
def test_a_word_is_found_as_the_index_finds_it_and_marked_as_it_is_spelled(
    text: str, word: str, found: list[str]
) -> None:
    assert marked(text, word) == found


def test_marks_stay_in_place_where_one_letter_grows_and_another_goes() -> None:
    assert marked("\u03000GROßက", "größe") == ["GROß"]


def test_marks_after_a_letter_that_grows_when_folded_stay_in_place() -> None:
    text = "ﬀ ﬃ ㍿ と 東京 の ㌔東京"
    assert marked(text, "東京") == ["東京", "東京"]


@given(
    text=TEXTS, words=st.lists(st.sampled_from(["heron", "größe", "café", "東京", "GPT-4o", "id", "3.12"]), min_size=1)
)
@settings(max_examples=150, deadline=None)
def test_spans_are_in_order_inside_the_text_and_hold_the_asked_spelling(text: str, words: list[str]) -> None:
    question = asked(*words)
    found = spans(text, question)
    assert found == sorted(set(found))
    for span in found:
        assert 0 <= span.start < span.end <= len(text)
        piece = expand(text[span.start : span.end])
        here = {t for t in (*piece.words, *piece.wholes) if t in question.spellings}
        assert span.slot in {question.spellings[t] for t in here} or fold(text[span.start : span.end]) in here


@given(before=TEXTS, after=TEXTS, word=st.sampled_from(["heron", "Größe", "cafe\u0301", "GPT-4o", "E0502", "жёлтый"]))
@settings(max_examples=100, deadline=None)
def test_a_word_between_spaces_is_always_found(before: str, after: str, word: str) -> None:
    text = f"{before} {word} {after}"
    question = asked(word)
    place = len(before) + 1
    assert any((s.start, s.end) == (place, place + len(word)) for s in spans(text, question))


def test_a_word_at_the_border_of_two_chunks_is_found_once_and_whole() -> None:
    for shift in range(-8, 9):
        text = "x" * (CHUNK - 4 + shift) + " heron " + "y " * CHUNK
        assert marked(text, "heron") == ["heron"]


def test_a_word_in_a_megabyte_without_spaces_is_found() -> None:
    text = "," * 1_000_000 + "heron" + "," * 1_000_000
    assert marked(text, "heron") == ["heron"]


def test_a_word_on_a_line_without_spaces_is_not_lost_where_a_chunk_is_cut() -> None:
    for shift in range(6):
        text = "," * (2 * CHUNK - shift) + "heron" + "," * CHUNK
        assert marked(text, "heron") == ["heron"]


def test_a_frequent_word_leaves_room_for_the_stretch_that_has_all_words() -> None:
    text = "heron " * 50_000 + "the heron eats 400 grams of fish a day " + "heron " * 50_000
    found = spans(text, asked("heron", "fish"))
    assert len(found) < MOST_SPANS + CHUNK
    assert {text[s.start : s.end] for s in found} == {"heron", "fish"}


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("He said: grey heron.", "grey heron"),
        ("a Grey  \n heron", "Grey  \n heron"),
        ("a **grey** heron", "grey** heron"),
        ("heron grey", None),
        ("un héron cendré", None),
    ],
)
def test_a_phrase_is_one_span_that_outweighs_words(text: str, whole: str | None) -> None:
    found = spans(text, asked("grey", "heron", phrases=("grey heron",)))
    phrases = [text[s.start : s.end] for s in found if s.slot < 0]
    assert phrases == ([whole] if whole else [])
    assert all(s.weight == PHRASE_WEIGHT for s in found if s.slot < 0)


def test_a_question_without_words_marks_nothing() -> None:
    assert spans("anything", Asked({})) == []


def test_weights_are_those_of_the_slots() -> None:
    assert spans("grey heron", Asked({"heron": 3}, {3: 2.5})) == [Span(5, 10, 3, 2.5)]
