"""What a text must hold for a pattern to match it, read from the pattern itself: most patterns need not be tried.

Trying hundreds of patterns on every sentence would take longer than all the rest of an import. A pattern that needs
“plan” or “tier” costs nothing where neither stands. Pure.
"""

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
    return sorted({s for s in found if len(s) <= _MANY and min(map(len, s)) > 1}, key=_frequency)


class Gate:
    """Tells which of many patterns a text may match."""

    def __init__(self, patterns: Sequence[re.Pattern[str]]) -> None:
        bits: dict[str, int] = {}
        self._wanted = [
            [sum(bits.setdefault(needle, 1 << len(bits)) for needle in one) for one in required(pattern)]
            for pattern in patterns
        ]
        self._bits = list(bits.items())

    def open(self, text: str) -> list[bool]:
        """For each pattern, whether it is worth trying."""
        lowered = text.lower()
        here = 0
        for needle, bit in self._bits:
            if needle in lowered:
                here |= bit
        lacking = ~here
        return [not any(wanted & lacking == wanted for wanted in one) for one in self._wanted]


def _frequency(needles: Needles) -> float:
    """A guess: long strings are rare."""
    return sum(0.35 ** len(needle) for needle in needles)


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
        branches = [sorted(_of_sequence(branch), key=_frequency) for branch in value[1]]
        return [frozenset().union(*(branch[0] for branch in branches))] if all(branches) else []
    return []
