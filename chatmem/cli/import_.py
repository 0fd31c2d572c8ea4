"""chatmem import"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from chatmem.cli import context
from chatmem.cli.options import ColorOption, JsonOption, NowOption, QuietOption, VerboseOption

INPUT_SKIPPED = 4


def import_(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH...", help="Export files, zips, folders (walked), or - for standard input."),
    ] = None,
    discover: Annotated[bool, typer.Option("--discover", help="List the stores of coding agents found here.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="With --discover: import what was found.")] = False,
    format: Annotated[
        str | None, typer.Option("--format", "-f", metavar="NAME", help="Take every file for this format.")
    ] = None,
    project: Annotated[
        str | None, typer.Option("--project", "-p", metavar="NAME", help="Put all chats into this project.")
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(
            "--user", "--customer", metavar="NAME", help="Whose chats these are. [default: me, or as exported]"
        ),
    ] = None,
    agent: Annotated[str | None, typer.Option("--agent", metavar="NAME", help="Name of the assistant side.")] = None,
    timezone: Annotated[
        str | None,
        typer.Option("--timezone", metavar="ZONE", help="Zone of times that name none. [default: this machine's]"),
    ] = None,
    date_order: Annotated[
        Literal["day", "month"] | None,
        typer.Option("--date-order", help="What comes first in 03/04/2025, where a file does not tell."),
    ] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="WHEN", help="Leave out chats that ended before this time.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read everything, write nothing.")] = False,
    no_embed: Annotated[
        bool, typer.Option("--no-embed", help="Without vectors; archive embed makes them later.")
    ] = False,
    no_facts: Annotated[
        bool, typer.Option("--no-facts", help="Without facts; chatmem facts extract finds them later.")
    ] = False,
    json: JsonOption = False,
    color: ColorOption = "auto",
    now: NowOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> int:
    """Import exported chats from files, folders, zips or stdin.

    The same export twice adds nothing; a newer one adds what is new. Formats are recognised by content:
    chatgpt, claude, claude-code, codex, gemini-takeout, gemini-cli, sharegpt, openai-messages, csv, markdown, chatmem.
    Exit code 4: finished, but some input was skipped and named.
    """
    from chatmem import config, ingest
    from chatmem.errors import UsageError
    from chatmem.readers.base import ReadOptions
    from chatmem.render import as_json, import_summary
    from chatmem.render.progress import import_progress
    from chatmem.render.sink import Sink

    settings = config.load()
    clock = context.Clock(settings, now)
    sink = Sink()
    chosen = [Path(p) for p in paths or ()]
    if discover:
        from chatmem.discover import stores

        found = stores()
        if not json:
            import_summary.discovered(sink, found, yes)
        elif not yes:
            sink.line(as_json.dumps(as_json.discovered(found)))
        if not yes or not (found or chosen):
            return 0
        chosen += [s.path for s in found]
    if not chosen:
        raise UsageError("nothing to import", "give a path, or --discover to look for coding agents' stores")
    request = ingest.ImportRequest(
        paths=tuple(chosen),
        user=user or settings.user,
        options=ReadOptions(config.zone(timezone or settings.timezone), date_order),
        format=format,
        project=project,
        agent=agent,
        force_user=user is not None,
        since=clock.required(since, "--since"),
        dry_run=dry_run,
        embed=not no_embed,
        facts=not no_facts,
    )
    with import_progress(color) as progress:
        report = ingest.run_import(request, context.store(settings), progress)
    import_summary.print_report(sink, report, json)
    return INPUT_SKIPPED if report.problems() else 0
