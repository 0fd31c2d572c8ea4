"""The one owner of standard output: bytes out, and a closed pipe is not an error."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import IO


class Sink:
    """Writes UTF-8 text. Raises BrokenPipeError when the reader is gone; the top level ends quietly then."""

    def __init__(self, stream: IO[str] | None = None) -> None:
        self._stream = stream or sys.stdout
        reconfigure = getattr(self._stream, "reconfigure", None)
        if reconfigure:
            reconfigure(encoding="utf-8", errors="replace", newline="\n")

    def is_terminal(self) -> bool:
        return self._stream.isatty()

    def line(self, text: str, end: str = "\n") -> None:
        self._stream.write(text + end)

    def flush(self) -> None:
        self._stream.flush()


def occupy_closed_streams() -> None:
    """Give standard streams that the caller closed to the null device.

    Otherwise the next file that is opened, such as the archive, would get their number and receive what is printed.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, open(descriptor, "r" if name == "stdin" else "w", encoding="utf-8"))  # noqa: SIM115


def abandon_stdout() -> None:
    """After a failed write: point the descriptor at nothing, so that the interpreter's last flush is silent."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
