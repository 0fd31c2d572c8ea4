"""Kills, full disks, locks and damage: what was reported as done stays, and running the command again completes it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path

import duckdb
import pytest

from chatmem.archive import staging
from chatmem.archive.store import Store
from chatmem.import_report import ImportRequest
from chatmem.ingest import run_import
from chatmem.readers.base import ReadOptions
from chatmem.upkeep import check
from tests.contracts import samples
from tests.contracts.kill_imports import kill_at_random
from tests.contracts.program import Ended, chatmem
from tests.contracts.search_during_import import searches
from tests.imports import conversation, create, export, exported, imported, turn, uuid

HOLD = """
import duckdb, sys
connection = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""
# A process that may write no file longer than the limit: what a full disk looks like from inside.
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
from chatmem.__main__ import run
sys.exit(run(sys.argv[2:]))
"""
VERBS = (
    ("import", "x.json"), ("search", "flour"), ("recent",), ("show", "chatgpt:1"), ("export",), ("archive", "info"),
    ("archive", "check"), ("archive", "compact"), ("archive", "reindex"), ("archive", "backup", "copy.duckdb"),
)  # fmt: skip


def talks(chats: int, messages: int = 4) -> list[dict[str, object]]:
    """Conversations; every third is a branch of the one before it, so that copies are to be settled."""
    found = []
    for number in range(chats):
        own = [
            turn(100 * number + n, "assistant" if n % 2 else "user", f"Said {n} of {number} on flour w{number * n}")
            for n in range(messages)
        ]
        shared = own if number % 3 else [{**t, "number": t["number"] - 100} for t in own[:2]] + own[2:]
        start = shared if number else own
        found.append(conversation(uuid(90_000 + number), *start, created=100 * number))
    return found


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """The home that CHATMEM_HOME names (fixtures.py)."""
    return Store(tmp_path / "home", wait=1)


def one_line(ended: Ended, code: int, *words: str) -> None:
    assert ended.code == code, ended.err
    assert ended.err.count("\n") == 1
    assert all(word in ended.err for word in words), ended.err


def test_an_import_killed_at_any_opening_of_the_archive_is_completed_by_the_next(tmp_path: Path) -> None:
    path = export(tmp_path / "conversations.json", *talks(12))
    calm = Store(tmp_path / "calm")
    imported(calm, path)
    wanted = exported(calm)
    script = [sys.executable, "-m", "tests.contracts.kill_imports", "openings", str(path), str(tmp_path / "homes")]
    subprocess.run(script, check=True, cwd=Path(__file__).parents[2])

    killed = [Store(home) for home in sorted((tmp_path / "homes").iterdir(), key=lambda home: int(home.name))]
    assert len(killed) > 5
    assert {len(exported(store)) for store in killed[:-1]} >= {0, 10, 12}
    for store in killed:
        imported(store, path)
        assert exported(store) == wanted, store.home.name
    assert [check(store) for store in killed[:2]] == [[], []]


def test_an_import_killed_at_random_moments_is_completed_by_the_next(store: Store, tmp_path: Path) -> None:
    path = export(tmp_path / "conversations.json", *talks(150))
    calm = Store(tmp_path / "calm")
    imported(calm, path)

    kill_at_random(path, store.home, seconds=0.8, kills=2)

    assert chatmem("import", path).code == 0
    assert exported(store) == exported(calm)
    assert check(store) == []


def test_a_search_finds_the_archive_open_while_an_import_goes_on(store: Store, tmp_path: Path) -> None:
    assert chatmem("import", samples.write(tmp_path / "first.jsonl", samples.ALL)).code == 0
    path = export(tmp_path / "conversations.json", *talks(400))

    found = [ended for _, ended in searches(path, ["sourdough", "flour"], store.home, whole_processes=False)]

    assert len(found) > 1
    assert [ended.err for ended in found if ended.code != 0] == []
    assert all('"rank": 1' in ended.out for ended in found)


def test_a_full_disk_is_one_line_and_exit_3_and_the_rerun_completes(store: Store, tmp_path: Path) -> None:
    path = export(tmp_path / "conversations.json", *talks(300))
    first = export(tmp_path / "first.json", *talks(3))
    imported(store, first)
    before = exported(store)
    room = store.path.stat().st_size + 100_000

    done = subprocess.run([sys.executable, "-c", LIMITED, str(room), "import", str(path)], capture_output=True)

    one_line(Ended(done.returncode, done.stdout.decode(), done.stderr.decode()), 3, "no space left on the disk")
    assert exported(store)[:3] == before
    assert check(store) == []
    assert chatmem("import", path).code == 0
    assert len(exported(store)) == 300
    assert check(store) == []


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """A file system of this size at the folder; the test is skipped where none can be mounted."""
    folder.mkdir()
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], capture_output=True)
    if mount.returncode:
        pytest.skip("cannot mount a small disk here")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root can mount a small disk")
def test_a_disk_that_fills_up_is_told_and_space_made_on_it_is_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = export(tmp_path / "conversations.json", *talks(300))
    with small_disk(tmp_path / "disk", "6m"):
        monkeypatch.setenv("CHATMEM_HOME", str(tmp_path / "disk" / "home"))
        store = Store(tmp_path / "disk" / "home")
        ballast = tmp_path / "disk" / "ballast"
        ballast.write_bytes(b"x" * 5_000_000)
        one_line(chatmem("import", path), 3, "no space left on the disk")
        ballast.write_bytes(b"x" * 3_000_000)
        one_line(chatmem("import", path), 3, "no space left on the disk")
        ballast.unlink()

        subprocess.run(["mount", "-o", "remount,size=60m", str(tmp_path / "disk")], check=True)
        assert chatmem("import", path).code == 0
        assert len(exported(store)) == 300
        assert check(store) == []

        subprocess.run(["mount", "-o", "remount,ro", str(tmp_path / "disk")], check=True)
        one_line(chatmem("import", "--project", "x", path), 3, "cannot be written", "set CHATMEM_HOME")
        assert '"rank": 1' in chatmem("search", "flour", "--json").out


def test_ctrl_c_keeps_what_was_committed(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = export(tmp_path / "conversations.json", *talks(60))
    monkeypatch.setattr(staging, "BATCH_MESSAGES", 40)

    class Impatient:
        def start(self, total_bytes: int) -> None: ...
        def read(self, size: int) -> None: ...
        def chats(self, chats: int, messages: int) -> None:
            if chats == 45:
                signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        run_import(ImportRequest((path,), "me", ReadOptions(UTC)), store, Impatient())

    # At least all but the batch that was being written and the one that was being filled.
    assert 25 <= len(exported(store)) < 60
    assert check(store) == []
    assert chatmem("import", path).code == 0
    assert len(exported(store)) == 60


def test_an_archive_in_use_ends_with_75_and_the_process_that_has_it(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHATMEM_LOCK_WAIT_SECONDS", "0.05")
    path = export(tmp_path / "conversations.json", *talks(3))
    imported(store, path)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(store.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdin and holder.stdout
        assert holder.stdout.readline() == b"held\n"

        for verb in (("import", path), ("search", "x"), ("export",), ("archive", "compact")):
            one_line(chatmem(*verb), 75, f"in use by process {holder.pid}; wait for it")

        holder.stdin.close()
    assert chatmem("recent").code == 0


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_damaged_archive_ends_with_3_in_one_line(
    verb: tuple[str, ...], store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    export(tmp_path / "x.json", *talks(1))
    store.home.mkdir()
    store.path.write_bytes(b"scrambled " * 5000)

    one_line(chatmem(*verb), 3, "archive.duckdb cannot be read", "put a backup in its place")
    assert store.path.read_bytes() == b"scrambled " * 5000
    assert not (tmp_path / "copy.duckdb").exists()


@pytest.mark.parametrize("verb", VERBS[::4], ids=" ".join)
def test_an_archive_of_a_newer_program_ends_with_3_and_the_upgrade(
    verb: tuple[str, ...], store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    export(tmp_path / "x.json", *talks(1))
    create(store)
    with duckdb.connect(str(store.path)) as connection:
        connection.execute("INSERT INTO migration VALUES (9000, '9000_future.sql', now()::TIMESTAMP)")

    one_line(chatmem(*verb), 3, "written by a newer chatmem; upgrade: pip install -U chatmem")
