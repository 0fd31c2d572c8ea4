"""Where coding agents keep their sessions on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatmem.discover import stores


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def touch(*paths: Path) -> None:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def test_a_machine_without_agents_has_none(home: Path) -> None:
    (home / ".claude" / "projects").mkdir(parents=True)

    assert stores() == []


def test_each_store_is_found_with_its_session_files(home: Path) -> None:
    touch(
        home / ".claude" / "projects" / "-w-app" / "a.jsonl",
        home / ".claude" / "projects" / "-w-app" / "a" / "subagents" / "agent-1.jsonl",
        home / ".claude" / "settings.json",
        home / ".codex" / "sessions" / "2026" / "02" / "03" / "rollout-1.jsonl",
        home / ".codex" / "sessions" / "2026" / "02" / "03" / "rollout-2.jsonl.zst",
        home / ".codex" / "archived_sessions" / "rollout-3.jsonl",
        home / ".codex" / "auth.json",
        home / ".gemini" / "tmp" / "heron" / "chats" / "session-1.json",
        home / ".gemini" / "tmp" / "heron" / "logs.json",
    )

    assert [(s.name, s.path.relative_to(home).as_posix(), s.files) for s in stores()] == [
        ("claude-code", ".claude/projects", 2), ("codex", ".codex", 3), ("gemini-cli", ".gemini/tmp", 1),
    ]  # fmt: skip


def test_the_agents_own_variables_move_their_stores(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    touch(home / "c" / "projects" / "-w-app" / "a.jsonl", home / "x" / "sessions" / "rollout-1.jsonl")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "c"))
    monkeypatch.setenv("CODEX_HOME", str(home / "x"))

    assert [(s.name, s.path) for s in stores()] == [("claude-code", home / "c" / "projects"), ("codex", home / "x")]
