"""Which renderer prints a result, and what goes to stderr beside it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from chatmem.evidence.answer import MISSES
from chatmem.render import as_json, as_plain
from chatmem.render.diagnostics import diagnostics
from chatmem.render.sink import Sink
from chatmem.render.terminal import cell, local_time, some
from chatmem.render.view import View

if TYPE_CHECKING:
    from chatmem.archive.read import ScopeCount
    from chatmem.evidence.answer import Answer, Page
    from chatmem.recall import Thread


def print_answer(sink: Sink, answer: Answer, view: View) -> None:
    """The results to stdout; how sure they are, what is left out and near misses to stderr."""
    if view.form == "json":
        sink.line(as_json.dumps(as_json.answer(answer)))
        return
    if view.form == "null":
        _ids(sink, as_plain.refs(answer.results))
    elif view.form == "jsonl":
        for evidence in answer.results:
            sink.line(as_json.dumps(as_json.result(evidence, answer.by == "message")))
    elif view.form == "rich" and answer.results:
        from chatmem.render import as_rich

        as_rich.results(as_rich.Screen(view), answer.results, answer.by == "message")
    else:
        for line in as_plain.search_rows(answer.results):
            sink.line(line)
    sink.flush()
    _tell(answer, view)


def _tell(answer: Answer, view: View) -> None:
    verdict = answer.sufficiency
    searched = _scope(answer.scope, view)
    if verdict.level == "none":
        diagnostics.note(f"nothing found: {verdict.reason} (searched {searched})")
    elif verdict.level == "partial":
        diagnostics.note(f"partial match: {verdict.reason}")
    others = [text for text in answer.did_you_mean if f"“{text}” for “" not in verdict.reason]
    if others:
        diagnostics.note(f"did you mean: {', '.join(others)}")
    _tell_omitted(answer.omitted)
    listed = len(answer.results) + answer.omitted
    if answer.by == "chat" and answer.results and answer.matched > listed:
        diagnostics.note(f"{listed} of {answer.matched:,} that match; -n for more")
    if answer.note:
        diagnostics.note(f"by words alone: {answer.note}" if answer.mode == "lexical" else answer.note)
    if not answer.tokens_exact:
        diagnostics.note("tokens are estimated (4 characters each): the cl100k_base vocabulary is not installed")
    diagnostics.detail(f"{answer.matched} matched in {searched}; {answer.tokens} tokens; mode {answer.mode}")


def _tell_omitted(count: int) -> None:
    if count:
        diagnostics.note(f"{count} more left out by --max-tokens")


def _scope(counted: ScopeCount, view: View) -> str:
    days = [local_time(at, view.zone)[:10] for at in (counted.first, counted.last) if at]
    span = f", {days[0]} to {days[1]}" if len(days) == 2 else ""
    return f"{some(counted.chats, 'chat')}, {some(counted.messages, 'message')}{span}"


def print_page(sink: Sink, page: Page, view: View, again: Sequence[str], sort: str) -> None:
    """The chats to stdout; why there are none, and how to see more (with the flags of `again`), to stderr."""
    if view.form == "json":
        sink.line(as_json.dumps(as_json.page(page)))
        return
    if view.form == "null":
        _ids(sink, as_plain.refs(page.results))
    elif view.form == "jsonl":
        for evidence in page.results:
            sink.line(as_json.dumps(as_json.result(evidence)))
    elif view.form == "rich" and page.results:
        from chatmem.render import as_rich

        as_rich.results(as_rich.Screen(view), page.results)
    else:
        for line in as_plain.recent_rows(page.results):
            sink.line(line)
    sink.flush()
    if page.miss:
        diagnostics.note(f"nothing to list: {MISSES.get(page.miss, 'no chat matches')}")
    _tell_omitted(page.omitted)
    if page.next_cursor:
        place = ("--before",) if sort == "newest" else ("--sort", "oldest", "--after")
        diagnostics.note(f"more: chatmem recent {shlex.join([*again, *place, page.next_cursor])}")
    diagnostics.detail(f"{len(page.results)} of {_scope(page.scope, view)}; {page.tokens} tokens")


def print_thread(sink: Sink, thread: Thread, view: View) -> None:
    if view.form == "json":
        sink.line(as_json.dumps(as_json.thread(thread)))
    elif view.form == "jsonl":
        for message in as_json.thread(thread)["messages"]:
            sink.line(as_json.dumps({"chat_id": thread.chat.chat_id, **message}))
    elif view.form == "rich":
        from chatmem.render import as_rich

        as_rich.thread(as_rich.Screen(view), thread)
    else:
        for line in as_plain.thread_rows(thread):
            sink.line(line)


def _ids(sink: Sink, ids: Iterable[str]) -> None:
    """Exactly as they are for programs; a terminal is no program."""
    for name in ids:
        sink.line(cell(name) if sink.is_terminal() else name, end="\0")
