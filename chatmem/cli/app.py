"""The `chatmem` command: its verbs and how an invocation ends."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer
import typer.exceptions

from chatmem import __version__
from chatmem.cli import archive, config, export, import_, recent, search, show
from chatmem.config import utf8

USAGE = 2
COMPLETION = "_CHATMEM_COMPLETE"

app = typer.Typer(
    name="chatmem",
    help="Search what you once said to and heard from assistants: one local archive, cited excerpts, nothing leaves.",
    epilog="Start with: chatmem import PATH, then chatmem search WORDS. Every verb explains itself with --help.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
app.command("import")(import_.import_)
app.command("search")(search.search)
app.command("recent")(recent.recent)
app.command("show")(show.show)
app.command("export")(export.export)
app.add_typer(archive.app, name="archive")
app.add_typer(config.app, name="config")


def _version(value: bool) -> None:
    if value:
        from chatmem.render.sink import Sink

        Sink().line(f"chatmem {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def invoke(arguments: list[str] | None = None) -> int:
    """Run one command line and give its exit code; ChatmemErrors, and a closed pipe, pass through to the caller."""
    from chatmem.render.diagnostics import diagnostics

    given = [_readable(a) for a in (sys.argv[1:] if arguments is None else arguments)]
    if not given or given in (["archive"], ["config"]):
        given = [*given, "--help"]
    command = typer.main.get_command(app)
    try:
        if COMPLETION in os.environ:
            return int(command.main(args=given, prog_name="chatmem", standalone_mode=False) or 0)
        # Not main(): it turns a closed pipe into exit code 1.
        with command.make_context("chatmem", given) as made:
            result = command.invoke(made)
    except typer.Exit as error:
        return error.exit_code
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    except typer.exceptions.TyperException as error:
        diagnostics.error(f"{error.format_message().rstrip('.')}; see chatmem {_verb(given)}--help")
        return USAGE
    return result if isinstance(result, int) else 0


def _readable(argument: str) -> str:
    """Bytes that are no UTF-8 stay only in the name of a file that exists; nothing else could store or print them."""
    return argument if argument.isascii() or os.path.lexists(argument) else utf8(argument)


def _verb(given: list[str]) -> str:
    """The verb of a command line, as far as it exists, for pointing at its help."""
    words = [word for word in given[:1] if not word.startswith("-")]
    known = {c.name for c in app.registered_commands} | {g.name for g in app.registered_groups}
    return f"{words[0]} " if words and words[0] in known else ""
