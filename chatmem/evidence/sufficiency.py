"""Whether what was found answers the question, said plainly. Pure.

The measure is coverage: the share of the question's weight (rare words weigh more, unknown ones most) that the best
unit has. Below NONE nothing is shown: a common word shared by chance is not evidence.
"""

from __future__ import annotations

from chatmem.evidence.answer import Sufficiency

STRONG = 0.66
NONE = 0.25


def judge(coverage: float, slots: int, unknown: tuple[str, ...], phrase_missed: bool) -> Sufficiency:
    """`coverage` 0..1 of the best result; `unknown`: asked words that no text in scope has."""
    missing = ", ".join(f"“{w}”" for w in unknown[:4]) + (" …" if len(unknown) > 4 else "")
    if phrase_missed:
        return Sufficiency("none", "no message holds the quoted phrase")
    if coverage < NONE or slots == len(unknown):
        if slots == 1 or slots == len(unknown):
            return Sufficiency("none", f"no chat in scope has {missing}" if missing else "no chat in scope matches")
        return Sufficiency("none", f"only a small part of the question occurs; not found: {missing}")
    if coverage >= STRONG and not unknown:
        return Sufficiency("strong", "the best result has all or nearly all words of the question")
    if missing:
        return Sufficiency("partial", f"not found in scope: {missing}")
    return Sufficiency("partial", f"the best result has {coverage:.0%} of the question's weight")
