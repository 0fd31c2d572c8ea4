"""What a prompt is asked for with, and what is given back. Values only."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Literal, NamedTuple

from chatmem.archive.scope import Scope
from chatmem.evidence.answer import Answer
from chatmem.prompt.knowledge import Passage
from chatmem.prompt.parts import Part, Source, Turn

Memory = Literal["auto", "always", "never"]


class Request(NamedTuple):
    """What is asked for. `chat`: the current conversation is this one of the archive, else `conversation`.

    `continues`: None, or the chat to go on with, "" for the latest. `moment` reads a time in a query.
    """

    message: str
    scope: Scope
    now: datetime
    moment: Callable[[str], datetime | None]
    conversation: tuple[Turn, ...] = ()
    chat: str = ""
    system: str = ""
    pinned: tuple[Passage, ...] = ()
    passages: tuple[Passage, ...] = ()
    memory: Memory = "auto"
    continues: str | None = None
    strict: bool = False


class Trace(NamedTuple):
    """What was looked up and why. `rewritten`: how (rewrite.py)."""

    memory: Memory
    searched: bool
    why: str
    query: str
    rewritten: str
    sufficiency: str
    notes: tuple[str, ...]
    tokens_exact: bool


class Prompt(NamedTuple):
    """`system`, then `turns`, then the `message`. `call_model` False: strict, and there is nothing to answer from."""

    system: str
    turns: tuple[Turn, ...]
    message: str
    parts: tuple[Part, ...]
    evidence: Answer | None
    sources: tuple[Source, ...]
    trace: Trace
    handoff: bool
    call_model: bool
