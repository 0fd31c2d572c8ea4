"""Judging whether there is an answer, from the signals alone."""

from __future__ import annotations

from typing import Any

import pytest

from chatmem.evidence.sufficiency import NONE_AT_MOST, Signals, judge, least


def signals(coverage: float, cosine: float | None, asked: int = 4, **more: Any) -> Signals:
    return Signals(coverage, cosine, asked, 1_000)._replace(**more)


@pytest.mark.parametrize(
    ("given", "level", "words"),
    [
        (signals(0.9, 0.5), "strong", "nearly all words"),
        (signals(0.4, 0.75), "strong", "nearly the same"),
        (signals(0.5, 0.4), "partial", "50% of the question"),
        (signals(0.2, 0.3), "none", "no chat in scope matches"),
        (signals(0.5, 0.4, unknown=("kiln",)), "partial", "not found in scope: “kiln”"),
        (signals(0.2, 0.4, unknown=("kiln", "glaze")), "none", "only a small part"),
        (signals(0.0, 0.2, asked=1, unknown=("kiln",)), "none", "no chat in scope has “kiln”"),
        (signals(0.7, 0.5, instead=(("klin", "kiln"),)), "partial", "“kiln” for “klin”"),
        (signals(0.7, 0.5, inexact=("foo-bar",)), "partial", "only in parts"),
        (signals(0.2, 0.1, limited=True), "none", "in what the conditions leave"),
        (signals(0.2, 0.1, phrased=True), "partial", "20%"),
        (signals(0.9, 0.5, left_out=("tail",)), "partial", "too long"),
        (signals(0.3, None), "partial", "30%"),
        (signals(0.2, None), "none", "matches"),
        (signals(0.3, 0.0, incomplete=True), "partial", "30%"),
        (signals(1.0, 0.0, asked=1), "strong", "all or nearly all"),
        (signals(0.55, 0.1, typed=2, passages=100_000), "partial", "55%"),
        (signals(0.45, 0.1, typed=2, passages=100_000), "none", "matches"),
        (signals(0.55, 0.1, typed=3, passages=100_000), "none", "matches"),
        (signals(0.0, 0.0, asked=1), "none", "matches"),
        (signals(0.0, 0.35, asked=0), "partial", "by meaning"),
        (signals(0.0, 0.25, asked=0), "none", "matches"),
    ],
)
def test_levels_and_reasons(given: Signals, level: str, words: str) -> None:
    verdict = judge(given)

    assert verdict.level == level, verdict
    assert words in verdict.reason


def test_among_more_passages_more_is_wanted_up_to_a_bound() -> None:
    bounds = [least(10**n) for n in range(8)]

    assert bounds == sorted(bounds) and bounds[1] < bounds[3] < bounds[-1] == NONE_AT_MOST
    assert judge(signals(0.5, 0.2, passages=20)).level == "partial"
    assert judge(signals(0.5, 0.2, passages=200_000)).level == "none"


def test_words_that_nobody_wrote_weaken_what_is_there() -> None:
    assert judge(signals(0.5, 0.4, unknown=("a", "b"))).strength < judge(signals(0.5, 0.4)).strength
