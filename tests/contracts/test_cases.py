"""The shared cases: real failure shapes of each format, imported and compared by their own runner.

The runner calls a command line; here its calls end in this process, which takes seconds instead of a minute.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from tests.contracts.program import chatmem

CASES = Path(__file__).parents[2].parent / "shared" / "cases"
FORMATS = {
    *("chatgpt", "claude", "claude-code", "codex", "gemini-takeout", "gemini-cli"),
    *("openai-messages", "sharegpt", "csv"),
}


def _folders() -> list[Path]:
    found = sorted(path.parent for path in CASES.glob("*/expected.json"))
    return [f for f in found if json.loads((f / "expected.json").read_text("utf-8"))["format"] in FORMATS]


def _runner(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("run_cases", CASES / "run_cases.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def call(command: list[str], home: str) -> tuple[int, str, str]:
        monkeypatch.setenv("CHATMEM_HOME", home)
        ended = chatmem(*command)
        return ended.code, ended.out, ended.err

    monkeypatch.setattr(module, "call", call)
    return module


@pytest.mark.skipif(not (CASES / "run_cases.py").exists(), reason="the shared cases are not on this machine")
def test_there_are_cases_of_every_format_but_those_that_have_none() -> None:
    named = {json.loads((f / "expected.json").read_text("utf-8"))["format"] for f in _folders()}

    assert named >= FORMATS - {"sharegpt"}


@pytest.mark.parametrize("folder", _folders(), ids=lambda folder: str(folder.name))
def test_a_case_holds(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case = _runner(monkeypatch).Case(folder, [])

    assert case.run() == []
