"""The default model: its pieces are the library's, and its vectors those of a StaticEmbedding with the same table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest

from chatmem.embed import bpe, models, static
from chatmem.errors import UsageError
from tests.embed.texts import texts

TEXTS = texts(600)


@pytest.fixture(scope="module")
def place() -> Path:
    return static.folder()


@pytest.fixture(scope="module")
def library(place: Path) -> Any:
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(place / static._TOKENIZER))


def test_the_pieces_of_a_question_are_those_that_the_library_cuts(place: Path, library: Any) -> None:
    pieces = bpe.vocabulary(place / static._TOKENIZER)

    for text in TEXTS:
        if not any(token in text for token in static._SPECIAL):
            assert list(bpe.numbers(text, pieces)) == library.encode(text, add_special_tokens=False).ids, text


def test_texts_in_bulk_have_the_vectors_of_a_static_embedding_with_the_same_table(place: Path, library: Any) -> None:
    from safetensors.numpy import load_file
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    (table,) = load_file(place / static._WEIGHTS).values()
    theirs = SentenceTransformer(
        modules=[StaticEmbedding(library, embedding_weights=table.astype(numpy.float32))], device="cpu"
    )
    wanted = theirs.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)

    assert numpy.abs(static.StaticModel(place).encode(TEXTS) - wanted).max() < 1e-5


def test_a_question_has_the_vector_that_the_same_text_has_in_bulk(place: Path) -> None:
    asked = [text[: static._QUESTION] for text in TEXTS]
    ask, bulk = static.asker(place), static.StaticModel(place).encode(asked)

    for text, vector in zip(asked, bulk, strict=True):
        if not any(token in text for token in static._SPECIAL):
            assert numpy.abs(numpy.array(ask(text)) - vector).max() < 1e-5, text


def test_how_texts_are_put_together_changes_nothing(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = static.StaticModel(place).encode(TEXTS)
    for name, value in (("_SLICE", 7), ("_SUMS", 40), ("_ROWS_KNOWN", 60), ("_FEW_WORDS", 0)):
        monkeypatch.setattr(static, name, value)

    assert numpy.abs(static.StaticModel(place).encode(TEXTS) - wanted).max() < 1e-5


def test_a_text_without_pieces_has_no_direction(place: Path) -> None:
    assert not static.StaticModel(place).encode(["", "x", ""])[[0, 2]].any()
    assert not any(static.asker(place)(""))


def test_a_table_of_another_size_or_time_is_looked_at_and_other_vectors_are_refused(place: Path) -> None:
    stamp = models.stamp_of(models.open_model("wordllama"))

    assert stamp.name == "wordllama" and stamp.dimension == 256
    assert models.question("bread", stamp._replace(mark="moved")) == models.question("bread", stamp)
    with pytest.raises(UsageError, match="other vectors"):
        models.question("bread", stamp._replace(mark="moved", digest="another"))
    with pytest.raises(UsageError, match="another version"):
        models.question("bread", stamp._replace(recipe="0"))


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    models._asker.cache_clear()
    monkeypatch.setattr(static, "NAME", "no_such_package")
    yield
    models._asker.cache_clear()


def test_without_the_package_the_error_says_what_to_install(bare: None) -> None:
    with pytest.raises(UsageError, match="not installed") as error:
        static.folder()
    assert "pip install wordllama" in str(error.value)
