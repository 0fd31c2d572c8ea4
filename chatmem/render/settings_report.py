"""What `chatmem config show` says."""

from __future__ import annotations

import json
from collections.abc import Mapping

from chatmem.render.sink import Sink
from chatmem.render.terminal import cell

_SECRET = ("llm_api_key",)
_HIDDEN = '"…"'


def print_settings(sink: Sink, values: Mapping[str, str | int | float], origins: Mapping[str, str]) -> None:
    """TOML, one setting a line; what is no default says where it comes from."""
    for name, value in values.items():
        origin = f"  # {cell(origins[name])}" if name in origins else ""
        shown = _HIDDEN if name in _SECRET and value else _toml(value)
        sink.line(f"{name} = {shown}{origin}")


def _toml(value: str | int | float) -> str:
    """A JSON string is a TOML string, once what is not printable is written as TOML does."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in text)
