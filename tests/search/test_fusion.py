"""Joining two rankings by hand: the sum, reciprocal ranks, ties, and what time decides when the latest is asked for."""

from __future__ import annotations

from datetime import datetime

import pytest

from chatmem.archive import keys
from chatmem.search import freshness, fusion
from chatmem.search.hits import Hit, Near, Passage, best


def hit(unit: int, own: float = 0.0, *, score: float = 0.0, day: int | None = 1, factor: float = 1.0) -> Hit:
    at = datetime(2025, 1, day) if day else None
    return Hit(unit, unit, f"test:{unit}", at, score, own, 0.0, 0.0, factor, frozenset())


def passage(unit: int, cosine: float, offset: int = 0) -> Passage:
    return Passage(unit << keys.OFFSET_BITS | offset, 0, 9, cosine)


def test_the_meaning_of_a_unit_is_added_to_its_words_and_both_count_more_for_a_named_author() -> None:
    near = Near((passage(1, 0.6), passage(2, 0.4)), floor=0.2, passages=9)

    found = fusion.added([hit(1, 0.1), hit(2, 0.5), hit(3, 1.0, factor=1.5)], best(near.found), near, 2.0)

    assert [(h.unit_key, round(h.score, 3), round(h.meaning, 3)) for h in found] == [
        (1, 2.1, 1.0), (2, 1.5, 0.5), (3, 1.5, 0.0)
    ]  # fmt: skip


def test_a_cosine_below_the_floor_takes_nothing_away() -> None:
    near = Near((passage(1, 0.6),), floor=0.2, passages=2)

    (_, far) = fusion.added([hit(1), hit(2)], best([*near.found, passage(2, -0.3)]), near, 1.0)

    assert (far.meaning, far.score, far.cosine) == (0.0, 0.0, -0.3)


def test_a_reply_counts_half() -> None:
    assert passage(1, 0.8, offset=1).weighted == 0.4
    assert best([passage(1, 0.8, offset=1), passage(1, 0.5)])[1].cosine == 0.5


def test_reciprocal_ranks_take_forty_of_each_list() -> None:
    worded = [hit(n, score=2.0 - n / 100) for n in range(1, 61)]
    meant = [passage(n, 1 - n / 1000) for n in range(60, 160)]
    near = Near(tuple(meant), floor=0.0, passages=500)

    found = fusion.by_rank([*worded, *(hit(n) for n in range(61, 160))], best(meant), near)

    assert len(found) == 80
    scores = {h.unit_key: h.score for h in found}
    assert scores[1] == scores[60] == pytest.approx(1 / 61)
    assert scores[40] == scores[99] == pytest.approx(1 / 100)
    assert fusion.by_rank([hit(1, score=1.0)], best([passage(1, 0.5)]), Near((passage(1, 0.5),)))[0].score == 2 / 61


def test_of_equal_scores_the_newer_is_first_then_the_lower_id_and_the_undated_last() -> None:
    hits = [hit(3, day=None), hit(2, day=1), hit(1, day=1), hit(4, day=2)]

    assert [h.unit_key for h in fusion.ordered(hits)] == [4, 1, 2, 3]


@pytest.mark.parametrize(
    "question",
    [
        "what is the latest price", "Which plan am I on currently?", "our current address", "most recent blood test",
        "Was ist der aktuelle Stand?", "zuletzt besprochen", "la dernière fois", "prix actuel", "la última vez",
        "el plan actual", "versão mais recente", "endereço atual", "最新的方案", "目前的地址",
    ],
)  # fmt: skip
def test_questions_for_the_latest_are_known(question: str) -> None:
    assert freshness.asks_for_latest(question)


@pytest.mark.parametrize("question", ["price of the bike", "actually", "nouveau", "later"])
def test_other_questions_are_not(question: str) -> None:
    assert not freshness.asks_for_latest(question)


def test_time_decides_among_near_equal_hits_only() -> None:
    hits = [hit(1, score=2.0, day=1), hit(2, score=1.8, day=9), hit(3, score=1.75, day=None), hit(4, score=1.0, day=30)]

    assert [h.unit_key for h in freshness.latest_first(hits)] == [2, 1, 3, 4]
