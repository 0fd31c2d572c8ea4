"""chatmem mcp"""

from __future__ import annotations

from chatmem.cli import context
from chatmem.cli.options import AgentOption, HereOption, ProjectOption, QuietOption, UserOption, VerboseOption
from chatmem.errors import UsageError


def mcp(
    user: UserOption = None,
    agent: AgentOption = None,
    project: ProjectOption = None,
    here: HereOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> int:
    """Serve the tools to an agent over MCP.

    On standard input and output, until the client hangs up. The flags fix the scope for as long as it runs.
    """
    from chatmem import __version__, config
    from chatmem.tools import Caller

    try:
        from chatmem.mcp_server import serve
    except ImportError as error:
        raise UsageError("the MCP SDK is not installed", "pip install 'chatmem[mcp]'") from error
    settings = config.load()
    store = context.store(settings)
    scope = context.scope(user, agent, project, None, store if here else None)
    counter = context.counter()
    serve(store, lambda: Caller(scope, context.Clock(settings).moment, settings, counter), __version__)
    return 0
