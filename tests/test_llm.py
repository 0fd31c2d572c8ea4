"""The model endpoint through the official SDK, over a real connection: answers, and every way not to get one."""

from __future__ import annotations

import socket

import pytest

from chatmem.config import Settings
from chatmem.llm import Endpoint, ModelError, configured
from tests.endpoint import Answer, serving

SECRET = "my confidential question"


def ask(answer: Answer, timeout: float = 5.0) -> str:
    with serving(answer) as server:
        return Endpoint(server.url, "small", "key", timeout).ask("system words", SECRET, 64)


def test_a_question_is_asked_once_with_temperature_zero() -> None:
    with serving(lambda asked: "  the answer ") as server:
        assert Endpoint(server.url, "small", "key", 5.0).ask("system words", SECRET, 64) == "the answer"
    (asked,) = server.asked
    assert asked["path"] == "/v1/chat/completions"
    assert (asked["model"], asked["temperature"], asked["max_tokens"]) == ("small", 0, 64)
    assert [m["content"] for m in asked["messages"]] == ["system words", SECRET]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (lambda asked: 500, "HTTP 500"),
        (lambda asked: 429, "HTTP 429"),
        (lambda asked: 401, "HTTP 401"),
        (lambda asked: b"<html>not json", "did not answer"),
        (lambda asked: b"{}", "did not answer"),
        (lambda asked: b'{"choices": []}', "did not answer"),
        (lambda asked: b'{"choices": [{"message": {"content": null}}]}', "gave no answer"),
        (lambda asked: "  ", "gave no answer"),
    ],
)
def test_no_answer_is_an_error_that_does_not_repeat_the_question(answer: Answer, why: str) -> None:
    with pytest.raises(ModelError, match=why) as error:
        ask(answer)
    assert SECRET not in str(error.value)


def test_a_slow_or_broken_connection_is_given_up() -> None:
    with pytest.raises(ModelError, match="Timeout"):
        ask(lambda asked: 1.0, timeout=0.2)
    with pytest.raises(ModelError, match="timeout"):
        ask(lambda asked: [b" "] * 60, timeout=0.2)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(ModelError, match="did not answer"):
            Endpoint(f"http://127.0.0.1:{unused.getsockname()[1]}/v1", "m", "", 1.0).ask("s", "u", 9)


def test_nothing_is_configured_by_default() -> None:
    assert configured(Settings()) is None
    assert configured(Settings(llm_base_url="http://127.0.0.1:1/v1")) is None
    assert configured(Settings(llm_base_url="http://127.0.0.1:1/v1", llm_model="m")) is not None
