"""How much of an answer its sources bear out, sentence by sentence. Pure.

What the customer once claimed is no source for what the company does: “your colleague promised me a refund” does not
ground “we refund you”. Such support is told apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

from chatmem.prompt.parts import COMPANY, CUSTOMER, FACT, Source
from chatmem.search.stopwords import ENGLISH, OTHERS

_STOP = ENGLISH.union(*OTHERS.values())
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_SENTENCE = re.compile(r"[^\n.!?。！？]+(?:\.(?=\w)[^\n.!?。！？]+)*[.!?。！？]*")
# Speaking for the company: what it is, does or owes.
_COMPANY = re.compile(
    r"(?i)\b(?:we|our|us|i|refund\w*|money|replac\w*|compensat\w*|credit\w*|free|discount\w*|guarantee\w*|warrant\w*|"
    r"polic\w*|promis\w*|on the house|get|receive|will|wir|unser\w*|erstatt\w*|versprochen|nous|notre|rembours\w*|"
    r"nosotros|nuestr\w*|reembols\w*|nós|noss\w*)\b"
)


class Sentence(NamedTuple):
    """`share` of its content words in all sources of the company, and in what the customer claimed; `sources` that bear
    it out, by name."""

    text: str
    words: int
    share: float
    customer_share: float
    grounded: bool
    claimed_by_customer: bool
    sources: tuple[str, ...]


class Grounding(NamedTuple):
    """`share` of the whole answer. `grounded`: it reaches the threshold. `sources`: share of the answer in each."""

    share: float
    grounded: bool
    threshold: float
    sentences: tuple[Sentence, ...]
    sources: tuple[tuple[str, str, float], ...]
    claimed_by_customer: tuple[str, ...]


def check(answer: str, sources: Sequence[Source], threshold: float) -> Grounding:
    """The share of stemmed content words of the answer that occur in the sources. An answer without any is grounded."""
    stems = [(source, frozenset(_stems(source.text))) for source in sources]
    company = frozenset().union(*(held for source, held in stems if source.speaker == COMPANY))
    claimed = frozenset().union(*(held for source, held in stems if source.speaker == CUSTOMER))
    stated = frozenset().union(*(held for source, held in stems if source.kind == FACT))
    sentences = tuple(
        _sentence(match[0].strip(), stems, (company, claimed, stated), threshold)
        for match in _SENTENCE.finditer(answer)
        if _WORD.search(match[0])
    )
    words = _stems(answer)
    known = [stem for one in sentences for stem in _stems(one.text) if stem in _grounds(one.text, company, stated)]
    share = len(known) / len(words) if words else 1.0
    each = tuple((source.name, source.kind, _share(words, held)) for source, held in stems)
    return Grounding(
        share, share >= threshold, threshold, sentences, each,
        tuple(one.text for one in sentences if one.claimed_by_customer),
    )  # fmt: skip


def _sentence(
    text: str,
    stems: Sequence[tuple[Source, frozenset[str]]],
    held: tuple[frozenset[str], frozenset[str], frozenset[str]],
    threshold: float,
) -> Sentence:
    """`held`: the words of the company's sources, of all that the customer said, and of the facts about him."""
    company, claimed, stated = held
    words = _stems(text)
    share = _share(words, _grounds(text, company, stated))
    customer = _share(words, claimed)
    grounded = not words or share >= threshold
    behind = tuple(source.name for source, held in stems if words and _share(words, held) >= threshold)
    only_claimed = bool(words) and not grounded and customer >= threshold
    return Sentence(text, len(words), share, customer, grounded, only_claimed, behind)


def _grounds(text: str, company: frozenset[str], stated: frozenset[str]) -> frozenset[str]:
    """What may ground a sentence: the facts about a customer ground only what is said of him."""
    return company if _COMPANY.search(text) else company | stated


def _share(words: Sequence[str], held: frozenset[str]) -> float:
    return sum(word in held for word in words) / len(words) if words else 1.0


def _stems(text: str) -> list[str]:
    words = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    content = [word.removesuffix("'s") for word in words if word not in _STOP]
    return list(_stemmer().stemWords(content))


@cache
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english")
