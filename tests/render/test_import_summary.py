"""What an import says: counts on stdout, problems and notes on stderr, never without bound."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from chatmem.discover import AgentStore
from chatmem.import_report import FileReport, ImportReport
from chatmem.model import Note, Skipped
from chatmem.render import import_summary
from chatmem.render.sink import Sink


def printed(report: ImportReport, json: bool = False) -> list[str]:
    out = io.StringIO()
    import_summary.print_report(Sink(out), report, json)
    return out.getvalue().splitlines()


def test_one_line_a_source_and_one_for_all() -> None:
    files = [
        FileReport("/a", "chatgpt", chats_new=1200, chats_unchanged=3, chats_empty=2, messages_new=9000),
        FileReport("/b", "chatgpt", chats_updated=1, messages_new=1, messages_updated=2),
        FileReport("/c", "csv", chats_old=4),
        FileReport("/d", "markdown"),
    ]

    assert printed(ImportReport(files, seconds=12.34)) == [
        "chatgpt: 1,200 new, 1 updated, 3 unchanged chats, 2 empty; 9,001 new messages, 2 updated (2 files)",
        "csv: 0 new, 0 updated, 0 unchanged chats, 4 before --since; 0 new messages (1 file)",
        "imported 1,201 chats, 9,001 new messages in 12.3 s",
    ]


def test_a_dry_run_only_would(capsys: pytest.CaptureFixture[str]) -> None:
    report = ImportReport([FileReport("/a", "csv", chats_new=1, messages_new=1)], dry_run=True)

    assert printed(report)[-1] == "would import 1 chat, 1 new message"
    assert json.loads(printed(report, json=True)[0])["dry_run"] is True


def test_problems_and_notes_go_to_stderr_up_to_twenty_each(capsys: pytest.CaptureFixture[str]) -> None:
    file = FileReport("/a", "csv", chats_new=1)
    file.skipped = [Skipped(f"/a line {n}", "torn") for n in range(1025)]
    file.notes = [Note("/a", f"odd {n}") for n in range(21)]

    assert printed(ImportReport([file]))[-1] == "imported 1 chat, 0 new messages, 1,025 skipped"

    told = capsys.readouterr().err.splitlines()
    assert (told[0], told[20]) == ("note: /a: odd 0", "… and 1 more notes; --json lists them all")
    assert (told[21], told[-1]) == ("skipped /a line 0: torn", "… and 1,005 more skipped; --json lists them all")
    assert len(told) == 42


def test_json_lists_everything(capsys: pytest.CaptureFixture[str]) -> None:
    file = FileReport("/a", "csv", chats_new=1, chats_old=2, messages_new=3, messages_updated=4)
    file.skipped = [Skipped(f"/a line {n}", "torn") for n in range(30)]
    file.notes = [Note("/a", "odd")]

    (line,) = printed(ImportReport([file], other_files=5), json=True)

    document = json.loads(line)
    assert document["files"] == [
        {
            "path": "/a",
            "format": "csv",
            "chats": {"new": 1, "updated": 0, "unchanged": 0, "empty": 0, "older": 2},
            "messages": {"new": 3, "updated": 4},
            "skipped": [{"where": f"/a line {n}", "reason": "torn"} for n in range(30)],
            "notes": [{"where": "/a", "note": "odd"}],
        }
    ]
    assert document["totals"] == {
        "files": 1,
        "other_files": 5,
        "chats": {"new": 1, "updated": 0, "unchanged": 0, "empty": 0, "older": 2},
        "messages": {"new": 3, "updated": 4},
        "skipped": 30,
    }


def test_what_a_path_does_to_a_terminal_is_not_done(capsys: pytest.CaptureFixture[str]) -> None:
    file = FileReport("/a\x1b[2J", "", skipped=[Skipped("/a\x1b[2J\nb", "no\x07 format")])

    printed(ImportReport([file]))

    assert not {"\x1b", "\x07"} & set(capsys.readouterr().err)


def test_stores_are_the_result_unless_they_are_imported(capsys: pytest.CaptureFixture[str]) -> None:
    found = [AgentStore("codex", Path("/home/mira/.codex"), 12)]
    out = io.StringIO()

    import_summary.discovered(Sink(out), found, importing=False)
    assert out.getvalue() == "codex\t12\t/home/mira/.codex\n"
    assert capsys.readouterr().err == "import them with: chatmem import --discover --yes\n"

    import_summary.discovered(Sink(out), found, importing=True)
    assert out.getvalue().count("\n") == 1
    assert capsys.readouterr().err == "codex 12 /home/mira/.codex\n"

    import_summary.discovered(Sink(out), [], importing=False)
    assert "no store of a coding agent" in capsys.readouterr().err
