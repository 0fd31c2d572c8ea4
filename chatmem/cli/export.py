"""chatmem export"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

import typer

from chatmem.cli import context
from chatmem.cli.options import (
    AfterOption,
    AgentOption,
    BeforeOption,
    NowOption,
    ProjectOption,
    QuietOption,
    SourceOption,
    UserOption,
    VerboseOption,
)


def export(
    chats: Annotated[
        list[str] | None, typer.Argument(metavar="[CHAT...]", help="Only these chats; - reads ids from stdin.")
    ] = None,
    format: Annotated[
        Literal["jsonl", "markdown"], typer.Option("--format", "-f", help="JSON lines, or Markdown to read.")
    ] = "jsonl",
    project: ProjectOption = None,
    user: UserOption = None,
    agent: AgentOption = None,
    source: SourceOption = None,
    after: AfterOption = None,
    before: BeforeOption = None,
    now: NowOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> int:
    """Write the archive, or a part of it, to standard output.

    Every chat comes in full: all messages, hidden parts and branches. JSON lines restore the archive when imported.
    """
    from chatmem import config
    from chatmem.export import export_chats
    from chatmem.render import as_json, as_markdown
    from chatmem.render.sink import Sink

    settings = config.load()
    clock = context.Clock(settings, now)
    scope = replace(
        context.scope(user, agent, project, source, subagents=True),
        after=clock.required(after, "--after"),
        before=clock.required(before, "--before"),
    )
    sink = Sink()
    named = context.ids(chats)
    if named == []:
        # An empty list of ids on standard input means no chat, not every chat.
        return 0
    write = as_json.export_line if format == "jsonl" else as_markdown.chat
    for chat, stored, row in export_chats(context.store(settings), scope, named or ()):
        sink.line(write(chat, stored, row))
    return 0
