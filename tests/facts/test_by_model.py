"""Facts that a model claims to have found: only what the message bears out is believed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from chatmem.facts.by_model import checked
from chatmem.llm import ModelError
from tests.contracts.program import Ended, chatmem
from tests.endpoint import Answer, serving

TEXT = "My cat sits on the keyboard. The crew calls me Sparks, and the card is 4111 1111 1111 1111."


def claims(*facts: dict[str, Any]) -> str:
    return json.dumps({"facts": list(facts)})


GOOD = {"attribute": "name", "value": "Sparks", "says": True, "quote": "The crew calls me Sparks"}


def test_a_value_that_is_quoted_from_the_message_is_believed() -> None:
    (one,) = checked(claims(GOOD), TEXT)
    assert (one.attribute, one.value, one.quote) == ("name", "Sparks", TEXT.partition(". ")[2])
    assert TEXT[one.start :].startswith("Sparks")


@pytest.mark.parametrize(
    "change",
    [
        {"value": "sparks"},
        {"value": "Dana"},
        {"quote": "Everybody calls me Sparks"},
        {"attribute": "shoe size"},
        {"value": 7},
        {"says": "yes"},
        {"quote": None},
        {"value": ""},
        {"value": "park"},
        {"value": ",", "quote": "Sparks, and the card"},
    ],
)
def test_what_the_message_does_not_say_is_not_believed(change: dict[str, Any]) -> None:
    assert checked(claims(GOOD | change), TEXT) == []


@pytest.mark.parametrize(
    "text",
    ["If I were on the Pro plan", "He said I am on the Pro plan", "Am I on the Pro plan?", "I am not on the Pro plan"],
)
def test_what_is_not_said_in_earnest_is_not_believed(text: str) -> None:
    assert checked(claims({"attribute": "plan", "value": "Pro", "says": True, "quote": text}), text) == []


@pytest.mark.parametrize("answer", ["no", "[]", "{}", '{"facts": 3}', '{"facts": "name"}', "null"])
def test_an_answer_of_another_form_is_an_error(answer: str) -> None:
    with pytest.raises(ModelError, match="form"):
        checked(answer, TEXT)


@pytest.fixture
def archive(tmp_path: Path) -> None:
    export = tmp_path / "talk.json"
    messages = [{"role": "user", "content": TEXT}, {"role": "assistant", "content": "Noted."}]
    export.write_text(json.dumps([{"id": "a", "messages": messages}, {"id": "b", "messages": messages}]))
    assert chatmem("import", export, "-q").code == 0


def extract(monkeypatch: pytest.MonkeyPatch, answer: Answer) -> tuple[Ended, list[dict[str, Any]]]:
    """What `facts extract --model` says, and what the model was asked."""
    with serving(answer) as server:
        monkeypatch.setenv("CHATMEM_LLM_BASE_URL", server.url)
        monkeypatch.setenv("CHATMEM_LLM_MODEL", "small")
        monkeypatch.setenv("CHATMEM_LLM_TIMEOUT_SECONDS", "2")
        return chatmem("facts", "extract", "--model"), server.asked


def names() -> list[tuple[str, str]]:
    found = json.loads(chatmem("facts", "--json").out)["facts"]
    return [(f["value"], f["extractor"]) for f in found if f["attribute"] == "name"]


@pytest.mark.usefixtures("archive")
def test_each_chat_is_asked_about_once_and_secrets_are_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    done, asked = extract(monkeypatch, lambda asked: claims(GOOD))
    assert done.code == 0 and "the model looked through 2 chats: 2 statements" in done.out
    assert names() == [("Sparks", "model:small")]
    assert len(asked) == 2 and "4111" not in json.dumps(asked)
    again, asked = extract(monkeypatch, lambda asked: claims(GOOD))
    assert asked == [] and "0 chats" in again.out and names() == [("Sparks", "model:small")]


@pytest.mark.usefixtures("archive")
def test_a_secret_that_the_model_takes_for_a_fact_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    card = {"attribute": "reference", "value": "4111 1111 1111 1111", "quote": "the card is 4111 1111 1111 1111"}
    extract(monkeypatch, lambda asked: claims(card, GOOD))
    out = chatmem("facts", "--json", "--history").out
    assert "4111" not in out and "Sparks" in out


@pytest.mark.usefixtures("archive")
def test_a_model_that_fails_costs_only_what_it_would_have_found(monkeypatch: pytest.MonkeyPatch) -> None:
    done, _ = extract(monkeypatch, lambda asked: 500)
    assert done.code == 4 and "HTTP 500" in done.err and "run it again" in done.err
    done, _ = extract(monkeypatch, lambda asked: claims(GOOD))
    assert names() == [("Sparks", "model:small")]


def test_without_an_endpoint_it_is_said_what_to_set() -> None:
    assert chatmem("import", Path(__file__).parents[2] / "sample_data" / "support", "-q").code == 0
    done = chatmem("facts", "extract", "--model")
    assert done.code == 2 and "CHATMEM_LLM_BASE_URL" in done.err
