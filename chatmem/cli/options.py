"""Options that several verbs share, spelled and explained once."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from chatmem.render.diagnostics import diagnostics

Format = Literal["auto", "rich", "plain", "json", "jsonl"]
Color = Literal["auto", "always", "never"]


def _quiet(value: bool) -> bool:
    diagnostics.quiet |= value
    return value


def _verbose(value: bool) -> bool:
    diagnostics.verbose |= value
    return value


ProjectOption = Annotated[
    list[str] | None,
    typer.Option("--project", "-p", metavar="NAME", help="Only this project (id or name). Repeatable."),
]
UserOption = Annotated[
    list[str] | None,
    typer.Option("--user", "--customer", metavar="NAME", help="Only this user or customer. Repeatable."),
]
AgentOption = Annotated[list[str] | None, typer.Option("--agent", metavar="NAME", help="Only this agent. Repeatable.")]
SourceOption = Annotated[
    list[str] | None,
    typer.Option("--source", "-s", metavar="NAME", help="Only this source (chatgpt …). Repeatable."),
]
AfterOption = Annotated[
    str | None, typer.Option("--after", metavar="WHEN", help="From this time on: 2025-03, 'last week' …")
]
BeforeOption = Annotated[str | None, typer.Option("--before", metavar="WHEN", help="Before this time.")]
HereOption = Annotated[bool, typer.Option("--here", help="Only the project of the current directory.")]
SubagentsOption = Annotated[bool, typer.Option("--subagents", help="Also transcripts of sub-agents.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
JsonlOption = Annotated[bool, typer.Option("--jsonl", help="Print one JSON record a line.")]
FormatOption = Annotated[
    Format,
    typer.Option("--format", "-f", help="auto: rich on a terminal, plain in a pipe.", show_default=False),
]
ColorOption = Annotated[
    Color, typer.Option("--color", help="Colours and links; auto heeds NO_COLOR.", show_default=False)
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", callback=_quiet, help="No notes, only errors.")]
VerboseOption = Annotated[bool, typer.Option("--verbose", "-v", callback=_verbose, help="More detail on stderr.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Any number of `config show`, for this run. Repeatable."),
]
RevealOption = Annotated[
    bool, typer.Option("--reveal", help="Show cards, passwords, codes, ids and keys as they are, not masked.")
]
NowOption = Annotated[str | None, typer.Option("--now", help="Take this as the present time.", hidden=True)]
MaxTokensOption = Annotated[
    int | None,
    typer.Option("--max-tokens", metavar="N", min=1, help="Bound of all that is printed. [default: 2000, of excerpts]"),
]
NulOption = Annotated[bool, typer.Option("--null", "-0", help="Print ids only, ended by NUL, for xargs -0.")]
ExitStatusOption = Annotated[bool, typer.Option("--exit-status", help="Exit 1 if nothing matched.")]
