"""`chatmem facts` as it is typed: after imports in any order, by hand, forgotten, in every form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.contracts.program import chatmem, on_terminal

SUPPORT = Path(__file__).parents[2] / "sample_data" / "support"
COLUMNS = 8


def facts(*arguments: str) -> list[dict[str, Any]]:
    done = chatmem("facts", *arguments, "--json")
    assert done.code == 0, done.err
    found: list[dict[str, Any]] = json.loads(done.out)["facts"]
    return found


def values(attribute: str, *arguments: str) -> list[str]:
    return [f["value"] for f in facts(*arguments) if f["attribute"] == attribute]


def export(path: Path, *chats: tuple[str, str, list[str]]) -> Path:
    """(id, day, what the user says) as an export of messages."""
    lines = [
        json.dumps({
            "id": name,
            "messages": [
                {"role": role, "content": text, "created_at": f"{day}T10:{n:02d}:00Z"}
                for n, text in enumerate(said)
                for role, text in (("user", text), ("assistant", "I see."))
            ],
        })
        for name, day, said in chats
    ]  # fmt: skip
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_facts_of_the_support_desk() -> None:
    assert chatmem("import", SUPPORT, "-q").code == 0
    assert values("plan", "--customer", "dana") == ["Starter"]
    (pro,) = [f for f in facts("--customer", "dana", "--history") if f["value"] == "Pro"]
    assert (pro["status"], pro["replaced_by"], pro["reference"]) == ("superseded", "Starter", "csv:DSK-201#1")
    assert "Erik" not in json.dumps(facts("--customer", "dana", "--history"))
    assert values("location", "--customer", "erik") == ["Malmö"]
    assert "4111" not in json.dumps(facts("--history"))


def test_the_order_of_imports_does_not_matter(tmp_path: Path) -> None:
    old = export(tmp_path / "old.jsonl", ("a", "2026-01-05", ["I'm on the Pro plan"]))
    new = export(tmp_path / "new.jsonl", ("b", "2026-03-05", ["We downgraded from Pro to Starter"]))
    assert chatmem("import", new, "-q").code == 0 and chatmem("import", old, "-q").code == 0
    assert values("plan") == ["Starter"]


def test_a_second_import_adds_nothing_and_a_grown_chat_only_what_is_new(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    export(path, ("a", "2026-01-05", ["I live in Lisbon"]))
    chatmem("import", path, "-q")
    before = facts("--history")
    chatmem("import", path, "-q")
    assert facts("--history") == before
    export(path, ("a", "2026-01-05", ["I live in Lisbon", "we use Zendesk"]))
    chatmem("import", path, "-q")
    assert values("location") == ["Lisbon"] and values("product") == ["Zendesk"]
    assert facts("--history")[-1]["references"] == before[0]["references"]


def test_what_an_import_left_out_is_made_up_for() -> None:
    assert chatmem("import", SUPPORT, "-q", "--no-facts").code == 0
    done = chatmem("facts")
    assert done.out == "" and "chatmem facts extract" in done.err
    done = chatmem("facts", "extract")
    assert done.code == 0 and "12 messages" in done.out
    assert "chatmem facts extract" not in chatmem("facts").err and values("plan", "--customer", "dana") == ["Starter"]


def test_by_hand_and_forgotten_for_good() -> None:
    chatmem("import", SUPPORT, "-q")
    assert chatmem("facts", "add", "plan", "Business", "--customer", "dana", "--agent", "desk").code == 0
    assert values("plan", "--customer", "dana") == ["Business"]
    done = chatmem("facts", "forget", "location", "malmö", "--customer", "erik")
    assert done.code == 0 and "forgotten: location Malmö" in done.err
    assert "Malmö" not in {f["value"] for f in facts("--history")}
    chatmem("import", SUPPORT, "-q", "--date-order", "day")
    chatmem("facts", "extract", "-q")
    assert "Malmö" not in {f["value"] for f in facts("--history")}
    assert values("plan", "--customer", "dana") == ["Business"]
    assert chatmem("facts", "add", "location", "Malmö", "--customer", "erik", "--agent", "desk").code == 0
    assert values("location", "--customer", "erik") == ["Malmö"]


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["add", "shoe", "44"], 2, "choose one of name"),
        (["add", "plan", " "], 2, "empty"),
        (["add", "reference", "4111 1111 1111 1111"], 5, "card number"),
        (["add", "preference", "my password is hunter2!x"], 5, "password"),
        (["forget", "plan", "Gold"], 2, "known: "),
        (["forget", "plan", ""], 2, "leave it out"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: list[str], code: int, words: str) -> None:
    chatmem("import", SUPPORT, "-q")
    done = chatmem("facts", *arguments)
    assert done.code == code and words in done.err and "hunter2" not in done.err


def test_a_forgotten_value_does_not_bring_back_the_one_before(tmp_path: Path) -> None:
    said = ["I'm on the Pro plan", "I'm on the Starter plan", "I'm on the Business plan"]
    path = export(tmp_path / "talk.jsonl", ("a", "2026-01-05", said))
    chatmem("import", path, "-q")
    assert chatmem("facts", "forget", "plan", "business").code == 0
    for _ in range(2):
        assert values("plan") == [] and values("plan", "--history") == ["Starter", "Pro"]
        assert b"Business" not in b"".join(line.encode() for line in chatmem("facts", "--history").lines)
        chatmem("facts", "extract", "-q")


def test_chats_without_times_keep_their_order_when_one_grows(tmp_path: Path) -> None:
    def talk(name: str, *said: str) -> Path:
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps({"id": name, "messages": [{"role": "user", "content": text} for text in said]}))
        return path

    for path in (talk("a", "I'm on the Pro plan"), talk("b", "I'm on the Starter plan")):
        chatmem("import", path, "-q")
    assert values("plan") == ["Starter"]
    chatmem("import", talk("a", "I'm on the Pro plan", "thanks a lot"), "-q")
    assert values("plan") == ["Starter"]


def test_those_that_matter_for_a_question_come_first() -> None:
    chatmem("import", SUPPORT, "-q")
    assert values("product", "--customer", "dana", "--about", "is there a connector for Slack?")[0] == "Slack"
    assert len(facts("--about", "anything")) <= 8
    assert len(facts("--about", "anything", "-n", "3")) == 3


def test_every_form_says_the_same() -> None:
    chatmem("import", SUPPORT, "-q")
    document = facts("--customer", "dana")
    rows = [line.split("\t") for line in chatmem("facts", "--customer", "dana").lines]
    assert all(len(row) == COLUMNS for row in rows)
    assert [row[1] for row in rows] == [f["value"] for f in document]
    assert [json.loads(line) for line in chatmem("facts", "--customer", "dana", "--jsonl").lines] == document
    screen = on_terminal("facts", "--customer", "dana", variables={"NO_COLOR": "1"})
    assert all(f["value"] in screen.out for f in document) and max(map(len, screen.lines)) <= 80


def test_nothing_known_is_no_error_unless_asked() -> None:
    chatmem("import", SUPPORT, "-q")
    assert chatmem("facts", "--customer", "nobody").code == 0
    assert chatmem("facts", "--customer", "nobody", "--exit-status").code == 1


def test_an_attribute_expires_if_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    chatmem("import", SUPPORT, "-q")
    monkeypatch.setenv("CHATMEM_FACT_EXPIRY", "problem=30")
    assert values("problem", "--now", "2026-04-01T00:00:00Z") and not values("problem", "--now", "2026-06-01T00:00:00Z")
    for odd in ("shoe=30", "problem=²", "problem=99999999999", "problem"):
        monkeypatch.setenv("CHATMEM_FACT_EXPIRY", odd)
        assert chatmem("facts").code == 2


@pytest.mark.parametrize("upkeep", ["reindex", "compact"])
def test_upkeep_keeps_facts(upkeep: str) -> None:
    chatmem("import", SUPPORT, "-q")
    chatmem("facts", "add", "role", "buyer", "--customer", "dana", "--agent", "desk", "--now", "2026-05-01T00:00:00Z")
    before = facts("--history")
    assert chatmem("archive", upkeep).code == 0 and chatmem("archive", "check").code == 0
    assert facts("--history") == before


def test_search_says_what_was_replaced_since() -> None:
    chatmem("import", SUPPORT, "-q")
    answer = json.loads(chatmem("search", "prefer email over phone", "--json").out)
    (excerpt,) = [e for r in answer["results"] for e in r["excerpts"] if e["ref"] == "csv:DSK-201#1"]
    assert excerpt["outdated"] == ["plan Pro, now Starter"]
