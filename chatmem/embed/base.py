"""What a model of meaning is to the rest: texts in, vectors of length one out.

Importing encodes many texts at once, and may load what it likes. A search encodes one question, in a process that lives
a fifth of a second: it never loads torch, and with the default model not even numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

# A question -> its vector of length one; all zeros for a text that has no tokens.
QueryEncoder = Callable[[str], Sequence[float]]


class ModelId(NamedTuple):
    """Which model made vectors. `name` as the user gave it; `digest` of its weights; `folder` where they lie.

    Vectors of different digests are never compared. `folder` is empty for a model that comes with a package.
    """

    name: str
    digest: str
    dimension: int
    folder: str = ""


class Model(Protocol):
    """A model that encodes in bulk."""

    id: ModelId
    # Texts that are encoded in about a second, so that progress shows and a lock is held briefly.
    pace: int

    def encode(self, texts: Sequence[str]) -> Any:
        """A numpy float32 array (len(texts), dimension); each row of length one, or zeros for an empty text."""
