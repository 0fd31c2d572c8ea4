"""chatmem build-prompt"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

import typer

from chatmem.cli import context
from chatmem.cli.options import (
    AgentOption,
    JsonOption,
    NowOption,
    ProjectOption,
    QuietOption,
    SetOption,
    UserOption,
    VerboseOption,
)
from chatmem.errors import UsageError

NOTHING_TO_GROUND_ON = 1
LATEST = ""
_CONTINUE, _CONTINUE_CHAT = "--continue", "--continue-chat"
_ID = re.compile(r"(?=\S*[:\d])[^\s-]\S+")


def spelled_out(given: list[str]) -> list[str]:
    """The arguments with `--continue CHAT` as an option of its own: Typer has none whose value may be left out."""
    found: list[str] = []
    for word in given:
        name, equals, value = word.partition("=")
        if name == _CONTINUE and equals:
            found += [_CONTINUE_CHAT, value]
        elif found[-1:] == [_CONTINUE] and _ID.fullmatch(word):
            found[-1:] = [_CONTINUE_CHAT, word]
        else:
            found.append(word)
    return found


def build_prompt(
    message: Annotated[list[str], typer.Argument(metavar="MESSAGE...", help="What the user says now; - is stdin.")],
    chat: Annotated[
        str | None, typer.Option("--chat", metavar="CHAT", help="The current conversation, in the archive.")
    ] = None,
    conversation: Annotated[
        str | None, typer.Option("--conversation", metavar="FILE", help="Or as JSON or JSON lines; - is stdin.")
    ] = None,
    user: UserOption = None,
    agent: AgentOption = None,
    project: ProjectOption = None,
    system: Annotated[
        Path | None, typer.Option("--system", metavar="FILE", help="The instructions to begin with.")
    ] = None,
    passages: Annotated[
        list[str] | None,
        typer.Option("--passages", metavar="FILE", help="Passages found elsewhere: title, text, url, best first."),
    ] = None,
    pinned: Annotated[
        list[str] | None, typer.Option("--pinned", metavar="FILE", help="Documents that are always put in.")
    ] = None,
    memory: Annotated[
        Literal["auto", "always", "never"],
        typer.Option("--memory", help="Search past chats: auto, if the message speaks of them."),
    ] = "auto",
    go_on: Annotated[
        bool,
        typer.Option("--continue", help="[CHAT]  With what was decided, is open and comes next in the latest chat."),
    ] = False,
    continue_chat: Annotated[
        str | None, typer.Option(_CONTINUE_CHAT, metavar="CHAT", help="The same, of this chat.", hidden=True)
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Answer from sources only; exit 1 if there is none.")
    ] = False,
    json: JsonOption = False,
    set_: SetOption = None,
    now: NowOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> int:
    """Build a prompt from the conversation, facts and past chats.

    \b
    chatmem build-prompt 'can I export to PDF?' --customer dana --agent bot
    chatmem build-prompt 'and the second one?' --conversation talk.json --json
    chatmem build-prompt 'go on' --project shop --continue

    Each part has its budget; what was loaded, kept and dropped, and why, goes to stderr, or into the document with
    --json (messages for chat APIs, parts, evidence, sources, trace). What others said is quoted line by line.
    """
    from chatmem import config
    from chatmem.prompt import build, knowledge
    from chatmem.prompt.request import Request
    from chatmem.render import prompt_report
    from chatmem.render.sink import Sink

    settings = config.adjusted(config.load(), set_ or ())
    clock = context.Clock(settings, now)
    if chat and conversation:
        raise UsageError("--chat and --conversation exclude each other", "choose one")
    text = context.text_of("-") if message == ["-"] else " ".join(message)
    if message == ["-"] and conversation == "-":
        raise UsageError("standard input can be the message or the conversation", "put one of them into a file")
    if not text.strip():
        raise UsageError("the message is empty", "chatmem build-prompt 'what the user says'")
    request = Request(
        message=text,
        scope=context.scope(user, agent, project, None),
        now=clock.now,
        moment=clock.moment,
        conversation=context.conversation(conversation) if conversation else (),
        chat=chat or "",
        system=context.text_of(str(system)) if system else "",
        pinned=tuple(one for path in pinned or () for one in knowledge.read(path, pinned=True)),
        passages=tuple(one for path in passages or () for one in knowledge.read(path, pinned=False)),
        memory=memory,
        continues=continue_chat or (LATEST if go_on else None),
        strict=strict,
    )
    with context.store(settings).reading() as connection:
        built = build.build(connection, request, settings, context.counter())
    prompt_report.print_prompt(Sink(), built, json)
    return 0 if built.call_model else NOTHING_TO_GROUND_ON
