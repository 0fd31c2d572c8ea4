"""The typed tools over MCP, on standard input and output.

The scope is fixed when the server starts; arguments can only narrow it. The archive is opened for each call, so that
imports go on. Standard output is the protocol and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import anyio
import anyio.to_thread
import mcp.types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server

from chatmem import tools
from chatmem.archive.store import Store
from chatmem.errors import ChatmemError
from chatmem.tools import Caller, ToolError


def serve(store: Store, caller: Callable[[], Caller], version: str) -> None:
    """Answer until the client closes its end. `caller` is asked for each call: its clock goes on."""
    anyio.run(_serve, store, caller, version)


async def _serve(store: Store, caller: Callable[[], Caller], version: str) -> None:
    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool.model_validate(one) for one in tools.listed("mcp")])

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        # DuckDB works outside the loop, so that a client can cancel or ask for more meanwhile.
        result = await anyio.to_thread.run_sync(answer, store, caller, params.name, params.arguments or {})
        text = types.TextContent(type="text", text=json.dumps(result, ensure_ascii=False))
        return types.CallToolResult(content=[text], is_error="error" in result)

    server: Server[Any] = Server(
        "chatmem", version=version, instructions=tools.POLICY, on_list_tools=list_tools, on_call_tool=call_tool
    )
    async with stdio_server() as (received, sent):
        await server.run(received, sent, server.create_initialization_options())


def answer(store: Store, caller: Callable[[], Caller], name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The result of a call, or what is wrong with it."""
    try:
        tools.checked(name, arguments)
        with store.reading() as connection:
            return tools.call(connection, name, arguments, caller())
    except ToolError as error:
        return error.document()
    except ChatmemError as error:
        return tools.unavailable(error).document()
