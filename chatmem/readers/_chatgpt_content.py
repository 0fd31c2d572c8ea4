"""What a ChatGPT message says: its content type decides where the text is and whether a person ever saw it.

Reference: formats.md 2.4 to 2.6. New content types appear every few months, so an unknown one is kept hidden.
"""

from __future__ import annotations

import json
import re
from typing import Any

from chatmem.model import Hidden, Role
from chatmem.readers import clean

_TOOL_TYPES = {
    "execution_output", "tether_browsing_display", "tether_quote", "sonic_webpage", "computer_output",
    "citable_code_output", "super_widget", "app_pairing_content",
}  # fmt: skip
_THINKING_TYPES = {"thoughts", "reasoning_recap"}
_INJECTED_TYPES = {"user_editable_context", "model_editable_context"}
# None: browser tools leave the type out of plain text.
_VISIBLE_TYPES = {"text", "multimodal_text", "code", None}
KNOWN_TYPES = _TOOL_TYPES | _THINKING_TYPES | _INJECTED_TYPES | _VISIBLE_TYPES | {"system_error"}

# Fields that hold the text, in the order of reading. The rest of a content is not text.
_FIELDS: dict[Any, tuple[str, ...]] = {
    "user_editable_context": ("user_profile", "user_instructions"),
    "model_editable_context": ("model_set_context",),
    "tether_quote": ("title", "url", "text"),
    "tether_browsing_display": ("summary", "result"),
    "citable_code_output": ("output_str",),
    "system_error": ("name", "text"),
}
_OTHER_FIELDS = ("text", "result", "content", "output_str")

# Citation runs: U+E200 kind U+E202 token ... U+E201; U+E203 and U+E204 wrap spans that stay. A run that was cut off
# ends with its last token.
_RUN = re.compile("\ue200([^\ue200\ue201]*)\ue201")
_CUT_RUN = re.compile("\ue200([a-z_]*(?:\ue202[^\\s\ue200-\ue206]*)*)")
_STRAY = re.compile("[\ue200-\ue206]")
# Lenticular brackets are ordinary punctuation in Japanese and Chinese; only a dagger makes them a citation.
_LENTICULAR = re.compile(r"【\d+(?::\d+)?†[^【】]*】|【[^【】]*†(?:source|L\d+(?:-L?\d+)?)】")
_SANDBOX = re.compile(r"\[([^\]]*)\]\(sandbox:/[^)]*\)")


def content_of(raw: dict[str, Any]) -> dict[str, Any]:
    """The content object; browser tools write plain text or a list of parts instead."""
    content = raw.get("content")
    if isinstance(content, str):
        return {"content_type": "text", "parts": [content]}
    return {"content_type": "text", "parts": content} if isinstance(content, list) else clean.mapping(content)


def kind_of(content: dict[str, Any]) -> str | None:
    kind = content.get("content_type")
    return None if kind is None else clean.text(kind) or clean.text(json.dumps(kind))


def text_of(content: dict[str, Any], kind: str | None) -> str:
    """The text of any content type; a type without text gives its JSON."""
    if kind == "thoughts":
        return _thoughts(content.get("thoughts"))
    if kind == "code" and isinstance(content.get("text"), str):
        language = clean.text(content.get("language"))
        return f"```{'' if language == 'unknown' else language}\n{clean.text(content['text'])}\n```"
    if kind in _FIELDS:
        return _joined(*(content.get(field) for field in _FIELDS[kind]))
    if isinstance(content.get("parts"), str):
        return clean.text(content["parts"])
    if isinstance(content.get("parts"), list):
        return _joined(*(_part(part) for part in content["parts"]))
    found = next((content[field] for field in _OTHER_FIELDS if isinstance(content.get(field), str)), None)
    if found is not None:
        return clean.text(found)
    rest = {key: value for key, value in content.items() if key != "content_type"}
    return clean.text(json.dumps(rest, ensure_ascii=False)) if rest else ""


def _thoughts(thoughts: Any) -> str:
    listed = [t for t in thoughts if isinstance(t, dict)] if isinstance(thoughts, list) else []
    return _joined(*(text for t in listed for text in (t.get("summary"), t.get("content"))))


def _part(part: Any) -> Any:
    """Strings and transcripts of speech; pictures and sounds are attachments, other objects nothing to read."""
    if isinstance(part, dict) and part.get("content_type") in ("audio_transcription", "text"):
        return part.get("text")
    return part


def _joined(*values: Any) -> str:
    return "\n".join(clean.text(value) for value in values if isinstance(value, str) and value)


def hidden_because(role: Role, kind: str | None, recipient: Any, metadata: dict[str, Any]) -> Hidden | None:
    """Why a person did not see a message (formats.md 2.5), None if they did."""
    if kind in _INJECTED_TYPES or metadata.get("is_user_system_message") is True:
        return "injected"
    if kind in _THINKING_TYPES:
        return "thinking"
    if kind == "system_error" or role == "system":
        return "system"
    # Slim files name no recipient: there, code is what a tool was called with.
    addressed = recipient != "all" if kind == "code" else recipient not in (None, "", "all")
    if role == "tool" or addressed or kind not in _VISIBLE_TYPES:
        return "tool"
    return "injected" if metadata.get("is_visually_hidden_from_conversation") is True else None


def visible_text(text: str) -> str:
    """Prose without the product's citation glyphs; labels and link addresses stay."""
    if "\ue200" in text:
        text = _RUN.sub(_run_text, text)
        text = _CUT_RUN.sub(_run_text, text)
    if text.isascii():
        return _SANDBOX.sub(r"\1", text) if "sandbox:/" in text else text
    text = _STRAY.sub("", text)
    if "†" in text:
        text = _LENTICULAR.sub("", text)
    return _SANDBOX.sub(r"\1", text) if "sandbox:/" in text else text


def _run_text(run: re.Match[str]) -> str:
    kind, *tokens = run[1].split("\ue202")
    if kind == "entity" and tokens:
        try:
            return str(json.loads(tokens[0])[1])
        except (ValueError, IndexError, TypeError, KeyError, RecursionError):
            return ""
    return " ".join(tokens) if kind in ("link", "url") else ""
