"""Whether what was found answers the question, said plainly. Pure.

The measure is coverage: the share of the question's weight (rare words weigh more, unknown ones most) that the best
unit has. Below NONE nothing is shown: a common word shared by chance is not evidence.
"""

from __future__ import annotations

from collections.abc import Sequence

from chatmem.evidence.answer import Level, Sufficiency

STRONG = 0.66
NONE = 0.25
LISTED = 4


def judge(
    coverage: float,
    asked: int,
    unknown: Sequence[str],
    inexact: Sequence[str] = (),
    limited: bool = False,
    left_out: Sequence[str] = (),
) -> Sufficiency:
    """`coverage` 0..1 of the best result; `asked` words, of which no text in scope has the `unknown` ones, and the
    `inexact` ones only in parts.

    `limited`: only texts that meet a condition (a phrase, a role, no `-word`) were looked at. `left_out`: words of a
    query too long, which were not looked for.
    """
    where = "in what the conditions leave" if limited else "in scope"
    level, reason = _judged(coverage, asked, unknown, inexact, where)
    if not left_out:
        return Sufficiency(level, reason)
    said = f"{reason}; the query is too long, not or only partly looked for: {_listed(left_out)}"
    return Sufficiency("partial" if level == "strong" else level, said)


def _judged(
    coverage: float, asked: int, unknown: Sequence[str], inexact: Sequence[str], where: str
) -> tuple[Level, str]:
    missing = _listed(unknown)
    if coverage < NONE or asked == len(unknown):
        if missing and asked in (1, len(unknown)):
            return "none", f"no chat {where} has {missing}"
        if missing:
            return "none", f"only a small part of the question occurs; not found {where}: {missing}"
        return "none", f"no chat {where} matches"
    if missing:
        return "partial", f"not found {where}: {missing}"
    if inexact:
        return "partial", f"found {where} only in parts: {_listed(inexact)}"
    if coverage >= STRONG:
        return "strong", "the best result has all or nearly all words of the question"
    return "partial", f"the best result has {coverage:.0%} of the question's weight"


def _listed(unknown: Sequence[str]) -> str:
    """The first few, each cut to what a line can bear."""
    shown = [f"“{word if len(word) <= 60 else word[:59] + '…'}”" for word in unknown[:LISTED]]
    return ", ".join(shown) + (" …" if len(unknown) > LISTED else "")
