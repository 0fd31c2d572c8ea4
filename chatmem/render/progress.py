"""A progress bar on standard error while an import runs, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from chatmem.render.diagnostics import diagnostics
from chatmem.render.terminal import ColorChoice, wants_color


class Silent:
    """No bar: a pipe, or --quiet."""

    def start(self, total_bytes: int) -> None: ...
    def read(self, size: int) -> None: ...
    def chats(self, chats: int, messages: int) -> None: ...


@contextmanager
def import_progress(color: ColorChoice) -> Iterator[Silent]:
    """Bytes, chats, messages, rate and time left, gone when the import is over."""
    if diagnostics.quiet or not sys.stderr.isatty():
        yield Silent()
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, no_color=not wants_color(color, True), highlight=False, markup=False)
    columns = (
        TextColumn("importing"), BarColumn(bar_width=None), DownloadColumn(), TextColumn("{task.fields[counts]}"),
        TimeRemainingColumn(compact=True),
    )  # fmt: skip
    with Progress(*columns, console=console, transient=True, refresh_per_second=5) as bar:
        yield _Bar(bar)


class _Bar(Silent):
    def __init__(self, bar: object) -> None:
        from rich.progress import Progress

        assert isinstance(bar, Progress)
        self._bar = bar
        self._task = bar.add_task("import", total=None, counts="")

    def start(self, total_bytes: int) -> None:
        self._bar.update(self._task, total=total_bytes or None)

    def read(self, size: int) -> None:
        self._bar.advance(self._task, size)

    def chats(self, chats: int, messages: int) -> None:
        elapsed = self._bar.tasks[0].elapsed or 0.0
        rate = f" {messages / elapsed:,.0f}/s" if elapsed > 1 else ""
        self._bar.update(self._task, counts=f"{chats:,} chats {messages:,} messages{rate}")
