"""What is known from before: facts, and how the latest other conversations ended, within one limit. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from chatmem.config import Settings
from chatmem.facts.ledger import Fact
from chatmem.prompt.fence import QUOTE, heading, one_line, quoted, replaced
from chatmem.prompt.parts import Count, Dropped, Part, Turn, cut, part

NAME = "past interactions"
FACTS = "Known facts, as the user stated them (newest statement of each):"
PAST = (
    "Past conversations with this user. They are over: do not ask again what was answered in them, and check with the "
    "user before relying on what may have changed."
)


class PastChat(NamedTuple):
    """The last messages of an earlier chat; `day` is its date, or ""."""

    chat_id: str
    title: str
    day: str
    turns: tuple[Turn, ...]


class Block(NamedTuple):
    """The text, the facts and chats that are in it, whole or cut, and the account of both."""

    text: str
    facts: tuple[Fact, ...]
    chats: tuple[PastChat, ...]
    parts: tuple[Part, Part, Part]


def block(facts: Sequence[Fact], loaded: int, chats: Sequence[PastChat], settings: Settings, count: Count) -> Block:
    """`facts` in order of importance, of `loaded` that were looked at; `chats` the latest first.

    What does not fit goes in turn: the oldest chats, then the least important facts.
    """
    limit = settings.past_characters
    lines = [_fact(fact) for fact in facts]
    told = [_chat(chat, settings.past_chat_characters) for chat in chats]
    dropped_chats: list[Dropped] = [
        Dropped(f"part of {chat.chat_id}", f"more than {settings.past_chat_characters:,} characters")
        for chat, text in zip(chats, told, strict=True)
        if len(text) < len(_chat(chat, None))
    ]
    dropped_facts: list[Dropped] = []
    if loaded > len(facts):
        dropped_facts.append(Dropped(f"{loaded - len(facts)} facts", "others fit the message better, or say the same"))
    while told and len(_text(lines, told)) > limit:
        room = limit - len(_text(lines, [*told[:-1], ""])) if len(told) > 1 or lines else limit - len(_text([], [""]))
        short = _chat(chats[len(told) - 1], room) if room >= _LEAST else ""
        if short and len(_text(lines, [*told[:-1], short])) <= limit:
            dropped_chats.append(Dropped(f"part of {chats[len(told) - 1].chat_id}", f"{NAME}: {limit:,} characters"))
            told[-1] = short
            break
        dropped_chats.append(Dropped(chats[len(told) - 1].chat_id, f"{NAME}: {limit:,} characters"))
        told.pop()
    kept = list(facts)
    while kept and len(_text([_fact(fact) for fact in kept], told)) > limit:
        # The least important goes, unless one alone is too long.
        gone = next((f for f in kept if len(_text([_fact(f)], [])) > limit), kept[-1])
        dropped_facts.append(Dropped(gone.attribute, f"{NAME}: {limit:,} characters"))
        kept.remove(gone)
    lines = [_fact(fact) for fact in kept]
    text = _text(lines, told)
    return Block(
        text,
        tuple(kept),
        tuple(chats[: len(told)]),
        (
            part("facts", _text(lines, []), count, loaded, len(lines), dropped_facts, limit),
            part("past conversations", _text([], told), count, len(chats), len(told), dropped_chats, limit),
            part(NAME, text, count, len(facts) + len(chats), len(lines) + len(told), (), limit),
        ),
    )


# Characters of a chat below which its end is not worth showing.
_LEAST = 120


def _text(lines: Sequence[str], told: Sequence[str]) -> str:
    facts = "\n".join([FACTS, *lines]) if lines else ""
    past = "\n".join([PAST, *told]) if told else ""
    return "\n\n".join(block for block in (facts, past) if block)


def _fact(fact: Fact) -> str:
    cited = f" [{fact.reference}]" if fact.reference else " [added by hand]"
    day = f" ({fact.stated_at:%Y-%m-%d})" if fact.stated_at else ""
    return f"{QUOTE}{fact.attribute}: {one_line(fact.value)}{day}{one_line(cited) and cited}"


def _chat(chat: PastChat, limit: int | None) -> str:
    """Its heading and its last messages; with a limit the earliest of them go first, and the last one is cut."""
    head = heading(chat.chat_id, chat.day, chat.title)
    if limit is None:
        return "\n".join([head, *(_turn(turn) for turn in chat.turns)])
    if len(head) > limit // 2:
        head = cut(head, limit // 2)
    turns = [_turn(turn) for turn in chat.turns]
    while len(turns) > 1 and len("\n".join([head, *turns])) > limit:
        turns.pop(0)
    text = "\n".join([head, *turns])
    return text if len(text) <= limit else cut(text, limit)


def _turn(turn: Turn) -> str:
    return "\n".join([quoted(f"{turn.role}: {turn.content}"), *replaced(turn.outdated)])
