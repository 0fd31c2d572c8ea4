"""Which renderer prints a result, and what goes to stderr beside it."""

from __future__ import annotations

from chatmem.evidence.answer import Answer, Page
from chatmem.recall import Thread
from chatmem.render import as_json, as_plain
from chatmem.render.diagnostics import diagnostics
from chatmem.render.sink import Sink
from chatmem.render.terminal import ColorChoice

_MISSES = {
    "empty_archive": "the archive holds no chats yet; chatmem import PATH",
    "empty_scope": "no chat belongs to this user, agent or project",
    "filtered_out": "the filters leave no chat",
}


def print_answer(sink: Sink, answer: Answer, form: str, color: ColorChoice, null: bool) -> None:
    """The results to stdout; how sure they are, what is left out and near misses to stderr."""
    if null:
        _ids(sink, [e.excerpts[0].ref if e.excerpts else e.chat.chat_id for e in answer.results])
    elif form == "json":
        sink.line(as_json.dumps(as_json.answer(answer)))
        return
    elif form == "jsonl":
        for evidence in answer.results:
            sink.line(as_json.dumps(as_json.result(evidence, answer.by == "message")))
    elif form == "rich" and answer.results:
        from chatmem.render import as_rich

        as_rich.results(as_rich.console(color), answer.results)
    else:
        for line in as_plain.search_rows(answer.results):
            sink.line(line)
    sink.flush()
    _tell(answer)


def _tell(answer: Answer) -> None:
    verdict = answer.sufficiency
    if verdict.level == "none":
        diagnostics.note(f"nothing found: {verdict.reason} (searched {_scope(answer)})")
    elif verdict.level == "partial":
        diagnostics.note(f"partial match: {verdict.reason}")
    if answer.did_you_mean:
        diagnostics.note(f"did you mean: {', '.join(answer.did_you_mean)}")
    if answer.omitted:
        diagnostics.note(f"{answer.omitted} more left out by --max-tokens")
    if not answer.tokens_exact:
        diagnostics.note("tokens are estimated (4 characters each): the cl100k_base vocabulary is not installed")
    diagnostics.detail(f"{answer.matched} matched in {_scope(answer)}; {answer.tokens} tokens; mode {answer.mode}")


def _scope(answer: Answer | Page) -> str:
    counted = answer.scope
    span = f", {counted.first:%Y-%m-%d} to {counted.last:%Y-%m-%d}" if counted.first and counted.last else ""
    return f"{counted.chats:,} chats, {counted.messages:,} messages{span}"


def print_page(sink: Sink, page: Page, form: str, color: ColorChoice, null: bool, sort: str) -> None:
    if null:
        _ids(sink, [e.chat.chat_id for e in page.results])
    elif form == "json":
        sink.line(as_json.dumps(as_json.page(page)))
        return
    elif form == "jsonl":
        for evidence in page.results:
            sink.line(as_json.dumps(as_json.result(evidence)))
    elif form == "rich" and page.results:
        from chatmem.render import as_rich

        as_rich.results(as_rich.console(color), page.results)
    else:
        for line in as_plain.recent_rows(page.results):
            sink.line(line)
    sink.flush()
    if page.miss:
        diagnostics.note(f"nothing to list: {_MISSES.get(page.miss, 'no chat matches')}")
    if page.next_cursor:
        flag = "--before" if sort == "newest" else "--after"
        diagnostics.note(f"more: {flag} '{page.next_cursor}'")


def print_thread(sink: Sink, thread: Thread, form: str, color: ColorChoice) -> None:
    if form == "json":
        sink.line(as_json.dumps(as_json.thread(thread)))
    elif form == "jsonl":
        for message in as_json.thread(thread)["messages"]:
            sink.line(as_json.dumps({"chat_id": thread.chat.chat_id, **message}))
    elif form == "rich":
        from chatmem.render import as_rich

        as_rich.thread(as_rich.console(color), thread)
    else:
        for line in as_plain.thread_rows(thread):
            sink.line(line)


def _ids(sink: Sink, ids: list[str]) -> None:
    for name in ids:
        sink.line(name, end="\0")
