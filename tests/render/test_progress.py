"""The progress of an import is shown on a terminal's stderr, and nowhere else."""

from __future__ import annotations

import io
import re
import sys

import pytest

from chatmem.render.diagnostics import diagnostics
from chatmem.render.progress import Silent, import_progress
from tests.contracts.looks import bare, styles
from tests.contracts.program import Screen


def advance(progress: Silent) -> None:
    progress.start(2_000_000)
    progress.chats(1_234, 56_789)
    progress.read(500_000)
    progress.read(1_000_000)


def shown(monkeypatch: pytest.MonkeyPatch, terminal: bool = True) -> str:
    """What an import that was three quarters done has written to stderr."""
    held = io.BytesIO()
    stream = (Screen if terminal else io.TextIOWrapper)(held, "utf-8")
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        with import_progress("auto") as progress:
            advance(progress)
        stream.flush()
    written = held.getvalue().decode()
    stream.detach()
    return written


def test_the_bar_says_bytes_chats_and_messages_in_one_line_of_80(monkeypatch: pytest.MonkeyPatch) -> None:
    written = shown(monkeypatch)
    lines = [line for line in re.split(r"[\r\n]", re.sub(r"\x1b\[[0-9?]*[A-Za-ln-z]", "", bare(written))) if line]

    assert "importing" in lines[-1]
    assert "1.5/2.0 MB" in lines[-1]
    assert "1,234 chats 56,789 messages" in lines[-1]
    assert max(map(len, lines)) <= 80


def test_the_bar_is_gone_when_the_import_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    written = shown(monkeypatch)

    # The last things said: erase the line, show the cursor again.
    assert written.rindex("\x1b[2K") > written.rindex("importing")
    assert written.rindex("\x1b[?25h") > written.rindex("\x1b[?25l")


def test_when_all_bytes_are_read_it_says_that_it_is_finishing(monkeypatch: pytest.MonkeyPatch) -> None:
    held = io.BytesIO()
    stream = Screen(held, "utf-8")
    monkeypatch.setattr(sys, "stderr", stream)
    with import_progress("auto") as progress:
        advance(progress)
        # A file is read a little more than once: its beginning tells its format.
        progress.read(600_000)
    stream.flush()

    assert "finishing" in held.getvalue().decode()
    assert "2.0/2.0 MB" in held.getvalue().decode()
    stream.detach()


def test_there_is_no_bar_in_a_pipe_under_quiet_or_on_a_terminal_that_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, terminal=False) == ""
    with monkeypatch.context() as patch:
        patch.setattr(diagnostics, "quiet", True)
        assert shown(monkeypatch) == ""
    monkeypatch.setenv("TERM", "dumb")
    assert shown(monkeypatch) == ""


def test_without_colour_the_bar_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    coloured = styles(shown(monkeypatch))
    monkeypatch.setenv("NO_COLOR", "1")

    assert any("3" in style.split(";")[0] for style in coloured)
    assert not {s for s in styles(shown(monkeypatch)) if re.search(r"(^|;)(3|4|9|10)\d", s)}
