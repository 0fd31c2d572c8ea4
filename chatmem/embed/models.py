"""Which model makes an archive's vectors, and how questions are encoded: by name, or as the archive's stamp says."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from chatmem.archive.vectors import RECIPE, Stamp
from chatmem.embed import static
from chatmem.embed.base import Model, ModelId, QueryEncoder
from chatmem.errors import UsageError

REMEDY = "chatmem archive embed makes them anew"
# Texts that bert.py encodes sooner than sentence-transformers is loaded.
FEW = 200


def open_model(name: str, device: str | None = None) -> Model:
    """A model that encodes in bulk. Raises UsageError if it is not there."""
    if name == static.NAME:
        return static.StaticModel(static.folder())
    from chatmem.embed.library import LibraryModel

    return LibraryModel(name, device)


def stamp_of(model: Model) -> Stamp:
    mark = static.mark(static.folder()) if model.id.name == static.NAME else ""
    return Stamp(*model.id, mark=mark)


class ImportModel:
    """A model that sentence-transformers made vectors with: a few texts are encoded without loading the library."""

    pace = 64

    def __init__(self, made_by: Stamp) -> None:
        from chatmem.embed.bert import Bert

        self.id = ModelId(made_by.name, made_by.digest, made_by.dimension, made_by.folder)
        self._few = Bert(Path(made_by.folder), made_by.name)
        self._many: Model | Bert | None = None

    def encode(self, texts: Sequence[str]) -> Any:
        if len(texts) > FEW and self._many is None:
            try:
                self._many = open_model(self.id.folder)
            except UsageError:
                self._many = self._few
        return (self._many or self._few).encode(texts)


def find_encoder(made_by: Stamp | None) -> tuple[Model, Stamp]:
    """What makes an archive's vectors: the model that made those it has, else the default one.

    Raises UsageError if that is not there, or makes other vectors now.
    """
    if made_by and made_by.recipe != RECIPE:
        raise UsageError("the vectors here were made by another version of chatmem", REMEDY)
    if made_by and not is_static(made_by) and _is_light(made_by):
        return ImportModel(made_by), made_by
    if made_by and is_static(made_by):
        place = static.folder()
        model: Model = static.StaticModel(place, made_by.digest if static.mark(place) == made_by.mark else "")
    else:
        model = open_model(made_by.folder or made_by.name if made_by else static.NAME)
    stamp = stamp_of(model)
    if made_by and not made_by.same(stamp):
        raise UsageError(f"{made_by.name} makes other vectors now than those that are here", REMEDY)
    return model, made_by or stamp


def question(text: str, made_by: Stamp) -> Sequence[float]:
    """The vector of a question by the model that made an archive's vectors. Raises UsageError if it is not there."""
    return _asker(made_by)(text)


def is_static(made_by: Stamp) -> bool:
    """Whether its vectors know words, but not sentences."""
    return made_by.name == static.NAME


def is_slow(made_by: Stamp) -> bool:
    """Whether every search has to load sentence-transformers, which takes some seconds."""
    return not is_static(made_by) and not _is_light(made_by)


@lru_cache(maxsize=2)
def _asker(made_by: Stamp) -> QueryEncoder:
    if made_by.recipe != RECIPE:
        raise UsageError("the vectors here were made by another version of chatmem", REMEDY)
    if is_static(made_by):
        place = static.folder()
        if static.mark(place) != made_by.mark and static.digest(place) != made_by.digest:
            raise UsageError("the installed wordllama has other vectors", REMEDY)
        return static.asker(place)
    if _is_light(made_by):
        from chatmem.embed.bert import Bert

        return Bert(Path(made_by.folder), made_by.name).question
    from chatmem.embed.library import LibraryModel

    return LibraryModel(made_by.folder or made_by.name).question


def _is_light(made_by: Stamp) -> bool:
    """Whether chatmem runs the model itself. That its weights are the same is told by their size only."""
    from chatmem.embed import bert

    return bool(made_by.folder) and bert.supported(Path(made_by.folder))


def is_word(text: str) -> bool:
    """Whether a word is so common that it has a piece of its own in the default model: it is spelled right."""
    place = static.folder()
    return any(static.is_piece(spelled, place) for spelled in (text, text.capitalize()))
