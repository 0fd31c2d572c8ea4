"""chatmem recent"""

from __future__ import annotations

from typing import Annotated, Literal

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

NOT_FOUND = 1
UNBOUNDED = 1 << 62


def recent(
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", metavar="N", min=1, max=100, help="Chats. [default: 3]")
    ] = None,
    sort: Annotated[Literal["newest", "oldest"], typer.Option("--sort", help="By last activity.")] = "newest",
    project: ProjectOption = None,
    user: UserOption = None,
    agent: AgentOption = None,
    source: SourceOption = None,
    after: AfterOption = None,
    before: BeforeOption = None,
    here: HereOption = False,
    subagents: SubagentsOption = False,
    max_tokens: MaxTokensOption = None,
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
    """List chats by time, with their first and latest words.

    --before and --after take a time or the cursor that the last page printed; pages stay stable when chats arrive.
    In a pipe, one chat a line: id, last activity, source, project, messages, title.
    """
    from chatmem import config, cursors, recall
    from chatmem.render import listing
    from chatmem.render.sink import Sink

    settings = config.load()
    sink = Sink()
    clock = context.Clock(settings, now)
    view = context.view(sink, settings, format, json, jsonl, color, null)
    # A list of lines or ids has no room for excerpts, and is as long as it was asked to be.
    quoted = view.form in ("rich", "json", "jsonl")
    counter = context.counter()
    store = context.store(settings)
    scope = context.scope(user, agent, project, source, store if here else None, subagents)
    with store.reading() as connection:
        page = recall.recent_chats(
            connection,
            scope,
            limit or settings.recent_limit,
            sort == "oldest",
            (after and cursors.parse(after)) or clock.required(after, "--after"),
            (before and cursors.parse(before)) or clock.required(before, "--before"),
            settings,
            counter if quoted else None,
            max_tokens or (settings.max_tokens if quoted else UNBOUNDED),
            context.size(view.form, counter, max_tokens, "recent"),
            reveal,
        )
    # The cursor takes the place of one bound; the other stays.
    bound = ("--after", after) if sort == "newest" else ("--before", before)
    again = context.again(
        ("-p", project), ("--user", user), ("--agent", agent), ("-s", source), ("--here", here),
        ("--subagents", subagents), ("-n", limit), ("--max-tokens", max_tokens), bound,
    )  # fmt: skip
    listing.print_page(sink, page, view, again, sort)
    return NOT_FOUND if exit_status and not page.results else 0
