"""Vectors on the command line: without them, with them, of another model, and what is said about it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.contracts import samples
from tests.contracts.program import chatmem


@pytest.fixture
def export(tmp_path: Path) -> Path:
    folder = tmp_path / "export"
    folder.mkdir()
    return samples.write(folder / "export.jsonl", samples.ALL)


def test_an_import_without_vectors_says_so_and_embed_makes_up_for_it(surroundings: None, export: Path) -> None:
    first = chatmem("import", export, "--no-embed")
    assert "no vectors (--no-embed): chatmem archive embed" in first.err
    assert "by words alone: the archive has no vectors yet" in chatmem("search", "sourdough").err
    assert json.loads(chatmem("search", "sourdough", "--json").out)["mode_used"] == "lexical"

    done = chatmem("archive", "embed")

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("embedded 12 of 12 messages with wordllama (256 dimensions)")
    assert json.loads(chatmem("archive", "embed", "--json").out)["messages"] == 0
    found = json.loads(chatmem("search", "sourdough", "--json").out)
    assert (found["mode_used"], found["note"]) == ("hybrid", None)
    assert found["results"][0]["score_parts"]["meaning"] > 0
    assert "vectors\t" in chatmem("archive", "info").out
    assert chatmem("archive", "check").out == "sound\n"


def test_every_mode_and_fusion_answers(surroundings: None, export: Path) -> None:
    chatmem("import", export)
    for mode in ("hybrid", "lexical", "semantic"):
        for fusion in ("recipe", "rrf"):
            ended = chatmem("search", "sourdough", "flour", "--mode", mode, "--fusion", fusion, "--json")
            found = json.loads(ended.out)
            assert (ended.code, found["mode_used"]) == (0, mode)
            assert "bread" in found["results"][0]["chat_id"]


def test_a_model_that_cannot_be_loaded_is_one_line_and_2(surroundings: None, export: Path) -> None:
    chatmem("import", export)

    ended = chatmem("archive", "embed", "--model", export.parent)

    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert "cannot load the model" in ended.err and "give the folder" in ended.err
