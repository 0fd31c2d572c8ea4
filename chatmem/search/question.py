"""The vector of a question, by the model that made the archive's vectors; or why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from chatmem.archive import vectors
from chatmem.embed import models
from chatmem.errors import UsageError
from chatmem.search.hits import Near, Passage
from chatmem.search.query import Query

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# What a cosine weighs beside the words: that of a model that reads sentences more than one that knows words only.
STATIC_WEIGHT, WEIGHT = 1.0, 2.0
NO_VECTORS = "the archive has no vectors yet: chatmem archive embed"
INCOMPLETE = "some messages have no vectors yet: chatmem archive embed"


class Meaning(NamedTuple):
    """`vector` of the question, empty if there is none; `note`: why, or what is missing.

    `near` it in the scope; `known`: the passages of all units that are ranked, nearest first.
    """

    vector: Sequence[float] = ()
    weight: float = 0.0
    near: Near = Near(())
    note: str = ""
    known: Sequence[Passage] = ()


def understood(connection: DuckDBPyConnection, query: Query) -> Meaning:
    """The vector of what is asked for, without filters and words to be left out."""
    text = " ".join((*query.phrases, *query.words, *query.prefixes))
    if not text.strip():
        return Meaning()
    made_by = vectors.stamp(connection)
    if made_by is None:
        return Meaning(note=NO_VECTORS)
    try:
        vector = models.question(text, made_by)
    except UsageError as error:
        return Meaning(note=str(error))
    note = "" if vectors.complete(connection) else INCOMPLETE
    return Meaning(vector, STATIC_WEIGHT if models.is_static(made_by) else WEIGHT, note=note)
