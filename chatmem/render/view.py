"""How a result is to be printed."""

from __future__ import annotations

from datetime import tzinfo
from typing import Literal, NamedTuple

from chatmem.render.terminal import ColorChoice

# rich is for people; null prints ids only, each followed by NUL.
Form = Literal["rich", "plain", "json", "jsonl", "null"]


class View(NamedTuple):
    """The form, whether it may use colours and links, and the zone of its times (programs get UTC)."""

    form: Form
    color: ColorChoice
    zone: tzinfo
