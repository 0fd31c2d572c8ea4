"""Many searches in one process: JSON lines in, one answer per line out, in order."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from chatmem import recall
from chatmem.archive.scope import Scope
from chatmem.archive.store import Store
from chatmem.config import Settings
from chatmem.errors import ChatmemError, RefusedError, UsageError
from chatmem.evidence.answer import Answer
from chatmem.evidence.budget import COUNTED, Size
from chatmem.model import Role
from chatmem.recall import Lookup
from chatmem.search.references import cleaned
from chatmem.tokens import Counter

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SCOPE_FIELDS = {"user": "users", "customer": "users", "agent": "agents", "project": "projects", "source": "sources"}
_CHATS = ("in", "not_in")
_TIMES = ("after", "before")
_NUMBERS = {"limit": (1, 100), "max_tokens": (1, 10_000_000)}
_FLAGS = ("hidden", "branches")
_NAMES = ("query", "id", *_SCOPE_FIELDS, *_CHATS, *_TIMES, *_NUMBERS, "role", "by", *_FLAGS)


def answers(
    store: Store,
    ask: Lookup,
    lines: Iterable[str],
    settings: Settings,
    counter: Counter,
    size: Size = COUNTED,
    hold: float = 0.0,
) -> Iterator[tuple[Any, Answer | ChatmemError]]:
    """(id or None, answer) of every line, or what is wrong with it. A line can only narrow the command line's scope.

    `size` measures the answers of lines that say how large they may be. The archive stays open for one answer, or for
    `hold` seconds where lines need not be waited for: imports go on.
    """
    ready: list[tuple[Any, Answer | ChatmemError]] = []
    with _Opened(store, hold) as opened:
        for one in _answers(opened, ask, lines, settings, counter, size):
            ready.append(one)
            # Nobody knows how long the reader of an answer takes.
            if not opened.is_open():
                yield from ready
                ready.clear()
    yield from ready


class _Opened:
    """The archive, opened anew whenever it was open for long enough."""

    def __init__(self, store: Store, hold: float) -> None:
        self._store = store
        self._hold = hold
        self._since = 0.0
        self._stack = ExitStack()
        self._connection: DuckDBPyConnection | None = None

    def __enter__(self) -> _Opened:
        return self

    def __exit__(self, *ended: object) -> None:
        self._close()

    @contextmanager
    def reading(self) -> Iterator[DuckDBPyConnection]:
        if self._connection is None:
            self._connection = self._stack.enter_context(self._store.reading())
            self._since = time.monotonic()
        try:
            yield self._connection
        finally:
            if time.monotonic() - self._since >= self._hold:
                self._close()

    def is_open(self) -> bool:
        return self._connection is not None

    def _close(self) -> None:
        self._connection = None
        self._stack.close()


def _answers(
    opened: _Opened, ask: Lookup, lines: Iterable[str], settings: Settings, counter: Counter, size: Size
) -> Iterator[tuple[Any, Answer | ChatmemError]]:
    import json

    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        given = None
        try:
            asked = json.loads(line, parse_constant=_no_number)
            if not isinstance(asked, dict) or not isinstance(asked.get("query"), str):
                raise UsageError("no query", 'write {"query": "…"}')
            given = asked.get("id")
            wanted = _lookup(ask, asked, size)
            with opened.reading() as connection:
                answer: Answer | ChatmemError = recall.search_chats(connection, wanted, settings, counter)
        except (ValueError, RecursionError) as error:
            answer = _named(number, UsageError(f"not JSON ({error})", 'write {"query": "…"}'))
        except (UsageError, RefusedError) as error:
            answer = _named(number, error)
        yield given, answer


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


def _named(number: int, error: ChatmemError) -> ChatmemError:
    return type(error)(f"line {number} of the batch: {error.what}", error.next_step)


def _lookup(ask: Lookup, asked: dict[str, Any], size: Size) -> Lookup:
    changes: dict[str, Any] = {"text": asked["query"]}
    narrowed: dict[str, Any] = {}
    for name, value in asked.items():
        if name in ("query", "id") or value is None or value == "":
            continue
        if name in _SCOPE_FIELDS:
            narrowed[_SCOPE_FIELDS[name]] = _strings(name, value)
        elif name in _CHATS:
            chats = _strings(name, value)
            changes |= {"inside": (*ask.inside, chats)} if name == "in" else {"without": (*ask.without, *chats)}
        elif name in _TIMES:
            narrowed[name] = ask.moment(str(value))
            if narrowed[name] is None:
                raise UsageError(f"{name} {value!r} is not a time", "write 2025-03-14")
        elif name in _NUMBERS:
            low, high = _NUMBERS[name]
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise UsageError(f"{name} is not a number from {low} to {high}", "correct it")
            changes[name] = value
            if name == "max_tokens":
                changes["size"] = size
        elif name == "role":
            changes["roles"] = _roles(value)
        elif name in _FLAGS and isinstance(value, bool):
            changes[name] = value
        elif name == "by" and value in ("chat", "message"):
            changes["by"] = value
        else:
            hint = "correct it" if name in _NAMES else f"a line may have {', '.join(_NAMES)}"
            raise UsageError(f"cannot use {name} = {value!r}"[:200], hint)
    return ask._replace(**changes, also=replace(Scope(), **narrowed))


def _roles(value: Any) -> tuple[str, ...]:
    roles, known = _strings("role", value), get_args(Role)
    if unknown := [role for role in roles if role not in known]:
        raise UsageError(f"unknown role {unknown[0]!r}", f"role is {', '.join(known)}")
    return roles


def _strings(name: str, value: Any) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(v, str) for v in values):
        raise UsageError(f"{name} must be text", "correct it")
    return tuple(map(cleaned, values))
