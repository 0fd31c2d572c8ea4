"""What a person typed to Codex, and what was put into the user's role for the model (formats.md 5.3.2)."""

from __future__ import annotations

import re
from typing import Any

from chatmem.model import Attachment
from chatmem.readers import clean
from chatmem.readers._agent_logs import attachment, dump

_INJECTED = (
    "<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<permissions", "<turn_aborted>",
    "<skill", "<collaboration_mode>", "<codex_internal_context>", "<goal_context>",
    "<recommended_plugins>", "<app-context>", "<subagent_notification>", "<user_shell_command>", "<user_action>",
)  # fmt: skip
# Editor extensions put the prompt below what they know about open files.
_REQUEST = re.compile(r"^## My request for Codex:[ \t]*\n?", re.MULTILINE)
_EDITOR_START = ("#", "<")
# Pictures stand between tags of their own.
_PICTURE_TAG = re.compile(r"\s*</?image\b[^>]*>\s*")


def split(text: str) -> tuple[str, str]:
    """The typed and the injected part of one text block; either may be empty."""
    start = text.lstrip()
    found = _REQUEST.search(text) if start.startswith(_EDITOR_START) else None
    if found:
        return text[found.end() :].strip(), text[: found.end()].strip()
    if start.startswith(_INJECTED):
        return "", text
    return text, ""


def blocks(content: Any) -> tuple[list[str], list[Attachment], list[str]]:
    """Texts, files and blocks of unknown kinds (as JSON) of a message's content."""
    texts: list[str] = []
    files: list[Attachment] = []
    unknown: list[str] = []
    for block in [content] if isinstance(content, str | dict) else content if isinstance(content, list) else []:
        raw = {"text": block} if isinstance(block, str) else clean.mapping(block)
        kind = clean.text(raw.get("type")).lower()
        body = raw.get("text", raw.get("refusal"))
        if isinstance(body, str):
            if body.strip() and not _PICTURE_TAG.fullmatch(body):
                texts.append(clean.text(body))
        elif "image" in kind or "file" in kind:
            files.append(_file(raw, kind))
        elif block:
            unknown.append(dump(block))
    return texts, files, unknown


def _file(block: dict[str, Any], kind: str) -> Attachment:
    path = clean.optional(block.get("path"))
    if path:
        return Attachment(re.split(r"[/\\]", path)[-1] or path, pointer=path)
    return attachment({**block, "type": "image" if "image" in kind else "file"})
