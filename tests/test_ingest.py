"""One import: what becomes of each record, whom a problem is told of, how far the progress is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import UTC
from pathlib import Path

import pytest

from chatmem.archive.store import Store
from chatmem.archive.write import Writer
from chatmem.claims import Found, Group
from chatmem.import_report import ImportReport, ImportRequest
from chatmem.ingest import Intake, run_import
from chatmem.model import Chat, Message, Note, Origin, Record, Skipped
from chatmem.readers.base import NO, Claim, Level, Peek, ReadOptions
from chatmem.readers.unpack import Source, file_source
from chatmem.render.progress import Silent
from tests.imports import conversation, export, exported, imported, line, session, shown, turn, uuid


class Watching(Silent):
    """Progress that remembers what it was told."""

    def __init__(self) -> None:
        self.total = 0
        self.bytes = 0
        self.counts: list[tuple[int, int]] = []

    def start(self, total_bytes: int) -> None:
        self.total = total_bytes

    def read(self, size: int) -> None:
        self.bytes += size

    def chats(self, chats: int, messages: int) -> None:
        self.counts.append((chats, messages))


class Clumsy:
    """A reader that reads every file twice, tells of each `note` line, and trips over a file that says `trip`."""

    name = "clumsy"

    def sniff(self, peek: Peek) -> Claim:
        return NO

    def read(self, sources: Sequence[Source], options: ReadOptions) -> Iterator[Record]:
        for source in sources:
            with source.open() as stream:
                assert stream.read()
        for source in sources:
            with source.open() as stream:
                text = stream.read().decode()
            if text == "trip":
                raise KeyError("what no reader should raise")
            yield Note(source.where("line 1"), "noted")
            said = (Message("1", "user", text),)
            yield Chat("csv", source.stem, said, Origin(source.path, source.member), title=text)
        for source in sources:
            yield Skipped(source.where("line 2"), "known only at the end")


def clumsily(store: Store, folder: Path, **contents: str) -> tuple[ImportReport, Watching]:
    files = []
    for name, text in contents.items():
        path = folder / f"a file called {name}"
        path.write_text(text)
        files.append(Found(file_source(path), False, 1))
    report, progress = ImportReport(), Watching()
    with Writer(store) as writer:
        Intake(ImportRequest((), "me", ReadOptions(UTC)), report, progress, writer).run(
            [Group(Clumsy(), Level.EXACT, files)]
        )
    return report, progress


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "home")


def test_a_problem_and_a_note_are_told_of_the_file_they_name(store: Store, tmp_path: Path) -> None:
    report, _ = clumsily(store, tmp_path, one="a", two="b")

    assert [(Path(f.path).name, len(f.notes), len(f.skipped)) for f in report.files] == [
        ("a file called one", 1, 1), ("a file called two", 1, 1),
    ]  # fmt: skip


def test_a_reader_that_trips_over_a_file_costs_that_file_and_nothing_is_told_twice(
    store: Store, tmp_path: Path
) -> None:
    report, _ = clumsily(store, tmp_path, one="a", two="trip", three="c")

    assert [(f.chats_new, f.chats_unchanged, len(f.notes)) for f in report.files] == [(1, 0, 1), (0, 0, 0), (1, 0, 1)]
    reasons = [[s.reason for s in f.skipped] for f in report.files]
    assert reasons[0] == reasons[2] == ["known only at the end"]
    assert reasons[1] == ["chatmem fails to read it (KeyError: 'what no reader should raise'); please report this"]
    assert sorted(shown(store).values()) == [["a"], ["c"]]


def test_progress_tells_every_byte_once_however_often_a_file_is_read(store: Store, tmp_path: Path) -> None:
    _, progress = clumsily(store, tmp_path, one="a" * 1000, two="b" * 2000)

    assert (progress.bytes, progress.total) == (3000, 3000)
    assert progress.counts == [(1, 1), (2, 2)]


def test_progress_of_a_whole_import_ends_at_its_total(store: Store, tmp_path: Path) -> None:
    path = session(tmp_path / "p", uuid(1), [line(1, "Fix it", uuid(1)), line(2, "Fixed", uuid(1), "assistant")])
    progress = Watching()

    report = run_import(ImportRequest((tmp_path / "p",), "me", ReadOptions(UTC)), store, progress)

    assert progress.bytes == progress.total == path.stat().st_size
    assert progress.counts == [(1, 2)]
    assert report.seconds > 0


def test_empty_threads_are_counted_and_not_stored(store: Store, tmp_path: Path) -> None:
    only_hidden = [line(1, "Caveat", uuid(1), isMeta=True)]
    session(tmp_path / "p", uuid(1), only_hidden)

    report = imported(store, tmp_path / "p", export(tmp_path / "x.json", conversation(uuid(2))))

    assert (report.total("chats_empty"), report.total("chats_new"), shown(store)) == (2, 0, {})


def test_a_chat_that_is_nothing_but_copies_survives_export_and_import(store: Store, tmp_path: Path) -> None:
    talk = [line(1, "Fix it", uuid(1)), line(2, "Fixed", uuid(1), "assistant")]
    imported(store, session(tmp_path / "a", uuid(1), talk), session(tmp_path / "b", uuid(2), talk))
    assert sorted(map(len, shown(store).values())) == [0, 2]
    lines = exported(store)
    (tmp_path / "all.jsonl").write_text("".join(f"{text}\n" for text in lines), "utf-8")

    restored = Store(tmp_path / "restored")
    imported(restored, tmp_path / "all.jsonl")

    assert exported(restored) == lines


def test_text_that_cannot_be_stored_costs_one_chat(store: Store, tmp_path: Path) -> None:
    class Careless(Clumsy):
        def read(self, sources: Sequence[Source], options: ReadOptions) -> Iterator[Record]:
            for name in ("\ud800", "b"):
                origin = Origin(sources[0].path, None, "/0")
                yield Chat("csv", "b", (Message("1", "user", name),), origin, title=name)

    path = tmp_path / "x"
    path.write_text("x")
    report = ImportReport()
    with Writer(store) as writer:
        Intake(ImportRequest((), "me", ReadOptions(UTC)), report, Silent(), writer).run(
            [Group(Careless(), Level.EXACT, [Found(file_source(path), False, 1)])]
        )

    assert [s.where for s in report.problems()] == [f"{path} /0"]
    assert shown(store) == {"csv:b": ["b"]}


def test_many_problems_in_one_file_are_all_kept(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    good = json.dumps({"schema": "chatmem.chat/1", "chat_id": "csv:1", "messages": [{"role": "user", "text": "Hi"}]})
    path.write_text(f"{good}\n" * 20 + "{torn\n" * 20_000)

    report = imported(store, path)

    assert len(report.problems()) == 20_000
    assert shown(store) == {"csv:1": ["Hi"]}


def test_turns_of_the_alternate_branch_are_no_messages_of_the_report(store: Store, tmp_path: Path) -> None:
    edited = [turn(1, "user", "Ask"), turn(2, "assistant", "Old"), turn(3, "assistant", "New", parent=1)]

    report = imported(store, export(tmp_path / "x.json", conversation(uuid(1), *edited)))

    assert report.total("messages_new") == sum(map(len, shown(store).values())) == 2
