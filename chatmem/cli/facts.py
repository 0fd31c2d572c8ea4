"""chatmem facts"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from chatmem.cli import context
from chatmem.cli.options import (
    AgentOption,
    ColorOption,
    ExitStatusOption,
    FormatOption,
    JsonlOption,
    JsonOption,
    NowOption,
    ProjectOption,
    QuietOption,
    SetOption,
    SourceOption,
    UserOption,
    VerboseOption,
)
from chatmem.errors import UsageError

if TYPE_CHECKING:
    from chatmem.archive.scope import Scope

NOT_FOUND, SOME_LEFT = 1, 4

app = typer.Typer(
    help="""Show what users said about themselves, with sources.

    \b
    chatmem facts --customer dana             the latest facts, each with the message that says it
    chatmem facts --about 'can I export?'     those that matter for a question
    chatmem facts --history                   also what was superseded, retracted or has expired

    Only what users say themselves counts, not what they ask, quote or imagine. Cards, passwords, codes, ids and keys
    are never stored. In a pipe, one fact a line: attribute, value, status, time, reference, user, agent, quote.
    """
)

AttributeArgument = Annotated[
    str,
    typer.Argument(
        metavar="ATTRIBUTE", help="name, company, role, location, plan, product, reference, preference or problem."
    ),
]


@app.callback(invoke_without_command=True)
def facts(
    ctx: typer.Context,
    about: Annotated[
        str | None, typer.Option("--about", metavar="QUESTION", help="Those nearest to a question, at most 8.")
    ] = None,
    history: Annotated[bool, typer.Option("--history", help="Past facts too, with what replaced them.")] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", metavar="N", min=1, max=1000, help="Facts. [default: 20]")
    ] = None,
    user: UserOption = None,
    agent: AgentOption = None,
    project: ProjectOption = None,
    source: SourceOption = None,
    json: JsonOption = False,
    jsonl: JsonlOption = False,
    format: FormatOption = "auto",
    exit_status: ExitStatusOption = False,
    set_: SetOption = None,
    color: ColorOption = "auto",
    now: NowOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> int:
    if ctx.invoked_subcommand is not None:
        return 0
    from chatmem import config
    from chatmem.facts import verbs
    from chatmem.render import facts_report
    from chatmem.render.sink import Sink

    settings = config.adjusted(config.load(), set_ or ())
    sink = Sink()
    view = context.view(sink, settings, format, json, jsonl, color)
    clock = context.Clock(settings, now)
    with context.store(settings).reading() as connection:
        found = verbs.list_facts(
            connection, _scope(user, agent, project, source), settings, clock.now, about or "", history, limit
        )
    facts_report.print_facts(sink, found, view)
    return NOT_FOUND if exit_status and not found.facts else 0


@app.command()
def add(
    attribute: AttributeArgument,
    value: Annotated[list[str], typer.Argument(metavar="VALUE...", help="What it is.")],
    user: Annotated[str | None, typer.Option("--user", "--customer", metavar="NAME", help="About whom.")] = None,
    agent: Annotated[str, typer.Option("--agent", metavar="NAME", help="For which agent.")] = "",
    now: NowOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> int:
    """Note a fact by hand."""
    from chatmem import config
    from chatmem.facts import verbs

    settings = config.load()
    clock = context.Clock(settings, now)
    verbs.add(context.store(settings), (user or settings.user, agent), attribute, " ".join(value), clock.now)
    return 0


@app.command()
def forget(
    attribute: AttributeArgument,
    value: Annotated[
        list[str] | None, typer.Argument(metavar="VALUE...", help="Which one; every fact of the attribute without it.")
    ] = None,
    user: UserOption = None,
    agent: AgentOption = None,
    now: NowOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> int:
    """Erase a fact for good: importing its chat again does not bring it back. The chat itself stays."""
    from chatmem import config
    from chatmem.facts import verbs
    from chatmem.render import facts_report
    from chatmem.render.sink import Sink

    if value is not None and not " ".join(value).strip():
        raise UsageError("the value is empty", "leave it out to forget every fact of the attribute")
    settings = config.load()
    clock = context.Clock(settings, now)
    scope = _scope(user, agent, None, None)
    gone = verbs.forget(context.store(settings), scope, attribute, " ".join(value or ()), settings, clock.now)
    facts_report.print_forgotten(Sink(), gone)
    return 0


@app.command()
def extract(
    model: Annotated[
        bool, typer.Option("--model", help="Ask the configured endpoint too, about chats it has not seen.")
    ] = False,
    user: UserOption = None,
    agent: AgentOption = None,
    project: ProjectOption = None,
    color: ColorOption = "auto",
    now: NowOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> int:
    """Look for facts in all chats that are here. Imports do it for what is new."""
    from chatmem import config
    from chatmem.facts import by_model, verbs
    from chatmem.render import facts_report
    from chatmem.render.progress import counting_progress
    from chatmem.render.sink import Sink

    settings = config.load()
    store = context.store(settings)
    with counting_progress(color, "messages looked through") as progress:
        found = verbs.extract(store, progress)
        asked = by_model.extract_all(store, _scope(user, agent, project, None), settings, progress) if model else None
    facts_report.print_extracted(Sink(), found, asked)
    return SOME_LEFT if asked and asked.left else 0


def _scope(
    user: list[str] | None, agent: list[str] | None, project: list[str] | None, source: list[str] | None
) -> Scope:
    return context.scope(user, agent, project, source, subagents=True)
