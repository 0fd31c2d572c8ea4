"""The current conversation: its last messages, within characters and tokens, the newest always among them. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from chatmem.config import Settings
from chatmem.prompt.parts import Count, Dropped, Part, Turn, cut, part

NAME = "current conversation"


class Window(NamedTuple):
    """`turns` as they go into the prompt; `part` tells what they take and what was left out."""

    turns: tuple[Turn, ...]
    part: Part


def window(conversation: Sequence[Turn], settings: Settings, count: Count) -> Window:
    """The last messages; of several replies in a row the latest; then the oldest go until all limits hold.

    A message that alone is too long is cut, and says so. The newest one always stays.
    """
    loaded = list(conversation[-settings.conversation_loaded :])
    dropped: list[Dropped] = []
    _note(dropped, len(conversation) - len(loaded), f"older than the last {settings.conversation_loaded} messages")
    kept = [
        turn
        for turn, after in itertools.zip_longest(loaded, loaded[1:])
        if not (turn.role == "assistant" and after is not None and after.role == "assistant")
    ]
    _note(dropped, len(loaded) - len(kept), "an earlier reply of several in a row")
    last = kept[-settings.conversation_kept :]
    _note(dropped, len(kept) - len(last), f"older than the last {settings.conversation_kept} messages kept")
    fitting = last
    while len(fitting) > 1 and not _fits(fitting, settings, count):
        fitting = fitting[1:]
    _note(dropped, len(last) - len(fitting), _limits(settings))
    if fitting and not _fits(fitting, settings, count):
        fitting = [_cut(fitting[0], settings, count)]
        dropped.append(Dropped("the end of the newest message", _limits(settings)))
    text = _text(fitting)
    made = part(
        NAME, text, count, len(loaded), len(fitting), dropped, settings.conversation_characters,
        settings.conversation_tokens,
    )  # fmt: skip
    return Window(tuple(fitting), made)


def _text(turns: Sequence[Turn]) -> str:
    return "\n".join(turn.content for turn in turns)


def _fits(turns: Sequence[Turn], settings: Settings, count: Count) -> bool:
    text = _text(turns)
    return len(text) <= settings.conversation_characters and count(text) <= settings.conversation_tokens


def _cut(turn: Turn, settings: Settings, count: Count) -> Turn:
    """The longest beginning that fits, found by halving: fewer characters hardly ever take more tokens."""
    low, high = 0, min(len(turn.content), settings.conversation_characters)
    best = ""
    while low <= high:
        middle = (low + high) // 2
        text = cut(turn.content, middle)
        if count(text) <= settings.conversation_tokens:
            best, low = text, middle + 1
        else:
            high = middle - 1
    return turn._replace(content=best)


def _limits(settings: Settings) -> str:
    return f"more than {settings.conversation_characters:,} characters or {settings.conversation_tokens:,} tokens"


def _note(dropped: list[Dropped], messages: int, why: str) -> None:
    if messages:
        dropped.append(Dropped(f"{messages} message{'s' if messages > 1 else ''}", why))
