"""Any model of sentence-transformers through the library itself: in bulk, and for questions where bert.py cannot."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chatmem.embed import weights
from chatmem.embed.base import ModelId
from chatmem.embed.prompts import prompts
from chatmem.errors import UsageError


class LibraryModel:
    """A model by its name on the hub, or by the folder it lies in. Raises UsageError if it cannot be loaded."""

    pace = 64

    def __init__(self, name: str, device: str | None = None) -> None:
        # It writes progress bars and advice to standard error, which has another owner.
        os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError as error:
            raise UsageError("sentence-transformers is not installed", "pip install 'chatmem[models]'") from error
        for library in ("transformers", "sentence_transformers", "huggingface_hub"):
            logging.getLogger(library).setLevel(logging.ERROR)
        place = Path(name).expanduser()
        named = str(place.absolute()) if place.is_dir() else name
        try:
            self._model = _loaded(SentenceTransformer, named, device)
        except Exception as error:  # whatever the library, the hub or the device finds wrong
            first = str(error).strip().splitlines()[:1]
            why = first[0][:200] if first else type(error).__name__
            hint = "give the folder of a sentence-transformers model, or its name on the hub"
            raise UsageError(f"cannot load the model {name!r} ({why})", hint) from error
        self.folder = place.absolute() if place.is_dir() else _cached(name)
        self._prompts = prompts(name, self.folder)
        dimension = self._model.get_embedding_dimension() or len(self._encoded([""])[0])
        self.id = ModelId(named, weights.digest(weights.of_folder(self.folder)), int(dimension), str(self.folder))

    def encode(self, texts: Sequence[str]) -> Any:
        import numpy

        made = self._encoded([self._prompts.passage + text for text in texts])
        empty = [at for at, text in enumerate(texts) if not text]
        made[empty] = 0
        return made.astype(numpy.float32, copy=False)

    def question(self, text: str) -> Sequence[float]:
        return [float(x) for x in self._encoded([self._prompts.question + text])[0]]

    def _encoded(self, texts: list[str]) -> Any:
        return self._model.encode(
            texts, prompt="", batch_size=32, normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )


def _loaded(kind: Any, name: str, device: str | None) -> Any:
    """What is on this machine is used as it is; only a model that is not here is asked for on the hub."""
    try:
        return kind(name, device=device, local_files_only=True)
    except OSError:
        if Path(name).is_dir():
            raise
        return kind(name, device=device)


def _cached(name: str) -> Path:
    from huggingface_hub import snapshot_download

    full = name if "/" in name else f"sentence-transformers/{name}"
    return Path(snapshot_download(full, local_files_only=True))
