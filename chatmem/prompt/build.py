"""A prompt for one message: what is loaded from where, what is kept, and the account of all of it.

Nothing is put in by itself: this is called, and says what it did. The message stays as it was; the query it was
rewritten to is for looking things up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from chatmem import recall
from chatmem.archive import read
from chatmem.archive.read import ChatRow, MessageRow
from chatmem.archive.scope import Scope
from chatmem.config import Settings
from chatmem.evidence.answer import Answer, Evidence
from chatmem.facts import never_store, rank, verbs
from chatmem.facts.ledger import Fact
from chatmem.facts.outdated import noted
from chatmem.llm import configured
from chatmem.prompt import knowledge, past
from chatmem.prompt.fence import NOTICE, heading, quoted, replaced
from chatmem.prompt.knowledge import Passage
from chatmem.prompt.parts import COMPANY, CUSTOMER, FACT, Dropped, Part, Rewritten, Source, Turn, part
from chatmem.prompt.window import window
from chatmem.search.run import NOTHING
from chatmem.tokens import Counter

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Memory = Literal["auto", "always", "never"]

EVIDENCE = "retrieved evidence"
_EVIDENCE_HEAD = "Excerpts of earlier conversations that may answer the message. Cite them by what stands in brackets."
_KNOWLEDGE_HEAD = "Documents. Cite them by what stands in brackets."
_WORK_HEAD = "Earlier work that goes on, in the words of its messages:"
_STRICT = "Answer only from the quotations above. If they do not hold the answer, say that you do not know."
_NOTHING = "There is no source to answer from: say that you do not know."
_HANDOFF = "This conversation is long. Offer to hand over to a person."
# Chats that earlier work is looked for in, besides the one that is named or the latest.
_RELATED = 2
# Messages from the end of a chat that are looked at for it.
_WORK_MESSAGES = 200


class Request(NamedTuple):
    """What is asked for. `chat`: the current conversation is this one of the archive, else `conversation`.

    `continues`: None, or the chat to go on with, "" for the latest. `moment` reads a time in a query.
    """

    message: str
    scope: Scope
    now: datetime
    moment: Callable[[str], datetime | None]
    conversation: tuple[Turn, ...] = ()
    chat: str = ""
    system: str = ""
    pinned: tuple[Passage, ...] = ()
    passages: tuple[Passage, ...] = ()
    memory: Memory = "auto"
    continues: str | None = None
    strict: bool = False


class Trace(NamedTuple):
    """What was looked up and why. `rewritten`: how (rewrite.py)."""

    memory: Memory
    searched: bool
    why: str
    query: str
    rewritten: str
    sufficiency: str
    notes: tuple[str, ...]
    tokens_exact: bool


class Prompt(NamedTuple):
    """`system`, then `turns`, then the `message`. `call_model` False: strict, and there is nothing to answer from."""

    system: str
    turns: tuple[Turn, ...]
    message: str
    parts: tuple[Part, ...]
    evidence: Answer | None
    sources: tuple[Source, ...]
    trace: Trace
    handoff: bool
    call_model: bool


class _Current(NamedTuple):
    """The current conversation: its turns, how often the assistant has spoken, and its chat if it is in the archive."""

    turns: Sequence[Turn]
    replies: int
    chat: ChatRow | None


def build(connection: DuckDBPyConnection, request: Request, settings: Settings, counter: Counter) -> Prompt:
    """Raises NotFoundError for a chat that is not in scope, RefusedError for a project that is not."""
    recall.check_projects(connection, request.scope)
    current = _current(connection, request, settings)
    continued = _chat(connection, request.scope, request.continues) if request.continues else None
    scope = _of_chat(_without(request.scope, current.chat), current.chat or continued)
    scope, unclear = _one_user(connection, scope, settings)

    def count(text: str) -> int:
        return counter.within([text])(text) if text else 0

    seen = [turn.content for turn in current.turns[-settings.conversation_loaded :]]
    kept = window(current.turns, settings, counter.within(["\n".join(seen)]))
    query = _query(request.message, current.turns, settings, count)
    everything = verbs.known(connection, scope, settings, request.now)
    facts = rank.about(everything, query.query, verbs.encoder(), settings.facts_loaded, settings.facts_kept)
    looked_at = min(settings.facts_loaded, sum(fact.status == "current" for fact in everything))
    earlier = _past_chats(connection, scope, settings, noted(everything))
    before = past.block(facts, looked_at, earlier, settings, _later)
    searched, why = _decision(request)
    answer = _search(connection, scope, query.query, request, settings, counter) if searched else None
    evidence, evidence_part, excerpts = _evidence(answer, settings, count)
    known = knowledge.block(request.pinned, request.passages, settings, _later)
    work, work_part = _work(connection, scope, query.query, request, continued, settings, counter)
    sources = (*_sources(known.passages, excerpts, before.facts),)
    handoff = current.replies >= settings.handoff_turns
    grounded = bool(sources)
    system_file = request.system.strip()
    sections = [
        system_file,
        NOTICE if before.text or evidence or known.text or work else "",
        before.text,
        f"{_WORK_HEAD}\n{work}" if work else "",
        f"{_EVIDENCE_HEAD}\n{evidence}" if evidence else "",
        f"{_KNOWLEDGE_HEAD}\n{known.text}" if known.text else "",
        (_STRICT if grounded else _NOTHING) if request.strict else "",
        _HANDOFF if handoff else "",
    ]
    system = "\n\n".join(section for section in sections if section)
    parts = [
        part("system", system_file, _later, int(bool(system_file)), int(bool(system_file))),
        kept.part,
        *before.parts,
        evidence_part,
        known.part,
        *([work_part] if work_part else []),
        part("message", request.message, _later, 1, 1),
    ]
    count_all = counter.within([one.text for one in parts])
    parts = [one._replace(tokens=count_all(one.text)) for one in parts]
    notes = [note for note in (unclear, query.note, answer.note if answer else "") if note]
    sufficiency = answer.sufficiency.level if answer else ""
    return Prompt(
        system,
        kept.turns,
        request.message,
        tuple(parts),
        answer._replace(results=tuple(excerpts)) if answer else None,
        sources,
        Trace(request.memory, searched, why, query.query, query.how, sufficiency, tuple(notes), counter.exact),
        handoff,
        grounded or not request.strict,
    )


def _query(message: str, earlier: Sequence[Turn], settings: Settings, count: Callable[[str], int]) -> Rewritten:
    if len(earlier) < settings.rewrite_least_messages:
        return Rewritten(message, "none")
    # Its patterns take a tenth of the time of a process that has no use for them.
    from chatmem.prompt.rewrite import rewritten

    return rewritten(message, earlier, settings, count, configured(settings))


def _current(connection: DuckDBPyConnection, request: Request, settings: Settings) -> _Current:
    turns: Sequence[Turn] = request.conversation
    replies, chat = sum(turn.role == "assistant" for turn in turns), None
    if request.chat:
        chat = _chat(connection, request.scope, request.chat)
        no = chat.chat_no
        # One more, for the message itself may be the last of them.
        turns = _turns(read.tails(connection, [chat], settings.conversation_loaded + 1).get(no, []), chat)
        replies = read.replies(connection, no)
    if turns and turns[-1].role == "user" and turns[-1].content.strip() == request.message.strip():
        turns = turns[:-1]
    return _Current(turns, replies, chat)


def _turns(messages: Sequence[MessageRow], chat: ChatRow) -> list[Turn]:
    return [
        Turn(m.role, m.text, f"{chat.chat_id}#{m.n}")
        for m in messages
        if m.role in ("user", "assistant") and m.text.strip()
    ]


def _safe(turns: Sequence[Turn]) -> list[Turn]:
    """What is never stored as a fact is not handed to a model either."""
    return [turn._replace(content=never_store.masked(turn.content)) for turn in turns]


def _chat(connection: DuckDBPyConnection, scope: Scope, name: str) -> ChatRow:
    no, _ = recall.resolve(connection, replace(scope, subagents=True), name)
    return read.chats(connection, [no])[no]


def _without(scope: Scope, chat: ChatRow | None) -> Scope:
    """What is remembered is not what is being said."""
    return replace(scope, without_chats=(*scope.without_chats, chat.chat_id)) if chat else scope


def _of_chat(scope: Scope, chat: ChatRow | None) -> Scope:
    """The scope of a chat's user and agent, unless others are named."""
    if chat is None:
        return scope
    return replace(scope, users=scope.users or (chat.user_id,), agents=scope.agents or (chat.agent_id,))


def _one_user(connection: DuckDBPyConnection, scope: Scope, settings: Settings) -> tuple[Scope, str]:
    """(the scope of one user, a note): prompts never mix people. Where it is not clear whose they are, of nobody."""
    if scope.users:
        return scope, ""
    here = read.users(connection, scope)
    if len(here) < 2:
        return scope, ""
    if settings.user in here:
        return replace(scope, users=(settings.user,)), ""
    return replace(
        scope, users=(NOTHING,)
    ), "nothing is remembered: there are several users here, --customer says whose"


def _past_chats(
    connection: DuckDBPyConnection, scope: Scope, settings: Settings, old: Mapping[str, Sequence[str]]
) -> list[past.PastChat]:
    rows = read.recent(connection, scope, settings.past_chats) if settings.past_chats else []
    tails = read.tails(connection, rows, settings.past_messages)
    return [
        past.PastChat(
            row.chat_id,
            never_store.masked(row.title or ""),
            _day(row.updated_at),
            tuple(
                turn._replace(outdated=tuple(old.get(turn.reference, ())))
                for turn in _safe(_turns(tails.get(row.chat_no, []), row))
            ),
        )
        for row in rows
    ]


def _day(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d}" if at else ""


def _decision(request: Request) -> tuple[bool, str]:
    if request.memory != "auto":
        return request.memory == "always", f"--memory {request.memory}"
    from chatmem.policy.triggers import speaks_of_earlier

    if speaks_of_earlier(request.message):
        return True, "the message speaks of earlier conversations"
    return False, "the message does not speak of earlier conversations"


def _search(
    connection: DuckDBPyConnection,
    scope: Scope,
    query: str,
    request: Request,
    settings: Settings,
    counter: Counter,
) -> Answer:
    limit = settings.evidence_excerpts
    ask = recall.Lookup(
        query, scope, max(1, limit), max(1, limit) * settings.excerpt_tokens, request.moment, plain=True
    )
    return recall.search_chats(connection, ask, replace(settings, excerpts_per_chat=1), counter)


def _evidence(
    answer: Answer | None, settings: Settings, count: Callable[[str], int]
) -> tuple[str, Part, Sequence[Evidence]]:
    """(text, account, the results that are in it)"""
    results = [_masked(result) for result in answer.results[: settings.evidence_excerpts]] if answer else []
    limit = settings.evidence_excerpts * settings.excerpt_tokens
    told = [_told(result) for result in results]
    dropped: list[Dropped] = []
    while told and count("\n".join(told)) > limit:
        told.pop()
        dropped.append(Dropped(results[len(told)].chat.chat_id, f"more than {limit:,} tokens"))
    if answer and (answer.omitted or answer.matched > len(results)):
        more = max(answer.matched - len(results), answer.omitted)
        dropped.append(Dropped(f"{more} more that match", f"more than {settings.evidence_excerpts} excerpts"))
    text = "\n".join(told)
    loaded = answer.matched if answer else 0
    return text, part(EVIDENCE, text, count, loaded, len(told), dropped, None, limit), results[: len(told)]


def _masked(result: Evidence) -> Evidence:
    title = never_store.masked(result.chat.title or "")
    return result._replace(
        chat=replace(result.chat, title=title or None),
        excerpts=tuple(e._replace(text=never_store.masked(e.text)) for e in result.excerpts),
    )


def _told(result: Evidence) -> str:
    lines = []
    for excerpt in result.excerpts:
        head = heading(excerpt.ref, _day(excerpt.created_at), never_store.masked(result.chat.title or ""))
        lines += [head, quoted(f"{excerpt.role}: {excerpt.text}"), *replaced(excerpt.outdated)]
    return "\n".join(lines)


def _work(
    connection: DuckDBPyConnection,
    scope: Scope,
    query: str,
    request: Request,
    continued: ChatRow | None,
    settings: Settings,
    counter: Counter,
) -> tuple[str, Part | None]:
    """What is to be gone on with: of the chat that is named, or the latest, then of those that the message is about,
    and of other late ones."""
    if request.continues is None:
        return "", None
    from chatmem.prompt import carry_on

    recent = read.recent(connection, scope, 1 + _RELATED)
    rows = [continued] if continued else recent[:1]
    answer = _search(connection, scope, query, request, settings, counter)
    others = [*(result.chat for result in answer.results), *recent]
    rows = list({row.chat_id: row for row in [*rows, *others]}.values())[: 1 + _RELATED]
    tails = read.tails(connection, rows, _WORK_MESSAGES)
    chats = [
        (heading(row.chat_id, _day(row.updated_at), never_store.masked(row.title or "")),
         carry_on.found(_safe(_turns(tails.get(row.chat_no, []), row))))
        for row in rows
    ]  # fmt: skip
    return carry_on.block(chats, settings.continue_characters, _later)


def _later(text: str) -> int:
    """Parts that are bounded by characters are counted in tokens when all are there: loading what counts takes time."""
    return 0


def _sources(passages: Sequence[Passage], excerpts: Sequence[Evidence], facts: Sequence[Fact]) -> list[Source]:
    """Everything that an answer may rest on, and who says it."""
    found = [
        Source("pinned" if one.pinned else "passage", one.title or one.url or f"K{number}", COMPANY, one.text)
        for number, one in enumerate(passages, 1)
    ]
    for result in excerpts:
        found += [Source("excerpt", e.ref, CUSTOMER if e.role == "user" else COMPANY, e.text) for e in result.excerpts]
    found += [Source(FACT, fact.reference or "by hand", CUSTOMER, f"{fact.attribute} {fact.value}") for fact in facts]
    return found
