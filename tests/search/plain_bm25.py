"""The ranking formula once more, in plain Python over chats as values: what the SQL is compared with.

Texts must consist of words with spaces between them, so that cutting them needs no regular expression.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from chatmem.archive.tokenizer import expand, term_id
from chatmem.model import Chat, Message


@dataclass
class Unit:
    """What is ranked: frequencies per term, in its own message and in its context, and their lengths in words."""

    chat: str
    first: Message
    own: Counter[int] = field(default_factory=Counter)
    all: Counter[int] = field(default_factory=Counter)
    own_length: int = 0
    length: int = 0
    context: Counter[int] = field(default_factory=Counter)
    context_length: int = 0


@dataclass(frozen=True)
class Scored:
    chat: str
    message_id: str
    own: float
    context: float
    whole: float
    score: float


def scores(chats: Sequence[Chat], slots: Sequence[Sequence[int]], names: frozenset[str] = frozenset()) -> list[Scored]:
    """Every unit with any of the slots, unordered."""
    units = [u for chat in chats for u in _units(chat)]
    titles = {c.chat_id: _terms(c.title.split())[0] if c.title else Counter[int]() for c in chats}
    lengths = {c.chat_id: sum(u.length for u in units if u.chat == c.chat_id) for c in chats}

    def tf(terms: Counter[int], slot: Sequence[int]) -> int:
        return sum(terms[t] for t in slot)

    def mean(values: Sequence[int]) -> float:
        return max(sum(values), 1) / max(len(values), 1)

    def chat_tf(chat: str, slot: Sequence[int]) -> int:
        return sum(tf(u.all, slot) for u in units if u.chat == chat) + 2 * tf(titles[chat], slot)

    def idf(total: int, df: int) -> float:
        return math.log(1 + (total - df + 0.5) / (df + 0.5))

    def bm25(weight: float, f: int, k1: float, b: float, relative: float) -> float:
        return weight * f * (k1 + 1) / (f + k1 * (1 - b + b * relative))

    own: dict[int, float] = defaultdict(float)
    context: dict[int, float] = defaultdict(float)
    whole: dict[str, float] = defaultdict(float)
    found: set[int] = set()
    means = mean([u.own_length for u in units]), mean([u.context_length for u in units])
    chat_mean = max(sum(lengths.values()) / max(len(lengths), 1), 1)
    for slot in slots:
        own_idf = idf(len(units), sum(1 for u in units if tf(u.own, slot)))
        context_idf = idf(len(units), sum(1 for u in units if tf(u.all, slot)))
        chat_idf = idf(len(chats), sum(1 for c in chats if chat_tf(c.chat_id, slot)))
        for i, u in enumerate(units):
            own[i] += bm25(own_idf, tf(u.own, slot), 0.9, 0.4, u.own_length / means[0])
            context[i] += bm25(context_idf, tf(u.context, slot), 1.2, 0.75, u.context_length / means[1])
            if tf(u.context, slot):
                found.add(i)
        for c in chats:
            whole[c.chat_id] += bm25(chat_idf, chat_tf(c.chat_id, slot), 1.2, 0.75, lengths[c.chat_id] / chat_mean)
    quoted = {units[i].chat for i in found}
    for chat, score in whole.items():
        if score and chat not in quoted:
            # Found by its title alone: shown with its first unit.
            found.add(next(i for i, u in enumerate(units) if u.chat == chat))

    most_own = max((own[i] for i in found), default=0) or 1
    most_context = max((context[i] for i in found), default=0) or 1
    most_whole = max(whole.values(), default=0) or 1
    made = []
    for i in found:
        u = units[i]
        parts = own[i] / most_own, context[i] / most_context, whole[u.chat] / most_whole
        factor = 1.5 if names & set((u.first.author or "").lower().split()) else 1
        made.append(Scored(u.chat, u.first.message_id, *parts, factor * (parts[0] + parts[1] + 0.5 * parts[2])))
    return made


def _units(chat: Chat) -> Iterator[Unit]:
    visible = [m for m in chat.messages if m.hidden is None and m.branch == "main"]
    people = len({m.author for m in visible if m.role == "user" and m.author}) > 1
    units: list[Unit] = []
    for message in visible:
        opens = people or message.role == "user"
        if opens or not units:
            units.append(Unit(chat.chat_id, message))
        unit = units[-1]
        terms, length = _indexed(message)
        unit.all += terms
        unit.length += length
        if opens:
            unit.own, unit.own_length = terms, length
    for i, unit in enumerate(units):
        around = units[max(0, i - 2) : i + 3] if people else [unit]
        for near in around:
            unit.context += near.all
            unit.context_length += near.length
    return iter(units)


def _indexed(message: Message) -> tuple[Counter[int], int]:
    text = f"{message.author} {message.text}" if message.author else message.text
    terms, length = _terms(text.split())
    if message.created_at:
        at = message.created_at
        terms.update(term_id(t) for t in (f"@{at:%Y}", f"@m{at:%m}", f"@d{at:%d}"))
    return terms, length


def _terms(raws: Sequence[str]) -> tuple[Counter[int], int]:
    found: Counter[int] = Counter()
    length = 0
    for raw in raws:
        words, wholes = expand(raw)
        found.update(map(term_id, (*words, *wholes)))
        length += len(words)
    return found, length
