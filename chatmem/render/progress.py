"""Progress bars on standard error for long work, on a terminal only."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from chatmem.render.diagnostics import diagnostics
from chatmem.render.terminal import ColorChoice, wants_color

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress


class Silent:
    """No bar: a pipe, --quiet, or a terminal that cannot move its cursor."""

    def start(self, total_bytes: int) -> None: ...
    def read(self, size: int) -> None: ...
    def chats(self, chats: int, messages: int) -> None: ...


@contextmanager
def import_progress(color: ColorChoice) -> Iterator[Silent]:
    """Bytes, chats, messages, rate and time left, gone when the import is over."""
    if not _shown():
        yield Silent()
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.table import Column

    columns = (
        TextColumn("{task.description}", table_column=Column(no_wrap=True)),
        BarColumn(bar_width=None),
        DownloadColumn(table_column=Column(no_wrap=True)),
        TextColumn("{task.fields[counts]}", table_column=Column(no_wrap=True)),
        TimeRemainingColumn(compact=True, table_column=Column(no_wrap=True)),
    )
    with Progress(*columns, console=_console(color), transient=True, refresh_per_second=5) as bar:
        yield _Bar(bar)


class _Bar(Silent):
    """Says `importing` while bytes are read, then `finishing` while the index is merged."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("importing", total=None, counts="")
        self._left = 0

    def start(self, total_bytes: int) -> None:
        self._left = total_bytes
        self._bar.update(self._task, total=total_bytes or None)

    def read(self, size: int) -> None:
        # Some bytes are read twice, to look at what follows: they do not count.
        step = min(size, self._left) if self._left else 0
        self._bar.advance(self._task, step)
        self._left -= step
        if step and not self._left:
            self._bar.update(self._task, description="finishing")

    def chats(self, chats: int, messages: int) -> None:
        elapsed = self._bar.tasks[0].elapsed or 0.0
        rate = f" {messages / elapsed:,.0f}/s" if elapsed > 1 else ""
        self._bar.update(self._task, counts=f"{chats:,} chats {messages:,} messages{rate}")


class SilentCount:
    """No bar for counted work."""

    def start(self, messages: int) -> None: ...
    def done(self, messages: int) -> None: ...


@contextmanager
def embed_progress(color: ColorChoice) -> Iterator[SilentCount]:
    """Messages embedded, rate and time left."""
    if not _shown():
        yield SilentCount()
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("embedding"), BarColumn(bar_width=None), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=_console(color), transient=True, refresh_per_second=5) as bar:
        yield _Count(bar)


@contextmanager
def counting_progress(color: ColorChoice, what: str) -> Iterator[SilentCount]:
    """So many so far, where the end is not known."""
    if not _shown():
        yield SilentCount()
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed:,} " + what))
    with Progress(*columns, console=_console(color), transient=True, refresh_per_second=5) as bar:
        yield _Count(bar)


class _Count(SilentCount):
    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=None)

    def start(self, messages: int) -> None:
        self._bar.update(self._task, total=messages)

    def done(self, messages: int) -> None:
        self._bar.update(self._task, completed=messages)


def _shown() -> bool:
    return not diagnostics.quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _console(color: ColorChoice) -> Console:
    from rich.console import Console

    return Console(stderr=True, no_color=not wants_color(color, True), highlight=False, markup=False)
