"""Messages in the making: the parts that the lines of a Claude Code log add up to."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from chatmem.model import Attachment, Hidden, Role


@dataclass(frozen=True, slots=True)
class Place:
    """Where the blocks of a line belong: id of their turn, number of the line in the tree, time and pointer."""

    turn: str
    line: int
    at: datetime | None
    pointer: str


@dataclass(slots=True)
class Part:
    """One message; `chunks` still grow while lines of the same reply come in."""

    message_id: str
    role: Role
    hidden: Hidden | None
    place: Place
    chunks: list[str]
    model: str | None = None
    files: tuple[Attachment, ...] = ()

    @property
    def text(self) -> str:
        return "\n\n".join(self.chunks)


@dataclass(slots=True)
class Parts:
    """All parts of a log in file order. A turn has one part with its plain id; hidden ones are numbered below it."""

    all: list[Part] = field(default_factory=list)
    _counts: dict[str, int] = field(default_factory=dict)

    def add(
        self, role: Role, hidden: Hidden | None, text: str, place: Place, model: str | None = None,
        files: tuple[Attachment, ...] = (),
    ) -> Part:  # fmt: skip
        part = Part(place.turn, role, hidden, place, [text], model, files)
        self.all.append(part)
        return part

    def hide(self, role: Role, hidden: Hidden, text: str, place: Place, model: str | None = None) -> Part:
        key = f"{place.turn}/{hidden}"
        number = self._counts[key] = self._counts.get(key, 0) + 1
        part = Part(
            key if hidden == "thinking" and number == 1 else f"{key}/{number}", role, hidden, place, [text], model
        )
        if text.strip():
            self.all.append(part)
        return part
