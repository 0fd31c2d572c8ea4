"""chatmem archive"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chatmem.cli import context
from chatmem.cli.options import JsonOption, QuietOption, VerboseOption

DAMAGED = 3

app = typer.Typer(help="Look after the archive file.", no_args_is_help=True)


@app.command()
def info(json: JsonOption = False) -> int:
    """What the archive holds: chats, messages, projects, sizes."""
    from chatmem import upkeep
    from chatmem.render import archive_report
    from chatmem.render.sink import Sink

    archive_report.print_info(Sink(), upkeep.info(context.store()), json)
    return 0


@app.command()
def check(json: JsonOption = False) -> int:
    """Verify that the archive is sound; exit 3 if it is not.

    Every row in its place, the index complete, the files readable by their owner only.
    """
    from chatmem import upkeep
    from chatmem.render import archive_report
    from chatmem.render.sink import Sink

    faults = upkeep.check(context.store())
    archive_report.print_faults(Sink(), faults, json)
    return DAMAGED if faults else 0


@app.command()
def compact(quiet: QuietOption = False, verbose: VerboseOption = False) -> int:
    """Merge the word index and give free space back to the disk."""
    from chatmem import upkeep
    from chatmem.render import archive_report
    from chatmem.render.sink import Sink

    archive_report.print_sizes(Sink(), *upkeep.compact(context.store()))
    return 0


@app.command()
def reindex(quiet: QuietOption = False, verbose: VerboseOption = False) -> int:
    """Build the word index again from the stored messages."""
    from chatmem import upkeep
    from chatmem.render.sink import Sink

    Sink().line(f"indexed {upkeep.reindex(context.store()):,} chats")
    return 0


@app.command()
def backup(
    target: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write the copy; must not exist.")],
) -> int:
    """Copy the archive to a file, also while it is in use."""
    from chatmem import upkeep
    from chatmem.render.sink import Sink

    Sink().line(str(upkeep.backup(context.store(), target)))
    return 0
