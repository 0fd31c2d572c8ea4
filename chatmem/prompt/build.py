"""A prompt for one message: what is loaded from where, what is kept, and the account of all of it.

Nothing is put in by itself: this is called, and says what it did. The message stays as it was; the query it was
rewritten to is for looking things up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from chatmem import recall
from chatmem.archive import read
from chatmem.archive.read import ChatRow
from chatmem.archive.scope import Scope
from chatmem.config import Settings
from chatmem.evidence.answer import Answer, Evidence
from chatmem.facts import rank, verbs
from chatmem.facts.ledger import Fact
from chatmem.facts.outdated import noted
from chatmem.llm import configured
from chatmem.prompt import knowledge, past, remembered
from chatmem.prompt.fence import NOTICE, heading, quoted, replaced
from chatmem.prompt.knowledge import Passage
from chatmem.prompt.parts import COMPANY, CUSTOMER, FACT, Dropped, Part, Rewritten, Source, Turn, part
from chatmem.prompt.request import Prompt, Request, Trace
from chatmem.prompt.window import window
from chatmem.tokens import Counter

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

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


def build(connection: DuckDBPyConnection, request: Request, settings: Settings, counter: Counter) -> Prompt:
    """Raises NotFoundError for a chat that is not in scope, RefusedError for a project that is not."""
    recall.check_projects(connection, request.scope)
    current = remembered.current(connection, request, settings)
    continued = remembered.chat(connection, request.scope, request.continues) if request.continues else None
    scope = remembered.of_chat(remembered.without(request.scope, current.chat), current.chat or continued)
    scope, unclear = remembered.one_user(connection, scope, settings)

    def count(text: str) -> int:
        return counter.within([text])(text) if text else 0

    seen = [turn.content for turn in current.turns[-settings.conversation_loaded :]]
    kept = window(current.turns, settings, counter.within(["\n".join(seen)]))
    query = _query(request.message, current.turns, settings, count)
    # The current chat states facts too: an order number at its beginning has long left the window.
    stated = replace(scope, without_chats=request.scope.without_chats)
    everything = verbs.known(connection, stated, settings, request.now)
    facts = rank.about(everything, query.query, verbs.encoder(), settings.facts_loaded, settings.facts_kept)
    looked_at = min(settings.facts_loaded, sum(fact.status == "current" for fact in everything))
    earlier = remembered.past_chats(connection, scope, settings, noted(everything))
    before = past.block(facts, looked_at, earlier, settings, _later)
    searched, why = _decision(request)
    answer = _search(connection, scope, query.query, request, settings, counter) if searched else None
    evidence, evidence_part, excerpts = _evidence(answer, settings, count)
    known = knowledge.block(request.pinned, request.passages, settings, _later)
    work, work_part = _work(connection, scope, query.query, request, continued, settings, counter)
    sources = (*_sources(known.passages, excerpts, before.facts),)
    handoff = current.replies >= settings.handoff_turns
    grounded = bool(sources)
    instructions = request.system.strip()
    sections = [
        before.text,
        f"{_WORK_HEAD}\n{work}" if work else "",
        f"{_EVIDENCE_HEAD}\n{evidence}" if evidence else "",
        f"{_KNOWLEDGE_HEAD}\n{known.text}" if known.text else "",
    ]
    parts = [
        part("system", instructions, _later, int(bool(instructions)), int(bool(instructions))),
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
        _system(instructions, sections, request.strict, grounded, handoff),
        kept.turns,
        request.message,
        tuple(parts),
        answer._replace(results=tuple(excerpts)) if answer else None,
        sources,
        Trace(request.memory, searched, why, query.query, query.how, sufficiency, tuple(notes), counter.exact),
        handoff,
        grounded or not request.strict,
    )


def _system(instructions: str, sections: Sequence[str], strict: bool, grounded: bool, handoff: bool) -> str:
    """The first message: instructions, quotations with the notice about them, and what to make of them."""
    quotations = [section for section in sections if section]
    rules = [(_STRICT if grounded else _NOTHING) if strict else "", _HANDOFF if handoff else ""]
    found = [instructions, NOTICE if quotations else "", *quotations, *rules]
    return "\n\n".join(section for section in found if section)


def _query(message: str, earlier: Sequence[Turn], settings: Settings, count: Callable[[str], int]) -> Rewritten:
    if len(earlier) < settings.rewrite_least_messages:
        return Rewritten(message, "none")
    # Its patterns take a tenth of the time of a process that has no use for them.
    from chatmem.prompt.rewrite import rewritten

    return rewritten(message, earlier, settings, count, configured(settings))


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
    results = answer.results[: settings.evidence_excerpts] if answer else []
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


def _told(result: Evidence) -> str:
    lines = []
    for excerpt in result.excerpts:
        head = heading(excerpt.ref, remembered.day(excerpt.created_at), result.chat.title or "")
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
        (heading(row.chat_id, remembered.day(row.updated_at), remembered.title(row)),
         carry_on.found(remembered.safe(remembered.turns(tails.get(row.chat_no, []), row))))
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
