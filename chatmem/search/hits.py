"""Ranked units, as the rankings give them and fusion joins them. Values only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from chatmem.archive import keys

REPLY_WEIGHT = 0.5


class Hit(NamedTuple):
    """One unit and its score in parts, each 0..1 of the best in scope. `slots` that unit or title have.

    `moment`: when it was said, naive UTC. `meaning`: 0..1 of the nearest in scope; `cosine`: of its nearest passage.
    """

    unit_key: int
    chat_no: int
    chat_id: str
    moment: datetime | None
    score: float
    own: float
    context: float
    chat: float
    author_factor: float
    slots: frozenset[int]
    meaning: float = 0.0
    cosine: float = 0.0


class Ranking(NamedTuple):
    """`hits`, best first. `idf` of each slot that any text looked at has; that of an unknown one is ln(1 + 2 * units).

    `units` of the scope; `matched` units or chats in all.
    """

    hits: list[Hit]
    idf: Mapping[int, float] = {}
    units: float = 0
    matched: int = 0


class Passage(NamedTuple):
    """A passage and its cosine with the question."""

    message_key: int
    start: int
    stop: int
    cosine: float

    @property
    def weighted(self) -> float:
        return self.cosine if self.message_key & keys.MAX_OFFSET == 0 else self.cosine * REPLY_WEIGHT


class Near(NamedTuple):
    """The nearest passages in scope. `floor`: the weighted cosine that counts nothing here. `passages` of the scope."""

    found: Sequence[Passage]
    floor: float = 0.0
    passages: int = 0

    def best(self) -> dict[int, Passage]:
        """unit_key -> its nearest passage."""
        return best(self.found)


def best(found: Iterable[Passage]) -> dict[int, Passage]:
    ranked: dict[int, Passage] = {}
    for passage in found:
        unit = keys.unit_of(passage.message_key)
        if unit not in ranked or passage.weighted > ranked[unit].weighted:
            ranked[unit] = passage
    return ranked
