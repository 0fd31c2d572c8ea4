"""The bound of the whole output: shorter excerpts first, then fewer results. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from chatmem.evidence.answer import Answer, Evidence, Page

# Excerpts of a smaller part of their size say too little; then rather fewer results.
SMALLEST_SHARE = 0.25
# Excerpts end at words: a little less than their share fits for certain.
_CAUTION = 0.95


class Size(Protocol):
    """How many tokens a form of output takes: what stands around all results, and each of them."""

    def frame(self, found: Answer | Page) -> int: ...

    def results(self, found: Sequence[Evidence]) -> Sequence[int]: ...


class Counted:
    """Of what people read: excerpts and headings, as they were counted when they were made."""

    def frame(self, found: Answer | Page) -> int:
        return 0

    def results(self, found: Sequence[Evidence]) -> Sequence[int]:
        return [e.tokens for e in found]


COUNTED = Counted()


class Bounds(NamedTuple):
    """Of one result: the tokens of its excerpts together, and their number."""

    excerpt_tokens: int
    excerpts: int


class Fitted(NamedTuple):
    """The leading results that take no more than was allowed, what they take, and how many were left out."""

    results: tuple[Evidence, ...]
    tokens: int
    omitted: int


def fitted(
    quote: Callable[[int, int], Sequence[Evidence]], bounds: Bounds, max_tokens: int, size: Size = COUNTED
) -> Fitted:
    """Results within the bounds, with shorter and then with fewer excerpts if that is how all fit.

    `quote` makes them, with so many tokens for the excerpts of one result, and so many excerpts.
    """
    made = quote(*bounds)
    sizes = size.results(made)
    whole, whole_sizes = made, sizes
    for excerpts in dict.fromkeys((bounds.excerpts, 1)):
        if sum(sizes) <= max_tokens:
            break
        if excerpts != bounds.excerpts:
            whole = quote(bounds.excerpt_tokens, excerpts)
            whole_sizes = size.results(whole)
        bare = size.results([_bare(e) for e in whole])
        texts = [a - b for a, b in zip(whole_sizes, bare, strict=True)]
        # With several excerpts each result is to be kept; with one, as many as there is room for, but the best.
        kept = len(whole) if excerpts > 1 else max(1, _room(bare, texts, max_tokens))
        share = (max_tokens - sum(bare[:kept])) / max(1, sum(texts[:kept]))
        if share >= SMALLEST_SHARE or (kept == 1 and share > 0):
            made = quote(int(bounds.excerpt_tokens * min(1.0, share * _CAUTION)), excerpts)
            sizes = size.results(made)
    total = 0
    for kept, tokens in enumerate(sizes):
        if total + tokens > max_tokens:
            return Fitted(tuple(made[:kept]), total, len(made) - kept)
        total += tokens
    return Fitted(tuple(made), total, 0)


def _room(bare: Sequence[int], texts: Sequence[int], max_tokens: int) -> int:
    """How many results fit with the smallest excerpts."""
    total = 0.0
    for kept, (frame, text) in enumerate(zip(bare, texts, strict=True)):
        total += frame + SMALLEST_SHARE * text
        if total > max_tokens:
            return kept
    return len(bare)


def _bare(evidence: Evidence) -> Evidence:
    """The result with nothing in its excerpts."""
    quoted = sum(e.tokens for e in evidence.excerpts)
    excerpts = tuple(e._replace(text="", tokens=0, matched=(), spans=()) for e in evidence.excerpts)
    return evidence._replace(excerpts=excerpts, tokens=evidence.tokens - quoted)
