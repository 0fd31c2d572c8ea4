"""Imports that are killed, by the clock or at a chosen opening of the archive. Also a script, for large exports:

    python -m tests.contracts.kill_imports EXPORT --kills 20

imports EXPORT into 20 archives, kills each import at a random moment, completes it, and compares the export of the
archive with that of an undisturbed import.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path

from duckdb import DuckDBPyConnection

from chatmem.archive import staging
from chatmem.archive.store import Store
from chatmem.import_report import ImportRequest
from chatmem.ingest import run_import
from chatmem.readers.base import ReadOptions
from chatmem.render.progress import Silent
from tests.contracts.program import process

SMALL_BATCH = 40


class Dying(Store):
    """A store whose process is killed at opening number `last`: right after it, or when its work is done."""

    def __init__(self, home: Path, last: int, when_done: bool) -> None:
        super().__init__(home)
        self.left = last
        self.when_done = when_done

    @contextmanager
    def attached(self, connection: DuckDBPyConnection, read_only: bool = False) -> Iterator[None]:
        self.left -= 1
        with super().attached(connection, read_only):
            if self.left == 0 and not self.when_done:
                os.kill(os.getpid(), signal.SIGKILL)
            yield
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def kill_at_openings(export: Path, homes: Path) -> None:
    """Imports into homes of their own, each killed one opening later than the last, in turn as it begins and ends."""
    staging.BATCH_MESSAGES = SMALL_BATCH
    for last in range(1, 1000):
        child = os.fork()
        if child == 0:
            store = Dying(homes / str(last), last, when_done=last % 2 == 1)
            run_import(ImportRequest((export,), "me", ReadOptions(UTC)), store, Silent())
            os._exit(0)
        if os.waitpid(child, 0)[1] == 0:
            return


def kill_at_random(export: Path, home: Path, seconds: float, kills: int, seed: int = 7) -> int:
    """Kill imports after random parts of `seconds`; gives how many there were to kill."""
    chance = random.Random(seed)
    hit = 0
    for _ in range(kills):
        with subprocess.Popen(
            [sys.executable, "-m", "chatmem", "import", "-q", str(export)],
            env={**os.environ, "CHATMEM_HOME": str(home)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as running:
            try:
                running.wait(chance.uniform(0.1, seconds))
            except subprocess.TimeoutExpired:
                running.kill()
                hit += 1
    return hit


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("export", type=Path)
    parser.add_argument("--kills", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        calm = Path(folder) / "calm"
        begun = time.monotonic()
        process("import", "-q", given.export, variables={"CHATMEM_HOME": str(calm)})
        seconds = time.monotonic() - begun
        wanted = process("export", variables={"CHATMEM_HOME": str(calm)}).out
        for number in range(given.kills):
            home = Path(folder) / str(number)
            hit = kill_at_random(given.export, home, seconds, kills=1, seed=number)
            process("import", "-q", given.export, variables={"CHATMEM_HOME": str(home)})
            found = process("export", variables={"CHATMEM_HOME": str(home)}).out
            sound = process("archive", "check", variables={"CHATMEM_HOME": str(home)}).out.strip()
            same = "the same export" if found == wanted else "ANOTHER EXPORT"
            sys.stderr.write(f"{number + 1}: {'killed' if hit else 'was too late'}, {same}, {sound}\n")
            shutil.rmtree(home)


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "openings":
        kill_at_openings(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        main()
