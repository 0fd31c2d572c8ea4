"""The whole program as tests drive it: in this process on streams of their own, as a child process, on a terminal.

In this process costs a few milliseconds and holds for everything but the process itself: descriptors, signals, imports.
"""

from __future__ import annotations

import io
import os
import pty
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from chatmem.__main__ import run

PATIENCE = 60


@dataclass(frozen=True)
class Ended:
    """How a command line ended: exit code, standard output, standard error."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """The lines of the output, cut at LF alone."""
        return self.out.removesuffix("\n").split("\n") if self.out else []


class Screen(io.TextIOWrapper):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


@contextmanager
def streams(stdin: bytes, terminal: bool) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """Standard streams of our own; `terminal`: standard output claims to be one."""
    before = sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), "utf-8")
    sys.stdout = (Screen if terminal else io.TextIOWrapper)(out, "utf-8")
    sys.stderr = io.TextIOWrapper(err, "utf-8")
    ours = sys.stdout, sys.stderr
    try:
        yield out, err
    finally:
        for stream in ours:
            stream.flush()
            stream.detach()
        sys.stdin, sys.stdout, sys.stderr = before


def chatmem(*arguments: str | Path, stdin: str | bytes = b"", terminal: bool = False) -> Ended:
    """Run a command line in this process."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    with streams(given, terminal) as (out, err):
        code = run([str(a) for a in arguments])
    return Ended(code, out.getvalue().decode("utf-8"), err.getvalue().decode("utf-8"))


def process(*arguments: str | Path, stdin: bytes = b"", variables: Mapping[str, str] | None = None) -> Ended:
    """Run a command line in a process of its own. `variables` are added to its environment."""
    done = subprocess.run(
        [sys.executable, "-m", "chatmem", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env={**os.environ, **(variables or {})},
        timeout=PATIENCE,
    )
    return Ended(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


def shell(script: str) -> Ended:
    """Run a bash script in which `chatmem` is this program."""
    prelude = f'chatmem() {{ "{sys.executable}" -m chatmem "$@"; }}; export -f chatmem; set -o pipefail\n'
    done = subprocess.run(["bash", "-c", prelude + script], capture_output=True, timeout=PATIENCE)
    return Ended(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


def on_terminal(*arguments: str | Path, columns: int = 80, variables: Mapping[str, str] | None = None) -> Ended:
    """Run a command line whose standard output is a real pseudo terminal; what it prints, with bare newlines."""
    import fcntl
    import termios

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    child = subprocess.Popen(
        [sys.executable, "-m", "chatmem", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=slave,
        stderr=subprocess.PIPE,
        env={**{n: v for n, v in os.environ.items() if n != "COLUMNS"}, **(variables or {})},
    )
    os.close(slave)
    printed = b"".join(until_closed(master))
    _, err = child.communicate(timeout=PATIENCE)
    return Ended(child.returncode, printed.decode("utf-8").replace("\r\n", "\n"), err.decode("utf-8"))


def until_closed(master: int) -> Iterator[bytes]:
    """Everything that is written to the other side of a terminal, until nobody holds it any more."""
    try:
        while piece := os.read(master, 65536):
            yield piece
    except OSError:
        # Linux reports the end of a terminal as an error.
        pass
    finally:
        os.close(master)
