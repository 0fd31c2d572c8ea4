"""chatmem should-search"""

from __future__ import annotations

from typing import Annotated

import typer

from chatmem.cli import context
from chatmem.cli.options import JsonOption, NowOption, QuietOption, VerboseOption
from chatmem.errors import UsageError

NO = 1


def should_search(
    message: Annotated[list[str], typer.Argument(metavar="MESSAGE...", help="What the user says; - is stdin.")],
    json: JsonOption = False,
    now: NowOption = None,
    quiet: QuietOption = False,
    verbose: VerboseOption = False,
) -> int:
    """Tell whether a message needs memory; exit 1 if not.

    References to earlier talk and questions about a time in it do, in English, German, French, Spanish, Portuguese and
    Chinese. In a pipe one line: decision (search, recent, ask or no), tool, arguments as JSON, reason.
    """
    from chatmem import config
    from chatmem.policy.should_search import decide
    from chatmem.render import policy_report
    from chatmem.render.sink import Sink

    clock = context.Clock(config.load(), now)
    text = context.text_of("-") if message == ["-"] else " ".join(message)
    if not text.strip():
        raise UsageError("the message is empty", "chatmem should-search 'what the user says'")
    found = decide(text, clock.now, clock.zone)
    policy_report.print_decision(Sink(), found, json)
    return NO if found.decision == "no" else 0
