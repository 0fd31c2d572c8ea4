"""The look-ups as functions: one request in, one typed result out, whoever asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, get_args

from chatmem import cursors
from chatmem.archive import read
from chatmem.archive.read import ChatRow, Cursor, MessageRow, ScopeCount
from chatmem.archive.scope import Scope
from chatmem.config import Settings
from chatmem.errors import NotFoundError, RefusedError, UsageError
from chatmem.evidence import gather, redact
from chatmem.evidence.answer import MISSES, Answer, Evidence, Miss, Page, Sufficiency
from chatmem.evidence.budget import COUNTED, Bounds, Size, fitted
from chatmem.evidence.sufficiency import Signals, judge, nearness
from chatmem.facts.outdated import outdated
from chatmem.model import Role
from chatmem.search import query, references, run
from chatmem.search.fusion import Fusion
from chatmem.search.hits import Hit
from chatmem.search.run import By
from chatmem.tokens import Counter

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# A result with a smaller part of what the best one has of the question is no evidence, but chance.
LEAST_SHARE = 0.35
# Nor is one that is near in meaning by chance, without a word of the question.
LEAST_NEARNESS = 0.4


class Lookup(NamedTuple):
    """A search as asked. `moment` reads a time; None means it makes no sense.

    `also` narrows `scope`. `inside` and `without` name chats in any way that shows them, and a chat must be in every
    group of `inside`; `current` is the id of the talk that is going on, which need not be in the archive. `size`
    measures results in the form they are printed in. `plain`: nothing in the text is a filter or an operator.
    `reveal`: secrets are shown as they are.
    """

    text: str
    scope: Scope
    limit: int
    max_tokens: int
    moment: Callable[[str], datetime | None]
    by: By = "chat"
    roles: tuple[str, ...] = ()
    hidden: bool = False
    branches: bool = False
    also: Scope = Scope()
    inside: tuple[tuple[str, ...], ...] = ()
    without: tuple[str, ...] = ()
    current: str = ""
    size: Size = COUNTED
    mode: run.Mode = "hybrid"
    fusion: Fusion = "recipe"
    plain: bool = False
    reveal: bool = False


def search_chats(connection: DuckDBPyConnection, ask: Lookup, settings: Settings, counter: Counter) -> Answer:
    """The answer to a search, within `max_tokens`.

    Raises RefusedError for a project that the scope does not know, NotFoundError for a chat that it does not.
    """
    parsed = query.plain(ask.text) if ask.plain else query.parse(ask.text, lambda k, v: _understood(k, v, ask.moment))
    inline = run.filters(parsed, ask.moment)
    check_projects(connection, ask.scope)
    scope = _with_chats(connection, ask)
    for more in (ask.also, inline):
        check_projects(connection, run.narrowed(ask.scope, replace(more, projects=())), more.projects)
        scope = run.narrowed(scope, more)
    roles = run.both(ask.roles, parsed.asked("role"))
    request = run.SearchRequest(
        parsed,
        scope,
        ask.limit,
        ask.by,
        roles,
        ask.hidden,
        ask.branches,
        settings.excerpts_per_chat,
        ask.mode,
        ask.fusion,
    )
    found = run.search(connection, request)
    unknown = found.unknown() if found.mode != "semantic" else ()
    near = _near_misses(connection, found, unknown, scope)
    instead = _instead(near, found)
    if instead:
        query_as_meant = run.respelled(connection, parsed, instead)
        found = run.search(connection, request._replace(query=query_as_meant))
    covered = [found.coverage(hit) for hit in found.ranking.hits]
    verdict = _verdict(found, covered, instead)
    hits = [] if verdict.level == "none" else _evidence(found, covered)
    if found.direct:
        verdict = Sufficiency("strong", "the query is the id of this chat")
    suggestions = tuple(near) if verdict.level != "strong" else ()
    if not hits and not found.direct:
        return _missed(connection, parsed.text, ask, scope, found, verdict, suggestions)
    listing = gather.by_message if ask.by == "message" else gather.by_chat
    chosen = listing(connection, found, hits, ask.limit)
    answer = Answer(
        query=parsed.text,
        mode=found.mode,
        note=found.meaning.note,
        by=ask.by,
        results=(),
        sufficiency=verdict,
        scope=found.scope_count,
        # Where fewer are left than were asked for, the others share too little with the question to match it.
        matched=len(chosen) if len(chosen) < ask.limit else max(found.ranking.matched, _distinct(hits, ask.by)),
        tokens=ask.max_tokens,
        did_you_mean=suggestions,
    )
    frame = ask.size.frame(answer)
    left = ask.max_tokens - frame
    fit = fitted(
        lambda *b: _marked(connection, gather.quote(chosen, Bounds(*b), left, counter, ask.reveal)),
        _bounds(settings),
        left,
        ask.size,
    )
    return answer._replace(
        results=fit.results,
        omitted=fit.omitted,
        tokens=frame + fit.tokens,
        tokens_exact=counter.exact,
    )


def _marked(connection: DuckDBPyConnection, results: Sequence[Evidence]) -> Sequence[Evidence]:
    """The results with what their writers have replaced since."""
    old = outdated(connection, [excerpt.ref for result in results for excerpt in result.excerpts])
    return [
        result._replace(excerpts=tuple(e._replace(outdated=tuple(old.get(e.ref, ()))) for e in result.excerpts))
        for result in results
    ]


def _bounds(settings: Settings) -> Bounds:
    return Bounds(settings.excerpt_tokens, settings.excerpts_per_chat)


def _with_chats(connection: DuckDBPyConnection, ask: Lookup) -> Scope:
    """The scope with the chats that the search is to stay inside or to leave out."""
    within = replace(ask.scope, subagents=True)
    without = [_whole_id(connection, within, name) for name in ask.without]
    if ask.current:
        without += [ask.current, *(r.chat_id for r in references.exact(connection, within, ask.current))]
    chats = ask.scope.chats
    for names in ask.inside:
        chats = run.both(chats, tuple(_whole_id(connection, within, name) for name in names))
    return replace(ask.scope, chats=chats, without_chats=(*ask.scope.without_chats, *without))


def _whole_id(connection: DuckDBPyConnection, scope: Scope, name: str) -> str:
    no, _ = resolve(connection, scope, name)
    return read.chats(connection, [no])[no].chat_id


def _evidence(found: run.Found, covered: Sequence[float]) -> list[Hit]:
    """The hits without those that share next to nothing with a question that others answer."""
    shared = [nearness(part, hit.cosine) for part, hit in zip(covered, found.ranking.hits, strict=True)]
    best = max(shared, default=0.0)
    least = LEAST_SHARE * best
    if found.mode == "hybrid":
        least = max(least, min(LEAST_NEARNESS, best))
    return [hit for hit, share in zip(found.ranking.hits, shared, strict=True) if share >= least]


def _distinct(hits: Sequence[Hit], by: By) -> int:
    return len({hit.unit_key if by == "message" else hit.chat_no for hit in hits})


def _near_misses(
    connection: DuckDBPyConnection, found: run.Found, unknown: Sequence[str], scope: Scope
) -> Mapping[str, str]:
    """Spelling in scope -> the unknown word that is spelled nearly like it."""
    if not unknown:
        return {}
    from chatmem.embed.models import is_word
    from chatmem.search.near_misses import near_misses

    doubtful = [word for word in unknown if not word.isdigit() and not is_word(word)]
    near = near_misses(connection, doubtful, scope, found.everything)
    return {text: word for text, word in near.items() if text not in found.lookup.asked}


def _instead(near: Mapping[str, str], found: run.Found) -> dict[str, str]:
    """Unknown word -> the nearest spelling. Phrases, prefixes and numbers of all kinds mean what they say."""
    instead: dict[str, str] = {}
    if near and not found.query.phrases and not found.query.prefixes:
        for text, word in near.items():
            if word.isalpha() and text.isalpha():
                instead.setdefault(word, text)
    return instead


def _understood(key: str, value: str, moment: Callable[[str], datetime | None]) -> bool:
    if key == "role":
        return value in get_args(Role)
    return key not in ("after", "before") or moment(value) is not None


def _verdict(found: run.Found, covered: Sequence[float], instead: Mapping[str, str]) -> Sufficiency:
    """`covered`: the coverage of each hit."""
    ranking, asked = found.ranking, found.lookup.asked
    if not asked and not found.meaning.vector:
        return Sufficiency("none", "the query has no words to look for")
    if found.conditions.units is not None and not ranking.hits:
        return Sufficiency("none", "no message holds the quoted phrase")
    by_meaning, compared = found.mode == "semantic", bool(found.meaning.near.passages)
    near = [p.cosine if by_meaning else p.weighted for p in found.meaning.near.found]
    return judge(
        Signals(
            coverage=covered[0] if compared and covered else max(covered, default=0.0),
            cosine=max(near, default=0.0) if compared else None,
            incomplete=bool(found.meaning.note),
            asked=0 if by_meaning else len(asked),
            typed=len(found.query.words),
            passages=found.meaning.near.passages,
            unknown=() if by_meaning else found.unknown(),
            inexact=() if by_meaning else found.inexact(),
            instead=tuple(instead.items()),
            limited=found.conditions.any(),
            phrased=found.conditions.units is not None and bool(ranking.hits),
            left_out=found.lookup.left_out,
        )
    )


def _missed(
    connection: DuckDBPyConnection,
    text: str,
    ask: Lookup,
    scope: Scope,
    found: run.Found,
    verdict: Sufficiency,
    suggestions: tuple[str, ...],
) -> Answer:
    counted = found.scope_count
    miss = why_nothing(connection, scope, counted)
    if miss in MISSES:
        verdict = Sufficiency("none", MISSES[miss] + _known_sources(connection, scope, miss))
    return Answer(
        text, found.mode, ask.by, (), verdict, counted, did_you_mean=suggestions, miss=miss, note=found.meaning.note
    )


def _known_sources(connection: DuckDBPyConnection, scope: Scope, miss: Miss) -> str:
    """A word of help for whoever asked for a source that is not there."""
    if miss != "filtered_out" or not scope.sources:
        return ""
    here = read.sources(connection, replace(scope, sources=(), chats=(), without_chats=(), after=None, before=None))
    return "" if {s.lower() for s in scope.sources} & set(here) else f"; sources here: {', '.join(here)}"


def why_nothing(connection: DuckDBPyConnection, scope: Scope, counted: ScopeCount) -> Miss:
    """Which of the four ways of finding nothing this is."""
    if counted.chats:
        return "no_match"
    owned = Scope(
        scope.users, scope.agents, scope.projects, subagents=scope.subagents, also_projects=scope.also_projects
    )
    if read.count(connection, owned).chats:
        return "filtered_out"
    return "empty_scope" if read.count(connection, Scope(subagents=True)).chats else "empty_archive"


def check_projects(connection: DuckDBPyConnection, scope: Scope, more: Sequence[str] | None = None) -> None:
    """Refuse a project of the scope, or one of `more` within it, of which there is no chat for this user and agent.

    An unknown project and a forbidden one look the same.
    """
    within = Scope(scope.users, scope.agents, subagents=True)
    if more is not None:
        within = replace(within, projects=scope.projects, also_projects=scope.also_projects)
    for project in scope.projects if more is None else more:
        asked = replace(within, also_projects=(*within.also_projects, (project,)))
        if not read.count(connection, asked).chats:
            raise RefusedError(f"no access to a project {project!r}", "chatmem archive info lists the projects")


def project_here(connection: DuckDBPyConnection, folder: Path) -> str:
    """The project whose directory this folder is, or lies in. Raises RefusedError if there is none."""
    above = [str(path) for path in (folder, *folder.parents)]
    known = read.project_ids(connection, above)
    for path in above:
        if path in known:
            return path
    raise RefusedError(f"no chats from {folder} or a directory above it", "leave --here out")


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
    size: Size = COUNTED,
    reveal: bool = False,
) -> Page:
    """Chats by last activity with their opening and latest exchange; without a `counter` nothing is quoted."""
    check_projects(connection, scope)
    counted = read.count(connection, scope)
    rows = read.recent(connection, scope, limit + 1, oldest_first, after, before)
    chosen = gather.opening_and_latest(connection, rows[:limit], quoted=counter is not None)
    miss: Miss = "" if chosen else why_nothing(connection, scope, counted)
    if not chosen and miss == "no_match":
        miss = "filtered_out"
    # Its frame is measured before it is known where the page ends: with the longest cursor that it may have.
    widest = cursors.text(max(rows, key=lambda row: len(row.chat_id))) if rows else None
    page = Page((), counted, widest, max_tokens, 0, miss)
    left = max_tokens - size.frame(page)
    fit = fitted(lambda *b: gather.quote(chosen, Bounds(*b), left, counter, reveal), _bounds(settings), left, size)
    kept = fit.results
    more = len(rows) > limit or fit.omitted
    cursor = cursors.text(kept[-1].chat) if more and kept else None
    return page._replace(results=kept, next_cursor=cursor, tokens=max_tokens - left + fit.tokens, omitted=fit.omitted)


class Thread(NamedTuple):
    """A chat, the messages asked for, and how many there are on either side of them. `focus`: the `n` asked for."""

    chat: ChatRow
    messages: tuple[MessageRow, ...]
    focus: int | None
    before: int
    after: int


def show_chat(
    connection: DuckDBPyConnection, scope: Scope, name: str, around: int | None, everything: bool, reveal: bool = False
) -> Thread:
    """The thread that an id, reference or unique prefix names. Raises NotFoundError with the nearest ids."""
    no, focus = resolve(connection, scope, name)
    row = read.chats(connection, [no])[no]
    stored = list(read.messages(connection, [no], visible=not everything))
    safe = list if reveal else _safe
    if not reveal:
        row = redact.title(row)
    if focus is None:
        return Thread(row, tuple(safe(stored)), None, 0, 0)
    if not any(m.n == focus for m in stored):
        raise NotFoundError(f"{row.chat_id} has no message {focus}", f"it has 1 to {row.messages}")
    at = next(i for i, m in enumerate(stored) if m.n == focus)
    reach = 3 if around is None else around
    low, high = max(0, at - reach), min(len(stored), at + reach + 1)
    return Thread(row, tuple(safe(stored[low:high])), focus, low, len(stored) - high)


def _safe(messages: Sequence[MessageRow]) -> list[MessageRow]:
    return [redact.message(message) for message in messages]


def resolve(connection: DuckDBPyConnection, scope: Scope, name: str) -> tuple[int, int | None]:
    """(chat_no, n or None) of what any command prints or a unique prefix of it."""
    found = references.meant(connection, scope, name)
    chats = list(dict.fromkeys(r.chat_id for r in found))
    # A sub-agent's id begins with that of its chat: a prefix of both means the chat.
    if chats and all(chat.startswith(f"{chats[0]}/") for chat in chats[1:]):
        return found[0].chat_no, found[0].n
    wanted, _ = references.split(references.cleaned(name))
    if not found:
        nearest = ", ".join(read.nearest(connection, scope, wanted))
        raise NotFoundError(f"no chat {wanted!r}", f"nearest: {nearest}" if nearest else "chatmem recent lists chats")
    raise UsageError(f"{wanted!r} is not unique", f"it may be {', '.join(chats[:4])}{' …' if len(chats) > 4 else ''}")
