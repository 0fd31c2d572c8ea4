"""Which model makes an archive's vectors, and how questions are encoded: by name, or as the archive's stamp says."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from chatmem.archive.vectors import RECIPE, Stamp
from chatmem.embed import static, weights
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
    return Stamp(*model.id, mark=weights.mark(_weights(model.id.name, model.id.folder)))


def _weights(name: str, folder: str) -> list[Path]:
    return static.weights_of(static.folder()) if name == static.NAME else weights.of_folder(Path(folder))


def _check(made_by: Stamp) -> None:
    """Raise UsageError if the model that made the vectors is not there, or is another one now."""
    if made_by.recipe != RECIPE:
        raise UsageError("the vectors here were made by another version of chatmem", REMEDY)
    found = _weights(made_by.name, made_by.folder)
    if made_by.folder and not found:
        raise UsageError(f"the model is no longer in {made_by.folder}", "put it back, or chatmem archive embed --model")
    if weights.mark(found) != made_by.mark and weights.digest(found) != made_by.digest:
        raise UsageError(f"{made_by.name} makes other vectors now than those that are here", REMEDY)


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
    if made_by is None:
        model: Model = open_model(static.NAME)
        return model, stamp_of(model)
    _check(made_by)
    if is_static(made_by):
        model = static.StaticModel(static.folder(), made_by.digest)
    elif _is_light(made_by):
        model = ImportModel(made_by)
    else:
        model = open_model(made_by.folder or made_by.name)
    return model, made_by


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
    _check(made_by)
    if is_static(made_by):
        return static.asker(static.folder())
    if _is_light(made_by):
        from chatmem.embed.bert import Bert

        return Bert(Path(made_by.folder), made_by.name).question
    from chatmem.embed.library import LibraryModel

    return LibraryModel(made_by.folder or made_by.name).question


def _is_light(made_by: Stamp) -> bool:
    """Whether chatmem runs the model itself."""
    from chatmem.embed import bert

    return bool(made_by.folder) and bert.supported(Path(made_by.folder))


def is_word(text: str) -> bool:
    """Whether a word is so common that it has a piece of its own in the default model: it is spelled right."""
    try:
        place = static.folder()
    except UsageError:
        return False
    return any(static.is_piece(spelled, place) for spelled in (text, text.capitalize()))
