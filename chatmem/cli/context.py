"""What every verb needs from its surroundings: the store, the settings, the clock, the scope, the output form."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

from chatmem import config
from chatmem.archive.scope import Scope
from chatmem.archive.store import Store
from chatmem.cli.options import Color, Format
from chatmem.errors import UsageError
from chatmem.model import Role
from chatmem.render.sink import Sink
from chatmem.render.view import Form, View

if TYPE_CHECKING:
    from chatmem.evidence.budget import Size
    from chatmem.prompt.parts import Turn
    from chatmem.tokens import Counter


def store(settings: config.Settings | None = None) -> Store:
    return Store(config.data_home(), (settings or config.load()).lock_wait_seconds)


def counter() -> Counter:
    from chatmem.tokens import Counter

    return Counter(config.cache_home())


def view(
    sink: Sink, settings: config.Settings, chosen: Format, json: bool, jsonl: bool, color: Color, null: bool = False
) -> View:
    """How to print: as the flags say, else rich on a terminal and plain in a pipe."""
    form = _form(chosen, json, jsonl, null) or ("rich" if sink.is_terminal() else "plain")
    return View(form, color, config.zone(settings.timezone) if form == "rich" else UTC)


def _form(chosen: Format, json: bool, jsonl: bool, null: bool) -> Form | None:
    """The form that flags name. Raises UsageError for two different ones."""
    named: list[Form] = [form for form, given in _flags(json, jsonl, null) if given]
    if chosen != "auto":
        named.append(chosen)
    if len(set(named)) > 1:
        raise UsageError(f"{named[0]} and {named[1]} output exclude each other", "choose one")
    return named[0] if named else None


def _flags(json: bool, jsonl: bool, null: bool) -> tuple[tuple[Form, bool], ...]:
    return ("json", json), ("jsonl", jsonl), ("null", null)


class Clock:
    """The present and the reader's zone, and how to read a time with them. `now`: the flag that fixes the clock."""

    def __init__(self, settings: config.Settings, now: str | None = None) -> None:
        self.now = config.now() if now is None else config.fixed_time(now, "--now ")
        self._zone = settings.timezone

    @cached_property
    def zone(self) -> tzinfo:
        return config.zone(self._zone)

    def moment(self, text: str) -> datetime | None:
        from chatmem.search.dates import moment

        return moment(text, self.now, self.zone)

    def required(self, text: str | None, flag: str) -> datetime | None:
        """The time that a flag gives. Raises UsageError if it makes no sense."""
        if text is None:
            return None
        at = self.moment(text)
        if at is None:
            raise UsageError(f"{flag} {text!r} is not a time", "write it like 2025-03, 2025-03-14 or 'last week'")
        return at


def scope(
    users: list[str] | None,
    agents: list[str] | None,
    projects: list[str] | None,
    sources: list[str] | None,
    here: Store | None = None,
    subagents: bool = False,
) -> Scope:
    """The owner's default scope is the whole archive; flags narrow it. `here`: to the current directory's project."""
    named = tuple(projects or ())
    if here:
        from chatmem import recall

        with here.reading() as connection:
            named += (recall.project_here(connection, Path(config.utf8(str(Path.cwd())))),)
    return Scope(
        users=tuple(users or ()),
        agents=tuple(agents or ()),
        projects=named,
        sources=tuple(sources or ()),
        subagents=subagents,
    )


def ids(named: list[str] | None) -> list[str] | None:
    """Ids and references as given; `-` stands for one per line (or NUL) on standard input. None if none was named."""
    import sys

    if not named:
        return None
    found: list[str] = []
    for name in named:
        if name == "-":
            text = sys.stdin.buffer.read().decode("utf-8", "replace")
            found += [i for i in text.replace("\0", "\n").split("\n") if i.strip()]
        else:
            found.append(name)
    return [i.split("\t", 1)[0].strip() for i in found]


def utf8(named: list[str] | None) -> tuple[str, ...]:
    return tuple(map(config.utf8, named or ()))


def size(form: Form, counter: Counter, max_tokens: int | None, verb: Literal["recent", "search"], by: str = "") -> Size:
    """How results are measured: whoever gives a bound means all that is printed, by default excerpts and headings."""
    from chatmem.evidence.budget import COUNTED

    if max_tokens is None or form == "rich":
        return COUNTED
    from chatmem.render import as_json, as_plain
    from chatmem.render.size import JsonSize, LineSize

    if form in ("json", "jsonl"):
        document = as_json.answer if verb == "search" else as_json.page
        return JsonSize(counter, lambda e: as_json.result(e, by == "message"), document if form == "json" else None)
    if form == "null":
        return LineSize(counter, as_plain.refs)
    return LineSize(counter, as_plain.search_rows if verb == "search" else as_plain.recent_rows)


def again(*flags: tuple[str, list[str] | str | int | bool | None]) -> list[str]:
    """The words of a command line with these flags."""
    words: list[str] = []
    for flag, given in flags:
        if given is True:
            words.append(flag)
        else:
            values = given if isinstance(given, list) else [given] if given else []
            words += [word for value in values for word in (flag, str(value))]
    return words


def roles(named: list[str] | None) -> tuple[str, ...]:
    """The roles asked for. Raises UsageError for one that does not exist."""
    for name in named or ():
        if name not in get_args(Role):
            raise UsageError(f"unknown role {name!r}", f"--role takes {', '.join(get_args(Role))}")
    return tuple(named or ())


def lines(path: str) -> Iterator[str]:
    """The lines of a file, or of standard input for `-`."""
    import sys

    if path == "-":
        yield from _lines(sys.stdin)
        return
    try:
        with Path(path).open(encoding="utf-8", errors="replace", newline="\n") as file:
            yield from _lines(file)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "give a file of JSON lines, or -") from error


def _lines(text: Iterator[str]) -> Iterator[str]:
    """A byte order mark, as some shells put in front, is no part of the first line."""
    for number, line in enumerate(text):
        yield line if number else line.removeprefix("\ufeff")


def text_of(path: str) -> str:
    """The text of a file, or of standard input for `-`, without what is no Unicode."""
    import sys

    try:
        raw = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "give a file, or - for standard input") from error
    return raw.decode("utf-8-sig", "replace")


def conversation(path: str) -> tuple[Turn, ...]:
    from chatmem.prompt.conversation import parse

    return tuple(parse(text_of(path)))
