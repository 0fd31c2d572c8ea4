"""The one owner of standard error: notes, warnings and the one line an error gets."""

from __future__ import annotations

import sys

from chatmem.render.terminal import cell


class Diagnostics:
    """`quiet` keeps errors only; `verbose` adds detail."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """As at the start of a command line."""
        self.quiet = False
        self.verbose = False

    def note(self, text: str) -> None:
        if not self.quiet:
            self._line(text)

    def problem(self, text: str) -> None:
        """Something was lost on the way: said even if nobody wants notes."""
        self._line(text)

    def detail(self, text: str) -> None:
        if self.verbose:
            self._line(text)

    def error(self, text: str) -> None:
        self._line(f"chatmem: {text}")

    def _line(self, text: str) -> None:
        # A closed or full stderr must not turn a result into a failure.
        try:
            sys.stderr.write(cell(text) + "\n")
            sys.stderr.flush()
        except (OSError, ValueError):
            pass


diagnostics = Diagnostics()
