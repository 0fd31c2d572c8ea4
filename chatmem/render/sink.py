"""The one owner of standard output: bytes out, and a closed pipe is not an error."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import IO


class Sink:
    """Writes UTF-8 text. Raises BrokenPipeError when the reader is gone; the top level ends quietly then."""

    def __init__(self, stream: IO[str] | None = None) -> None:
        self._stream = stream or sys.stdout

    def is_terminal(self) -> bool:
        return self._stream.isatty()

    def line(self, text: str, end: str = "\n") -> None:
        self._stream.write(text + end)

    def flush(self) -> None:
        self._stream.flush()


def prepare_streams() -> None:
    """Make the standard streams UTF-8 with bare newlines, whatever the locale, and present even if they were closed.

    A stream that the caller closed becomes the null device. Otherwise the next file that is opened, such as the
    archive, would get its number and receive what is printed.
    """
    for name, errors in (("stdin", "replace"), ("stdout", "replace"), ("stderr", "backslashreplace")):
        stream = getattr(sys, name)
        if stream is None:
            descriptor = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(descriptor, "r" if name == "stdin" else "w", encoding="utf-8"))
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=errors, newline="\n")


def settle_stdout() -> None:
    """Write what is still buffered; if nobody can take it, drop it, so that the interpreter's last flush is silent."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            number = sys.stdout.fileno()
            os.dup2(os.open(os.devnull, os.O_WRONLY), number)
