"""Cutting texts into passages."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from chatmem.archive.passages import MOST_PASSAGES, PASSAGE_BYTES, passages


@given(st.text(alphabet=st.sampled_from("ab. \n。漢é🎉\t"), max_size=4_000))
def test_passages_are_in_order_without_gaps_of_ink_and_begin_and_end_with_ink(text: str) -> None:
    found = passages(text)

    assert "".join(text[start:stop] for start, stop in found).split() == text.split() or _inked(text, found)
    for start, stop in found:
        assert start < stop and not text[start].isspace() and not text[stop - 1].isspace()
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(found))
    assert all(text[a[1] : b[0]].isspace() or a[1] == b[0] for a, b in itertools.pairwise(found))


def _inked(text: str, found: list[tuple[int, int]]) -> bool:
    return "".join("".join(text[a:b].split()) for a, b in found) == "".join(text.split())


def test_a_short_text_is_one_passage_and_a_blank_one_none() -> None:
    assert passages(" a short one ") == [(1, 12)]
    assert passages(" \n ") == passages("") == []


def test_long_texts_are_cut_at_sentences_and_dense_scripts_sooner() -> None:
    english = "This is a sentence of some words. " * 100
    for start, stop in passages(english)[:-1]:
        assert stop - start <= PASSAGE_BYTES and english[stop - 1] == "."
    assert max(stop - start for start, stop in passages("黑猫很可爱。" * 300)) <= PASSAGE_BYTES // 2


def test_a_giant_text_has_so_many_passages_and_no_more() -> None:
    assert len(passages("word " * 1_000_000)) == MOST_PASSAGES
