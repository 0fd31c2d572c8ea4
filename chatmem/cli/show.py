"""chatmem show"""

from __future__ import annotations

from typing import Annotated

import typer

from chatmem.cli import context
from chatmem.cli.options import (
    ColorOption,
    FormatOption,
    JsonlOption,
    JsonOption,
    QuietOption,
    RevealOption,
    VerboseOption,
)
from chatmem.errors import UsageError


def show(
    chats: Annotated[list[str], typer.Argument(metavar="CHAT[#N]...", help="Id, reference, unique prefix, or -.")],
    around: Annotated[
        int | None,
        typer.Option("--around", metavar="N", min=0, help="With CHAT#N: messages on either side. [default: 3]"),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Also branches and hidden parts.")] = False,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    format: FormatOption = "auto",
    color: ColorOption = "auto",
    reveal: RevealOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> int:
    """Print a thread, or the neighbourhood of one message of it.

    In a pipe, one message a line: reference, time, role, author, kind, text. With --json, one document per chat.
    """
    from chatmem import config, recall
    from chatmem.archive.scope import Scope
    from chatmem.render import listing
    from chatmem.render.sink import Sink
    from chatmem.search import references

    settings = config.load()
    sink = Sink()
    view = context.view(sink, settings, format, json, jsonl, color)
    store = context.store(settings)
    for number, name in enumerate(context.ids(chats) or ()):
        if around is not None and references.split(name)[1] is None:
            raise UsageError("--around needs the number of a message", f"chatmem show {name}#1 --around {around}")
        with store.reading() as connection:
            thread = recall.show_chat(connection, Scope(subagents=True), name, around, everything, reveal)
        if number and view.form == "rich":
            sink.line("")
        listing.print_thread(sink, thread, view)
    return 0
