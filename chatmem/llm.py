"""An OpenAI-compatible endpoint, if one is configured: one question, one answer, temperature 0, a short wait.

Nothing here is needed: whoever asks has another way, and says why it took it. What the model answers is text from a
stranger, and is checked by whoever asked.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from chatmem.config import Settings

# Seconds that loading the SDK and opening a connection may take besides.
_GRACE = 1.0


class ModelError(Exception):
    """No usable answer. The text says why in a few words, without what was asked or answered."""


class UnreachableError(ModelError):
    """Nobody answers there, or nobody will: asking again is of no use now."""


class Endpoint(NamedTuple):
    """Where the model is. `timeout` in seconds for a whole answer."""

    base_url: str
    model: str
    api_key: str
    timeout: float

    def ask(self, system: str, user: str, max_tokens: int, json: bool = False) -> str:
        """The text of the answer. Raises ModelError for everything that can go wrong."""
        try:
            import openai
        except ImportError as error:
            raise ModelError("the openai package is not installed (pip install 'chatmem[llm]')") from error
        more: dict[str, Any] = {"response_format": {"type": "json_object"}} if json else {}

        def complete() -> Any:
            with openai.OpenAI(
                base_url=self.base_url, api_key=self.api_key or "none", timeout=self.timeout, max_retries=0
            ) as client:
                answer = client.chat.completions.create(
                    model=self.model,
                    messages=[{"role": "system", "content": system}, {"role": "user", "content": user}],
                    temperature=0,
                    max_tokens=max_tokens,
                    **more,
                )
            return answer.choices[0].message.content

        text = _within(self.timeout, complete, self.base_url)
        if not isinstance(text, str) or not text.strip():
            raise ModelError(f"the model at {self.base_url} gave no answer")
        return text.strip()


def configured(settings: Settings) -> Endpoint | None:
    if not settings.llm_base_url or not settings.llm_model:
        return None
    return Endpoint(settings.llm_base_url, settings.llm_model, settings.llm_api_key, settings.llm_timeout_seconds)


def _within(seconds: float, complete: Callable[[], Any], where: str) -> Any:
    """What `complete` gives, if it takes no longer: the SDK's limit is for each read, and an answer may drip."""
    done: queue.SimpleQueue[tuple[Any, Exception | None]] = queue.SimpleQueue()

    def run() -> None:
        try:
            done.put((complete(), None))
        except Exception as error:  # the SDK raises its own, httpx's, pydantic's and plain ones for a garbled answer
            done.put((None, error))

    threading.Thread(target=run, daemon=True).start()
    try:
        text, error = done.get(timeout=seconds + _GRACE)
    except queue.Empty:
        raise UnreachableError(f"the model at {where} did not answer (timeout)") from None
    if error is not None:
        status = getattr(error, "status_code", None)
        kind = (
            ModelError
            if isinstance(status, int) and status < 500 and status not in (401, 403, 404)
            else UnreachableError
        )
        raise kind(f"the model at {where} did not answer ({_why(error)})") from error
    return text


def _why(error: Exception) -> str:
    """The kind of failure and an HTTP status: error texts of servers repeat what they were sent."""
    status = getattr(error, "status_code", None)
    return f"HTTP {status}" if isinstance(status, int) else type(error).__name__
