"""A Claude Code log, line by line (formats.md 4.2 and 4.3).

A line is no message: lines with a `uuid` seen before are repeats, lines of one reply belong together, most kinds are
bookkeeping. But every line with a `uuid`, stored or not, keeps its place in the tree of `parentUuid`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from chatmem.readers import clean
from chatmem.readers._agent_logs import block_text, dump
from chatmem.readers._claude_code_parts import Part, Parts, Place
from chatmem.readers._claude_code_prompts import add_prompt, line_reason
from chatmem.readers._claude_code_replies import Reply

# Lines about the session, the editor or the files, never about the talk.
BOOKKEEPING = {
    "summary", "ai-title", "custom-title", "agent-name", "tag", "queue-operation", "file-history-snapshot",
    "file-history-delta", "last-prompt", "mode", "permission-mode", "pr-link", "bridge-session", "agent-setting",
    "continued-in", "result", "init",
}  # fmt: skip
TALK = {"user", "assistant", "system", "attachment", "progress"}
_TITLES = {"custom-title": "customTitle", "ai-title": "aiTitle"}
_ENVELOPE = {
    "uuid", "parentUuid", "logicalParentUuid", "sessionId", "timestamp", "cwd", "gitBranch", "version", "userType",
    "entrypoint", "isSidechain", "isMeta", "requestId", "promptId", "agentId", "slug", "teamName", "forkedFrom", "type",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """One place in the tree. `session` is the one that the line names as its home, `turn` the message it is part of."""

    kind: str
    uuid: str
    parent: str | None
    session: str | None
    side: bool
    turn: str


class Log:
    """Everything one file says. Feed it with `add`, then read `lines`, `parts` and the facts."""

    def __init__(self, zone: tzinfo) -> None:
        self.zone = zone
        self.lines: list[Line] = []
        self.parts = Parts()
        self.index: dict[str, int] = {}
        self.titles: list[tuple[str, str, str | None]] = []
        self.folders: list[tuple[str | None, str]] = []
        self.sessions: list[str] = []
        self.entrypoint: str | None = None
        self.agent: str | None = None
        self.typed = False
        self.unknown: dict[str, str] = {}
        self._replies: dict[str, Reply] = {}
        self._progress: dict[str, Part] = {}

    def add(self, raw: dict[str, Any], pointer: str) -> str | None:
        """Take one line in. Returns what is wrong with it, or None."""
        kind = raw.get("type")
        if not isinstance(kind, str):
            return None if "display" in raw else "a line without a type"
        self.typed = True
        if kind in BOOKKEEPING:
            title = clean.title(raw.get(_TITLES[kind])) if kind in _TITLES else None
            self.titles += [(kind, title, clean.optional(raw.get("sessionId")))] if title else []
            return None
        if kind in ("user", "assistant") and not isinstance(raw.get("message"), dict):
            return f"a line of type {kind} without a message"
        self._learn(raw)
        return self._assistant(raw, pointer) if kind == "assistant" else self._other(kind, raw, pointer)

    def _learn(self, raw: dict[str, Any]) -> None:
        session = _home(raw)
        if session and session not in self.sessions[-1:]:
            self.sessions.append(session)
        cwd = clean.optional(raw.get("cwd"))
        if cwd and (session, cwd) not in self.folders[-1:]:
            self.folders.append((session, cwd))
        self.entrypoint = self.entrypoint or clean.optional(raw.get("entrypoint"))
        if raw.get("isSidechain") is True:
            self.agent = self.agent or clean.optional(raw.get("agentId"))

    def _assistant(self, raw: dict[str, Any], pointer: str) -> str | None:
        uuid = self._uuid(raw)
        message_id = clean.optional(clean.mapping(raw["message"]).get("id")) or uuid
        reply = self._replies.setdefault(f"{raw.get('isSidechain') is True} {message_id}", Reply(uuid))
        # A repeated line changes nothing, except where a reply had grown when it was written again.
        line = self.index[uuid] if uuid in self.index else self._line(raw, uuid, reply.turn)
        return reply.add(raw, self._place(reply.turn, line, raw, pointer), self.parts)

    def _other(self, kind: str, raw: dict[str, Any], pointer: str) -> str | None:
        uuid = self._uuid(raw)
        if uuid in self.index:
            return None
        place = self._place(uuid, self._line(raw, uuid, uuid), raw, pointer)
        if kind == "user":
            return add_prompt(clean.mapping(raw["message"]).get("content"), line_reason(raw), place, self.parts)
        if kind == "attachment":
            return self._attachment(raw, place)
        if kind == "progress":
            self._step(clean.mapping(raw.get("data")), raw, place)
        elif kind == "system":
            rest = {k: v for k, v in raw.items() if k not in _ENVELOPE}
            self.parts.hide("system", "system", block_text(raw.get("content")) or dump(rest), place)
        elif isinstance(raw.get("message"), dict):
            self.unknown.setdefault(kind, pointer)
            self.parts.hide("system", "system", dump(raw["message"]), place)
        return None

    def _uuid(self, raw: dict[str, Any]) -> str:
        """The id that every session knows the message by: a fork may give its copies new ones and name the old."""
        own = clean.optional(raw.get("uuid"))
        original = clean.optional(clean.mapping(raw.get("forkedFrom")).get("messageUuid"))
        if original and (original not in self.index or own in self.index):
            return original
        return own or clean.digest(raw.get("type"), raw.get("timestamp"), dump(raw.get("message", raw)))

    def _line(self, raw: dict[str, Any], uuid: str, turn: str) -> int:
        number = len(self.lines)
        self.index[uuid] = number
        self.index.setdefault(clean.optional(raw.get("uuid")) or uuid, number)
        parent = clean.optional(raw.get("parentUuid"))
        side = raw.get("isSidechain") is True
        self.lines.append(Line(clean.text(raw.get("type")), uuid, parent, _home(raw), side, turn))
        return number

    def _place(self, turn: str, line: int, raw: dict[str, Any], pointer: str) -> Place:
        return Place(turn, line, clean.moment(raw.get("timestamp"), self.zone), pointer)

    def _attachment(self, raw: dict[str, Any], place: Place) -> str | None:
        """A prompt typed while the model worked, or what the product attached by itself."""
        attachment = clean.mapping(raw.get("attachment"))
        if attachment.get("type") != "queued_command":
            self.parts.hide("user", "injected", dump(attachment) if attachment else "", place)
            return None
        reason = line_reason(raw) or line_reason(attachment)
        if attachment.get("commandMode") not in (None, "prompt"):
            reason = "injected"
        return add_prompt(attachment.get("prompt"), reason, place, self.parts)

    def _step(self, data: dict[str, Any], raw: dict[str, Any], place: Place) -> None:
        """Progress of a tool. Its output so far comes again and again, growing: the last one holds it all."""
        nested = clean.mapping(clean.mapping(data.get("message")).get("message"))
        text = block_text(data.get("fullOutput") or data.get("output") or nested.get("content"))
        text = text or (dump(data) if data else "")
        key = f"{raw.get('parentToolUseID')} {raw.get('toolUseID')}"
        if data.get("type") == "bash_progress" and key in self._progress:
            self._progress[key].chunks = [text]
        else:
            part = self.parts.hide("tool", "tool", text, place)
            if data.get("type") == "bash_progress":
                self._progress[key] = part


def _home(raw: dict[str, Any]) -> str | None:
    forked = clean.optional(clean.mapping(raw.get("forkedFrom")).get("sessionId"))
    return forked or clean.optional(raw.get("sessionId"))
