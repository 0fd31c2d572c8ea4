"""The `chatmem` command: its verbs and how an invocation ends.

Only the verb that is called is loaded and built; help, completion and a slip of the pen get them all.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Annotated, Any

import typer
import typer.exceptions

from chatmem import __version__
from chatmem.config import utf8

USAGE = 2
COMPLETION = "_CHATMEM_COMPLETE"
GROUPS = ("archive", "config")
VERBS = (
    "import", "search", "recent", "show", "facts", "build-prompt", "check-answer", "should-search", "tools", "call",
    "mcp", "export", *GROUPS,
)  # fmt: skip


def _version(value: bool) -> None:
    if value:
        from chatmem.render.sink import Sink

        Sink().line(f"chatmem {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def application(verbs: Iterable[str] = VERBS) -> typer.Typer:
    """The command line with these verbs, in this order."""
    app = typer.Typer(
        name="chatmem",
        help="Search what you once said to and heard from assistants: a local archive, cited excerpts, nothing leaves.",
        epilog="Start with: chatmem import PATH, then chatmem search WORDS. Every verb explains itself with --help.",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    app.callback()(_root)
    for verb in verbs:
        _add(app, verb)
    return app


def _add(app: typer.Typer, verb: str) -> None:
    match verb:
        case "import":
            from chatmem.cli.import_ import import_

            app.command(verb)(import_)
        case "search":
            from chatmem.cli.search import search

            app.command(verb)(search)
        case "recent":
            from chatmem.cli.recent import recent

            app.command(verb)(recent)
        case "show":
            from chatmem.cli.show import show

            app.command(verb)(show)
        case "facts":
            from chatmem.cli import facts

            app.add_typer(facts.app, name=verb)
        case "build-prompt":
            from chatmem.cli.build_prompt import build_prompt

            app.command(verb)(build_prompt)
        case "check-answer":
            from chatmem.cli.check_answer import check_answer

            app.command(verb)(check_answer)
        case "should-search":
            from chatmem.cli.should_search import should_search

            app.command(verb)(should_search)
        case "tools" | "call":
            from chatmem.cli import tools

            app.command(verb)(tools.tools if verb == "tools" else tools.call)
        case "mcp":
            from chatmem.cli.mcp import mcp

            app.command(verb)(mcp)
        case "export":
            from chatmem.cli.export import export

            app.command(verb)(export)
        case "archive":
            from chatmem.cli import archive

            app.add_typer(archive.app, name=verb)
        case "config":
            from chatmem.cli import config

            app.add_typer(config.app, name=verb)


def invoke(arguments: list[str] | None = None) -> int:
    """Run one command line and give its exit code; ChatmemErrors, and a closed pipe, pass through to the caller."""
    from chatmem.render.diagnostics import diagnostics

    given = [_readable(a) for a in (sys.argv[1:] if arguments is None else arguments)]
    if not given or given in ([group] for group in GROUPS):
        given = [*given, "--help"]
    if given[0] == "build-prompt":
        from chatmem.cli.build_prompt import spelled_out

        given = spelled_out(given)
    completing = COMPLETION in os.environ
    command = typer.main.get_command(application(VERBS if completing else (_verb(given) or VERBS)))
    try:
        if completing:
            return _complete(command, given)
        # Not main(): it turns a closed pipe into exit code 1.
        with command.make_context("chatmem", given) as made:
            result = command.invoke(made)
    except typer.Exit as error:
        return error.exit_code
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    except typer.exceptions.TyperException as error:
        diagnostics.error(f"{error.format_message().rstrip('.')}; {_advice(given)}")
        return USAGE
    return result if isinstance(result, int) else 0


def _complete(command: Any, given: list[str]) -> int:
    """Answer a shell that completes a line. Into a line that is being typed nothing is said, whatever is wrong."""
    try:
        command.main(args=given, prog_name="chatmem", standalone_mode=False)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    except KeyError:
        # The variables that carry the line are missing.
        return USAGE
    return 0


def _readable(argument: str) -> str:
    """Bytes that are no UTF-8 stay only in the name of a file that exists; nothing else could store or print them."""
    return argument if argument.isascii() or os.path.lexists(argument) else utf8(argument)


def _advice(given: list[str]) -> str:
    """What to type after a usage error. In a search, a dash may have been meant for a word to leave out."""
    verb = _verb(given)
    left_out = [g for g in given if g[:1] == "-" and g[1:2].isalpha() and len(g) > 2]
    help_line = f"see {' '.join(('chatmem', *verb))} --help"
    if verb == ("search",) and left_out and "--" not in given:
        return f"{help_line}, or put -- before the query to leave a word out: chatmem search -- … {left_out[0]}"
    return help_line


def _verb(given: list[str]) -> tuple[str, ...]:
    """The verb that a command line begins with, if it is one."""
    return tuple(word for word in given[:1] if word in VERBS)
