"""A built prompt, its account, and how well an answer is grounded, for people and for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from chatmem.errors import UsageError
from chatmem.prompt.parts import Source
from chatmem.render import as_json
from chatmem.render.diagnostics import diagnostics
from chatmem.render.sink import Sink
from chatmem.render.terminal import one_line, scrub

if TYPE_CHECKING:
    from chatmem.prompt.grounding import Grounding
    from chatmem.prompt.parts import Part
    from chatmem.prompt.request import Prompt


def print_prompt(sink: Sink, built: Prompt, json: bool) -> None:
    """The prompt to stdout, its account to stderr; with `json` one document of both."""
    if json:
        sink.line(as_json.dumps(document(built)))
        return
    sections = [built.system] if built.system else []
    if built.turns:
        talk = "\n".join(_turn(turn.role, turn.content) for turn in built.turns)
        sections.append(f"The conversation so far:\n{talk}")
    sections.append(_turn("user", built.message))
    sink.line(scrub("\n\n".join(sections)))
    sink.flush()
    _account(built)


def _turn(role: str, content: str) -> str:
    """Further lines are indented, so that none of them looks like another turn."""
    return f"{role}: {content}".replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\n  ")


def _account(built: Prompt) -> None:
    for part in built.parts:
        diagnostics.note(_line(part))
        for one in part.dropped:
            diagnostics.note(f"  left out: {one_line(one.what)} ({one.why})")
    trace = built.trace
    diagnostics.note(f"memory: {'searched' if trace.searched else 'not searched'}, {trace.why}")
    if trace.rewritten != "none":
        diagnostics.note(f"looked for: {one_line(trace.query)} (rewritten by {trace.rewritten})")
    for note in trace.notes:
        diagnostics.note(note)
    if not trace.tokens_exact:
        diagnostics.note("tokens are estimated (4 characters each): the cl100k_base vocabulary is not installed")
    if built.handoff:
        diagnostics.note("hand over to a person: the conversation is long")
    if not built.call_model:
        diagnostics.note("nothing to answer from: the model need not be called")


def _line(part: Part) -> str:
    sizes = [f"{part.characters:,}{f' of {part.max_characters:,}' if part.max_characters else ''} characters"]
    sizes.append(f"{part.tokens:,}{f' of {part.max_tokens:,}' if part.max_tokens else ''} tokens")
    return f"{part.name}: {part.kept} of {part.loaded} kept, {', '.join(sizes)}"


def document(built: Prompt) -> dict[str, Any]:
    """`chatmem.prompt/1`"""
    system = [{"role": "system", "content": built.system}] if built.system else []
    talk = [{"role": turn.role, "content": turn.content} for turn in built.turns]
    trace = built.trace
    return {
        "schema": "chatmem.prompt/1",
        "call_model": built.call_model,
        "handoff": built.handoff,
        "messages": [*system, *talk, {"role": "user", "content": built.message}],
        "parts": [_part(part) for part in built.parts],
        "evidence": [as_json.result(one) for one in built.evidence.results] if built.evidence else [],
        "sources": [source._asdict() for source in built.sources],
        "trace": {
            "memory": trace.memory,
            "searched": trace.searched,
            "why": trace.why,
            "message": built.message,
            "query": trace.query,
            "rewritten": trace.rewritten,
            "sufficiency": trace.sufficiency or None,
            "notes": list(trace.notes),
            "tokens_exact": trace.tokens_exact,
        },
    }


def _part(part: Part) -> dict[str, Any]:
    return {
        "name": part.name,
        "loaded": part.loaded,
        "kept": part.kept,
        "characters": part.characters,
        "tokens": part.tokens,
        "max_characters": part.max_characters,
        "max_tokens": part.max_tokens,
        "text": part.text,
        "dropped": [one._asdict() for one in part.dropped],
    }


def sources(text: str) -> list[Source]:
    """The sources of a document that `build-prompt --json` printed. Raises UsageError for anything else."""
    try:
        found = json.loads(text)["sources"]
        return [Source(*(str(one[name]) for name in Source._fields)) for one in found]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError("the prompt is no document of build-prompt --json", "chatmem build-prompt … --json") from error


def print_grounding(sink: Sink, found: Grounding, json: bool) -> None:
    if json:
        sink.line(as_json.dumps(_grounding(found)))
        return
    verdict = "grounded" if found.grounded else "not grounded"
    sink.line(f"{verdict}\t{found.share:.0%} of its content words are in the sources (at least {found.threshold:.0%})")
    for one in found.sentences:
        state = "claimed_by_customer" if one.claimed_by_customer else "grounded" if one.grounded else "not grounded"
        behind = ", ".join(map(one_line, one.sources[:3]))
        sink.line("\t".join([state, f"{one.share:.0%}", one_line(one.text), behind]))


def _grounding(found: Grounding) -> dict[str, Any]:
    return {
        "schema": "chatmem.grounding/1",
        "grounded": found.grounded,
        "share": round(found.share, 4),
        "threshold": found.threshold,
        "sentences": [
            {
                "text": one.text,
                "words": one.words,
                "share": round(one.share, 4),
                "grounded": one.grounded,
                "claimed_by_customer": one.claimed_by_customer,
                "customer_share": round(one.customer_share, 4),
                "sources": list(one.sources),
            }
            for one in found.sentences
        ],
        "sources": [{"name": name, "kind": kind, "share": round(share, 4)} for name, kind, share in found.sources],
        "claimed_by_customer": list(found.claimed_by_customer),
    }
