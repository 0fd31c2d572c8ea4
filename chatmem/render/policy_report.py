"""What the policy decided, for people, pipes and programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chatmem.render import as_json
from chatmem.render.as_plain import row
from chatmem.render.sink import Sink

if TYPE_CHECKING:
    from chatmem.policy.should_search import Decision


def print_decision(sink: Sink, found: Decision, json: bool) -> None:
    """One line: decision, tool, arguments, reason; with `json` a document, `chatmem.decision/1`."""
    if json:
        sink.line(as_json.dumps({"schema": "chatmem.decision/1", **found._asdict()}))
    else:
        arguments = as_json.dumps(found.arguments) if found.arguments else ""
        sink.line(row(found.decision, found.tool, arguments, found.reason))
