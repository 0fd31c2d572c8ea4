"""Every way to end has its exit code (SPEC section 11), one line on stderr, and the next thing to type in it."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from chatmem.__main__ import run
from chatmem.archive.store import FILE_NAME
from tests.contracts import samples
from tests.contracts.program import Ended, chatmem, shell


def one_line(ended: Ended) -> str:
    """The error's only line; nothing was printed to standard output."""
    assert ended.out == ""
    assert ended.err.count("\n") == 1
    assert ended.err.startswith("chatmem: ")
    return ended.err.removesuffix("\n")


def home_of(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own archive with one chat in it."""
    monkeypatch.setenv("CHATMEM_HOME", str(path / "own"))
    assert chatmem("import", samples.write(path / "bread.jsonl", [samples.BREAD])).code == 0
    return path / "own"


@pytest.mark.usefixtures("archive")
def test_0_is_found_and_also_nothing_found() -> None:
    assert chatmem("search", "sourdough").code == 0
    assert chatmem("search", "qwertzuiop").code == 0
    assert chatmem("recent", "--before", "1999").code == 0


@pytest.mark.usefixtures("archive")
def test_1_is_nothing_found_for_who_asks_with_exit_status() -> None:
    assert chatmem("search", "qwertzuiop", "--exit-status").code == 1
    assert chatmem("recent", "--before", "1999", "--exit-status").code == 1
    assert chatmem("search", "sourdough", "--exit-status").code == 0


@pytest.mark.usefixtures("archive")
@pytest.mark.parametrize(
    ("line", "next_step"),
    [
        ("nosuch", "chatmem --help"),
        ("archive nosuch", "chatmem archive --help"),
        ("config nosuch", "chatmem config --help"),
        ("search --nosuch x", "chatmem search --help"),
        ("recent -n 0", "chatmem recent --help"),
        ("recent -n many", "chatmem recent --help"),
        ("search --by nobody x", "chatmem search --help"),
        ("show", "chatmem show --help"),
        ("search", "chatmem search WORDS"),
        ("import", "--discover"),
        ("import /no/such/file", "check the path"),
        ("import {bread} --format nosuch", "--format takes one of"),
        ("import {bread} --timezone Nowhere/City", "Europe/Berlin"),
        ("recent --after sometime", "2025-03"),
        ("search bread --before sometime", "2025-03"),
        ("recent --now sometime", "2026-03-01T12:00:00Z"),
        ("search bread --role nobody", "--role takes user"),
        ("search bread --json --jsonl", "choose one"),
        ("search bread --json -f plain", "choose one"),
        ("search bread --json -0", "choose one"),
        ("search bread --batch /no/such/file", "leave --batch out"),
        ("search --batch /no/such/file", "JSON lines"),
        ("show chatgpt:1d49502e-bread", "nearest: chatgpt:1d49502d-bread"),
        ("show chatgpt:1d49502d-bread#9", "1 to 4"),
        ("show chatgpt:1d49502d-bread --around 1", "chatmem show chatgpt:1d49502d-bread#1 --around 1"),
        ("export nosuch", "nearest"),
        ("search bread --in nosuch", "nearest"),
    ],
)
def test_2_is_a_call_that_makes_no_sense(line: str, next_step: str, tmp_path: Path) -> None:
    bread = samples.write(tmp_path / "bread.jsonl", [samples.BREAD])

    ended = chatmem(*line.replace("{bread}", str(bread)).split())

    assert ended.code == 2
    assert next_step in one_line(ended)


def test_3_is_an_archive_that_is_not_there() -> None:
    for line in ("recent", "search bread", "show x", "export", "archive info", "archive check", "archive compact"):
        ended = chatmem(*line.split())

        assert ended.code == 3
        assert "chatmem import PATH" in one_line(ended)


def test_3_is_an_archive_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / FILE_NAME).write_bytes(b"this is no database\n" * 500)

    for line in ("recent", "search bread", "archive info", "archive check"):
        ended = chatmem(*line.split())

        assert ended.code == 3
        assert str(tmp_path / "home") in one_line(ended)


def test_3_is_a_disk_that_takes_no_output(archive: Path) -> None:
    ended = shell("chatmem recent > /dev/full")

    assert ended.code == 3
    assert "No space left on device" in one_line(ended)


def test_4_is_done_but_some_input_was_skipped(tmp_path: Path) -> None:
    export = samples.write(tmp_path / "export.jsonl", [samples.BREAD])
    export.write_text(export.read_text() + '{"schema": "chatmem.chat/1", "messages"\n')

    ended = chatmem("import", export)

    assert ended.code == 4
    assert "imported 1 chat" in ended.out
    assert str(export) in ended.err


@pytest.mark.usefixtures("archive")
def test_5_is_a_project_that_is_unknown_or_forbidden() -> None:
    for line in ("recent -p nosuch", "search bread -p nosuch", "export -p nosuch", "search x -p nosuch --in nosuch"):
        ended = chatmem(*line.split())

        assert ended.code == 5
        assert "nosuch" in one_line(ended)


class _Broken(io.StringIO):
    """A stream whose writes fail as nothing should."""

    def write(self, text: str) -> int:
        raise ZeroDivisionError("a fault\nfrom below")


@pytest.mark.usefixtures("archive")
def test_70_is_a_bug_told_in_one_line_and_in_full_with_v(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", _Broken())
    short, long = io.StringIO(), io.StringIO()

    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", short)
        assert run(["recent"]) == 70
        patch.setattr(sys, "stderr", long)
        assert run(["recent", "-v"]) == 70

    assert short.getvalue().count("\n") == 1
    assert "ZeroDivisionError: a fault from below" in short.getvalue()
    assert "run it again with -v" in short.getvalue()
    assert "Traceback" in long.getvalue()
    assert __file__ in long.getvalue()


def test_75_is_an_archive_that_another_process_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = home_of(tmp_path, monkeypatch)
    monkeypatch.setenv("CHATMEM_LOCK_WAIT_SECONDS", "0.05")
    script = "import duckdb, sys; held = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"

    with subprocess.Popen(
        [sys.executable, "-c", script, str(home / FILE_NAME)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout and holder.stdout.readline() == b"held\n"
        ended = chatmem("recent")

    assert ended.code == 75
    assert f"process {holder.pid}" in one_line(ended)
    assert "retry" in one_line(ended)
    assert chatmem("recent").code == 0


class _Interrupted(io.StringIO):
    def write(self, text: str) -> int:
        raise KeyboardInterrupt


class _QueryInterrupted(io.StringIO):
    def write(self, text: str) -> int:
        raise RuntimeError("Query interrupted")


@pytest.mark.usefixtures("archive")
@pytest.mark.parametrize("stream", [_Interrupted, _QueryInterrupted])
def test_130_is_an_interrupt_also_one_that_duckdb_caught(
    stream: type[io.StringIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream())
    monkeypatch.setattr(sys, "stderr", heard)

    assert run(["recent"]) == 130
    assert heard.getvalue().count("\n") == 1
    assert "run the same command again" in heard.getvalue()


def test_130_is_ctrl_c_at_a_process_that_waits(archive: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "chatmem", "search", "--batch", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as waiting:
        assert waiting.stdin and waiting.stdout and waiting.stderr
        waiting.stdin.write(b'{"query": "sourdough", "id": 7}\n')
        waiting.stdin.flush()
        # Each answer comes at once, so this also tells that the process is in its loop.
        assert waiting.stdout.readline().startswith(b'{"schema": "chatmem.search/1", "id": 7')
        waiting.send_signal(signal.SIGINT)
        said = waiting.stderr.read().decode()

    assert waiting.returncode == 130
    assert said.count("\n") == 1
    assert "Traceback" not in said
