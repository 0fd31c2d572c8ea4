"""Two rankings to one. Pure.

The measured recipe adds the meaning of a unit to the score of its words:

    score = (own + context + 0.5 chat + weight * meaning) * author factor

`meaning` is the cosine of its nearest passage, 0 at the floor of the scope and 1 at the nearest passage in it. The
other recipe, reciprocal ranks, adds 1 / (60 + rank) over the first forty of both rankings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from chatmem.search.bm25 import CHAT_WEIGHT
from chatmem.search.hits import Hit, Near, Passage

Fusion = Literal["recipe", "rrf"]

RRF_CANDIDATES, RRF_K = 40, 60
_BEGINNING = datetime.min


def added(hits: Sequence[Hit], cosines: Mapping[int, Passage], near: Near, weight: float) -> list[Hit]:
    """The hits with their meaning added, best first. `cosines`: the nearest passage of each unit that has one."""
    top = max((passage.weighted for passage in near.found), default=0.0)
    made = []
    for hit in hits:
        passage = cosines.get(hit.unit_key)
        meaning = _share(passage.weighted, near.floor, top) if passage else 0.0
        words = hit.own + hit.context + CHAT_WEIGHT * hit.chat
        made.append(
            hit._replace(
                score=(words + weight * meaning) * hit.author_factor,
                meaning=meaning,
                cosine=passage.cosine if passage else 0.0,
            )
        )
    return ordered(made)


def by_rank(hits: Sequence[Hit], cosines: Mapping[int, Passage], near: Near) -> list[Hit]:
    """Reciprocal rank fusion of the ranking by words and that by meaning, forty of each."""
    known = {hit.unit_key: hit for hit in added(hits, cosines, near, 1.0)}
    worded = [hit.unit_key for hit in ordered(hits) if hit.score > 0]
    meant = sorted((u for u in known if u in cosines), key=lambda u: (-cosines[u].weighted, -known[u].score, u))
    scores: dict[int, float] = {}
    for ranking in (worded[:RRF_CANDIDATES], meant[:RRF_CANDIDATES]):
        for rank, unit in enumerate(ranking, 1):
            scores[unit] = scores.get(unit, 0.0) + 1 / (RRF_K + rank)
    return ordered([known[unit]._replace(score=score) for unit, score in scores.items()])


def ordered(hits: Sequence[Hit]) -> list[Hit]:
    """Best first; of equal scores the newer first, then by id."""
    by_id = sorted(hits, key=lambda hit: (hit.chat_id, hit.unit_key))
    by_time = sorted(by_id, key=lambda hit: hit.moment or _BEGINNING, reverse=True)
    return sorted(by_time, key=lambda hit: -hit.score)


def _share(value: float, floor: float, top: float) -> float:
    return min(1.0, max(0.0, (value - floor) / (top - floor))) if top > floor else 0.0
