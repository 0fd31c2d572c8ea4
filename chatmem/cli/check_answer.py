"""chatmem check-answer"""

from __future__ import annotations

from typing import Annotated

import typer

from chatmem.cli import context
from chatmem.cli.options import JsonOption, QuietOption, VerboseOption
from chatmem.errors import UsageError

UNGROUNDED = 1


def check_answer(
    answer: Annotated[list[str], typer.Argument(metavar="ANSWER...", help="What the model answered; - is stdin.")],
    prompt: Annotated[str, typer.Option("--prompt", metavar="FILE", help="What build-prompt --json printed for it.")],
    threshold: Annotated[
        float | None, typer.Option("--threshold", metavar="SHARE", min=0, max=1, help="[default: 0.25]")
    ] = None,
    json: JsonOption = False,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> int:
    """Tell how far its sources bear out an answer.

    Exit code 1: too little. It is the share of stemmed content words that occur in the sources of the prompt, for the
    whole, each sentence and each source. What the customer once claimed grounds nothing about the company: it is told
    apart.
    """
    from chatmem import config
    from chatmem.prompt import grounding
    from chatmem.render import prompt_report
    from chatmem.render.sink import Sink

    settings = config.load()
    if answer == ["-"] and prompt == "-":
        raise UsageError("standard input can be the answer or the prompt", "put one of them into a file")
    text = context.text_of("-") if answer == ["-"] else " ".join(answer)
    sources = prompt_report.sources(context.text_of(prompt))
    found = grounding.check(text, sources, settings.grounding_share if threshold is None else threshold)
    prompt_report.print_grounding(Sink(), found, json)
    return 0 if found.grounded else UNGROUNDED
