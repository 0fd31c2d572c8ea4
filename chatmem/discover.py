"""Where coding agents keep their sessions on this machine."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class AgentStore:
    """A folder that exists. `files`: how many session files are in it."""

    name: str
    path: Path
    files: int


def _candidates() -> list[tuple[str, Path, tuple[str, ...]]]:
    home = Path.home()
    claude = Path(os.environ.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    codex = Path(os.environ.get("CODEX_HOME") or home / ".codex")
    return [
        ("claude-code", claude / "projects", ("**/*.jsonl",)),
        ("codex", codex, ("sessions/**/*.jsonl*", "archived_sessions/*.jsonl*")),
        ("gemini-cli", home / ".gemini" / "tmp", ("**/chats/*.json*",)),
    ]


def stores() -> list[AgentStore]:
    """The stores that exist and hold at least one session file."""
    found = []
    for name, path, patterns in _candidates():
        files = sum(1 for pattern in patterns for _ in path.glob(pattern)) if path.is_dir() else 0
        if files:
            found.append(AgentStore(name, path, files))
    return found
