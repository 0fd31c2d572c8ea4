"""Searches in one process while another imports: how long the slowest took. Also a script, for large exports:

python -m tests.contracts.search_during_import EXPORT WORD…
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.contracts import samples
from tests.contracts.program import Ended, chatmem, process


def searches(export: Path, words: Sequence[str], home: Path, whole_processes: bool) -> Iterator[tuple[float, Ended]]:
    """(seconds, how it ended) of one search after the other, until the import into `home` has ended well."""
    variables = {"CHATMEM_HOME": str(home)}
    with subprocess.Popen(
        [sys.executable, "-m", "chatmem", "import", "-q", str(export)],
        env={**os.environ, **variables},
        stdout=subprocess.DEVNULL,
    ) as importing:
        turn = 0
        while importing.poll() is None:
            command = ["search", words[turn % len(words)], "--json"]
            begun = time.monotonic()
            ended = process(*command, variables=variables) if whole_processes else chatmem(*command)
            yield time.monotonic() - begun, ended
            turn += 1
    assert importing.returncode == 0


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        first = samples.write(Path(folder) / "first.jsonl", samples.ALL)
        process("import", "-q", first, variables={"CHATMEM_HOME": str(home)})
        found = list(searches(Path(sys.argv[1]), sys.argv[2:], home, whole_processes=True))
    failed = [ended for _, ended in found if ended.code != 0]
    times = sorted(seconds for seconds, _ in found)
    said = (
        f"{len(found)} searches, {len(failed)} failed, median {times[len(times) // 2]:.2f} s, slowest {times[-1]:.2f} s"
    )
    sys.stderr.write(said + "\n" + "".join(ended.err for ended in failed[:3]))


if __name__ == "__main__":
    main()
