"""chatmem search"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from chatmem.cli import context
from chatmem.cli.options import (
    AfterOption,
    AgentOption,
    BeforeOption,
    ColorOption,
    ExitStatusOption,
    FormatOption,
    HereOption,
    JsonlOption,
    JsonOption,
    MaxTokensOption,
    NowOption,
    NulOption,
    ProjectOption,
    QuietOption,
    RevealOption,
    SourceOption,
    SubagentsOption,
    UserOption,
    VerboseOption,
)
from chatmem.errors import UsageError

if TYPE_CHECKING:
    from chatmem.archive.store import Store
    from chatmem.config import Settings
    from chatmem.recall import Lookup
    from chatmem.render.sink import Sink
    from chatmem.tokens import Counter

NOT_FOUND, SKIPPED = 1, 4
# An import that waits for the archive hardly notices.
HOLD_SECONDS = 0.3
NEITHER = ("nothing to search for", "chatmem search WORDS, or chatmem recent for the latest chats")
BOTH = ("a query and --batch exclude each other", "put the query into the file, or leave --batch out")


def search(
    query: Annotated[
        list[str] | None, typer.Argument(metavar="QUERY...", help='Words, "a phrase", -without, prefix*, project:x.')
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", metavar="N", min=1, max=100, help="Results. [default: 5]")
    ] = None,
    by: Annotated[Literal["chat", "message"], typer.Option("--by", help="What a result is.")] = "chat",
    project: ProjectOption = None,
    user: UserOption = None,
    agent: AgentOption = None,
    source: SourceOption = None,
    role: Annotated[
        list[str] | None, typer.Option("--role", metavar="ROLE", help="Only what user or assistant said.")
    ] = None,
    after: AfterOption = None,
    before: BeforeOption = None,
    mode: Annotated[
        Literal["hybrid", "lexical", "semantic"], typer.Option("--mode", help="hybrid uses all that there is.")
    ] = "hybrid",
    fusion: Annotated[
        Literal["recipe", "rrf"],
        typer.Option("--fusion", help="Add scores of words and meaning, or join ranks."),
    ] = "recipe",
    in_chat: Annotated[list[str] | None, typer.Option("--in", metavar="CHAT", help="Only inside this chat.")] = None,
    not_in: Annotated[
        list[str] | None,
        typer.Option("--not-in", metavar="CHAT", help="Not this chat; nor ever $CHATMEM_CURRENT_CHAT."),
    ] = None,
    here: HereOption = False,
    hidden: Annotated[bool, typer.Option("--hidden", help="Also thinking, tool traffic and the like.")] = False,
    branches: Annotated[bool, typer.Option("--branches", help="Also regenerated answers, edited prompts.")] = False,
    subagents: SubagentsOption = False,
    max_tokens: MaxTokensOption = None,
    batch: Annotated[
        str | None, typer.Option("--batch", metavar="FILE", help="Many queries: JSON lines; - is stdin.")
    ] = None,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    format: FormatOption = "auto",
    null: NulOption = False,
    exit_status: ExitStatusOption = False,
    color: ColorOption = "auto",
    reveal: RevealOption = False,
    now: NowOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> int:
    """Find what was said, by topic, with references and dates.

    \b
    chatmem search sourdough hydration            words, in any order
    chatmem search '"deadlock detected" -mysql'   a phrase, and a word not to have
    chatmem search getUser* project:shop          a prefix, inside a project
    chatmem search lisbon --after 2025-03 --json

    In a pipe, one result a line: reference, time, source, project, title, excerpt. A line of --batch is an object
    with query, and if wanted id, limit and the filters by name (project, after, role …).
    """
    from chatmem import config, recall
    from chatmem.render import listing
    from chatmem.render.sink import Sink

    settings = config.load()
    sink = Sink()
    clock = context.Clock(settings, now)
    store = context.store(settings)
    if (not query) == (batch is None):
        raise UsageError(*(BOTH if query else NEITHER))
    view = context.view(sink, settings, format, json, jsonl, color, null)
    counter = context.counter()
    ask = recall.Lookup(
        text=" ".join(query or ()),
        scope=replace(
            context.scope(user, agent, project, source, store if here else None, subagents),
            after=clock.required(after, "--after"),
            before=clock.required(before, "--before"),
        ),
        limit=limit or settings.search_limit,
        max_tokens=max_tokens or settings.max_tokens,
        moment=clock.moment,
        by=by,
        roles=context.roles(role),
        hidden=hidden,
        branches=branches,
        inside=(context.utf8(in_chat),) if in_chat else (),
        without=context.utf8(not_in),
        current=config.current_chat(),
        mode=mode,
        fusion=fusion,
        reveal=reveal,
        size=context.size("json" if batch else view.form, counter, max_tokens, "search", by),
    )
    if batch is not None:
        if exit_status or view.form == "null" or format in ("rich", "plain"):
            raise UsageError("--batch prints one JSON document for each query", "leave -0, --format, --exit-status out")
        return _batch(store, ask, batch, settings, sink, counter)
    with store.reading() as connection:
        answer = recall.search_chats(connection, ask, settings, counter)
    listing.print_answer(sink, answer, view)
    return NOT_FOUND if exit_status and not answer.results else 0


def _batch(store: Store, ask: Lookup, path: str, settings: Settings, sink: Sink, counter: Counter) -> int:
    """One search document a line, in the order of the queries; of a line without sense what is wrong with it."""
    from chatmem.batch import answers
    from chatmem.errors import ChatmemError
    from chatmem.render import as_json
    from chatmem.render.diagnostics import diagnostics

    counter.whole()
    code = 0
    size = context.size("json", counter, ask.max_tokens, "search", ask.by)
    hold = 0.0 if path == "-" else HOLD_SECONDS
    for name, answer in answers(store, ask, context.lines(path), settings, counter, size, hold):
        if isinstance(answer, ChatmemError):
            code = SKIPPED
            diagnostics.error(str(answer))
            sink.line(as_json.dumps(as_json.refusal(answer, name)))
        else:
            sink.line(as_json.dumps(as_json.answer(answer, name)))
        # Whoever asks line by line waits for each answer.
        sink.flush()
    return code
