"""stdout carries the result and nothing else; everything else goes to stderr, and nobody has to listen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.contracts import samples
from tests.contracts.program import chatmem, on_terminal, process, shell

BREAD = "chatgpt:1d49502d-bread"


def test_the_result_is_alone_on_stdout_and_q_leaves_stderr_empty(archive: Path) -> None:
    lines = ("recent -n 2", "search sourdoug", "search sourdough zzyx", "show chatgpt:1d49502d-bread#2 --around 0")
    for line in lines:
        loud, quiet = chatmem(*line.split()), chatmem(*line.split(), "-q")

        assert loud.out == quiet.out
        assert quiet.err == ""
    assert chatmem("recent", "-n", "2").err.startswith("more: chatmem recent -n 2 --before ")
    assert "partial match" in chatmem("search", "sourdough", "zzyx").err


def test_v_tells_more_on_stderr_and_changes_nothing_on_stdout(archive: Path) -> None:
    short, long = chatmem("search", "sourdough"), chatmem("search", "sourdough", "-v")

    assert short.out == long.out
    assert short.err == ""
    assert "1 matched in 4 chats, 10 messages, 2025-01-01 to 2025-06-01" in long.err


def test_q_and_v_last_for_one_command_line(archive: Path) -> None:
    chatmem("recent", "-q")
    chatmem("search", "sourdough", "-v")

    assert chatmem("recent", "-n", "2").err.startswith("more: ")
    assert chatmem("search", "sourdough").err == ""


def test_errors_are_told_even_under_q(archive: Path) -> None:
    assert chatmem("show", "nosuch", "-q").err.startswith("chatmem: no chat 'nosuch'")


def test_an_import_reports_on_stdout_and_names_what_it_skipped_on_stderr(tmp_path: Path) -> None:
    export = samples.write(tmp_path / "export.jsonl", [samples.BREAD])
    export.write_text(export.read_text() + '{"schema": "chatmem.chat/1", "chat_id": "x:y"}\n')

    told = chatmem("import", export)
    document = chatmem("import", export, "--json")

    assert "skipped" not in told.out.split("\n")[0]
    assert told.err.startswith(f"skipped {export}")
    assert json.loads(document.out)["schema"] == "chatmem.import/1"
    assert document.out.count("\n") == 1


def test_discover_with_json_prints_one_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = tmp_path / "claude"
    (store / "projects" / "p").mkdir(parents=True)
    session = {
        "type": "user", "uuid": "u1", "sessionId": "s1", "timestamp": "2025-01-01T00:00:00Z", "cwd": "/w",
        "message": {"role": "user", "content": "hello"},
    }  # fmt: skip
    (store / "projects" / "p" / "s1.jsonl").write_text(json.dumps(session) + "\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(store))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "nothing"))

    listed = chatmem("import", "--discover", "--json")
    imported = chatmem("import", "--discover", "--yes", "--json")

    path = str(store / "projects")
    assert json.loads(listed.out) == {
        "schema": "chatmem.discover/1",
        "stores": [{"name": "claude-code", "files": 1, "path": path}],
    }
    assert json.loads(imported.out)["totals"]["chats"]["new"] == 1


def test_discover_that_finds_nothing_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "nothing"))
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "nothing"))

    ended = chatmem("import", "--discover", "--yes")

    assert (ended.code, ended.out) == (0, "")
    assert "no store of a coding agent found" in ended.err


def test_head_closes_the_pipe_and_the_program_ends_quietly_with_0(archive: Path, tmp_path: Path) -> None:
    # More than a pipe holds, so that the writer meets the closed end.
    long = samples.chat("csv:long", *(samples.message("word " * 2000) for _ in range(60)))
    export = samples.write(tmp_path / "long.jsonl", [long])
    script = f"""
        export CHATMEM_HOME={tmp_path / "own"}
        chatmem import -q {export} >/dev/null
        chatmem show csv:long | head -1 | wc -l; echo show ${{PIPESTATUS[0]}}
        chatmem export | head -c 1 | wc -c; echo export ${{PIPESTATUS[0]}}
        chatmem --help | head -0; echo help ${{PIPESTATUS[0]}}
        chatmem search nothing-at-all 2>&1 >/dev/null | head -0; echo notes ${{PIPESTATUS[0]}}
    """

    ended = shell(script)

    assert ended.out.split() == ["1", "show", "0", "1", "export", "0", "help", "0", "notes", "0"]
    assert ended.err == ""


def test_closed_standard_streams_are_no_reason_to_fail_and_receive_nothing(archive: Path, tmp_path: Path) -> None:
    export = samples.write(tmp_path / "bread.jsonl", [samples.BREAD])
    script = f"""
        chatmem recent -q >&-; echo $?
        chatmem search nothing-at-all 2>&-; echo $?
        chatmem show - <&-; echo $?
        export CHATMEM_HOME={tmp_path / "own"}
        chatmem import {export} <&- >&- 2>&-; echo $?
        chatmem archive check
    """

    ended = shell(script)

    assert ended.out.split() == ["0", "0", "0", "0", "sound"]
    assert ended.err == ""


def test_in_a_locale_without_utf8_the_output_is_utf8_all_the_same(archive: Path) -> None:
    plain_c = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}

    shown = process("show", BREAD, "-f", "rich", variables=plain_c)
    described = process("search", "--help", variables=plain_c)

    assert "─" in shown.out
    assert "…" in described.out
    assert (shown.code, described.code) == (0, 0)


def test_text_that_is_no_utf8_on_the_command_line_finds_nothing_and_breaks_nothing(archive: Path) -> None:
    for line in ("search \udcff", "recent -p \udcff", "show \udcff", "search bread --in \udcff"):
        ended = chatmem(*line.split())

        assert ended.code in (0, 2, 5)
        assert ended.err.count("\n") == 1


def test_rich_for_people_plain_for_pipes(archive: Path) -> None:
    piped, shown = process("recent", "-q"), on_terminal("recent", "-q")

    assert piped.out.startswith("csv:ticket #7, part  2\t2025-06-01T08:05:00Z\tcsv\t")
    assert shown.out.startswith("\x1b[2m 1 \x1b[0m\x1b[1mBroken order\x1b[0m\n")
    assert piped.err == shown.err == ""


@pytest.mark.parametrize("verb", ["recent", "search flour", f"show {BREAD}"])
def test_json_is_the_same_on_a_terminal_and_in_a_pipe(archive: Path, verb: str) -> None:
    other = {"TERM": "dumb", "NO_COLOR": "1", "TZ": "Asia/Tokyo"}

    piped = chatmem(*verb.split(), "--json")
    shown = on_terminal(*verb.split(), "--json", columns=40, variables=other)

    assert shown.out == piped.out
    assert json.loads(piped.out)["schema"].startswith("chatmem.")
    assert piped.out.count("\n") == 1


@pytest.mark.parametrize("form", ["--json", "--jsonl", "--format=plain", "--null"])
def test_what_programs_read_never_varies_with_the_terminal(
    archive: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = chatmem("search", "flour", form).out, chatmem("recent", form).out

    for name, value in (("COLUMNS", "20"), ("NO_COLOR", "1"), ("TERM", "dumb"), ("FORCE_COLOR", "1")):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("CHATMEM_TIMEZONE", "Asia/Tokyo")
    elsewhere = chatmem("search", "flour", form, terminal=True).out, chatmem("recent", form, "--color", "always").out

    assert elsewhere == usual
    assert all(usual)
