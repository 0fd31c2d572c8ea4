"""Many searches in one process: JSON lines in, one answer per line out, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from chatmem import recall
from chatmem.config import Settings
from chatmem.errors import UsageError
from chatmem.evidence.answer import Answer
from chatmem.model import Role
from chatmem.recall import Lookup
from chatmem.tokens import Counter

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SCOPE_FIELDS = {"user": "users", "customer": "users", "agent": "agents", "project": "projects", "source": "sources"}
_TIMES = ("after", "before")
_NUMBERS = {"limit": (1, 100), "max_tokens": (1, 10_000_000)}
_FLAGS = ("hidden", "branches")


def answers(
    connection: DuckDBPyConnection, ask: Lookup, lines: Iterable[str], settings: Settings, counter: Counter
) -> Iterator[tuple[Any, Answer]]:
    """(id or None, answer) of every line. A line's own filters replace those of the command line.

    Raises UsageError naming the line that makes no sense.
    """
    import json

    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            asked = json.loads(line)
        except ValueError as error:
            raise UsageError(f"line {number} of the batch is not JSON ({error})", 'write {"query": "…"}') from error
        if not isinstance(asked, dict) or not isinstance(asked.get("query"), str):
            raise UsageError(f"line {number} of the batch has no query", 'write {"query": "…"}')
        yield asked.get("id"), recall.search_chats(connection, _lookup(ask, asked, number), settings, counter)


def _lookup(ask: Lookup, asked: dict[str, Any], number: int) -> Lookup:
    changes: dict[str, Any] = {"text": asked["query"]}
    narrowed: dict[str, Any] = {}
    for name, value in asked.items():
        if name in ("query", "id") or value is None or value == "":
            continue
        if name in _SCOPE_FIELDS:
            narrowed[_SCOPE_FIELDS[name]] = _strings(name, value, number)
        elif name in _TIMES:
            narrowed[name] = ask.moment(str(value))
            if narrowed[name] is None:
                raise UsageError(f"line {number} of the batch: {name} {value!r} is not a time", "write 2025-03-14")
        elif name in _NUMBERS:
            low, high = _NUMBERS[name]
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise UsageError(f"line {number} of the batch: {name} is a number from {low} to {high}", "correct it")
            changes[name] = value
        elif name == "role":
            changes["roles"] = _roles(value, number)
        elif name in _FLAGS and isinstance(value, bool):
            changes[name] = value
        elif name == "by" and value in ("chat", "message"):
            changes["by"] = value
        else:
            raise UsageError(f"line {number} of the batch: cannot use {name} = {value!r}", "see chatmem search --help")
    return ask._replace(**changes, scope=replace(ask.scope, **narrowed))


def _roles(value: Any, number: int) -> tuple[str, ...]:
    roles, known = _strings("role", value, number), get_args(Role)
    if unknown := [role for role in roles if role not in known]:
        raise UsageError(f"line {number} of the batch: unknown role {unknown[0]!r}", f"role is {', '.join(known)}")
    return roles


def _strings(name: str, value: Any, number: int) -> tuple[str, ...]:
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(v, str) for v in values):
        raise UsageError(f"line {number} of the batch: {name} must be text", "correct it")
    return tuple(values)
