"""CSV and TSV tables of messages, one row a message (formats.md 7.4).

Rows of many conversations interleave, so the file is grouped before anything leaves. Two things are decided once for a
file: which way its times run, and whether 03/04 is a day in March or April. Ids never come from a row's position.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from chatmem.model import Chat, Hidden, Message, Note, Origin, Record, Role, Skipped
from chatmem.readers import _written_dates as dates
from chatmem.readers import clean
from chatmem.readers._csv_columns import FALSE, YES, Layout, layout, role_word
from chatmem.readers._csv_rows import Row, rows
from chatmem.readers._decode import beginning, encoding, head, open_text
from chatmem.readers._grouping import Direction, Grouped, in_order
from chatmem.readers.base import NO, Claim, Level, Peek, ReadOptions
from chatmem.readers.unpack import Source

name = "csv"

_HEAD = 1 << 16
_CLOCK = re.compile(r"\d{1,2}:\d{2}.*")
_NOTES = {"note", "internal_note", "internal note", "private", "internal", "private_note"}


def sniff(peek: Peek) -> Claim:
    if peek.shape not in ("text", "jsonl", "binary"):
        return NO
    found = layout(beginning(peek))
    if found is None:
        return NO
    kinds = [meaning for meaning in ("conversation", "time", "role", "author", "text") if found.columns[meaning]]
    return Claim(Level.GENERIC, f"a table with {', '.join(kinds)}")


def read(sources: Sequence[Source], options: ReadOptions) -> Iterator[Record]:
    for source in sources:
        start = head(source, _HEAD)
        found = layout(start.decode(encoding(start), "replace").removeprefix("\ufeff"))
        if found is None:
            yield Skipped(source.where(), "no header that names a text and a role or an author")
        else:
            yield from _Table(source, found, options).read()


class _Said(NamedTuple):
    """A row that was understood."""

    line: int
    cells: list[str]
    at: datetime | None


class _Table:
    """One file: collected, then read a conversation at a time."""

    def __init__(self, source: Source, found: Layout, options: ReadOptions) -> None:
        self.source, self.layout, self.zone = source, found, options.timezone
        self.order: dates.Order = options.date_order
        self.slashed = False
        # Threads of which no row with a text was met.
        self.blank: set[str] = set()
        self.encoding = "utf-8"
        self.unknown: Counter[str] = Counter()
        self.unread: Counter[str] = Counter()

    def read(self) -> Iterator[Record]:
        with Grouped() as grouped:
            yield from self._collect(grouped)
            if self.slashed:
                times = (self._time(cells) for _, (_, cells) in grouped.arrived())
                self.order = dates.order_of(times, self.zone) or self.order
            direction = self._direction(grouped)
            for key, found in grouped.groups():
                self.blank.discard(key)
                said = (_Said(line, cells, self._at(cells)) for line, cells in found)
                yield self._chat(key, in_order(((row.at, row) for row in said), direction))
        for key in sorted(self.blank):
            yield Chat(name, key, (), Origin(self.source.path, self.source.member))
        yield from self._notes()

    def _collect(self, grouped: Grouped) -> Iterator[Record]:
        with open_text(self.source) as stream:
            self.encoding = stream.encoding
            for row in rows(stream, self.layout.dialect):
                if row.line <= self.layout.begin:
                    continue
                cells, reason = self._fitted(row)
                if row.damage or reason:
                    yield Skipped(self.source.where(f"line {row.line}"), row.damage or reason)
                if cells and not self.layout.value(cells, "text"):
                    self.blank |= {self.layout.value(cells, "conversation")} - {""}
                elif cells:
                    grouped.add(self.layout.value(cells, "conversation"), [row.line, cells])
                    self.slashed = self.slashed or dates.ambiguous(self._time(cells)) is not None

    def _direction(self, grouped: Grouped) -> int:
        direction = Direction()
        for key, (_, cells) in grouped.arrived():
            at = self._at(cells)
            direction.see(key, at)
            if at is None and (text := self._time(cells)):
                self.unread[text if not self.unread else "…"] += 1
        return direction.sign

    def _fitted(self, row: Row) -> tuple[list[str], str]:
        """The cells under their header, or none and why not."""
        width, cells = self.layout.width, row.cells
        texts = [place for _, place in self.layout.columns["text"]]
        over = cells[width:]
        if any(over) and texts == [width - 1]:
            cells = [*cells[: width - 1], self.layout.dialect.delimiter.join(cells[width - 1 :])]
        elif any(over):
            return [], f"{len(cells)} cells under {width} headings"
        if len(cells) <= min(texts):
            return [], f"{len(cells)} cells under {width} headings, none of them text"
        return [clean.text(cell) for cell in cells[:width]], ""

    def _time(self, cells: list[str]) -> str:
        """The cell that tells the time; a clock in one column joins the date in another."""
        found = self.layout.cells(cells, "time")
        best = found[0][1] if found else ""
        if len(found) > 1 and _CLOCK.fullmatch(best):
            return f"{dict(found).get('date', '')} {best}"
        return best

    def _at(self, cells: list[str]) -> datetime | None:
        return dates.moment(self._time(cells), self.zone, self.order)

    def _chat(self, key: str, said: list[_Said]) -> Chat:
        value, messages = self.layout.value, [self._message(row) for row in said]
        first = next((m for m in messages if m.role == "user" and m.hidden is None), messages[0])
        stamp = first.created_at.replace(microsecond=0) if first.created_at else None
        return clean.complete(
            Chat(
                source=name,
                native_id=key or clean.digest(" ".join(first.text.split()), stamp),
                messages=tuple(messages),
                origin=Origin(self.source.path, self.source.member),
                title=self._first(said, "title"),
                project_name=self._first(said, "project"),
                project_id=self._first(said, "project"),
                user_id=self._person("user", said, messages),
                agent_id=self._person("assistant", said, messages),
                model=next((m.model for m in messages if m.model), None) or value(said[0].cells, "model") or None,
                source_url=self._first(said, "link"),
            )
        )

    def _first(self, said: list[_Said], meaning: str) -> str | None:
        return next((found for row in said if (found := self.layout.value(row.cells, meaning))), None)

    def _person(self, role: Role, said: list[_Said], messages: list[Message]) -> str | None:
        """Who the thread belongs to or who answers it: by their own column, else by who speaks; people before bots."""
        meaning = "customer" if role == "user" else "agent"
        spoken = [(row, m) for row, m in zip(said, messages, strict=True) if m.role == role and m.hidden is None]
        spoken.sort(key=lambda pair: "bot" in [word.lower() for _, word in self.layout.cells(pair[0].cells, "role")])
        if named := self._first([row for row, _ in spoken], meaning) or self._first(said, meaning):
            return named
        told = any(self.layout.columns[kind] for kind in ("role", "customer", "agent"))
        return next((m.author for _, m in spoken if m.author), None) if told else None

    def _message(self, row: _Said) -> Message:
        value, cells = self.layout.value, row.cells
        role = self._role(cells)
        own = {"user": "customer", "assistant": "agent"}.get(role or "", "author")
        author = value(cells, "author") or value(cells, own) or None
        text = self.layout.body(cells)
        return Message(
            message_id=value(cells, "id") or clean.digest(role, author, row.at, text),
            role=role or "tool",
            text=text,
            author=author,
            model=value(cells, "model") or None if role == "assistant" else None,
            created_at=row.at,
            hidden=self._hidden(role, cells),
            pointer=f"line {row.line}",
        )

    def _role(self, cells: list[str]) -> Role | None:
        if self.layout.columns["role"]:
            words = self.layout.cells(cells, "role")
            role = next((role for column, word in words if (role := role_word(word, column))), None)
            if role is None:
                self.unknown[words[0][1] if words else ""] += 1
            return role
        author, agent = self.layout.value(cells, "author"), self.layout.value(cells, "agent")
        if agent and (author == agent or not (author or self.layout.value(cells, "customer"))):
            return "assistant"
        # Without a role column the speakers are people, except those who call themselves otherwise.
        return clean.role(author) or "user"

    def _hidden(self, role: Role | None, cells: list[str]) -> Hidden | None:
        if role in (None, "tool"):
            return "tool"
        if role == "system":
            return "system"
        flags = {kind: self.layout.value(cells, kind).lower() for kind in ("private", "public", "type")}
        private = flags["private"] in YES or flags["public"] in FALSE or flags["type"] in _NOTES
        return "note" if private else None

    def _notes(self) -> Iterator[Note]:
        place = self.source.where()
        for word, count in self.unknown.items():
            yield Note(place, f"rows of {f'the role {word[:40]!r}' if word else 'no role'} kept hidden: {count}")
        if self.unread:
            example = next(iter(self.unread))[:40]
            unclear = self.slashed and self.order is None
            ask = "is the day first or the month? import it with --date-order day or month"
            why = ask if unclear else "not understood"
            yield Note(place, f"times left unknown, such as {example!r}: {self.unread.total()} ({why})")
        if self.encoding == "cp1252":
            yield Note(place, "not UTF-8; read as Windows-1252")
