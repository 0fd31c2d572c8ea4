"""The bound of the whole output: as many results as fit, in order. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from chatmem.evidence.answer import Evidence


def bounded(results: Sequence[Evidence], max_tokens: int) -> tuple[tuple[Evidence, ...], int]:
    """The leading results that take no more than `max_tokens` together, and what they take. May be none."""
    total = 0
    for kept, result in enumerate(results):
        if total + result.tokens > max_tokens:
            return tuple(results[:kept]), total
        total += result.tokens
    return tuple(results), total
