"""What an import is asked for, and what it has to tell."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from chatmem.model import Note, Skipped
from chatmem.readers.base import ReadOptions

# Raised when a reader gives other chats for the same bytes, so that unchanged files are read again.
READERS_VERSION = 1


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """What to import and how. `user`: the human side of chats that name none."""

    paths: tuple[Path, ...]
    user: str
    options: ReadOptions
    format: str | None = None
    project: str | None = None
    agent: str | None = None
    force_user: bool = False
    since: datetime | None = None
    dry_run: bool = False
    embed: bool = True
    facts: bool = True

    def assigned(self) -> str:
        """What is said by hand about every chat, as in model.Chat."""
        given = (("agent", self.agent), ("project", self.project), ("user", self.force_user))
        return " ".join(name for name, value in given if value)

    def settings(self, beside: str = "") -> str:
        """Everything besides its bytes that decides what a file becomes; `beside`: what lies beside it."""
        zone = (str(self.options.timezone), self.options.date_order)
        forced = self.user if self.force_user else ""
        return repr(
            (READERS_VERSION, self.format, self.project, forced, self.agent, str(self.since or ""), zone, beside)
        )


@dataclass(slots=True)
class FileReport:
    """One file or archive member. `skipped` holds problems only; `notes` what is worth knowing and no loss.

    `named`: the user gave this very path. `messages_read` and `chats_taken` are for the ledger.
    """

    path: str
    format: str
    named: bool = False
    chats_new: int = 0
    chats_updated: int = 0
    chats_unchanged: int = 0
    chats_empty: int = 0
    chats_old: int = 0
    messages_new: int = 0
    messages_updated: int = 0
    messages_read: int = 0
    chats_taken: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def is_silent(self) -> bool:
        """True for a walked file that held no chat, not even an empty one, and no problem."""
        chats = self.chats_new + self.chats_updated + self.chats_unchanged + self.chats_empty + self.chats_old
        return not (self.named or chats or self.skipped or self.notes)


@dataclass(slots=True)
class ImportReport:
    """`other_files`: walked files that hold no chats. `not_embedded`: why new messages have no vectors, if so."""

    files: list[FileReport] = field(default_factory=list)
    other_files: int = 0
    seconds: float = 0.0
    dry_run: bool = False
    not_embedded: str = ""

    def total(self, name: str) -> int:
        return sum(getattr(f, name) for f in self.files)

    def problems(self) -> list[Skipped]:
        return [s for f in self.files for s in f.skipped]

    def without_silent_files(self) -> None:
        """Leave out files that hold no chats, such as tool results beside sessions, if others of their format do."""
        speaking = {f.format for f in self.files if f.format and not f.is_silent()}
        kept = [f for f in self.files if f.format not in speaking or not f.is_silent()]
        self.other_files += len(self.files) - len(kept)
        self.files = kept


class Progress(Protocol):
    """Told how far a long import has come."""

    def start(self, total_bytes: int) -> None: ...
    def read(self, size: int) -> None: ...
    def chats(self, chats: int, messages: int) -> None: ...
