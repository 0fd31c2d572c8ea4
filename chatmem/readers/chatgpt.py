"""ChatGPT data exports: classic (2023 to mid 2026), split shards and slim (formats.md section 2).

A conversation is a tree in `mapping`. Only `parent` builds it: `children` is absent in slim files, key order and time
order lie. The displayed path is the chain from `current_node` to the root; everything else is an alternate.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from chatmem.model import Attachment, Branch, Chat, Hidden, Message, Origin, Record, Role, Skipped
from chatmem.readers import clean
from chatmem.readers.base import NO, Claim, Level, Peek, ReadOptions
from chatmem.readers.jsonstream import elements
from chatmem.readers.unpack import Source

name = "chatgpt"

_TOOL_TYPES = {
    "execution_output", "tether_browsing_display", "tether_quote", "sonic_webpage", "computer_output",
    "citable_code_output", "super_widget", "app_pairing_content",
}  # fmt: skip
_THINKING_TYPES = {"thoughts", "reasoning_recap"}
_INJECTED_TYPES = {"user_editable_context", "model_editable_context"}

# Citation runs: U+E200 kind U+E202 token ... U+E201; U+E203 and U+E204 wrap spans that stay.
_RUN = re.compile("\ue200([^\ue200\ue201]*)\ue201")
_STRAY = re.compile("[\ue200-\ue206]")
_LENTICULAR = re.compile(r"【\d+[:†][^】]*】|【[^】]*†L\d+(?:-L?\d+)?】")
_SANDBOX = re.compile(r"\[([^\]]*)\]\(sandbox:/mnt/data/[^)]*\)")


def sniff(peek: Peek) -> Claim:
    for item in peek.items:
        mapping = item.get("mapping")
        if isinstance(mapping, dict) and not _is_deepseek(item, mapping):
            nodes = [n for n in mapping.values() if isinstance(n, dict)]
            if any("message" in n and "parent" in n for n in nodes):
                return Claim(Level.EXACT, "`mapping` of nodes with `message` and `parent`")
    if isinstance(peek.top, dict) and "export_files" in peek.top:
        return Claim(Level.SIDE, "a list of the export's files, not chats")
    return NO


def _is_deepseek(item: dict[str, Any], mapping: dict[str, Any]) -> bool:
    messages = (n.get("message") for n in mapping.values() if isinstance(n, dict))
    return "inserted_at" in item or any(isinstance(m, dict) and "fragments" in m for m in messages)


def read(sources: Sequence[Source], options: ReadOptions) -> Iterator[Record]:
    for source in sources:
        for element in elements(source, "conversations"):
            if isinstance(element, Skipped):
                yield element
                continue
            origin = Origin(source.path, source.member, element.pointer)
            try:
                yield _chat(element.value, origin)
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                yield Skipped(source.where(element.pointer), f"not a ChatGPT conversation ({error})"[:200])


def _chat(raw: dict[str, Any], origin: Origin) -> Chat:
    mapping = raw["mapping"]
    if not isinstance(mapping, dict):
        raise ValueError("`mapping` is not an object")
    native_id = clean.optional(raw.get("conversation_id")) or clean.optional(raw.get("id"))
    messages = _messages(mapping, clean.optional(raw.get("current_node")))
    gizmo = clean.optional(raw.get("gizmo_id")) or clean.optional(raw.get("conversation_template_id"))
    # Slim files keep only the id: `g-p-` is a project, `g-` a custom GPT.
    project = gizmo if gizmo and gizmo.startswith("g-p-") else None
    model = clean.optional(raw.get("default_model_slug")) or next((m.model for m in messages if m.model), None)
    url = f"https://chatgpt.com/c/{native_id}" if native_id else None
    if native_id is None:
        first = next((m for m in messages if m.hidden is None), None)
        native_id = clean.digest(first.text if first else "", raw.get("create_time"))
    return clean.complete(
        Chat(
            source=name,
            native_id=native_id,
            messages=messages,
            origin=origin,
            title=clean.title(raw.get("title")),
            created_at=clean.moment(raw.get("create_time")),
            updated_at=clean.moment(raw.get("update_time")),
            project_id=project,
            agent_id=None if project else gizmo,
            model=model,
            source_url=url,
            archived=raw.get("is_archived") is True,
            starred=raw.get("is_starred") is True,
        )
    )


def _messages(mapping: dict[str, Any], current: str | None) -> tuple[Message, ...]:
    """All turns: the displayed path from root to leaf first, then the alternates in mapping order."""
    nodes = {key: node for key, node in mapping.items() if isinstance(node, dict)}
    parsed: dict[str, Message] = {}
    for key, node in nodes.items():
        if isinstance(node.get("message"), dict):
            parsed[key] = _message(key, node["message"], clean.optional(node.get("parent")))
    path = _path(nodes, current if current in nodes else _latest_leaf(nodes, parsed))
    on_path = set(path)
    main = [parsed[key] for key in path if key in parsed]
    rest = [_on_branch(message, "alternate") for key, message in parsed.items() if key not in on_path]
    return tuple(_attach_images([*main, *rest]))


def _on_branch(message: Message, branch: Branch) -> Message:
    from dataclasses import replace

    return replace(message, branch=branch)


def _path(nodes: dict[str, Any], leaf: str | None) -> list[str]:
    """Node ids from the root to `leaf`, by `parent` alone; a cycle or a missing parent ends the walk."""
    path: list[str] = []
    seen: set[str] = set()
    while leaf in nodes and leaf not in seen:
        path.append(leaf)
        seen.add(leaf)
        leaf = nodes[leaf].get("parent")
    return path[::-1]


def _latest_leaf(nodes: dict[str, Any], parsed: dict[str, Message]) -> str | None:
    """Without a usable `current_node`: the visible leaf with the latest time, the last of equals."""
    parents = {n.get("parent") for n in nodes.values()}
    leaves = [key for key in nodes if key not in parents]
    visible = [key for key in leaves if key in parsed and parsed[key].hidden is None] or leaves

    def age(key: str) -> float:
        at = parsed[key].created_at if key in parsed else None
        return at.timestamp() if at else float("-inf")

    return max(reversed(visible), key=age, default=None)


def _message(key: str, raw: dict[str, Any], parent: str | None) -> Message:
    author = clean.mapping(raw.get("author"))
    metadata = clean.mapping(raw.get("metadata"))
    content = clean.mapping(raw.get("content"))
    role: Role = clean.role(author.get("role")) or "tool"
    body, attachments = _content(content)
    hidden = _hidden(raw, role, content, metadata, body)
    attachments += _listed(metadata.get("attachments"))
    if hidden is None and not body.strip():
        names = ", ".join(a.name for a in attachments)
        hidden = "placeholder"
        if attachments and role == "user":
            body, hidden = f"[attached: {names}]", None
    return Message(
        message_id=clean.optional(raw.get("id")) or key,
        role=role,
        text=body if hidden else _visible_text(body),
        parent_id=parent,
        author=clean.optional(author.get("name")),
        model=clean.optional(metadata.get("model_slug")) if role == "assistant" else None,
        created_at=clean.moment(raw.get("create_time")),
        hidden=hidden,
        attachments=attachments,
        pointer=f"/mapping/{key}",
    )


def _hidden(
    raw: dict[str, Any], role: Role, content: dict[str, Any], metadata: dict[str, Any], body: str
) -> Hidden | None:
    kind = content.get("content_type")
    if kind in _INJECTED_TYPES or metadata.get("is_user_system_message") is True:
        return "injected"
    if kind in _THINKING_TYPES:
        return "thinking"
    if kind == "system_error" or role == "system":
        return "system"
    addressed = raw.get("recipient") not in (None, "", "all")
    known = kind in ("text", "multimodal_text", "code", None)
    if role == "tool" or addressed or kind in _TOOL_TYPES or not known:
        return "tool"
    return "injected" if metadata.get("is_visually_hidden_from_conversation") is True else None


def _content(content: dict[str, Any]) -> tuple[str, tuple[Attachment, ...]]:
    """The text of any content type, and the assets its parts point to."""
    kind = content.get("content_type")
    if kind == "user_editable_context":
        return _joined(content.get("user_profile"), content.get("user_instructions")), ()
    if kind == "model_editable_context":
        return _joined(content.get("model_set_context")), ()
    if kind == "thoughts":
        thoughts = [t for t in content.get("thoughts") or [] if isinstance(t, dict)]
        return _joined(*(x for t in thoughts for x in (t.get("summary"), t.get("content")))), ()
    if kind == "code" and isinstance(content.get("text"), str):
        language = clean.text(content.get("language"))
        return f"```{'' if language == 'unknown' else language}\n{clean.text(content['text'])}\n```", ()
    if isinstance(content.get("parts"), list):
        return _parts(content["parts"])
    for field in ("text", "result", "content", "output_str"):
        if isinstance(content.get(field), str):
            return clean.text(content[field]), ()
    extra = {k: v for k, v in content.items() if k != "content_type"}
    return clean.text(json.dumps(extra, ensure_ascii=False)) if extra else "", ()


def _parts(parts: list[Any]) -> tuple[str, tuple[Attachment, ...]]:
    texts: list[str] = []
    assets: list[Attachment] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(clean.text(part))
        elif isinstance(part, dict):
            if isinstance(part.get("text"), str) and part.get("content_type") in ("audio_transcription", "text"):
                texts.append(clean.text(part["text"]))
            else:
                assets.extend(_assets(part))
    return "\n".join(t for t in texts if t), tuple(assets)


def _assets(part: dict[str, Any]) -> Iterator[Attachment]:
    pointer = part.get("asset_pointer")
    if isinstance(pointer, str):
        kind = clean.text(part.get("content_type")).removesuffix("_asset_pointer") or "file"
        size = part.get("size_bytes")
        label = f"{kind} {pointer.rsplit('/', 1)[-1]}"
        yield Attachment(clean.text(label), size=size if isinstance(size, int) else None, pointer=clean.text(pointer))
    for nested in ("audio_asset_pointer", "video_container_asset_pointer"):
        if isinstance(part.get(nested), dict):
            yield from _assets(part[nested])
    for frame in part.get("frames_asset_pointers") or ():
        if isinstance(frame, dict):
            yield from _assets(frame)


def _listed(raw: Any) -> tuple[Attachment, ...]:
    if not isinstance(raw, list):
        return ()
    return tuple(
        Attachment(
            clean.optional(a.get("name")) or clean.optional(a.get("id")) or "file",
            mime=clean.optional(a.get("mime_type") or a.get("mimeType")),
            size=a["size"] if isinstance(a.get("size"), int) else None,
            pointer=clean.optional(a.get("id")),
        )
        for a in raw
        if isinstance(a, dict)
    )


def _attach_images(messages: list[Message]) -> Iterator[Message]:
    """Pictures made by a tool belong to the next visible answer of the same branch."""
    from dataclasses import replace

    waiting: tuple[Attachment, ...] = ()
    for message in messages:
        if message.role == "tool" and message.attachments:
            waiting += message.attachments
        elif waiting and message.role == "assistant" and message.hidden is None:
            message, waiting = replace(message, attachments=message.attachments + waiting), ()
        yield message


def _joined(*values: Any) -> str:
    return "\n".join(clean.text(v) for v in values if isinstance(v, str) and v.strip())


def _visible_text(body: str) -> str:
    """Prose without the product's citation glyphs; labels and link addresses stay."""
    if "\ue200" in body:
        body = _RUN.sub(lambda run: _run_text(run.group(1)), body)
    body = _STRAY.sub("", body)
    if "【" in body:
        body = _LENTICULAR.sub("", body)
    return _SANDBOX.sub(r"\1", body) if "sandbox:/" in body else body


def _run_text(run: str) -> str:
    kind, *tokens = run.split("\ue202")
    if kind == "entity" and tokens:
        try:
            return str(json.loads(tokens[0])[1])
        except (ValueError, IndexError, TypeError, KeyError):
            return ""
    return " ".join(tokens) if kind in ("link", "url") else ""
