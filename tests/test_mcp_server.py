"""The server as a process, with the official SDK's client at the other end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.contracts.fixtures import surroundings
from tests.contracts.program import PATIENCE, chatmem

__all__ = ["surroundings"]
SUPPORT = Path(__file__).parents[1] / "sample_data" / "support"


@pytest.fixture(autouse=True)
def desk(surroundings: None) -> None:
    assert chatmem("import", SUPPORT, "-q").code == 0


def session(talk: Callable[[ClientSession], Awaitable[None]], *flags: str) -> None:
    async def run() -> None:
        server = StdioServerParameters(
            command=sys.executable, args=["-m", "chatmem", "mcp", *flags], env=dict(os.environ)
        )
        with anyio.fail_after(PATIENCE):
            async with stdio_client(server) as (received, sent), ClientSession(received, sent) as client:
                await client.initialize()
                await talk(client)

    anyio.run(run)


async def call(client: ClientSession, name: str, **arguments: Any) -> tuple[bool, dict[str, Any]]:
    result = await client.call_tool(name, arguments)
    (content,) = result.content
    assert content.type == "text"
    document: dict[str, Any] = json.loads(content.text)
    return bool(result.is_error), document


def test_a_session_lists_searches_pages_and_reads_on() -> None:
    async def talk(client: ClientSession) -> None:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == ["conversation_search", "recent_chats", "get_messages"]
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in listed)
        _, found = await call(client, "conversation_search", query="charged twice")
        ref = found["results"][0]["excerpts"][0]["ref"]
        _, page = await call(client, "recent_chats", n=2)
        assert [one["chat_id"] for one in page["results"]] == ["csv:DSK-230", "csv:DSK-219"]
        _, read = await call(client, "get_messages", reference=ref, around=1)
        assert ref in [one["ref"] for one in read["messages"]] and "4111" not in json.dumps(read)

    session(talk)


def test_wrong_calls_are_answered_and_the_session_goes_on() -> None:
    async def talk(client: ClientSession) -> None:
        for name, arguments, kind in (
            ("conversation_search", {"query": "a", "max_results": 99}, "out_of_range"),
            ("conversation_search", {"query": "a", "project_id": "nope"}, "refused"),
            ("conversation_search", {"query": "a", "user": "erik"}, "unknown_argument"),
            ("get_messages", {"reference": "csv:none"}, "not_found"),
        ):
            failed, document = await call(client, name, **arguments)
            assert failed and document["error"]["kind"] == kind
        failed, _ = await call(client, "recent_chats")
        assert not failed

    session(talk)


def test_the_scope_is_that_of_the_start() -> None:
    async def talk(client: ClientSession) -> None:
        for query in ("A-10442", "user:erik order", "Malmö"):
            _, document = await call(client, "conversation_search", query=query)
            assert document["results"] == [] and "erik" not in json.dumps(document)
        failed, document = await call(client, "get_messages", reference="csv:DSK-230#1")
        assert failed and document["error"]["kind"] == "not_found"

    session(talk, "--customer", "dana")


def test_an_import_goes_on_while_a_server_runs(tmp_path: Path) -> None:
    async def talk(client: ClientSession) -> None:
        export = tmp_path / "new.json"
        export.write_text(json.dumps({"id": "n", "messages": [{"role": "user", "content": "quokka husbandry"}]}))
        done = await anyio.to_thread.run_sync(lambda: chatmem("import", export, "-q"))
        assert done.code == 0
        _, document = await call(client, "conversation_search", query="quokka husbandry")
        assert document["results"][0]["chat_id"] == "openai-messages:n"

    session(talk)


def test_it_ends_with_its_input_and_prints_nothing_else() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "chatmem", "mcp"], stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE
    )
    assert (done.returncode, done.stdout) == (0, b"")


def test_the_command_line_never_loads_the_sdk() -> None:
    script = (
        "import sys; from chatmem.__main__ import run; run(['recent']); print('mcp' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=PATIENCE, text=True)
    assert done.stderr.strip().endswith("False")
