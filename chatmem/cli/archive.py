"""chatmem archive"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chatmem.cli import context
from chatmem.cli.options import ColorOption, JsonOption, QuietOption, VerboseOption

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
def embed(
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME|PATH", help="wordllama, or a model of sentence-transformers."),
    ] = None,
    device: Annotated[str | None, typer.Option("--device", metavar="NAME", help="cpu, cuda, mps …")] = None,
    json: JsonOption = False,
    color: ColorOption = "auto",
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> int:
    """Make the vectors that are missing, or those of another model.

    \b
    chatmem archive embed                                        after import --no-embed
    chatmem archive embed --model all-MiniLM-L6-v2               a better, slower model
    chatmem archive embed --model wordllama                      back to the default

    Any model of sentence-transformers will do, by its name on the hub (then it is downloaded) or the folder it lies in;
    pip install 'chatmem[models]' brings the library. Stopped and run again, it goes on where it was; until it is done,
    searches use the vectors there are.
    """
    from chatmem import reembed
    from chatmem.render import archive_report
    from chatmem.render.progress import embed_progress
    from chatmem.render.sink import Sink

    with embed_progress(color) as progress:
        done = reembed.embed(context.store(), model, device, progress)
    archive_report.print_embedded(Sink(), done, json)
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
