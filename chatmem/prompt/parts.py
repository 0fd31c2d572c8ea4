"""What a prompt consists of, and the account of what did not fit. Values, and the one rule for cutting a text. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

Count = Callable[[str], int]

MARK = "…"
# Who speaks in a source.
COMPANY, CUSTOMER = "company", "customer"
# The kind of a source that is a fact about the customer.
FACT = "fact"


class Turn(NamedTuple):
    """A message of a conversation. `reference` to the archive, or ""; `outdated`: what its writer replaced since."""

    role: str
    content: str
    reference: str = ""
    outdated: tuple[str, ...] = ()


class Rewritten(NamedTuple):
    """The query for a message.

    `how`: `none` (the message stands alone), `rule` or `model`; `note`: why a model was not used, or "".
    """

    query: str
    how: str
    note: str = ""


class Source(NamedTuple):
    """A text that an answer may rest on. `speaker`: who says it, the company's side or the customer."""

    kind: str
    name: str
    speaker: str
    text: str


class Dropped(NamedTuple):
    """What was left out or cut, and why."""

    what: str
    why: str


class Part(NamedTuple):
    """`text` as it stands in the prompt; sizes are its own. `limit`s None where there is none."""

    name: str
    text: str
    characters: int
    tokens: int
    loaded: int = 0
    kept: int = 0
    max_characters: int | None = None
    max_tokens: int | None = None
    dropped: tuple[Dropped, ...] = ()


def part(
    name: str,
    text: str,
    count: Count,
    loaded: int,
    kept: int,
    dropped: Sequence[Dropped] = (),
    max_characters: int | None = None,
    max_tokens: int | None = None,
) -> Part:
    return Part(name, text, len(text), count(text), loaded, kept, max_characters, max_tokens, tuple(dropped))


def cut(text: str, characters: int) -> str:
    """At most so many characters, ended by a mark if any are missing; never inside what is seen as one character."""
    if len(text) <= characters:
        return text
    if characters < len(MARK):
        return ""
    import regex  # type: ignore[import-untyped]

    kept = ""
    room = characters - len(MARK)
    # What is one character on a screen may be many here: a family of emoji, a letter and its accents.
    for match in regex.finditer(r"\X", text[: room + 64]):
        if match.end() > room:
            break
        kept = text[: match.end()]
    word = kept.rstrip()
    space = max(word.rfind(" "), word.rfind("\n"))
    if space > 0.8 * room and not text[len(word) : len(word) + 1].isspace():
        word = word[:space].rstrip()
    return word + MARK
