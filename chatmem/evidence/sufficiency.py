"""Whether what was found answers the question, said plainly. Pure.

Two things tell: coverage, the share of the question's weight (rare words weigh more, unknown ones most) that a unit
has, and how near in meaning the nearest passage of the scope is. Neither alone does: a common word is shared by chance,
and the nearest of many texts is never far. Their sum was calibrated on questions asked where their answer is and where
it cannot be; tests/benchmarks/sufficiency.py prints the curve. Below `least` nothing is shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from chatmem.evidence.answer import Level, Sufficiency

# What the cosine of the nearest passage weighs beside coverage, and the share of words that nobody wrote.
COSINE_WEIGHT, UNKNOWN_WEIGHT = 1.2, 0.3
# Among ten times as many passages one is nearer by chance.
NONE_AMONG_ONE, NONE_PER_DECADE, NONE_AT_MOST = 0.23, 0.14, 0.9
# The same where only words were looked for, or only meaning.
NONE_BY_WORDS, NONE_BY_MEANING = 0.25, 0.3
# Who types two words and no question wants what has the rarer one, however many passages there are.
FEW_WORDS, NONE_BY_FEW_WORDS = 2, 0.5
STRONG_COVERAGE, STRONG_COSINE = 0.66, 0.7
LISTED = 4


class Signals(NamedTuple):
    """`coverage` 0..1 of the best result; `cosine` of the nearest of so many `passages`, None if only words were looked
    for; `asked` words, of which no text in scope has the `unknown` ones, and the `inexact` ones only in parts; `typed`
    words with those that only ask.

    `instead`: (unknown word, spelling that was looked for in its place). `limited`: only texts that meet a condition (a
    phrase, a role, no `-word`) were looked at; `phrased`: they hold all quoted phrases. `incomplete`: not all texts
    have vectors. `left_out`: words of a query too long, which were not looked for.
    """

    coverage: float
    cosine: float | None
    asked: int
    passages: int = 0
    unknown: Sequence[str] = ()
    inexact: Sequence[str] = ()
    instead: Sequence[tuple[str, str]] = ()
    limited: bool = False
    phrased: bool = False
    incomplete: bool = False
    left_out: Sequence[str] = ()
    typed: int = 100

    @property
    def strength(self) -> float:
        """How much of an answer there seems to be: about 0 nothing, 2.2 all that can be asked."""
        unknown = len(self.unknown) / self.asked if self.asked else 0.0
        return nearness(self.coverage, self.cosine or 0.0) - UNKNOWN_WEIGHT * unknown


def least(passages: int) -> float:
    """The strength from which on there is an answer among so many passages."""
    return min(NONE_AT_MOST, NONE_AMONG_ONE + NONE_PER_DECADE * math.log10(max(1, passages)))


def nearness(coverage: float, cosine: float) -> float:
    """How much a unit has to do with a question."""
    return coverage + COSINE_WEIGHT * max(0.0, cosine)


def judge(signals: Signals) -> Sufficiency:
    level, reason = _judged(signals)
    strength = round(signals.strength, 4)
    if not signals.left_out:
        return Sufficiency(level, reason, strength)
    said = f"{reason}; the query is too long, not or only partly looked for: {_listed(signals.left_out)}"
    return Sufficiency("partial" if level == "strong" else level, said, strength)


def _judged(signals: Signals) -> tuple[Level, str]:
    where = "in what the conditions leave" if signals.limited else "in scope"
    missing = _listed(signals.unknown)
    if not _enough(signals):
        if missing and len(signals.unknown) == signals.asked:
            return "none", f"no chat {where} has {missing}"
        if missing:
            return "none", f"only a small part of the question occurs; not found {where}: {missing}"
        return "none", f"no chat {where} matches"
    swapped = ", ".join(f"“{_short(new)}” for “{_short(old)}”" for old, new in signals.instead[:LISTED])
    if missing:
        return "partial", f"not found {where}: {missing}" + (f"; looked for {swapped}" if swapped else "")
    if swapped:
        return "partial", f"a word nobody wrote {where}; looked for {swapped}"
    if signals.inexact:
        return "partial", f"found {where} only in parts: {_listed(signals.inexact)}"
    if not signals.asked:
        return "partial", "found by meaning"
    if signals.coverage >= STRONG_COVERAGE:
        return "strong", "the best result has all or nearly all words of the question"
    if (signals.cosine or 0.0) >= STRONG_COSINE:
        return "strong", "the best result says nearly the same as the question"
    return "partial", f"the best result has {signals.coverage:.0%} of the question's weight"


def _enough(signals: Signals) -> bool:
    if signals.phrased:
        return True
    by_words = signals.coverage >= NONE_BY_WORDS and signals.asked > len(signals.unknown)
    if signals.cosine is None or (signals.incomplete and by_words):
        return by_words
    if not signals.asked:
        return signals.cosine >= NONE_BY_MEANING
    few = signals.asked == 1 and by_words
    few |= signals.typed <= FEW_WORDS and not signals.unknown and signals.coverage >= NONE_BY_FEW_WORDS
    return few or signals.strength >= least(signals.passages)


def _listed(unknown: Sequence[str]) -> str:
    """The first few, each cut to what a line can bear."""
    shown = [f"“{_short(word)}”" for word in unknown[:LISTED]]
    return ", ".join(shown) + (" …" if len(unknown) > LISTED else "")


def _short(word: str) -> str:
    return word if len(word) <= 60 else word[:59] + "…"
