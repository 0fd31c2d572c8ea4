"""Which files an import reads: what is unchanged, what has no known format, what cannot be read at all."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import sys
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from chatmem.archive.store import Store
from chatmem.errors import InputError, UsageError
from chatmem.import_report import ImportReport, ImportRequest
from chatmem.ingest import run_import
from chatmem.model import Record
from chatmem.readers import csv_table
from chatmem.readers.base import ReadOptions
from tests.imports import (
    chats,
    conversation,
    export,
    exported,
    held,
    imported,
    line,
    messages,
    session,
    shown,
    table,
    turn,
    uuid,
)

A, B = uuid(900), uuid(901)
FLOUR = conversation(A, turn(1, "user", "Which flour?"), turn(2, "assistant", "Rye."))
WATER = conversation(B, turn(11, "user", "How much water?"), turn(12, "assistant", "350 g."))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "home")


def skipped(report: ImportReport) -> list[str]:
    return [f"{Path(s.where).name}: {s.reason}" for s in report.problems()]


def spoil(path: Path) -> None:
    """Make a file unreadable as an export without anybody noticing from outside: same size, same time."""
    state = path.stat()
    path.write_bytes(b"x" * state.st_size)
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))


def test_an_unchanged_file_is_not_read_again(store: Store, tmp_path: Path) -> None:
    path = export(tmp_path / "conversations.json", FLOUR, WATER)
    imported(store, path)
    spoil(path)

    report = imported(store, path)

    assert (chats(report), skipped(report)) == ((0, 0, 2), [])


def test_a_touched_file_is_read_again_and_changes_nothing(store: Store, tmp_path: Path) -> None:
    path = export(tmp_path / "conversations.json", FLOUR)
    imported(store, path)
    spoil(path)
    path.touch()

    assert skipped(imported(store, path)) == [
        "conversations.json: no known chat format; name it with --format if you know better"
    ]
    export(path, FLOUR)
    assert chats(imported(store, path)) == (0, 0, 1)


def test_a_renamed_file_is_read_again_and_changes_nothing(store: Store, tmp_path: Path) -> None:
    path = export(tmp_path / "conversations.json", FLOUR)
    imported(store, path)
    before = exported(store)

    report = imported(store, path.rename(tmp_path / "conversations (1).json"))

    assert chats(report) == (0, 0, 1)
    assert exported(store) == before


def test_a_file_with_problems_is_read_again(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([FLOUR, {"id": "x", "mapping": 7}]))

    for _ in range(2):
        assert skipped(imported(store, path)) == ["1: not a ChatGPT conversation: `mapping` is not an object"]


def test_a_file_that_grew_while_it_was_read_is_read_again(store: Store, tmp_path: Path) -> None:
    path = session(tmp_path, A, [line(1, "Fix it", A)])

    class Growing:
        """Progress that appends to the file as soon as its chat was taken."""

        def start(self, total_bytes: int) -> None: ...
        def read(self, size: int) -> None: ...
        def chats(self, chats: int, messages: int) -> None:
            session(tmp_path, A, [line(1, "Mend it", A)])

    os.utime(path, ns=(1, 1))
    run_import(ImportRequest((path,), "me", ReadOptions(timezone=UTC)), store, Growing())

    assert chats(imported(store, path)) == (0, 1, 0)
    assert shown(store) == {f"claude-code:{A}": ["Mend it"]}


def test_of_a_folder_and_a_file_in_it_each_file_is_read_once(store: Store, tmp_path: Path) -> None:
    path = export(tmp_path / "x" / "conversations.json", FLOUR)

    report = imported(store, tmp_path / "x", path)

    assert (len(report.files), chats(report)) == (1, (1, 0, 0))


def test_strangers_in_a_folder_are_counted_and_a_named_one_is_a_problem(store: Store, tmp_path: Path) -> None:
    export(tmp_path / "x" / "conversations.json", FLOUR)
    photo = tmp_path / "x" / "photo.png"
    photo.write_bytes(b"\x89PNG\r\n\x1a\n\0\0")

    walked = imported(store, tmp_path / "x")
    named = imported(store, photo)

    assert (chats(walked), walked.other_files, skipped(walked)) == ((1, 0, 0), 1, [])
    assert skipped(named) == ["photo.png: no known chat format; name it with --format if you know better"]


@pytest.mark.parametrize("dry_run", [False, True])
def test_what_holds_no_export_is_an_error_and_makes_no_archive(store: Store, tmp_path: Path, dry_run: bool) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    for name, said in (
        ("nowhere", "no such file or folder"),
        ("empty", "nothing to read in"),
        ("photos", "no chat export found in"),
    ):
        with pytest.raises(InputError, match=said):
            imported(store, tmp_path / name, dry_run=dry_run)
    assert not store.home.exists()


def test_a_path_that_does_not_exist_stops_the_import_before_anything_is_written(store: Store, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        imported(store, export(tmp_path / "conversations.json", FLOUR), tmp_path / "nowhere")

    assert not store.home.exists()


def test_an_unknown_format_is_refused_before_anything_is_written(store: Store, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown format 'chatgtp'; --format takes one of: chatmem, chatgpt"):
        imported(store, export(tmp_path / "conversations.json", FLOUR), format="chatgtp")

    assert not store.home.exists()


def test_a_format_that_is_named_is_taken_without_a_look_at_the_content(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "talk.txt"
    path.write_text("who;what\nuser;Which flour?\nassistant;Rye.\n")
    assert skipped(imported(store, path)) != []

    report = imported(store, path, format="csv")

    assert [f.format for f in report.files] == ["csv"]


def test_two_claims_are_a_problem_that_names_both(store: Store, tmp_path: Path) -> None:
    both: dict[str, object] = {
        "schema": "chatmem.chat/1",
        "chat_id": "csv:1",
        "messages": [],
        "mapping": {},
        "current_node": None,
    }
    path = tmp_path / "x" / "both.json"
    path.parent.mkdir()
    path.write_text(json.dumps([both]))

    report = imported(store, tmp_path / "x")

    assert skipped(report) == ["both.json: chatmem and chatgpt both claim it; choose with --format"]
    assert not store.exists()


def test_a_zip_is_read_member_by_member(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations-000.json", json.dumps([FLOUR]))
        archive.writestr("conversations-001.json", json.dumps([WATER]))
        archive.writestr("photo.png", b"\x89PNG\r\n\x1a\n\0\0")

    report = imported(store, path)

    assert [Path(f.path).name for f in report.files] == [f"export.zip!conversations-00{n}.json" for n in (0, 1)]
    assert (chats(report), report.other_files) == ((2, 0, 0), 1)
    assert held(store)[f"chatgpt:{A}"]["messages"][0]["origin"] == {
        "file": str(path), "member": "conversations-000.json", "pointer": f"/0/mapping/{uuid(1)}",
    }  # fmt: skip
    assert chats(imported(store, path)) == (0, 0, 2)


def test_a_truncated_zip_is_a_problem_and_the_file_beside_it_is_read(store: Store, tmp_path: Path) -> None:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("conversations.json", json.dumps([FLOUR]))
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "torn.zip").write_bytes(whole.getvalue()[:-30])
    export(tmp_path / "x" / "conversations.json", WATER)

    report = imported(store, tmp_path / "x")

    assert chats(report) == (1, 0, 0)
    assert len(skipped(report)) == 1
    assert "not a whole zip file" in skipped(report)[0]


def test_an_encrypted_member_is_a_problem(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", json.dumps([FLOUR]))
    data = bytearray(path.read_bytes())
    # The flag "encrypted" in the member's own header and in the directory.
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)

    report = imported(store, path)

    assert [s.partition(": ")[2] for s in skipped(report)] == [
        "password-protected; unpack it first and import the folder"
    ]


def test_compressed_data_that_breaks_off_gives_what_came_before_and_says_so(store: Store, tmp_path: Path) -> None:
    rows = [line(n, f"Said {n} {os.urandom(400).hex()}", A) for n in range(400)]
    plain = session(tmp_path, A, rows)
    packed = gzip.compress(plain.read_bytes())
    plain.unlink()
    path = tmp_path / f"{A}.jsonl.gz"
    path.write_bytes(packed[: len(packed) // 2])

    report = imported(store, path)

    assert chats(report) == (1, 0, 0)
    assert 5 < messages(report)[0] < 400
    assert "download it again" in skipped(report)[-1]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_without_permission_is_an_error_or_one_problem(store: Store, tmp_path: Path) -> None:
    export(tmp_path / "x" / "conversations.json", FLOUR)
    locked = tmp_path / "x" / "locked"
    locked.mkdir(mode=0)
    try:
        report = imported(store, tmp_path / "x")
        with pytest.raises(InputError, match="no permission to read"):
            imported(store, locked)
    finally:
        locked.chmod(0o700)
    assert (chats(report), len(skipped(report))) == ((1, 0, 0), 1)


def test_standard_input_is_read_and_never_remembered(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for wanted in ((1, 0, 0), (0, 0, 1)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps([FLOUR]).encode())))
        assert chats(imported(store, Path("-"))) == wanted
    assert held(store)[f"chatgpt:{A}"]["messages"][0]["origin"]["file"] == "-"


def test_since_leaves_out_chats_that_ended_before(store: Store, tmp_path: Path) -> None:
    path = export(tmp_path / "conversations.json", FLOUR, WATER)
    between = datetime.fromtimestamp(1_770_000_005, UTC)

    report = imported(store, path, since=between)

    assert (chats(report), report.total("chats_old")) == ((1, 0, 0), 1)
    assert list(shown(store)) == [f"chatgpt:{B}"]
    assert chats(imported(store, path)) == (1, 0, 1)


def test_tool_results_beside_a_session_are_no_files_of_the_report(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "projects" / "-w-app"
    session(folder, A, [line(1, "Fix it", A)])
    (folder / A / "tool-results").mkdir(parents=True)
    (folder / A / "tool-results" / "toolu_1.txt").write_text("User: a\nAssistant: b\n")
    (folder / "memory").mkdir()
    (folder / "memory" / "MEMORY.md").write_text("# User\na\n# Assistant\nb\n")

    for wanted in ((1, 0, 0), (0, 0, 1)):
        report = imported(store, tmp_path / "projects")
        assert [(Path(f.path).suffix, f.format) for f in report.files] == [(".jsonl", "claude-code")]
        assert (chats(report), report.other_files) == (wanted, 2)


def test_an_export_without_a_single_chat_is_told_all_the_same(store: Store, tmp_path: Path) -> None:
    empty = conversation(A)
    path = export(tmp_path / "x" / "conversations.json", empty)

    report = imported(store, tmp_path / "x")

    assert [(f.path, f.format, f.chats_empty) for f in report.files] == [(str(path), "chatgpt", 1)]


def test_a_side_file_is_news_only_when_it_comes_alone(store: Store, tmp_path: Path) -> None:
    history = tmp_path / "x" / "history.jsonl"
    history.parent.mkdir()
    history.write_text('{"display": "hi", "pastedContents": {}, "timestamp": 1, "project": "/w"}\n' * 2)

    alone = imported(store, tmp_path / "x")
    session(tmp_path / "x" / "projects", A, [line(1, "Fix it", A)])
    together = imported(store, tmp_path / "x")

    assert [n.text for f in alone.files for n in f.notes] == ["a history of prompts; the sessions hold them too"]
    assert [n.text for f in together.files for n in f.notes] == []


def test_a_problem_is_told_of_the_file_it_lies_in_and_the_others_are_remembered(store: Store, tmp_path: Path) -> None:
    good = session(tmp_path / "p", A, [line(1, "Fix it", A)])
    # Only a first look over all files tells that a line is torn; the reader tells it while it reads another file.
    torn = session(tmp_path / "p", B, [line(2, "Fix that", B)])
    with torn.open("a") as file:
        file.write('{"type": "user", "uuid"')
    last = session(tmp_path / "p", uuid(999), [line(3, "Fix all", uuid(999))])

    report = imported(store, tmp_path / "p")

    assert [(Path(f.path), len(f.skipped)) for f in report.files] == [(good, 0), (torn, 1), (last, 0)]
    for path in (good, last):
        spoil(path)
    assert len(skipped(imported(store, tmp_path / "p"))) == 1


def test_a_file_that_is_gone_when_its_turn_comes_costs_only_itself(store: Store, tmp_path: Path) -> None:
    first = table(tmp_path / "a.csv", ("1", "2025-01-01T08:00Z", "user", "Where is my lamp?"))
    gone = table(tmp_path / "b.csv", ("2", "2025-01-01T08:00Z", "user", "Where is my chair?"))
    third = table(tmp_path / "c.csv", ("3", "2025-01-01T08:00Z", "user", "Where is my desk?"))

    class Deleting:
        """Progress that takes the second file away when the first chat was taken."""

        def start(self, total_bytes: int) -> None: ...
        def read(self, size: int) -> None: ...
        def chats(self, chats: int, messages: int) -> None:
            gone.unlink(missing_ok=True)

    request = ImportRequest((first, gone, third), "me", ReadOptions(timezone=UTC))
    report = run_import(request, store, Deleting())

    assert chats(report) == (2, 0, 0)
    assert skipped(report) == ["b.csv: No such file or directory"]
    assert sorted(shown(store)) == ["csv:1", "csv:3"]


def test_a_dry_run_writes_nothing_and_counts_as_the_import_would(store: Store, tmp_path: Path) -> None:
    path = export(tmp_path / "1" / "conversations.json", FLOUR, FLOUR, conversation(uuid(7)))
    expected = imported(Store(tmp_path / "other"), path)

    dry = imported(store, path, dry_run=True)

    assert not store.home.exists()
    assert (chats(dry), messages(dry), dry.total("chats_empty")) == ((1, 0, 1), (2, 0), 1)
    assert dry.files == expected.files


def test_a_dry_run_over_an_archive_counts_updates_and_leaves_every_byte(store: Store, tmp_path: Path) -> None:
    imported(store, export(tmp_path / "1" / "conversations.json", FLOUR))
    before = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in store.home.iterdir() if p.name != "turnstile"}
    grown = conversation(
        A,
        turn(1, "user", "Which flour for bread?"),
        turn(2, "assistant", "Rye."),
        turn(3, "user", "Thanks"),
    )
    path = export(tmp_path / "2" / "conversations.json", grown, grown, WATER)

    dry = imported(store, path, dry_run=True)

    assert {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in store.home.iterdir() if p.name != "turnstile"} == before
    real = imported(store, path)
    assert (chats(dry), messages(dry)) == (chats(real), messages(real)) == ((1, 1, 1), (3, 1))
    shutil.copy(path, tmp_path / "copy.json")
    assert chats(imported(store, tmp_path / "copy.json", path, dry_run=True)) == (0, 0, 6)


def test_a_dry_run_tells_two_chats_of_one_number_apart(store: Store, tmp_path: Path) -> None:
    first = table(tmp_path / "a.csv", ("1", "2025-01-01T08:00Z", "user", "Where is my lamp?"))
    second = table(tmp_path / "b.csv", ("1", "2025-02-01T08:00Z", "user", "Where is my chair?"))

    assert chats(imported(store, first, second, dry_run=True)) == (2, 0, 0)
    imported(store, first)
    assert chats(imported(store, first, second, dry_run=True)) == (1, 0, 1)


def test_a_reader_that_fails_before_it_opens_a_file_costs_its_files_only(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(sources: object, options: object) -> Iterator[Record]:
        yield from ()
        raise KeyError("before")

    monkeypatch.setattr(csv_table, "read", failing)
    export(tmp_path / "x" / "conversations.json", FLOUR)
    for name in "ab":
        table(tmp_path / "x" / f"{name}.csv", (name, "2025-01-01", "user", "hello"))

    report = imported(store, tmp_path / "x")

    assert (chats(report), len(report.problems())) == ((1, 0, 0), 2)
    assert all("KeyError" in reason for reason in skipped(report))
