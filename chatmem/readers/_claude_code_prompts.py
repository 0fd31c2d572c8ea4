"""What a person typed and what Claude Code put there in their name (formats.md 4.3.4).

Tool results, slash commands, hooks and reminders all wear the user's role. Only what stays after taking them away is
a prompt; what was taken away is kept in hidden parts.
"""

from __future__ import annotations

import re
from typing import Any

from chatmem.model import Attachment, Hidden
from chatmem.readers import clean
from chatmem.readers._agent_logs import attached, attachment, block_text, dump
from chatmem.readers._claude_code_parts import Parts, Place

_GENERATED = (
    "Caveat: The messages below", "<command-name>", "<command-message>", "<command-args>", "<local-command-",
    "<bash-input>", "<bash-stdout>", "<bash-stderr>", "<task-notification>", "<system-reminder>",
    "<user-memory-input>", "<teammate-message", "[Request interrupted",
)  # fmt: skip
_CONTINUED = "This session is being continued from a previous conversation"
# Blocks that the product or its editor extension puts before, after or inside a real prompt.
_EMBEDDED = re.compile(
    r"<(system-reminder|ide_opened_file|ide_selection|ide_diagnostics|user-prompt-submit-hook)>.*?</\1>", re.DOTALL
)
_MACHINES = {"task-notification", "coordinator", "teammate", "hook", "system", "auto-continuation", "scheduled-task"}


def line_reason(raw: dict[str, Any]) -> Hidden | None:
    """Why a whole user line is no prompt, as far as its flags say."""
    if raw.get("isCompactSummary") is True:
        return "summary"
    kind = clean.optional(clean.mapping(raw.get("origin")).get("kind"))
    generated = raw.get("isMeta") is True or raw.get("isVisibleInTranscriptOnly") is True
    return "injected" if generated or raw.get("promptSource") == "system" or kind in _MACHINES else None


def add_prompt(content: Any, reason: Hidden | None, place: Place, parts: Parts) -> str | None:
    """Add what a user line holds. Returns what is wrong with it, or None."""
    if content is not None and not isinstance(content, str | list):
        return "the content of a user line is neither text nor blocks"
    words: list[str] = []
    files: list[Attachment] = []
    for block in [content] if isinstance(content, str) else content or []:
        if isinstance(block, str):
            words += _typed(block, reason, place, parts)
        elif isinstance(block, dict):
            words += _block(block, reason, place, parts, files)
    text = "\n".join(words) or attached(tuple(files))
    if text:
        parts.add("user", reason, text, place, files=tuple(files))
    return None


def _block(
    block: dict[str, Any], reason: Hidden | None, place: Place, parts: Parts, files: list[Attachment]
) -> list[str]:
    kind = block.get("type")
    if kind == "text":
        return _typed(clean.text(block.get("text")), reason, place, parts)
    if kind in ("image", "document"):
        files.append(attachment(block))
    elif kind == "tool_result":
        parts.hide("tool", "tool", block_text(block.get("content")), place)
    else:
        parts.hide("tool", "tool", dump(block), place)
    return []


def _typed(text: str, reason: Hidden | None, place: Place, parts: Parts) -> list[str]:
    """The words of the person in a text, if there are any; the rest goes into hidden parts."""
    text = clean.text(text)
    if reason is None and "</" in text:
        for embedded in _EMBEDDED.finditer(text):
            parts.hide("user", "injected", embedded.group(), place)
        text = _EMBEDDED.sub("", text)
    generated = None if reason else _text_reason(text)
    if generated:
        parts.hide("user", generated, text, place)
    return [text.strip("\n")] if text.strip() and not generated else []


def _text_reason(text: str) -> Hidden | None:
    """Why a text is no prompt, as far as its first words say."""
    start = text.lstrip()
    if start.startswith(_CONTINUED):
        return "summary"
    return "injected" if start.startswith(_GENERATED) else None
