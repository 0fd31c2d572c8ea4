"""Which of many patterns a text may match: most need neither be tried nor compiled.

Compiling hundreds of patterns takes two seconds, trying them on every sentence longer than all the rest of an import. A
pattern that needs “plan” or “tier” costs nothing where neither stands. What each pattern needs stands in
languages/needles.json; tests/facts/test_needles.py reads it from the patterns and compares. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence

# Of each set of strings, in lower case, a text must hold at least one.
Needles = Sequence[Sequence[str]]


class Gate:
    """Tells which of many patterns a text may match."""

    def __init__(self, wanted: Sequence[Needles]) -> None:
        bits: dict[str, int] = {}
        self._wanted = [
            [sum(bits.setdefault(needle, 1 << len(bits)) for needle in one) for one in needles] for needles in wanted
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
