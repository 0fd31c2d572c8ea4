"""chatmem tools, chatmem call"""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from chatmem.cli import context
from chatmem.cli.options import (
    AgentOption,
    HereOption,
    NowOption,
    ProjectOption,
    QuietOption,
    UserOption,
    VerboseOption,
)

WRONG_CALL, REFUSED = 2, 5


def tools(
    format: Annotated[
        Literal["openai", "anthropic", "mcp"], typer.Option("--format", "-f", help="Whose API takes them.")
    ] = "openai",
) -> int:
    """Print the typed tools for agents, as JSON.

    Give them to a model, and run what it calls with `chatmem call NAME JSON`.
    """
    from chatmem import tools as typed
    from chatmem.render import as_json
    from chatmem.render.sink import Sink

    Sink().line(as_json.dumps(typed.listed(format)))
    return 0


def call(
    name: Annotated[str, typer.Argument(metavar="NAME", help="conversation_search, recent_chats or get_messages.")],
    arguments: Annotated[str, typer.Argument(metavar="JSON", help="Its arguments as an object; - is stdin.")] = "{}",
    user: UserOption = None,
    agent: AgentOption = None,
    project: ProjectOption = None,
    here: HereOption = False,
    now: NowOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> int:
    """Run one tool call of an agent.

    The flags fix the scope; the arguments can only narrow it. The result, or an error with its kind, is one JSON object
    of at most 6 kB; exit code 2 for a call that makes no sense, 5 for one that is refused.
    """
    import json

    from chatmem import config
    from chatmem import tools as typed
    from chatmem.errors import ChatmemError
    from chatmem.render import as_json
    from chatmem.render.sink import Sink

    settings = config.load()
    sink = Sink()
    store = context.store(settings)
    clock = context.Clock(settings, now)
    try:
        given = json.loads(context.text_of("-") if arguments == "-" else arguments)
        if not isinstance(given, dict):
            raise typed.ToolError("wrong_type", "the arguments are a JSON object")
        scope = context.scope(user, agent, project, None, store if here else None)
        caller = typed.Caller(scope, clock.moment, settings, context.counter())
        typed.checked(name, given)
        with store.reading() as connection:
            sink.line(as_json.dumps(typed.call(connection, name, given, caller)))
        return 0
    except (ValueError, RecursionError):
        error = typed.ToolError("wrong_type", "the arguments are no JSON")
    except typed.ToolError as wrong:
        error = wrong
    except ChatmemError as failed:
        sink.line(as_json.dumps(typed.unavailable(failed).document()))
        return failed.exit_code
    sink.line(as_json.dumps(error.document()))
    return REFUSED if error.kind == "refused" else WRONG_CALL
