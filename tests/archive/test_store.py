"""Opening the archive: made whole or not at all, private, shared in turns, and honest about what is wrong with it."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from chatmem.archive import migrate
from chatmem.archive.store import Store, frugally, translating
from chatmem.errors import ArchiveError, ArchiveLockedError
from chatmem.upkeep import check, compact
from tests.imports import conversation, create, export, imported, turn, uuid

HOLD = """
import duckdb, sys
connection = duckdb.connect(sys.argv[1], read_only=sys.argv[2] == "read")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return create(Store(tmp_path / "home", wait=0.2))


@contextmanager
def held_by_another_process(path: Path, mode: str = "write") -> Iterator[int]:
    """The archive opened elsewhere, as `read` or `write`; gives the id of the process."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path), mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdin and holder.stdout
        assert holder.stdout.readline() == b"held\n"
        yield holder.pid
        holder.stdin.close()


def tables(store: Store) -> set[str]:
    with store.reading() as connection:
        return {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}


def test_a_new_archive_has_its_tables_and_is_its_owners_alone(tmp_path: Path) -> None:
    store = Store(tmp_path / "deep" / "home")

    create(store)

    assert {"chat", "message", "posting", "import_file", "migration"} <= tables(store)
    assert stat.S_IMODE(store.home.stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) for p in store.home.iterdir()} == {0o600}
    assert not (store.home / "archive.new").exists()


def test_creating_twice_changes_nothing(store: Store) -> None:
    before = store.path.read_bytes()

    create(store)

    assert store.path.read_bytes() == before


def test_what_a_killed_creation_left_is_in_nobodys_way(tmp_path: Path) -> None:
    store = Store(tmp_path)
    (tmp_path / "archive.new").write_bytes(b"half a header")

    with pytest.raises(ArchiveError, match="there is no archive"), store.reading():
        pass
    create(store)

    assert "chat" in tables(store)


def test_every_file_that_an_import_makes_is_private_under_any_umask(tmp_path: Path) -> None:
    store = Store(tmp_path / "home")
    export_file = export(tmp_path / "conversations.json", conversation(uuid(900), turn(1, "user", "Hi")))
    before = os.umask(0)
    try:
        imported(store, export_file)
        workbench = duckdb.connect(config={"memory_limit": "30MB", "threads": 2})
        workbench.execute("SET temp_directory = ?", [str(store.home / "tmp")])
        with store.attached(workbench):
            # Enough to spill, and a log that is not yet in the file.
            workbench.execute("CREATE TABLE big AS SELECT range AS i, md5(range::VARCHAR) AS t FROM range(800000)")
            workbench.execute("INSERT INTO archive.stamp VALUES ('x', 'y')")
            modes = {p.relative_to(store.home): stat.S_IMODE(p.stat().st_mode) for p in store.home.rglob("*")}
    finally:
        os.umask(before)

    assert {"archive.duckdb", "archive.duckdb.wal", "import.lock", "turnstile", "tmp"} <= {str(p) for p in modes}
    assert {p: oct(mode) for p, mode in modes.items() if mode & 0o077} == {}


def test_readers_do_not_wait_for_each_other(store: Store) -> None:
    with held_by_another_process(store.path, "read"):
        assert "chat" in tables(store)


@pytest.mark.parametrize("mode", ["read", "write"])
def test_an_archive_held_by_another_process_is_named_with_it_after_the_wait(store: Store, mode: str) -> None:
    with held_by_another_process(store.path, mode) as holder:
        with (
            pytest.raises(ArchiveLockedError, match=f"in use by process {holder}; wait"),
            duckdb.connect() as workbench,
            store.attached(workbench),
        ):
            pass
        if mode == "write":
            with pytest.raises(ArchiveLockedError, match=f"in use by process {holder}"), store.reading():
                pass
    assert "chat" in tables(store)


def test_this_process_waits_for_itself_too(store: Store) -> None:
    with (
        duckdb.connect() as workbench,
        store.attached(workbench),
        pytest.raises(ArchiveLockedError, match="in use by another process"),
        store.reading(),
    ):
        pass
    assert "chat" in tables(store)


def test_what_goes_wrong_while_attached_is_undone_and_let_go(store: Store) -> None:
    workbench = duckdb.connect()
    with pytest.raises(ZeroDivisionError), store.attached(workbench):
        workbench.execute("USE archive")
        workbench.execute("BEGIN")
        workbench.execute("INSERT INTO stamp VALUES ('half', 'done')")
        raise ZeroDivisionError

    with store.reading() as connection:
        assert connection.execute("SELECT count(*) FROM stamp WHERE name = 'half'").fetchone() == (0,)
    with store.attached(workbench):
        assert workbench.execute("SELECT count(*) FROM archive.stamp").fetchone() == (0,)


def test_a_log_that_a_crash_left_is_read_by_the_next_reader(store: Store) -> None:
    script = """
import duckdb, os, signal, sys
connection = duckdb.connect(sys.argv[1])
connection.execute("INSERT INTO stamp VALUES ('crash', 'kept')")
os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", script, str(store.path)])
    assert store.path.with_name("archive.duckdb.wal").exists()

    with store.reading() as connection:
        assert connection.execute("SELECT value FROM stamp WHERE name = 'crash'").fetchone() == ("kept",)


def test_a_file_that_is_no_database_is_named_with_what_to_do(store: Store) -> None:
    store.path.write_bytes(b"no database at all")

    with (
        pytest.raises(ArchiveError, match=r"archive\.duckdb cannot be read .*put a backup in its place"),
        store.reading(),
    ):
        pass


@pytest.mark.parametrize("place", [0.3, 0.5])
def test_damage_in_the_middle_is_named_when_it_is_met(store: Store, tmp_path: Path, place: float) -> None:
    imported(store, export(tmp_path / "x.json", conversation(uuid(900), turn(1, "user", "Hi"))))
    data = bytearray(store.path.read_bytes())
    for at in range(int(len(data) * place), len(data) - 4096, 512):
        data[at] ^= 0xFF
    store.path.write_bytes(data)

    with pytest.raises(ArchiveError) as caught, store.reading() as connection:
        for table in ("chat", "message", "posting", "term", "unit", "stamp", "import_file"):
            connection.execute(f"SELECT * FROM {table}").fetchall()

    assert caught.value.exit_code == 3
    assert "\n" not in str(caught.value)


def test_a_truncated_file_is_named(store: Store) -> None:
    store.path.write_bytes(store.path.read_bytes()[:20_000])

    with pytest.raises(ArchiveError, match="cannot be read"), store.reading():
        pass


def test_a_database_of_somebody_else_is_no_archive(tmp_path: Path) -> None:
    store = Store(tmp_path)
    duckdb.connect(str(store.path)).close()

    with pytest.raises(ArchiveError, match="no chatmem archive"), store.reading():
        pass
    with pytest.raises(ArchiveError, match="no chatmem archive"):
        imported(store, export(tmp_path / "x.json", conversation(uuid(900), turn(1, "user", "Hi"))))


def test_the_number_of_the_newest_schema_is_that_of_the_last_file() -> None:
    assert [number for number, _, _ in migrate.scripts()] == list(range(1, migrate.NEWEST + 1))


def test_an_archive_of_a_newer_program_is_refused_by_readers_and_writers(store: Store, tmp_path: Path) -> None:
    with duckdb.connect(str(store.path)) as connection:
        connection.execute("INSERT INTO migration VALUES (9000, '9000_future.sql', now()::TIMESTAMP)")

    with pytest.raises(ArchiveError, match="newer chatmem; upgrade: pip install -U chatmem"), store.reading():
        pass
    with pytest.raises(ArchiveError, match="newer chatmem"):
        imported(store, export(tmp_path / "x.json", conversation(uuid(900), turn(1, "user", "Hi"))))


def test_an_older_archive_is_brought_up_to_date_by_whoever_reads_it(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with duckdb.connect(str(store.path)) as connection:
        # As far as a program came that was stopped before its first migration.
        connection.execute("CREATE TABLE migration (number INTEGER, name VARCHAR, applied_at TIMESTAMP)")

    assert "chat" in tables(store)


def test_a_bug_of_ours_is_not_blamed_on_the_file(store: Store) -> None:
    with pytest.raises(duckdb.BinderException), store.reading() as connection:
        connection.execute("SELECT no_such_column FROM chat")


def test_a_full_disk_is_called_one() -> None:
    said = r"no space left on the disk of /x/archive\.duckdb; free some"
    with pytest.raises(ArchiveError, match=said), translating(Path("/x/archive.duckdb")):
        raise duckdb.IOException('IO Error: Could not write file "x": No space left on device')


def test_a_home_that_cannot_be_made_is_an_error_that_names_the_variable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(ArchiveError, match=r"cannot create .*set CHATMEM_HOME to a folder you may write"):
        create(Store(tmp_path / "file" / "home"))


def test_an_archive_behind_a_link_stays_behind_it(tmp_path: Path) -> None:
    real = tmp_path / "disk" / "chats.db"
    real.parent.mkdir()
    store = create(Store(tmp_path / "home"))
    store.path.rename(real)
    store.path.symlink_to(real)
    linked = Store(tmp_path / "home")

    compact(linked)

    assert (tmp_path / "home" / "archive.duckdb").readlink() == real
    assert check(linked) == []
    real.rename(tmp_path / "gone")
    with pytest.raises(ArchiveError, match=r"leads to .*chats\.db, which is not there"):
        create(Store(tmp_path / "home"))
    assert (tmp_path / "home" / "archive.duckdb").is_symlink()


def test_what_is_no_file_is_no_archive(tmp_path: Path) -> None:
    store = Store(tmp_path, wait=0.1)
    os.mkfifo(store.path)
    with pytest.raises(ArchiveError, match="is no file"), store.reading():
        pass


def test_who_reads_frugally_takes_the_memory_that_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = duckdb.connect()
    before = connection.execute("SELECT current_setting('memory_limit')").fetchone()
    monkeypatch.setattr("chatmem.archive.store.FRUGAL_MEMORY", "100KB")
    with pytest.raises(duckdb.OutOfMemoryException):
        connection.execute("SET memory_limit = '100KB'").execute("SELECT list(i) FROM range(1000000) t(i)").fetchall()
    connection.execute("RESET memory_limit")
    found = frugally(connection, lambda: connection.execute("SELECT list(i) FROM range(1000000) t(i)").fetchall())
    assert len(found[0][0]) == 1_000_000
    assert connection.execute("SELECT current_setting('memory_limit')").fetchone() == before
