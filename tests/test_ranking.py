"""How well searches find: the judged questions of sample_data, answered from all its chats, never worse than this.

The floors lie just below what was measured; raise them when ranking gets better. `pytest tests/test_ranking.py -s`
prints what is measured and which questions fail.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from chatmem.archive.scope import Scope
from chatmem.archive.store import Store
from tests.imports import chats, imported
from tests.search.shelf import look

SAMPLES = Path(__file__).parents[1] / "sample_data"
DEPTH = 10
LANGUAGES = {"en", "de", "fr", "es", "pt", "ja", "zh"}
# What needs the meaning of words, or a repaired spelling, is judged apart.
HARD = ("paraphrase", "typo")
KINDS = ("keyword", "question", "identifier", "phrase", *HARD)


class Judged(NamedTuple):
    """A question, the chats that answer it, and the rank of the first of them (None: not among the first DEPTH)."""

    query: str
    kind: str
    lang: str
    rank: int | None


class Measured(NamedTuple):
    """Shares of the questions whose answer is first and among the first five; the mean of 1 / rank."""

    hit_1: float
    hit_5: float
    mrr: float


def questions() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SAMPLES / "questions.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """An archive of everything in sample_data."""
    made = Store(tmp_path_factory.mktemp("home"))
    report = imported(made, SAMPLES)
    assert chats(report)[0] > 30
    assert not [f for f in report.files if f.path.endswith("questions.jsonl") and not f.is_silent()]
    return made


@pytest.fixture(scope="module")
def judged(store: Store) -> list[Judged]:
    found = []
    with store.reading() as connection:
        for asked in questions():
            answer = look(connection, asked["query"], Scope(), limit=DEPTH, max_tokens=50_000)
            ranks = [r.rank for r in answer.results if r.chat.chat_id in asked["chat_ids"]]
            found.append(Judged(asked["query"], asked["kind"], asked["lang"], min(ranks, default=None)))
    return found


def measured(some: Sequence[Judged]) -> Measured:
    ranks = [j.rank or DEPTH * 1_000 for j in some]
    return Measured(
        sum(r == 1 for r in ranks) / len(ranks),
        sum(r <= 5 for r in ranks) / len(ranks),
        sum(1 / r for r in ranks) / len(ranks),
    )


def told(title: str, some: Sequence[Judged]) -> Measured:
    """Measured, and written out with the questions that are not answered first."""
    result = measured(some)
    shares = f"hit@1 {result.hit_1:.3f}, hit@5 {result.hit_5:.3f}, MRR {result.mrr:.3f}"
    missed = [f"  {j.rank or '-':>3}  {j.kind}: {j.query}" for j in some if j.rank != 1]
    sys.stdout.write("\n".join([f"\n{title}: {len(some)} questions, {shares}", *missed, ""]))
    return result


def above(result: Measured, floor: Measured) -> bool:
    return all(value >= least for value, least in zip(result, floor, strict=True))


def test_questions_of_known_words_are_answered_first(judged: list[Judged]) -> None:
    result = told("known words", [j for j in judged if j.kind not in HARD])
    assert above(result, Measured(0.98, 0.98, 0.98)), result


@pytest.mark.parametrize(
    ("kind", "floor"), [("paraphrase", Measured(0.2, 0.33, 0.27)), ("typo", Measured(0.99, 0.99, 0.99))]
)
def test_hard_questions_are_not_answered_worse_than_before(judged: list[Judged], kind: str, floor: Measured) -> None:
    result = told(kind, [j for j in judged if j.kind == kind])
    assert above(result, floor), result


def test_all_questions_together(judged: list[Judged]) -> None:
    result = told("all", judged)
    assert above(result, Measured(0.89, 0.92, 0.9)), result


@pytest.mark.parametrize("lang", sorted(LANGUAGES))
def test_no_language_is_left_behind(judged: list[Judged], lang: str) -> None:
    result = told(lang, [j for j in judged if j.lang == lang and j.kind not in HARD])
    assert result.hit_5 >= 0.9, result


def test_every_question_is_judged_over_chats_that_exist(store: Store) -> None:
    asked = questions()
    with store.reading() as connection:
        known = {row[0] for row in connection.execute("SELECT chat_id FROM chat").fetchall()}
    assert len(asked) >= 40
    assert {q["kind"] for q in asked} == set(KINDS)
    assert {q["lang"] for q in asked} == LANGUAGES
    assert max(Counter(q["query"] for q in asked).values()) == 1
    for question in asked:
        assert set(question) == {"query", "chat_ids", "lang", "kind"}
        assert question["chat_ids"] and set(question["chat_ids"]) <= known, question
