"""chatmem show"""

from __future__ import annotations

from typing import Annotated

import typer

from chatmem.cli import context
from chatmem.cli.options import ColorOption, FormatOption, JsonlOption, JsonOption, QuietOption, VerboseOption


def show(
    chats: Annotated[list[str], typer.Argument(metavar="CHAT[#N]...", help="Id, reference, unique prefix, or -.")],
    around: Annotated[int | None, typer.Option("--around", min=0, help="With #N: messages on either side. [3]")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also branches and hidden parts.")] = False,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    format: FormatOption = "auto",
    color: ColorOption = "auto",
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> int:
    """Print a thread, or the neighbourhood of one message of it.

    In a pipe, one message a line: reference, time, role, author, kind, text.
    """
    from chatmem import config, recall
    from chatmem.archive.scope import Scope
    from chatmem.render import listing
    from chatmem.render.sink import Sink

    settings = config.load()
    sink = Sink()
    chosen = context.form(format, json, jsonl, sink)
    store = context.store(settings)
    for name in context.ids(chats):
        with store.reading() as connection:
            thread = recall.show_chat(connection, Scope(subagents=True), name, around, everything)
        listing.print_thread(sink, thread, chosen, color)
    return 0
