"""What a text must hold for a pattern to match it, read from the pattern itself: what needles.json is made of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

# Strings of which a text must hold at least one, in lower case.
Needles = frozenset[str]
_MANY = 40


def required(pattern: re.Pattern[str]) -> Sequence[Needles]:
    """Sets of strings: a text that lacks all of one of them cannot match. The rarest first."""
    found = _of_sequence(parser.parse(pattern.pattern, pattern.flags))
    kept = {s for s in found if len(s) <= _MANY and min(map(len, s)) > 1}
    return sorted(kept, key=_order)


def _order(needles: Needles) -> tuple[float, list[str]]:
    """The rarest first, by a guess: long strings are rare."""
    return sum(0.35 ** len(needle) for needle in sorted(needles)), sorted(needles)


def _of_sequence(items: Any) -> list[Needles]:
    found: list[Needles] = []
    run = ""
    for kind, value in items:
        if kind is op.LITERAL:
            run += chr(value).lower()
            continue
        found += _of_run(run)
        run = ""
        found += _of_item(kind, value)
    return found + _of_run(run)


def _of_run(run: str) -> list[Needles]:
    return [frozenset([run])] if run.strip() else []


def _of_item(kind: Any, value: Any) -> list[Needles]:
    if kind is op.SUBPATTERN:
        return _of_sequence(value[3])
    if kind is op.ATOMIC_GROUP:
        return _of_sequence(value)
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        least, _, inner = value
        return _of_sequence(inner) if least else []
    if kind is op.BRANCH:
        branches = [sorted(_of_sequence(branch), key=_order) for branch in value[1]]
        return [frozenset().union(*(branch[0] for branch in branches))] if all(branches) else []
    return []
