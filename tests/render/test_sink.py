"""The owners of the two output streams."""

from __future__ import annotations

import io
import sys

import pytest

from chatmem.render.diagnostics import Diagnostics
from chatmem.render.sink import Sink, settle_stdout


class _Gone(io.StringIO):
    """A stream whose reader has left."""

    def write(self, text: str) -> int:
        raise BrokenPipeError

    def flush(self) -> None:
        raise BrokenPipeError


def test_a_sink_writes_lines_and_ends_them_as_told() -> None:
    stream = io.StringIO()
    sink = Sink(stream)

    sink.line("one")
    sink.line("two", end="\0")

    assert stream.getvalue() == "one\ntwo\0"
    assert not sink.is_terminal()


def test_a_sink_lets_the_caller_know_that_nobody_reads() -> None:
    with pytest.raises(BrokenPipeError):
        Sink(_Gone()).line("one")


def test_settling_a_stream_that_is_gone_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", _Gone())

    settle_stdout()


def test_notes_and_details_obey_quiet_and_verbose_and_errors_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    said = []
    for quiet, verbose in ((False, False), (True, False), (False, True)):
        stream = io.StringIO()
        monkeypatch.setattr(sys, "stderr", stream)
        speaker = Diagnostics()
        speaker.quiet, speaker.verbose = quiet, verbose
        speaker.note("note")
        speaker.detail("detail")
        speaker.error("two\nlines")
        said.append(stream.getvalue().split("\n")[:-1])

    assert said == [["note", "chatmem: two lines"], ["chatmem: two lines"], ["note", "detail", "chatmem: two lines"]]


def test_nobody_listening_to_stderr_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    stream.close()
    for deaf in (_Gone(), stream):
        monkeypatch.setattr(sys, "stderr", deaf)
        Diagnostics().error("unheard")
