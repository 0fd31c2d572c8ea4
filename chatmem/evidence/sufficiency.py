"""Whether what was found answers the question, said plainly. Pure.

The measure is coverage: the share of the question's weight (rare words weigh more, unknown ones most) that the best
unit has. Below NONE nothing is shown: a common word shared by chance is not evidence.
"""

from __future__ import annotations

from collections.abc import Sequence

from chatmem.evidence.answer import Sufficiency

STRONG = 0.66
NONE = 0.25
LISTED = 4


def judge(
    coverage: float, asked: int, unknown: Sequence[str], inexact: Sequence[str] = (), limited: bool = False
) -> Sufficiency:
    """`coverage` 0..1 of the best result; `asked` words, of which no text in scope has the `unknown` ones, and the
    `inexact` ones only in parts.

    `limited`: only texts that meet a condition (a phrase, a role, no `-word`) were looked at.
    """
    missing = _listed(unknown)
    where = "in what the conditions leave" if limited else "in scope"
    if coverage < NONE or asked == len(unknown):
        if missing and asked in (1, len(unknown)):
            return Sufficiency("none", f"no chat {where} has {missing}")
        if missing:
            return Sufficiency("none", f"only a small part of the question occurs; not found {where}: {missing}")
        return Sufficiency("none", f"no chat {where} matches")
    if missing:
        return Sufficiency("partial", f"not found {where}: {missing}")
    if inexact:
        return Sufficiency("partial", f"found {where} only in parts: {_listed(inexact)}")
    if coverage >= STRONG:
        return Sufficiency("strong", "the best result has all or nearly all words of the question")
    return Sufficiency("partial", f"the best result has {coverage:.0%} of the question's weight")


def _listed(unknown: Sequence[str]) -> str:
    """The first few, each cut to what a line can bear."""
    shown = [f"“{word if len(word) <= 60 else word[:59] + '…'}”" for word in unknown[:LISTED]]
    return ", ".join(shown) + (" …" if len(unknown) > LISTED else "")
