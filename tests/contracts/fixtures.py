"""Fixtures that the tests of the command line share; a conftest names the ones it wants."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts import samples
from tests.contracts.program import chatmem

_DECIDING = ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "COLUMNS", "LINES", "PYTHONIOENCODING")


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path) -> Iterator[None]:
    """A home of its own, UTC, an ordinary terminal of 80 columns; nothing of the machine's own settings."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("CHATMEM_", "_CHATMEM", "XDG_")) or name in _DECIDING:
                patch.delenv(name)
        patch.setenv("CHATMEM_HOME", str(tmp_path / "home"))
        patch.setenv("COLUMNS", "80")
        patch.setenv("TERM", "xterm-256color")
        patch.setenv("TZ", "UTC")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of an archive that holds `samples.ALL`; tests only read it."""
    folder = tmp_path_factory.mktemp("library")
    export = samples.write(folder / "export.jsonl", samples.ALL)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHATMEM_HOME", str(folder / "home"))
        ended = chatmem("import", export)
    assert ended.code == 0, ended.err
    return folder / "home"


@pytest.fixture
def archive(library: Path, surroundings: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """CHATMEM_HOME is the library."""
    monkeypatch.setenv("CHATMEM_HOME", str(library))
    return library
