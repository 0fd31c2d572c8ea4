"""A question in, ranked units out: parse, narrow the scope, look up the words, rank.

Everything that depends on the archive happens on one read-only connection; what a word is, how scores join and what
counts as an answer are decided by the pure modules beside this one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from chatmem.archive import lexicon, read
from chatmem.archive.scope import Scope
from chatmem.archive.tokenizer import RAW_TOKEN
from chatmem.errors import ArchiveError
from chatmem.search import conditions, lexical, words
from chatmem.search.query import Query

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Mode = Literal["hybrid", "lexical", "semantic"]
By = Literal["chat", "message"]

CANDIDATES = 200
_CUT_ALL = f"""
SELECT word, regexp_extract_all(word, $re${RAW_TOKEN}$re$) FROM (SELECT unnest(?::VARCHAR[]) AS word)
"""
_COMPLETIONS = "SELECT DISTINCT text FROM term WHERE text >= ? AND text < ? ORDER BY text LIMIT 400"


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What is asked and of what. `limit`: results (chats, or messages with `by` message)."""

    query: Query
    scope: Scope
    limit: int
    by: By = "chat"
    roles: tuple[str, ...] = ()
    hidden: bool = False
    branches: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """Ranked units and what is needed to judge and quote them. `direct`: chats whose id the query is."""

    hits: list[lexical.Hit]
    slots: list[words.Slot]
    unknown: tuple[str, ...]
    scope_count: read.ScopeCount
    direct: list[int]
    phrase_messages: frozenset[int] | None = None


def search(connection: DuckDBPyConnection, request: SearchRequest) -> Found:
    """Rank the units of the scope for the query. Raises ArchiveError if the index is of another tokenizer."""
    if not lexicon.stamped(connection):
        raise ArchiveError("the word index was made by another version of chatmem", "chatmem archive reindex")
    scope_count = read.count(connection, request.scope)
    cut = _cutter(connection, request.query)
    slots = words.slots(request.query, cut, lambda prefix: _completions(connection, prefix))
    only, params = conditions.conditions(connection, request.query.phrases, request.query.without, request.roles, cut)
    ask = lexical.Ask(
        slots=[s.terms for s in slots],
        scope=request.scope,
        names=words.names(request.query, cut),
        hidden=request.hidden,
        branches=request.branches,
        messages=only,
        message_params=tuple(params),
        limit=max(CANDIDATES, 4 * request.limit),
    )
    hits = []
    if scope_count.chats:
        everything = scope_count.chats == read.total(connection) and lexicon.settled(connection)
        hits = lexical.rank(connection, ask, everything)
    met = 0
    for hit in hits:
        met |= hit.slots
    unknown = tuple(s.text for i, s in enumerate(slots) if not met >> i & 1)
    direct = [no for no, _ in _direct(connection, request)]
    holding = frozenset(k for p in params if request.query.phrases and isinstance(p, list) for k in p)
    return Found(hits, slots, unknown, scope_count, direct, holding if request.query.phrases else None)


def _cutter(connection: DuckDBPyConnection, query: Query) -> Callable[[str], list[str]]:
    """The index's own tokenizer for every piece of the query, in one call."""
    pieces = list(dict.fromkeys((*query.words, *query.phrases, *query.without)))
    table = dict(connection.execute(_CUT_ALL, [pieces]).fetchall()) if pieces else {}
    return lambda piece: list(table.get(piece, ()))


def _completions(connection: DuckDBPyConnection, prefix: str) -> Iterable[str]:
    after = prefix[:-1] + chr(ord(prefix[-1]) + 1)
    return [text for (text,) in connection.execute(_COMPLETIONS, [prefix, after]).fetchall()]


def _direct(connection: DuckDBPyConnection, request: SearchRequest) -> list[tuple[int, str]]:
    """The chats whose id, native id or reference the whole query is (a prefix must be 8 characters or more)."""
    text = request.query.text.strip()
    if len(text) < 6 or any(c.isspace() for c in text):
        return []
    name, _ = read.split_ref(text)
    found = read.find(connection, request.scope, name)
    exact = [f for f in found if name in (f[1], f[1].split(":", 1)[1])]
    return exact or (found if len(found) == 1 and len(name) >= 8 and any(c.isdigit() for c in name) else [])


def narrowed(scope: Scope, query: Query, moment: Callable[[str], datetime | None]) -> tuple[Scope, tuple[str, ...]]:
    """The scope with a query's inline filters applied, and the roles they ask for. Filters can only narrow."""
    filters = query.filters

    def both(own: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
        if not own or not more:
            return own or more
        lowered = {m.lower() for m in more}
        return tuple(o for o in own if o.lower() in lowered) or ("\x00nothing",)

    after = [t for v in filters.get("after", ()) if (t := moment(v))]
    before = [t for v in filters.get("before", ()) if (t := moment(v))]
    return (
        replace(
            scope,
            users=both(scope.users, filters.get("user", ())),
            agents=both(scope.agents, filters.get("agent", ())),
            projects=both(scope.projects, filters.get("project", ())),
            sources=both(scope.sources, filters.get("source", ())),
            after=max([*after, *([scope.after] if scope.after else [])], default=None),
            before=min([*before, *([scope.before] if scope.before else [])], default=None),
        ),
        filters.get("role", ()),
    )
