"""Follow-ups: what they refer to is put in, letter by letter, and nothing is invented."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from chatmem.config import Settings
from chatmem.llm import Endpoint, ModelError
from chatmem.prompt.parts import Turn
from chatmem.prompt.rewrite import refers, rewritten
from tests.contracts.program import chatmem

DATA: dict[str, Any] = json.loads((Path(__file__).parent / "followups.json").read_text("utf-8"))
FOLLOWUPS: list[dict[str, Any]] = DATA["followups"]


def count(text: str) -> int:
    return -(-len(text) // 4)


def talk(one: dict[str, Any]) -> list[Turn]:
    return [Turn(m["role"], m["content"]) for m in one["conversation"]]


def query(one: dict[str, Any]) -> str:
    return rewritten(one["message"], talk(one), Settings(), count, None).query


def lacking(one: dict[str, Any]) -> list[str]:
    found = query(one)
    return [name for name in one["keep"] if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", found)]


def test_names_plans_and_codes_are_kept_letter_by_letter() -> None:
    """All but one, in which the topic is a common noun of the answer."""
    lost = [(one["message"], query(one), lacking(one)) for one in FOLLOWUPS if lacking(one)]
    assert len(FOLLOWUPS) >= 40 and len(lost) <= 1, lost


@pytest.mark.parametrize("one", FOLLOWUPS, ids=lambda one: one["message"])
def test_no_word_is_added_that_nobody_wrote(one: dict[str, Any]) -> None:
    written = " ".join([one["message"], *(m["content"] for m in one["conversation"][-4:])])
    words = set(re.findall(r"\w+", written.lower()))
    assert not [w for w in re.findall(r"\w+", query(one).lower()) if w not in words and not any(w in x for x in words)]


@pytest.mark.parametrize("one", FOLLOWUPS, ids=lambda one: one["message"])
def test_a_query_has_at_most_64_tokens(one: dict[str, Any]) -> None:
    assert count(query(one)) <= 64


@pytest.mark.parametrize("one", DATA["standalone"], ids=lambda one: one["message"])
def test_what_stands_alone_stays_as_it_is(one: dict[str, Any]) -> None:
    assert rewritten(one["message"], talk(one), Settings(), count, None).how == "none"


def test_with_less_than_two_messages_before_it_nothing_is_rewritten() -> None:
    assert rewritten("why?", [Turn("user", "The Norrvik squeaks")], Settings(), count, None).query == "why?"


@pytest.mark.parametrize(
    "message", ["it broke", "ok", "and in German?", "what about Outlook?", "the second one please"]
)
def test_a_message_that_refers_to_others_is_known(message: str) -> None:
    assert refers(message, 3)


def test_the_second_charge_is_no_second_item() -> None:
    before = [
        Turn("user", "Charged twice for INV-2291."),
        Turn("assistant", "Canto Labs and Norrvik are billed apart."),
    ]
    assert "second charge" in rewritten("and the second charge?", before, Settings(), count, None).query


def test_a_card_number_does_not_get_into_a_query() -> None:
    before = [Turn("user", "My card 4111 1111 1111 1111 fails"), Turn("assistant", "I see.")]
    assert "4111" not in rewritten("why is that?", before, Settings(), count, None).query


class Saying(Endpoint):
    """An endpoint without a network: its model name is the answer."""

    def ask(self, system: str, user: str, max_tokens: int, json: bool = False) -> str:
        if self.model == "broken":
            raise ModelError("the model did not answer")
        return self.model


def by_model(answer: str) -> tuple[str, str]:
    before = [Turn("user", "Does the Canto City 7 rust?"), Turn("assistant", "No, it is coated.")]
    found = rewritten("what about the Norrvik?", before, Settings(), count, Saying("", answer, "", 1.0))
    return found.how, found.note


def test_a_model_that_invents_or_loses_a_name_is_not_believed() -> None:
    assert by_model("does the Norrvik rust") == ("model", "")
    assert by_model("does the Norrvik or Sundby rust") == (
        "rule",
        "the model added what nobody wrote; rewritten by rule",
    )
    assert by_model("does it rust") == ("rule", "the model lost a name; rewritten by rule")
    assert by_model("does the Norrvik rust " * 40)[0] == "rule"
    assert by_model("does the Norrvik rust and refund everything")[0] == "rule"
    assert by_model("does the Norrvik \x1b[31m rust")[0] == "rule"
    assert by_model("broken") == ("rule", "the model did not answer; rewritten by rule")


def test_rewritten_queries_find_what_the_messages_do_not(tmp_path: Path) -> None:
    lines = [json.dumps({"id": c["id"], "title": c["title"], "messages": c["messages"]}) for c in DATA["chats"]]
    export = tmp_path / "chats.jsonl"
    export.write_text("\n".join(lines), "utf-8")
    assert chatmem("import", export, "-q").code == 0

    def found(ask: list[str]) -> int:
        batch = "\n".join(json.dumps({"query": q, "id": str(n), "limit": 3}) for n, q in enumerate(ask))
        answers = map(json.loads, chatmem("search", "--batch", "-", "--jsonl", stdin=batch).lines)
        return sum(
            FOLLOWUPS[int(a["id"])]["chat"] in [r["chat_id"].split(":", 1)[1] for r in a["results"]] for a in answers
        )

    raw, better = found([one["message"] for one in FOLLOWUPS]), found([query(one) for one in FOLLOWUPS])
    assert better >= 36 and better > 2 * raw, (raw, better)
