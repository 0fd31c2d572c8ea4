"""What is outside the scope does not exist: no word of it is printed, and no number, error or suggestion changes by it.

Two archives differ in the chats of another customer alone. Every look within a scope must end the same in both.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contracts import samples
from tests.contracts.program import Ended, chatmem

CANARY = "zyzzyvaquark"
OURS = samples.chat(
    "csv:t-100",
    samples.message("My invoice shows the wrong address", at="2025-06-01T08:00:00Z"),
    samples.message("I changed the address; the new invoice is on its way.", "assistant", "2025-06-01T08:05:00Z"),
    title="Wrong address",
    user_id="alice",
    agent_id="billing",
    project_id="p-shop",
    project_name="Shop",
)
OURS_TOO = samples.chat(
    "csv:t-101",
    samples.message("I'm on the Pro plan. Where do I find the invoice of May?", at="2025-05-31T10:00:00Z"),
    samples.message("Under Account, then Invoices.", "assistant", "2025-05-31T10:01:00Z"),
    title="Invoice of May",
    user_id="alice",
    agent_id="billing",
    project_id="p-shop",
    project_name="Shop",
)
# Shares words, ids and times with ours, so that any count, average or neighbour that crosses the border shows.
THEIRS = [
    samples.chat(
        f"crm:t-10{n}-{CANARY}",
        samples.message(f"invoice address invoice {CANARY} {'address ' * 40}", at="2025-06-02T08:00:00Z"),
        samples.message(f"I'm on the Starter plan, my name is {CANARY.title()}", at="2025-06-02T08:01:00Z"),
        samples.message(f"{CANARY} invoices", "assistant", "2026-01-01T00:00:00Z", author=CANARY),
        title=f"{CANARY} invoice",
        user_id=f"bob-{CANARY}",
        agent_id=f"agent-{CANARY}",
        project_id=f"p-{CANARY}",
        project_name=f"Project {CANARY}",
    )
    for n in range(5)
]
LOOKS = (
    ["search", "invoice address", "-v"],
    ["search", f"invoice {CANARY}", "--by", "message", "--json", "--hidden", "--branches"],
    ["search", CANARY.replace("q", "k"), "-v"],
    ["recent", "-n", "1", "--json"],
    ["recent", "-v", "-f", "rich"],
    ["export"],
    ["facts", "--history", "--json"],
    ["facts", "--about", f"which plan has {CANARY}?"],
    ["build-prompt", f"what did we decide about the invoice of {CANARY}?", "--json", "--now", "2026-02-01T00:00:00Z"],
    ["build-prompt", "go on", "--continue"],
)
MORE_LOOKS = (
    ["search", f"user:bob-{CANARY} project:p-{CANARY} invoice", "-v"],
    ["search", f"crm:t-100-{CANARY}"],
    ["search", "invoice", "--in", f"crm:t-100-{CANARY}"],
    ["search", "invoice", "--in", "crm:t-10"],
    ["search", "invoice", "--not-in", f"crm:t-101-{CANARY}", "-f", "rich", "-v"],
    ["search", "invoice", "--after", "2025-12", "-v"],
    ["recent", "--after", "2025-12", "-v"],
    ["recent", "-0"],
    ["export", "--format", "markdown"],
    ["export", "crm"],
    ["facts", "-f", "rich", "-v"],
    ["build-prompt", "hello", "--chat", f"crm:t-100-{CANARY}"],
    ["build-prompt", "hello", "--continue", f"crm:t-100-{CANARY}"],
)


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """An archive with our chats, and one that had theirs first."""
    folder = tmp_path_factory.mktemp("privacy")
    ours = samples.write(folder / "ours.jsonl", [OURS, OURS_TOO])
    theirs = samples.write(folder / "theirs.jsonl", THEIRS)
    for name, exports in (("alone", [ours]), ("shared", [theirs, ours])):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("CHATMEM_HOME", str(folder / name))
            assert all(chatmem("import", export).code == 0 for export in exports)
    return folder / "alone", folder / "shared"


def in_both(homes: tuple[Path, Path], line: list[str], monkeypatch: pytest.MonkeyPatch) -> list[Ended]:
    ended = []
    for home in homes:
        monkeypatch.setenv("CHATMEM_HOME", str(home))
        ended.append(chatmem(*line))
    return ended


@pytest.mark.parametrize(
    ("scope", "looks"),
    [
        (["--user", "alice"], [*LOOKS, *MORE_LOOKS]),
        (["--project", "shop"], LOOKS),
        (["--agent", "billing"], LOOKS),
    ],
)
def test_a_look_within_a_scope_knows_nothing_of_what_is_outside(
    homes: tuple[Path, Path], scope: list[str], looks: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for line in looks:
        alone, shared = in_both(homes, [*line, *scope], monkeypatch)

        assert shared == alone, line
        typed = CANARY in " ".join(line)
        assert typed or CANARY not in shared.out + shared.err, line


def test_a_project_of_somebody_else_is_refused_like_one_that_does_not_exist(
    homes: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ["recent", "--user", "alice", "--project", f"p-{CANARY}"]
    alone, shared = in_both(homes, line, monkeypatch)

    assert alone.code == 5
    assert shared == alone


def test_the_canary_would_be_seen_without_a_scope(homes: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    for line in (["search", "invoice"], ["recent"], ["export"], ["search", "zyzzyvaqurak"], ["facts"]):
        alone, shared = in_both(homes, line, monkeypatch)

        assert shared != alone
        assert CANARY in shared.out + shared.err


def test_a_batch_can_only_narrow_what_it_is_told(homes: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    queries = f'{{"query": "invoice {CANARY}", "user": "alice"}}\n{{"query": "invoice", "project": "Shop"}}\n'
    for home in homes:
        monkeypatch.setenv("CHATMEM_HOME", str(home))
        ended = chatmem("search", "--batch", "-", stdin=queries)

        assert ended.out.count('"chats": 2') == 2
        assert ended.out.count(CANARY) == 2, "once in the query, once as the word that nobody said"


def test_the_chat_that_is_going_on_is_no_evidence(homes: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHATMEM_HOME", str(homes[0]))
    before = chatmem("search", "invoice")
    monkeypatch.setenv("CHATMEM_CURRENT_CHAT", "csv:t-100")
    during = chatmem("search", "invoice", "-v")

    assert [line.split("\t")[0] for line in before.lines] == ["csv:t-100#1", "csv:t-101#1"]
    assert [line.split("\t")[0] for line in during.lines] == ["csv:t-101#1"]
    assert "1 matched in 1 chat" in during.err


def test_a_current_chat_that_is_not_archived_yet_is_no_error(
    homes: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHATMEM_HOME", str(homes[0]))
    monkeypatch.setenv("CHATMEM_CURRENT_CHAT", "claude-code:not-yet-imported")

    assert chatmem("search", "invoice").code == 0
