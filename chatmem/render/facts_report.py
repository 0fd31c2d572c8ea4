"""Facts for people, pipes and programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from chatmem.render import as_json
from chatmem.render.as_plain import row
from chatmem.render.diagnostics import diagnostics
from chatmem.render.sink import Sink
from chatmem.render.terminal import local_time, one_line, some
from chatmem.render.view import View

if TYPE_CHECKING:
    from chatmem.facts.by_model import Asked
    from chatmem.facts.ledger import Fact
    from chatmem.facts.verbs import Extracted, FactList

_UTC = as_json.naive_time


def print_facts(sink: Sink, found: FactList, view: View) -> None:
    """The facts to stdout; what is not shown, and that some messages were not looked through, to stderr."""
    if view.form == "json":
        sink.line(as_json.dumps(document(found)))
        return
    if view.form == "rich":
        _screen(found, view)
    for fact in found.facts if view.form != "rich" else ():
        sink.line(as_json.dumps(record(fact)) if view.form == "jsonl" else _row(fact))
    sink.flush()
    _tell(found)


def _tell(found: FactList) -> None:
    if not found.facts:
        diagnostics.note("no facts here" + ("" if found.history else "; --history shows past ones"))
    elif len(found.facts) < found.total and not found.about:
        diagnostics.note(f"{len(found.facts)} of {some(found.total, 'fact')}; -n for more")
    if not found.complete:
        diagnostics.note("some chats were not looked through for facts: chatmem facts extract")


def document(found: FactList) -> dict[str, Any]:
    """`chatmem.facts/1`"""
    return {
        "schema": "chatmem.facts/1",
        "about": found.about or None,
        "history": found.history,
        "total": found.total,
        "complete": found.complete,
        "facts": [record(fact) for fact in found.facts],
    }


def record(fact: Fact) -> dict[str, Any]:
    return {
        "attribute": fact.attribute,
        "value": fact.value,
        "status": fact.status,
        "quote": fact.quote,
        "reference": fact.reference or None,
        "references": fact.references,
        "stated_at": _UTC(fact.stated_at),
        "first_stated_at": _UTC(fact.first_stated_at),
        "extractor": fact.extractor,
        "replaced_by": fact.replaced_by or None,
        "ended_by": fact.ended_by or None,
        "user_id": fact.user_id,
        "agent_id": fact.agent_id,
    }


def _row(fact: Fact) -> str:
    return row(
        fact.attribute, fact.value, fact.status, _UTC(fact.stated_at), fact.reference, fact.user_id, fact.agent_id,
        fact.quote,
    )  # fmt: skip


def _screen(found: FactList, view: View) -> None:
    from rich.text import Text

    from chatmem.render.as_rich import Screen

    screen = Screen(view)
    owners = {(fact.user_id, fact.agent_id) for fact in found.facts}
    for fact in found.facts:
        line = Text(f"{fact.attribute:<11}", style="dim")
        line.append(one_line(fact.value), style="bold" if fact.status == "current" else "")
        if fact.status != "current":
            by = f" by {one_line(fact.replaced_by)}" if fact.replaced_by else ""
            line.append(f"  {fact.status}{by}", style="yellow")
        screen.prose(line, " " * 11, " ")
        if fact.quote != fact.value:
            screen.prose(Text(f"“{one_line(fact.quote)}”"), " " * 12)
        whose = [f"{one_line(fact.user_id)} · {one_line(fact.agent_id)}".strip(" ·")] if len(owners) > 1 else []
        said = fact.reference or "added by hand"
        more = [f"and {len(fact.references) - 1} more"] if len(fact.references) > 1 else []
        screen.packed([local_time_of(fact, view), one_line(said), *more, *whose], " " * 12)


def local_time_of(fact: Fact, view: View) -> str:
    from datetime import UTC

    return local_time(fact.stated_at.replace(tzinfo=UTC) if fact.stated_at else None, view.zone)


def print_forgotten(sink: Sink, gone: Sequence[Fact]) -> None:
    for fact in gone:
        diagnostics.note(f"forgotten: {fact.attribute} {one_line(fact.value)}")
    sink.flush()


def print_extracted(sink: Sink, found: Extracted, asked: Asked | None) -> None:
    if not diagnostics.quiet:
        messages, statements = some(found.messages, "message"), some(found.statements, "statement")
        sink.line(f"looked through {messages}: {statements} by patterns")
        if asked:
            sink.line(f"the model looked through {some(asked.chats, 'chat')}: {some(asked.statements, 'statement')}")
    if asked and asked.note:
        diagnostics.note(asked.note)
