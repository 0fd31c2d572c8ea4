"""BERT encoders with mean pooling, as a plain numpy forward pass over their safetensors file.

Importing sentence-transformers costs 5 s and 480 MB; this pass, with the file mapped into memory, encodes a question in
a few milliseconds, and its vectors equal the library's to 1e-5. `supported` tells which models it can run: those that
people use for search (all-MiniLM, e5, bge). All others go through the library.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from chatmem.embed import weights
from chatmem.embed.prompts import prompts

# One thread: on the matrices of one question, starting more takes longer than they save. Before numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

WEIGHTS, CONFIG, MODULES, TOKENIZER = "model.safetensors", "config.json", "modules.json", "tokenizer.json"
_SUPPORTED = {"model_type": "bert", "hidden_act": "gelu"}
_DTYPES = {"F32": "<f4", "F16": "<f2"}
_POOLING = {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False, "pooling_mode_max_tokens": False}


def supported(folder: Path) -> bool:
    """Whether the model in a folder is one that this pass computes as the library does."""
    try:
        config, modules = _json(folder / CONFIG), _json(folder / MODULES)
        kinds = [module["type"].rsplit(".", 1)[-1] for module in modules]
        pooling = _json(folder / modules[1]["path"] / CONFIG)
        header, _ = weights.header(folder / WEIGHTS)
    except (OSError, ValueError, KeyError, IndexError, TypeError):
        return False
    return (
        all(config.get(key) == value for key, value in _SUPPORTED.items())
        and config.get("position_embedding_type", "absolute") == "absolute"
        and kinds in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])
        and _is_mean(pooling)
        and (folder / TOKENIZER).is_file()
        and all(held["dtype"] in _DTYPES for name, held in header.items() if name.endswith((".weight", ".bias")))
    )


def _is_mean(pooling: dict[str, Any]) -> bool:
    mode = pooling.get("pooling_mode")
    if isinstance(mode, str):
        return mode == "mean"
    return all(bool(pooling.get(key)) is value for key, value in _POOLING.items()) and not any(
        value for key, value in pooling.items() if key.startswith("pooling_mode_") and key not in _POOLING
    )


class Bert:
    """The encoder of one folder. Weights are read from disk as they are used."""

    def __init__(self, folder: Path, name: str = "") -> None:
        from tokenizers import Tokenizer

        config = _json(folder / CONFIG)
        self.heads: int = config["num_attention_heads"]
        self.layers: int = config["num_hidden_layers"]
        self.dimension: int = config["hidden_size"]
        self._epsilon: float = config["layer_norm_eps"]
        self._prompts = prompts(name or str(folder), folder)
        self._weight = _weights(folder / WEIGHTS)
        self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(longest(folder, config))

    def encode(self, texts: Sequence[str]) -> Any:
        """As LibraryModel.encode, one text at a time."""
        import numpy

        made = [self._vector(self._prompts.passage + text) if text else self._vector("") * 0 for text in texts]
        return numpy.array(made, numpy.float32).reshape(len(texts), self.dimension)

    def question(self, text: str) -> Sequence[float]:
        return [float(x) for x in self._vector(self._prompts.question + text)]

    def _vector(self, text: str) -> Any:
        import numpy

        encoded = self._tokenizer.encode(text)
        x = self._embedded(encoded.ids, encoded.type_ids)
        for layer in range(self.layers):
            x = self._layer(x, f"encoder.layer.{layer}.")
        mean = x.mean(axis=0)
        length = float(numpy.linalg.norm(mean))
        return mean / (length or 1.0)

    def _embedded(self, ids: Sequence[int], types: Sequence[int]) -> Any:
        weight = self._weight
        words = weight("embeddings.word_embeddings.weight")[list(ids)]
        places = weight("embeddings.position_embeddings.weight")[: len(ids)]
        kinds = weight("embeddings.token_type_embeddings.weight")[list(types)]
        return self._normalized(words + places + kinds, "embeddings.LayerNorm")

    def _layer(self, x: Any, name: str) -> Any:
        attended = self._linear(self._attention(x, f"{name}attention.self."), f"{name}attention.output.dense")
        x = self._normalized(attended + x, f"{name}attention.output.LayerNorm")
        wide = _gelu(self._linear(x, f"{name}intermediate.dense"))
        return self._normalized(self._linear(wide, f"{name}output.dense") + x, f"{name}output.LayerNorm")

    def _attention(self, x: Any, name: str) -> Any:
        import numpy

        size = self.dimension // self.heads
        query, key, value = (
            self._linear(x, name + part).reshape(len(x), self.heads, size).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / numpy.float32(math.sqrt(size))
        scores = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        return (scores @ value).transpose(1, 0, 2).reshape(len(x), self.dimension)

    def _linear(self, x: Any, name: str) -> Any:
        return x @ self._weight(f"{name}.weight").T + self._weight(f"{name}.bias")

    def _normalized(self, x: Any, name: str) -> Any:
        import numpy

        centred = x - x.mean(axis=-1, keepdims=True)
        spread = numpy.sqrt((centred * centred).mean(axis=-1, keepdims=True) + numpy.float32(self._epsilon))
        return centred / spread * self._weight(f"{name}.weight") + self._weight(f"{name}.bias")


def longest(folder: Path, config: dict[str, Any]) -> int:
    """Tokens of the longest text that the library encodes; what is longer it cuts."""
    # Where sentence-transformers keeps it, before and since its version 6.
    for name, key in (("sentence_bert_config.json", "max_seq_length"), ("tokenizer_config.json", "model_max_length")):
        path = folder / name
        asked = _json(path).get(key) if path.is_file() else None
        if asked:
            return int(min(asked, config["max_position_embeddings"]))
    return int(config["max_position_embeddings"])


def _gelu(x: Any) -> Any:
    """x * P(normal <= x), with the error function of Abramowitz and Stegun 7.1.26, which errs by less than 2e-7."""
    import numpy

    z = numpy.abs(x) * numpy.float32(math.sqrt(0.5))
    t = 1 / (1 + numpy.float32(0.3275911) * z)
    terms = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
    series = numpy.zeros_like(z)
    for term in terms:
        series = (series + numpy.float32(term)) * t
    erf = 1 - series * numpy.exp(-z * z)
    return 0.5 * x * (1 + numpy.where(x < 0, -erf, erf))


def _weights(path: Path) -> Callable[[str], Any]:
    """Tensor by name (with or without the prefix that some exports have) -> a view into the mapped file."""
    import numpy

    header, start = weights.header(path)
    raw = numpy.memmap(path, mode="r", dtype=numpy.uint8, offset=start)
    prefix = "bert." if "bert.embeddings.word_embeddings.weight" in header else ""

    def tensor(name: str) -> Any:
        held = header[prefix + name]
        begin, end = held["data_offsets"]
        found = raw[begin:end].view(_DTYPES[held["dtype"]]).reshape(held["shape"])
        return found if held["dtype"] == "F32" else found.astype(numpy.float32)

    return tensor


def _json(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))
