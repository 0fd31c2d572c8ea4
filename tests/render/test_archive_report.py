"""What `chatmem archive` says, for people and for programs."""

from __future__ import annotations

import io
import json
from datetime import datetime
from pathlib import Path

from chatmem.archive.health import Contents, SourceCount
from chatmem.render import archive_report
from chatmem.render.sink import Sink
from chatmem.upkeep import ArchiveInfo

INFO = ArchiveInfo(
    Path("/home/mira/archive.duckdb"),
    12_345_678,
    Contents(
        (
            SourceCount("chatgpt", 1200, 0, 34567, datetime(2023, 1, 2), datetime(2026, 3, 4, 5, 6)),
            SourceCount("claude-code", 3, 2, 40, None, None),
        ),
        tuple((f"project {n}\x1b", 30 - n) for n in range(25)),
        40_000, 500_000, 6_000, 45_000, "wordllama", 256, 12,
    ),
)  # fmt: skip


def test_info_is_name_tab_value() -> None:
    out = io.StringIO()

    archive_report.print_info(Sink(out), INFO, json=False)

    lines = out.getvalue().splitlines()
    assert lines[:8] == [
        "archive\t/home/mira/archive.duckdb",
        "size\t12.3 MB",
        "chats\t1,203 and 2 sub-agents",
        "messages\t34,607 visible, 40,000 stored",
        "index\t500,000 postings, 6,000 terms",
        "vectors\t45,000 of 256 dimensions by wordllama, 12 messages without: chatmem archive embed",
        "source\tchatgpt: 1,200 chats, 34,567 messages, 2023-01-02 to 2026-03-04",
        "source\tclaude-code: 3 chats, 40 messages, 2 sub-agents",
    ]
    assert lines[-1] == "project\t… and 5 more (--json lists them)"
    assert "\x1b" not in out.getvalue()
    assert all(line.count("\t") == 1 for line in lines)


def test_info_as_json_has_every_project_and_utc_times() -> None:
    out = io.StringIO()

    archive_report.print_info(Sink(out), INFO, json=True)

    document = json.loads(out.getvalue())
    assert document["schema"] == "chatmem.archive-info/1"
    assert (document["bytes"], len(document["projects"])) == (12_345_678, 25)
    assert document["sources"] == [
        {
            "source": "chatgpt", "chats": 1200, "subagents": 0, "messages": 34567, "from": "2023-01-02T00:00:00Z",
            "to": "2026-03-04T05:06:00Z",
        },
        {"source": "claude-code", "chats": 3, "subagents": 2, "messages": 40, "from": None, "to": None},
    ]  # fmt: skip


def test_faults_are_lines_and_their_absence_is_a_word() -> None:
    out = io.StringIO()

    archive_report.print_faults(Sink(out), [], json=False)
    archive_report.print_faults(Sink(out), ["2 messages without a chat"], json=False)
    archive_report.print_faults(Sink(out), ["2 messages without a chat"], json=True)

    sound, fault, document = out.getvalue().splitlines()
    assert (sound, fault) == ("sound", "fault\t2 messages without a chat")
    assert json.loads(document) == {
        "schema": "chatmem.archive-check/1", "sound": False, "faults": ["2 messages without a chat"],
    }  # fmt: skip


def test_sizes_are_told_before_and_after() -> None:
    out = io.StringIO()

    archive_report.print_sizes(Sink(out), 10_500_000, 900_000)

    assert out.getvalue() == "10.5 MB -> 0.9 MB\n"
