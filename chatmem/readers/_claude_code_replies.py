"""Replies of Claude Code, put together from the lines that share `message.id` (formats.md 4.3.3 and 4.3.5).

A reply is written one block per line, sometimes with a tool result or even a new prompt in between, sometimes as
growing snapshots that repeat the blocks before. It becomes one visible message where its first words stand.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from chatmem.model import Hidden
from chatmem.readers import clean
from chatmem.readers._agent_logs import dump
from chatmem.readers._claude_code_parts import Part, Parts, Place

# The product's own words where the model said nothing: errors, limits, interruptions.
_SYNTHETIC = "<synthetic>"
_NOTHING_SAID = "(no content)"


class _Block(NamedTuple):
    """A block of a reply; `ident` is "" where the product gives none."""

    kind: str
    ident: str
    text: str

    @property
    def hidden(self) -> Hidden | None:
        if self.kind == "text":
            return "placeholder" if self.text.strip() == _NOTHING_SAID else None
        return "thinking" if self.kind == "thinking" else "tool"


@dataclass(slots=True)
class Reply:
    """One reply so far. `turn` is the id of its first line, so that copies in other files agree on it."""

    turn: str
    known: list[tuple[_Block, Part, int]] = field(default_factory=list)
    spoken: Part | None = None

    def add(self, raw: dict[str, Any], place: Place, parts: Parts) -> str | None:
        """Add the blocks of one line. Returns what is wrong with it, or None."""
        message = clean.mapping(raw.get("message"))
        content = message.get("content")
        if content is not None and not isinstance(content, str | list):
            return "the content of an assistant line is neither text nor blocks"
        model = clean.optional(message.get("model"))
        failed = model == _SYNTHETIC or raw.get("isApiErrorMessage") is True
        earlier = list(self.known)
        for block in map(_block, [content] if isinstance(content, str) else content or []):
            if block.text.strip() and not _repeats(block, earlier):
                hidden: Hidden | None = "system" if failed else block.hidden
                self._say(block, hidden, None if failed else model, place, parts)
        return None

    def _say(self, block: _Block, hidden: Hidden | None, model: str | None, place: Place, parts: Parts) -> None:
        if hidden:
            part = parts.hide("assistant", hidden, block.text, place, model)
        elif self.spoken:
            part = self.spoken
            part.chunks.append(block.text)
        else:
            part = self.spoken = parts.add("assistant", None, block.text, place, model)
        self.known.append((block, part, len(part.chunks) - 1))


def _block(raw: Any) -> _Block:
    if isinstance(raw, str):
        return _Block("text", "", clean.text(raw))
    if not isinstance(raw, dict):
        return _Block("unknown", "", "" if raw is None else dump(raw))
    kind = raw.get("type")
    if kind in ("text", "thinking"):
        return _Block(kind, "", clean.text(raw.get(kind)))
    if kind == "redacted_thinking":
        return _Block("thinking", "", "[redacted thinking]")
    ident = clean.optional(raw.get("id")) or ""
    if kind == "tool_use":
        return _Block("tool_use", ident, f"{clean.text(raw.get('name'))} {dump(raw.get('input'))}".strip())
    return _Block("unknown", ident, dump(raw))


def _repeats(block: _Block, earlier: list[tuple[_Block, Part, int]]) -> bool:
    """True if an earlier line of the reply had this block already; its longer version stays."""
    for known, part, at in earlier:
        before = part.chunks[at]
        if known.kind != block.kind or known.ident != block.ident:
            continue
        if block.ident or before.startswith(block.text) or block.text.startswith(before):
            part.chunks[at] = max(before, block.text, key=len)
            return True
    return False
