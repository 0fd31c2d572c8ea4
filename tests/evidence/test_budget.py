"""How many results, and how long, fit a bound."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatmem.evidence.answer import Answer, Evidence, Excerpt, Page
from chatmem.evidence.budget import Bounds, fitted

HEADING = 10
BOUNDS = Bounds(100, 3)


class Twice:
    """A form of output that says every excerpt twice, behind a long heading."""

    def frame(self, found: Answer | Page) -> int:
        return 0

    def results(self, found: Sequence[Evidence]) -> Sequence[int]:
        return [4 * HEADING + 2 * sum(len(x.text) for x in e.excerpts) for e in found]


def quoting(results: int) -> Any:
    """Texts of one letter a token: each result fills what it is given, in as many excerpts as it may have."""

    def quote(tokens: int, excerpts: int) -> list[Evidence]:
        texts = ["x" * (tokens // excerpts) for _ in range(excerpts)]
        quoted = tuple(Excerpt("r", "m", "user", None, datetime(2025, 1, 1, tzinfo=UTC), t, len(t)) for t in texts)
        return [Evidence(i + 1, cast(Any, None), quoted, None, HEADING + sum(map(len, texts))) for i in range(results)]

    return quote


@pytest.mark.parametrize(
    ("max_tokens", "results", "tokens"),
    [(1_000, 5, 550), (550, 5, 550), (400, 5, 380), (300, 5, 282), (100, 2, 90), (35, 1, 32), (10, 0, 0)],
)
def test_excerpts_get_shorter_before_results_get_fewer(max_tokens: int, results: int, tokens: int) -> None:
    found = fitted(quoting(5), BOUNDS, max_tokens)
    assert (len(found.results), found.omitted) == (results, 5 - results)
    assert abs(found.tokens - tokens) <= 12


@given(st.integers(0, 2_000), st.integers(1, 12), st.booleans())
def test_the_bound_holds_and_more_asked_for_is_never_less_given(most: int, asked: int, twice: bool) -> None:
    size: Any = (Twice(),) if twice else ()
    few, many = fitted(quoting(1), BOUNDS, most, *size), fitted(quoting(asked), BOUNDS, most, *size)
    for found, wanted in ((few, 1), (many, asked)):
        assert found.tokens <= most
        assert len(found.results) + found.omitted == wanted
    assert len(few.results) <= len(many.results)
