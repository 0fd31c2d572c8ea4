"""Ranked units in, bounded cited excerpts out.

A result has one budget of tokens for all its excerpts. The best message comes first; then its counterpart (the answer
to a question, or the question of an answer), because a match is half of what was said; then the next best units.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from chatmem.archive import keys, read
from chatmem.archive.read import ChatRow, MessageRow
from chatmem.evidence import redact
from chatmem.evidence.answer import Evidence, Excerpt, Score
from chatmem.evidence.budget import Bounds
from chatmem.evidence.cite import heading, reference
from chatmem.evidence.excerpt import Piece, Window, excerpt, window
from chatmem.evidence.matches import MEANING, Asked, Finder, Span
from chatmem.search import references
from chatmem.search.hits import Hit, Passage
from chatmem.search.run import Found
from chatmem.tokens import Count, Counter

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# The share of a result's budget that its first excerpt may use when there are others to show.
FIRST_SHARE = 0.6
# What a passage that means the same as the question weighs beside one that has all its words; and how much of it, in
# characters, an excerpt should hold.
MEANING_SHARE, MEANING_REACH = 0.5, 300
# Messages of one unit that are looked through for places; of more, those that promise most.
MESSAGES_PER_UNIT = 40


class Candidate(NamedTuple):
    """A message with the places of the question's words in it and of what is near it in meaning, and their weight."""

    message: MessageRow
    found: tuple[Span, ...] = ()
    weight: float = 0.0

    @property
    def worded(self) -> bool:
        """Whether it has a word of the question."""
        return any(span.slot > MEANING for span in self.found)


class Chosen(NamedTuple):
    """One result before it is quoted: its chat, the messages to quote, best first, and the unit it was ranked by."""

    chat: ChatRow
    quoted: Sequence[Candidate]
    hit: Hit | None = None


def by_chat(connection: DuckDBPyConnection, found: Found, hits: Sequence[Hit], limit: int) -> list[Chosen]:
    """One result per chat, in order of its best unit; chats that the query names come first."""
    named = {r.chat_no: r for r in found.direct}
    units: dict[int, list[Hit]] = {no: [] for no in named}
    for hit in hits:
        units.setdefault(hit.chat_no, []).append(hit)
    chosen = dict(list(units.items())[:limit])
    rows = read.chats(connection, list(chosen))
    texts = _unit_messages(connection, chosen)
    openings = _openings(connection, [r for r in found.direct if r.chat_no in chosen])
    finder = _finder(found)
    picked = [
        Chosen(
            rows[no],
            [*openings.get(no, ()), *_pick([_candidates(texts.get(h.unit_key, ()), finder, found) for h in mine])],
            mine[0] if mine else None,
        )
        for no, mine in chosen.items()
    ]
    return [c._replace(quoted=_distinct(c.quoted)) for c in picked]


def by_message(connection: DuckDBPyConnection, found: Found, hits: Sequence[Hit], limit: int) -> list[Chosen]:
    """One result per message: of each unit the best, and every other one that has words of the question.

    With a phrase only those that hold it. A further message has its share of the unit's score.
    """
    wanted = list(hits[:limit])
    grouped: dict[int, list[Hit]] = {r.chat_no: [] for r in found.direct}
    for hit in wanted:
        grouped.setdefault(hit.chat_no, []).append(hit)
    rows = read.chats(connection, list(grouped))
    texts = _unit_messages(connection, grouped)
    finder = _finder(found)
    openings = _openings(connection, found.direct)
    picked = [Chosen(rows[no], [candidate]) for no, mine in openings.items() for candidate in mine[:1]]
    holding = found.conditions.messages
    for hit in wanted:
        candidates = _candidates(texts.get(hit.unit_key, ()), finder, found)
        chosen = candidates if holding is None else [c for c in candidates if c.message.message_key in holding]
        chosen = chosen or candidates[:1]
        picked += [Chosen(rows[hit.chat_no], [best], hit) for best in chosen[:1]]
        for other in chosen[1:]:
            if other.worded:
                part = hit._replace(score=hit.score * (other.weight / candidates[0].weight))
                picked.append(Chosen(rows[hit.chat_no], [other], part))
    picked.sort(key=lambda c: -c.hit.score if c.hit else -math.inf)
    once = {c.quoted[0].message.message_key: c for c in reversed(picked)}
    kept = [c for c in picked if once.get(c.quoted[0].message.message_key) is c]
    return kept[:limit]


def opening_and_latest(connection: DuckDBPyConnection, rows: Sequence[ChatRow], quoted: bool = True) -> list[Chosen]:
    """For chats listed by time: how each began and its latest exchange."""
    found = read.ends(connection, [r.chat_no for r in rows]) if quoted else {}
    return [Chosen(row, [Candidate(m) for m in found.get(row.chat_no, ())]) for row in rows]


def quote(
    chosen: Sequence[Chosen], bounds: Bounds, max_tokens: int, counter: Counter | None, reveal: bool = False
) -> list[Evidence]:
    """The results with their excerpts; `tokens` of a result counts its heading too.

    Without a `counter` there are no excerpts. Secrets are masked unless they are to be revealed.
    """
    if not reveal:
        chosen = [_safe(one, bounds) for one in chosen]
    if counter is None:
        return [Evidence(rank, one.chat, ()) for rank, one in enumerate(chosen, 1)]
    chosen = [one._replace(quoted=one.quoted[: bounds.excerpts]) for one in chosen]
    headings = [heading(c.chat, [q.message for q in c.quoted]) for c in chosen]
    regions = [[window(q.message.text, q.found, bounds.excerpt_tokens) for q in c.quoted] for c in chosen]
    count = counter.within(
        (*headings, *(q.message.text[slice(*w)] for c, ws in zip(chosen, regions, strict=True)
                      for q, w in zip(c.quoted, ws, strict=True)))
    )  # fmt: skip
    made = []
    for rank, (one, around, places) in enumerate(zip(chosen, headings, regions, strict=True), 1):
        # A line feed for each line.
        spent = count(around) + len(one.quoted) + 1
        excerpts = _quote(one, places, min(bounds.excerpt_tokens, max_tokens - spent), count)
        score = _score(one.hit) if one.hit else None
        made.append(Evidence(rank, one.chat, excerpts, score, spent + sum(e.tokens for e in excerpts)))
    return made


def _safe(one: Chosen, bounds: Bounds) -> Chosen:
    quoted = []
    for candidate in one.quoted[: bounds.excerpts]:
        region = window(candidate.message.text, candidate.found, bounds.excerpt_tokens)
        message, found = redact.part(candidate.message, candidate.found, *region)
        quoted.append(candidate._replace(message=message, found=found))
    return one._replace(chat=redact.title(one.chat), quoted=quoted)


def _score(hit: Hit) -> Score:
    return Score(hit.score, hit.own, hit.context, hit.chat, hit.author_factor, hit.meaning, hit.cosine)


def _finder(found: Found) -> Finder:
    slots = found.lookup.slots
    spellings = {spelling: i for i, slot in enumerate(slots) for spelling in slot.spellings}
    return Finder(Asked(spellings, found.ranking.idf, found.query.phrases))


def _unit_messages(connection: DuckDBPyConnection, chosen: Mapping[int, Sequence[Hit]]) -> dict[int, list[MessageRow]]:
    units = [h.unit_key for mine in chosen.values() for h in mine]
    rows = read.messages_of_units(connection, [no for no, mine in chosen.items() if mine], units)
    return {unit: list(group) for unit, group in groupby(rows, lambda m: keys.unit_of(m.message_key))}


def _openings(connection: DuckDBPyConnection, named: Sequence[references.Reference]) -> dict[int, list[Candidate]]:
    """What to quote of chats that the query names: the message it names, else how the chat began and its latest end."""
    ends = read.ends(connection, [r.chat_no for r in named if r.n is None])
    found = {r.chat_no: [Candidate(m) for m in ends.get(r.chat_no, ())] for r in named}
    for one in named:
        if one.n is not None and (unit := references.unit(connection, one)) is not None:
            held = read.messages_of_units(connection, [one.chat_no], [unit])
            found[one.chat_no] = [Candidate(m) for m in held if m.n == one.n]
    return found


def _candidates(messages: Sequence[MessageRow], finder: Finder, found: Found) -> list[Candidate]:
    """The messages of a unit that may be quoted, best first: most of what was asked, then most places, then order."""
    roles = found.conditions.roles
    allowed = [m for m in messages if not roles or m.role in roles]
    if len(allowed) > MESSAGES_PER_UNIT:
        allowed = sorted(allowed, key=lambda m: (-finder.promise(m.text), m.position))[:MESSAGES_PER_UNIT]
    made = []
    total = sum(found.ranking.idf.values()) or 1.0
    near = _near(found)
    for message in allowed:
        places = finder.spans(message.text)
        weight = sum({s.slot: s.weight for s in places}.values())
        passages = near.get(message.message_key, ())
        places += [_meant(passage, total, len(message.text)) for passage in passages if passage.cosine > 0]
        weight += MEANING_SHARE * total * max((p.cosine for p in passages), default=0.0)
        made.append(Candidate(message, tuple(sorted(places)), weight))
    return sorted(made, key=lambda c: (-c.weight, -len(c.found), c.message.position))


def _near(found: Found) -> dict[int, list[Passage]]:
    """message_key -> its passages whose cosine is known."""
    near: dict[int, list[Passage]] = {}
    for passage in found.meaning.known:
        near.setdefault(passage.message_key, []).append(passage)
    return near


def _meant(passage: Passage, total: float, length: int) -> Span:
    """The beginning of a passage as a place to quote."""
    stop = min(passage.stop, passage.start + MEANING_REACH, length)
    return Span(min(passage.start, stop), stop, MEANING - passage.start, MEANING_SHARE * total * passage.cosine)


def _pick(groups: Sequence[list[Candidate]]) -> list[Candidate]:
    """Best message, its counterpart of the other side, then the best of the next units."""
    picked: list[Candidate] = []
    if groups and groups[0]:
        best = groups[0][0]
        others = [c for c in groups[0][1:] if c.message.role != best.message.role]
        # Where no reply has a word of the question, the last of them tells how it ended.
        worded = [c for c in others if c.worded] or sorted(others, key=lambda c: -c.message.position)
        picked = [best, *worded[:1]]
    for group in groups[1:]:
        picked += [c for c in group[:1] if c.weight]
    return picked


def _distinct(picked: Iterable[Candidate]) -> list[Candidate]:
    return list({c.message.message_key: c for c in reversed(list(picked))}.values())[::-1]


def _quote(one: Chosen, places: Sequence[Window], room: int, count: Count) -> tuple[Excerpt, ...]:
    """Excerpts of the chosen messages within one budget of tokens."""
    quoted: list[Excerpt] = []
    left = max(0, room)
    for i, (candidate, place) in enumerate(zip(one.quoted, places, strict=True)):
        share = int(left * FIRST_SHARE) if i + 1 < len(one.quoted) else left
        piece = excerpt(candidate.message.text, candidate.found, share, count, place)
        if piece.text:
            left -= piece.tokens
            quoted.append(_excerpt(one.chat, candidate, piece))
    return tuple(quoted)


def _excerpt(chat: ChatRow, candidate: Candidate, piece: Piece) -> Excerpt:
    message = candidate.message
    shift = piece.lead - piece.start
    inside = [s for s in candidate.found if piece.start <= s.start < piece.end and s.slot > MEANING]
    marked = _merged((s.start + shift, min(s.end, piece.end) + shift) for s in inside)
    return Excerpt(
        ref=reference(chat, message),
        message_id=message.message_id,
        role=message.role,
        author=message.author,
        created_at=message.created_at,
        text=piece.text,
        tokens=piece.tokens,
        matched=tuple(dict.fromkeys(piece.text[start:end] for start, end in marked)),
        spans=marked,
        hidden=message.hidden,
        branch=message.branch,
    )


def _merged(inside: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Places that overlap (bigrams, the words of a phrase) as one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(inside):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return tuple(merged)
