"""What generic files say about a thread, and an id for threads that carry none.

An id made here comes from the opening, up to the first answer: a thread that grows keeps it, whatever its place in the
file. Datasets repeat openings and ids over different threads, so a second claim is told apart by the whole content.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, tzinfo
from typing import Any

from chatmem.model import Chat, Message, Origin
from chatmem.readers import clean
from chatmem.readers._turns import TIMES, pick

CONVERSATION_KEYS = (
    "conversation_id", "conversationId", "conversation_uuid", "thread_id", "threadId", "chat_id", "chatId",
    "session_id", "sessionId", "ticket_id", "ticketId", "case_id", "conversation",
)  # fmt: skip
_TITLES = ("title", "subject", "conversation_title", "name")
_UPDATED = ("updated_at", "updatedAt", "update_time", "updated", "last_updated", "modified")
_USERS = ("customer_id", "customerId", "user_id", "userId", "customer", "user")
_AGENTS = ("agent_id", "agentId", "assistant_id", "assistantId", "agent", "bot_id")
_SOURCES = ("source", "product", "platform", "app", "provider")

# Products by the names people write, and the source that chatmem calls them.
_PRODUCTS = {
    "chatgpt": "chatgpt", "chatgpt.com": "chatgpt", "chat.openai.com": "chatgpt",
    "claude": "claude", "claude.ai": "claude", "claude code": "claude-code", "codex": "codex", "codex cli": "codex",
    "gemini": "gemini", "gemini.google.com": "gemini", "google gemini": "gemini", "bard": "gemini",
    "gemini cli": "gemini-cli", "ai studio": "aistudio", "google ai studio": "aistudio",
    "copilot": "copilot", "microsoft copilot": "copilot", "github copilot": "github-copilot", "bing": "bing",
    "deepseek": "deepseek", "chat.deepseek.com": "deepseek", "grok": "grok", "grok.com": "grok",
    "perplexity": "perplexity", "perplexity.ai": "perplexity", "le chat": "lechat", "mistral": "lechat",
    "chat.mistral.ai": "lechat", "meta ai": "meta-ai", "poe": "poe", "poe.com": "poe", "qwen": "qwen", "kimi": "kimi",
    "librechat": "librechat", "open webui": "openwebui", "openwebui": "openwebui", "lm studio": "lmstudio",
    "ollama": "ollama", "cursor": "cursor", "huggingchat": "huggingchat", "typingmind": "typingmind",
    "slack": "slack", "discord": "discord", "telegram": "telegram", "whatsapp": "whatsapp",
    "intercom": "intercom", "zendesk": "zendesk",
}  # fmt: skip


def product(name: Any) -> str | None:
    """The source for a product's name as a person writes it, or None if it names no known product."""
    words = clean.text(name).strip().lower().removeprefix("https://").removeprefix("www.").split("/")[0]
    return _PRODUCTS.get(" ".join(words.replace("-", " ").replace("_", " ").split())) or _PRODUCTS.get(words)


class ThreadIds:
    """Native ids, distinct within one import."""

    def __init__(self) -> None:
        self._taken: dict[str, tuple[str, str]] = {}

    def of(self, exported: str | None, messages: Sequence[Message], started: datetime | None) -> str:
        """The exported id, or one made of the opening; changed only if another thread already has it."""
        grown = list(_prefixes(messages, started))
        whole = grown[-1]
        answer = next((n for n, m in enumerate(messages) if m.role == "assistant" and m.hidden is None), len(messages))
        opening = grown[min(answer + 1, len(messages))]
        native = exported or opening
        known = self._taken.get(native)
        if known and known[1] not in grown and (exported is None or known[0] != opening):
            return f"{exported}~{whole[:8]}" if exported else whole
        self._taken[native] = (opening, whole)
        return native


def _prefixes(messages: Sequence[Message], started: datetime | None) -> Iterator[str]:
    """A digest of nothing, of the first message, of the first two …"""
    so_far = clean.digest(started)
    yield so_far
    for message in messages:
        so_far = clean.digest(so_far, message.role, " ".join(message.text.split()))
        yield so_far


def thread(
    source: str, raw: dict[str, Any], messages: tuple[Message, ...], origin: Origin, ids: ThreadIds, zone: tzinfo
) -> Chat:
    """The chat of these messages, with what the record and its `metadata` say about it."""
    facts = {**clean.mapping(raw.get("metadata")), **{k: v for k, v in raw.items() if v is not None}}
    created = first_time(facts, TIMES, zone)
    return clean.complete(
        Chat(
            source=next((p for key in _SOURCES if (p := product(facts.get(key)))), source),
            native_id=ids.of(pick(facts, "id", *CONVERSATION_KEYS, "uuid"), messages, created),
            messages=messages,
            origin=origin,
            title=pick(facts, *_TITLES),
            created_at=created,
            updated_at=first_time(facts, _UPDATED, zone),
            project_id=pick(facts, "project_id", "projectId", "project"),
            project_name=pick(facts, "project_name", "projectName", "project"),
            user_id=pick(facts, *_USERS),
            agent_id=pick(facts, *_AGENTS),
            model=pick(facts, "model", "model_slug") or next((m.model for m in messages if m.model), None),
            source_url=pick(facts, "url", "link", "source_url"),
        )
    )


def first_time(raw: dict[str, Any], keys: Sequence[str], zone: tzinfo) -> datetime | None:
    return next((at for key in keys if (at := clean.moment(raw.get(key), zone))), None)
