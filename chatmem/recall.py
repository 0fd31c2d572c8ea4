"""The look-ups as functions: one request in, one typed result out, whoever asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from chatmem.archive import read
from chatmem.archive.read import ChatRow, Cursor, MessageRow, ScopeCount
from chatmem.archive.scope import Scope
from chatmem.archive.store import Store
from chatmem.config import Settings
from chatmem.errors import NotFoundError, RefusedError, UsageError
from chatmem.evidence import gather
from chatmem.evidence.answer import Answer, Evidence, Miss, Page, Sufficiency
from chatmem.evidence.sufficiency import judge
from chatmem.model import Chat
from chatmem.search import near_misses, query, run
from chatmem.search.run import By
from chatmem.tokens import Counter

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Title, ids, times and link of a result, as every output prints them around its excerpts.
HEADER_TOKENS = 60
CURSOR_MARK = "@"
EXPORT_MESSAGES = 20_000


@dataclass(frozen=True, slots=True)
class Lookup:
    """A search as asked. `moment` reads a time; None means it makes no sense."""

    text: str
    scope: Scope
    limit: int
    max_tokens: int
    moment: Callable[[str], datetime | None]
    by: By = "chat"
    roles: tuple[str, ...] = ()
    hidden: bool = False
    branches: bool = False


def search_chats(connection: DuckDBPyConnection, ask: Lookup, settings: Settings, counter: Counter) -> Answer:
    """The answer to a search, within `max_tokens`. Raises RefusedError for a project that the scope does not know."""
    check_projects(connection, ask.scope)
    parsed = query.parse(ask.text, lambda key, value: key not in ("after", "before") or ask.moment(value) is not None)
    scope, roles = run.narrowed(ask.scope, parsed, ask.moment)
    request = run.SearchRequest(parsed, scope, ask.limit, ask.by, tuple({*ask.roles, *roles}), ask.hidden, ask.branches)
    if parsed.empty():
        return _nothing(connection, ask, scope)
    found = run.search(connection, request)
    coverage = max((h.coverage(len(found.unknown)) for h in found.hits[:10]), default=0.0)
    missed = found.phrase_messages is not None and not found.hits
    verdict = judge(coverage, len(found.slots), found.unknown, missed)
    hits = [] if verdict.level == "none" else found.hits
    if found.direct:
        verdict = Sufficiency("strong", "the query is the id of this chat")
    if not hits and not found.direct:
        suggestions = near_misses.near_misses(connection, found.unknown, scope)
        return _missed(connection, ask, scope, found.scope_count, verdict, tuple(suggestions))
    listing = gather.by_message if ask.by == "message" else gather.by_chat
    fitted = replace(settings, excerpt_tokens=_excerpt_budget(settings, ask.max_tokens))
    results = listing(connection, found, hits, ask.limit, fitted, counter)
    kept, tokens = _bounded(results, ask.max_tokens)
    unknown = found.unknown if verdict.level == "partial" else ()
    return Answer(
        query=ask.text,
        mode="lexical",
        by=ask.by,
        results=tuple(kept),
        sufficiency=verdict,
        scope=found.scope_count,
        matched=len({h.chat_no for h in hits} if ask.by == "chat" else hits),
        omitted=len(results) - len(kept),
        tokens=tokens,
        tokens_exact=counter.exact,
        did_you_mean=tuple(near_misses.near_misses(connection, unknown, scope)),
    )


def _excerpt_budget(settings: Settings, max_tokens: int) -> int:
    return max(1, min(settings.excerpt_tokens, max_tokens - HEADER_TOKENS))


def _bounded(results: Sequence[Evidence], max_tokens: int) -> tuple[list[Evidence], int]:
    """As many results as fit, in order, and their tokens."""
    kept: list[Evidence] = []
    total = 0
    for result in results:
        cost = HEADER_TOKENS + sum(e.tokens for e in result.excerpts)
        if kept and total + cost > max_tokens:
            break
        kept.append(result)
        total += cost
    return kept, total


def _nothing(connection: DuckDBPyConnection, ask: Lookup, scope: Scope) -> Answer:
    verdict = Sufficiency("none", "the query has no words to look for")
    return _missed(connection, ask, scope, read.count(connection, scope), verdict, ())


def _missed(
    connection: DuckDBPyConnection,
    ask: Lookup,
    scope: Scope,
    counted: ScopeCount,
    verdict: Sufficiency,
    suggestions: tuple[str, ...],
) -> Answer:
    miss = why_nothing(connection, scope, counted)
    reasons = {
        "empty_archive": "the archive holds no chats yet",
        "empty_scope": "no chat belongs to this user, agent or project",
        "filtered_out": "the filters leave no chat to search",
    }
    if miss in reasons:
        verdict = Sufficiency("none", reasons[miss])
    return Answer(ask.text, "lexical", ask.by, (), verdict, counted, did_you_mean=suggestions, miss=miss)


def why_nothing(connection: DuckDBPyConnection, scope: Scope, counted: ScopeCount) -> Miss:
    """Which of the four ways of finding nothing this is."""
    if counted.chats:
        return "no_match"
    owned = Scope(scope.users, scope.agents, scope.projects, subagents=scope.subagents)
    if read.count(connection, owned).chats:
        return "filtered_out"
    return "empty_scope" if read.count(connection, Scope(subagents=True)).chats else "empty_archive"


def check_projects(connection: DuckDBPyConnection, scope: Scope) -> None:
    """An unknown project and a forbidden one look the same."""
    for project in scope.projects:
        if not read.count(connection, Scope(projects=(project,), subagents=True)).chats:
            raise RefusedError(f"no access to a project {project!r}", "chatmem archive info lists the projects")


def recent_chats(
    connection: DuckDBPyConnection,
    scope: Scope,
    limit: int,
    oldest_first: bool,
    after: datetime | Cursor | None,
    before: datetime | Cursor | None,
    settings: Settings,
    counter: Counter | None,
    max_tokens: int,
) -> Page:
    """Chats by last activity with their opening and latest exchange; without a `counter` nothing is quoted."""
    check_projects(connection, scope)
    counted = read.count(connection, scope)
    rows = read.recent(connection, scope, limit + 1, oldest_first, after, before)
    fitted = replace(settings, excerpt_tokens=_excerpt_budget(settings, max_tokens))
    if counter is None:
        results = [Evidence(rank, row, ()) for rank, row in enumerate(rows[:limit], 1)]
    else:
        results = gather.opening_and_latest(connection, rows[:limit], fitted, counter)
    kept, tokens = _bounded(results, max_tokens)
    more = len(rows) > limit or len(kept) < len(results)
    miss: Miss = "" if kept else why_nothing(connection, scope, counted)
    if not kept and miss == "no_match":
        miss = "filtered_out"
    cursor = cursor_text(kept[-1].chat) if more and kept else None
    return Page(tuple(kept), counted, cursor, tokens, len(results) - len(kept), miss)


def cursor_text(row: ChatRow) -> str:
    """`<microseconds>@<chat_id>`: a place in the time order that `--before` and `--after` take."""
    from chatmem.archive.layout import micros

    return f"{micros(row.updated_at) if row.updated_at else ''}{CURSOR_MARK}{row.chat_id}"


def parse_cursor(text: str) -> Cursor | None:
    """The cursor that a text is, or None."""
    head, mark, chat_id = text.partition(CURSOR_MARK)
    if not mark or not (head == "" or head.lstrip("-").isdigit()):
        return None
    from datetime import UTC, timedelta

    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(head)) if head else None
    return Cursor(at, chat_id)


@dataclass(frozen=True, slots=True)
class Thread:
    """A chat, the messages asked for, and how many there are on either side of them. `focus`: the `n` asked for."""

    chat: ChatRow
    messages: tuple[MessageRow, ...]
    focus: int | None
    before: int
    after: int


def show_chat(connection: DuckDBPyConnection, scope: Scope, name: str, around: int | None, everything: bool) -> Thread:
    """The thread that an id, reference or unique prefix names. Raises NotFoundError with the nearest ids."""
    no, focus = resolve(connection, scope, name)
    row = read.chats(connection, [no])[no]
    stored = list(read.messages(connection, [no], visible=not everything))
    if focus is None:
        return Thread(row, tuple(stored), None, 0, 0)
    if not any(m.n == focus for m in stored):
        raise NotFoundError(f"{row.chat_id} has no message {focus}", f"it has 1 to {row.messages}")
    at = next(i for i, m in enumerate(stored) if m.n == focus)
    reach = 3 if around is None else around
    low, high = max(0, at - reach), min(len(stored), at + reach + 1)
    return Thread(row, tuple(stored[low:high]), focus, low, len(stored) - high)


def resolve(connection: DuckDBPyConnection, scope: Scope, name: str) -> tuple[int, int | None]:
    """(chat_no, n or None) of what any command prints or a unique prefix of it."""
    wanted, focus = read.split_ref(name.strip())
    found = read.find(connection, scope, wanted)
    if len(found) == 1:
        return found[0][0], focus
    if not found:
        nearest = ", ".join(read.nearest(connection, scope, wanted))
        raise NotFoundError(f"no chat {wanted!r}", f"nearest: {nearest}" if nearest else "chatmem recent lists chats")
    several = ", ".join(i for _, i in found[:4])
    raise UsageError(f"{wanted!r} is not unique", f"it may be {several}{' …' if len(found) > 4 else ''}")


def export_chats(store: Store, scope: Scope, names: Sequence[str]) -> Iterator[tuple[Chat, list[MessageRow], ChatRow]]:
    """Every chat of the scope (or the named ones) in full, oldest first.

    The archive is open only while a part is read, never while it is printed: a slow pipe must not keep an import out.
    """
    with store.reading() as connection:
        check_projects(connection, scope)
        if names:
            numbers = [resolve(connection, scope, name)[0] for name in names]
            wanted = [(row.chat_id, row.messages) for row in read.chats(connection, numbers).values()]
        else:
            wanted = read.ordered(connection, scope)
    for part in _parts(wanted):
        with store.reading() as connection:
            held = list(read.whole_chats(connection, read.numbers(connection, part)))
        yield from held


def _parts(wanted: Sequence[tuple[str, int]]) -> Iterator[list[str]]:
    """Chat ids in parts of about EXPORT_MESSAGES messages."""
    part: list[str] = []
    size = 0
    for chat_id, messages in wanted:
        part.append(chat_id)
        size += messages
        if size >= EXPORT_MESSAGES:
            yield part
            part, size = [], 0
    if part:
        yield part
