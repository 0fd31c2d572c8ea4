"""The words every other module speaks: a chat, its messages, and what could not be read.

Readers produce these values, the archive stores them. They are frozen and carry no I/O, so a golden file
can show a whole chat. Times are timezone-aware UTC; None always means *unknown*, never now and never 1970.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Role = Literal["user", "assistant", "system", "tool"]
Branch = Literal["main", "alternate"]
Kind = Literal["thread", "subagent"]
TitleOrigin = Literal["export", "derived"]
Hidden = Literal["system", "injected", "thinking", "tool", "summary", "note", "copy", "placeholder"]


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that belongs to a message. `size` in bytes; `present`: its bytes are in the export."""

    name: str
    mime: str | None = None
    size: int | None = None
    pointer: str | None = None
    present: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a record stands: file as given to the import, member of a container, JSON pointer or `line N`."""

    file: str
    member: str | None = None
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn or hidden part, in reading order within its chat.

    `hidden` None means visible. `home` is the native id of the chat that this record names as its own when it is
    not the chat it stands in (a resumed or forked copy): the archive, not the reader, knows whether that chat exists.
    `pointer` completes the chat's origin.
    """

    message_id: str
    role: Role
    text: str
    parent_id: str | None = None
    author: str | None = None
    model: str | None = None
    created_at: datetime | None = None
    branch: Branch = "main"
    hidden: Hidden | None = None
    attachments: tuple[Attachment, ...] = ()
    pointer: str = ""
    home: str | None = None


# What can be said by hand about a chat at an import, and the fields of a Chat that hold it.
ASSIGNABLE = {"agent": ("agent_id",), "project": ("project_id", "project_name"), "user": ("user_id",)}


@dataclass(frozen=True, slots=True)
class Chat:
    """One thread as an export holds it. A chat without a visible message is *empty*: counted, not stored.

    `assigned`: those of ASSIGNABLE that were said by hand, with blanks between them.
    """

    source: str
    native_id: str
    messages: tuple[Message, ...]
    origin: Origin
    title: str | None = None
    title_origin: TitleOrigin = "export"
    created_at: datetime | None = None
    updated_at: datetime | None = None
    project_id: str | None = None
    project_name: str | None = None
    user_id: str | None = None
    agent_id: str | None = None
    model: str | None = None
    source_url: str | None = None
    resume: str | None = None
    kind: Kind = "thread"
    parent_chat_id: str | None = None
    continues: str | None = None
    archived: bool = False
    starred: bool = False
    assigned: str = ""

    @property
    def chat_id(self) -> str:
        return f"{self.source}:{self.native_id}"

    def visible(self) -> Iterator[Message]:
        """The messages a person would see on the main path; their 1-based position is `n` of a reference."""
        return (m for m in self.messages if m.hidden is None and m.branch == "main")


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record that should have been a chat or message but could not be read. Costs only itself."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class Note:
    """Something worth telling that is no loss, such as a manifest that only lists what to download."""

    where: str
    text: str


Record = Chat | Skipped | Note
