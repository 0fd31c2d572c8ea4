"""The facts that matter for a question: the most recent ones, nearest first, without those that say the same. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from chatmem.facts.ledger import Fact, normal

# Meaning of a text as a vector of length one.
Encode = Callable[[str], Sequence[float]]

# What a shared word weighs beside nearness in meaning, which is 0 to 1.
_SHARED = 0.5
# Who somebody is and what he has paid for matters for any question.
_STANDING = {"name": 0.2, "plan": 0.3}
# Values of the same attribute nearer than this say the same.
_EQUAL = 0.97


def about(facts: Sequence[Fact], question: str, encode: Encode | None, loaded: int, kept: int) -> list[Fact]:
    """At most `kept` of the `loaded` most recently stated current facts, those nearest to the question first."""
    recent = [fact for fact in facts if fact.status == "current"][:loaded]
    asked = set(normal(question).split())
    vector = encode(question) if encode else ()
    vectors = [encode(_text(fact)) if encode else () for fact in recent]
    ranked = sorted(
        range(len(recent)),
        key=lambda i: -_dot(vector, vectors[i]) - _SHARED * _share(asked, recent[i]) - _prior(recent[i]),
    )
    chosen: list[int] = []
    for i in ranked:
        if not any(_repeats(recent[i], recent[j], vectors[i], vectors[j]) for j in chosen):
            chosen.append(i)
    return [recent[i] for i in chosen[:kept]]


def _prior(fact: Fact) -> float:
    return _STANDING.get(fact.attribute, 0.0)


def _text(fact: Fact) -> str:
    return f"{fact.attribute} {fact.value} {fact.quote}"


def _share(asked: set[str], fact: Fact) -> float:
    """Share of the question's words that the fact has; the attribute's name counts."""
    return len(asked & set(normal(_text(fact)).split())) / math.sqrt(len(asked)) if asked else 0.0


def _repeats(one: Fact, other: Fact, a: Sequence[float], b: Sequence[float]) -> bool:
    if one.attribute != other.attribute:
        return False
    words, others = normal(one.value).split(), normal(other.value).split()
    if set(words) <= set(others):
        return True
    return one.attribute in ("preference", "problem") and _dot(a, b) >= _EQUAL


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=False))
