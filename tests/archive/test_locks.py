"""Locks that say who holds them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from chatmem.archive.locks import exclusive
from chatmem.errors import ArchiveLockedError

HOLD = """
import sys
from pathlib import Path
from chatmem.archive.locks import exclusive
with exclusive(Path(sys.argv[1]), 0):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_who_waits_in_vain_is_told_which_process_it_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "import.lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdin and holder.stdout
        assert holder.stdout.readline() == b"held\n"
        said = re.escape(f"another import (process {holder.pid}) is busy in {tmp_path}; wait")
        with pytest.raises(ArchiveLockedError, match=said), exclusive(path, 0.05, "another import"):
            pass
        holder.kill()

    # A process that dies lets go, whatever it wrote.
    with exclusive(path, 0):
        assert path.read_text().strip() == str(os.getpid())


def test_the_second_of_one_process_waits_too(tmp_path: Path) -> None:
    path = tmp_path / "turnstile"
    with exclusive(path, 0), pytest.raises(ArchiveLockedError, match=f"process {os.getpid()}"), exclusive(path, 0):
        pass


def test_where_nothing_can_be_written_there_are_no_turns_to_take(tmp_path: Path) -> None:
    with exclusive(tmp_path / "no folder" / "turnstile", 0), exclusive(tmp_path / "no folder" / "turnstile", 0):
        assert not (tmp_path / "no folder").exists()
