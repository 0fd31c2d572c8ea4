"""Looking after the archive: compact, backup, reindex change its file and never what it says."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import duckdb
import pytest

from chatmem.archive.locks import exclusive
from chatmem.archive.store import Store
from chatmem.errors import ArchiveError, ArchiveLockedError, UsageError
from chatmem.upkeep import backup, check, compact, info, reindex
from tests.archive.breaking import Breaking
from tests.contracts.program import chatmem
from tests.imports import conversation, export, exported, imported, line, session, turn, uuid

ASKED = ('"how much" -wheat', "heron ry*")


@pytest.fixture(scope="module")
def rewritten(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of an archive whose chats were all written several times."""
    folder = tmp_path_factory.mktemp("rewritten")
    for size in (1, 2, 3):
        talks = []
        for number in range(40):
            said = [turn(100 * number, "user", f"How much flour for bread {number}?")]
            said += [turn(100 * number + n, "assistant", f"Rye {n} heron {'flour ' * 200}") for n in range(1, size)]
            talks.append(conversation(uuid(9000 + number), *said))
        imported(Store(folder / "home"), export(folder / f"{size}.json", *talks))
    return folder / "home"


@pytest.fixture
def store(rewritten: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path / "home"))
    return Store(Path(shutil.copytree(rewritten, tmp_path / "home")), wait=0.1)


def answers() -> list[str]:
    ended = [chatmem("search", words, "--json") for words in ASKED]
    assert [e.code for e in ended] == [0] * len(ASKED)
    return [e.out for e in ended]


def test_compacting_gives_space_back_and_changes_no_answer_and_no_export(store: Store) -> None:
    before, said = exported(store), answers()
    assert [text.count('"rank"') for text in said] == [5] * len(ASKED)

    large, small = compact(store)

    assert small == store.path.stat().st_size < large
    assert exported(store) == before
    assert answers() == said
    assert check(store) == []
    assert sorted(p.name for p in store.home.iterdir() if p.name != "cache") == [
        "archive.duckdb", "import.lock", "turnstile",
    ]  # fmt: skip


def test_an_archive_can_be_imported_into_after_it_was_compacted(store: Store, tmp_path: Path) -> None:
    compact(store)

    imported(store, session(tmp_path / "p", uuid(1), [line(1, "Fix the heron", uuid(1))]))

    assert f"claude-code:{uuid(1)}" in chatmem("search", "fix heron").out
    assert check(store) == []


def test_a_compaction_that_breaks_off_leaves_the_archive_and_nothing_else(store: Store) -> None:
    before = exported(store)
    for opening in (1, 2, 3):
        with pytest.raises(OSError, match="No space left"):
            compact(Breaking(store.home, opening, OSError(28, "No space left on device")))
        assert exported(store) == before
        assert not list(store.home.glob("archive.compact*"))
    assert check(store) == []


def test_reindexing_mends_an_index_and_changes_no_answer_and_no_export(store: Store) -> None:
    before, said = exported(store), answers()
    with duckdb.connect(str(store.path)) as connection:
        connection.execute("DELETE FROM posting WHERE tf = 1")
    assert check(store) != []

    assert reindex(store) == 40

    assert check(store) == []
    assert exported(store) == before
    assert answers() == said


def test_a_backup_opens_as_an_archive(store: Store, tmp_path: Path) -> None:
    other = Store(tmp_path / "other")
    other.home.mkdir(mode=0o700)

    assert backup(store, other.path) == other.path

    assert stat.S_IMODE(other.path.stat().st_mode) == 0o600
    assert exported(other) == exported(store)
    assert check(other) == []
    assert [p.name for p in other.home.iterdir()] == ["archive.duckdb", "turnstile"]


def test_a_backup_overwrites_nothing_and_says_where_it_cannot_be(store: Store, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("precious")

    with pytest.raises(UsageError, match="taken exists; choose another name"):
        backup(store, taken)
    with pytest.raises(UsageError, match=r"there is no folder .*; mkdir -p "):
        backup(store, tmp_path / "no folder" / "copy.duckdb")

    assert taken.read_text() == "precious"


def test_upkeep_waits_for_an_import_and_then_says_so(store: Store, tmp_path: Path) -> None:
    with exclusive(store.home / "import.lock", 0):
        for verb in (compact, reindex, lambda s: backup(s, tmp_path / "copy")):
            with pytest.raises(ArchiveLockedError, match=r"an import .* is busy"):
                verb(store)


def test_without_an_archive_every_verb_says_how_to_make_one(tmp_path: Path) -> None:
    nothing = Store(tmp_path / "home")

    for verb in (info, check, compact, reindex, lambda s: backup(s, tmp_path / "copy")):
        with pytest.raises(ArchiveError, match=r"there is no archive at .*chatmem import PATH makes one"):
            verb(nothing)
    assert not nothing.home.exists()


def test_info_counts_per_source_and_project(store: Store, tmp_path: Path) -> None:
    imported(store, session(tmp_path / "p", uuid(1), [line(1, "Fix it", uuid(1)), line(2, "Ok", uuid(1), "assistant")]))

    found = info(store)

    assert found.bytes == store.path.stat().st_size
    assert [(s.source, s.chats, s.messages) for s in found.contents.sources] == [
        ("chatgpt", 40, 120), ("claude-code", 1, 2),
    ]  # fmt: skip
    assert found.contents.projects == (("app", 1),)
    assert found.contents.stored_messages == 122


def test_a_file_that_others_may_read_is_a_fault(store: Store) -> None:
    store.path.chmod(0o644)
    store.home.chmod(0o755)

    assert check(store) == [
        f"others may read {store.home}; chmod go-rwx {store.home}",
        f"others may read {store.path}; chmod go-rwx {store.path}",
    ]
