"""How many tokens a result takes in the form in which it is printed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from chatmem.render.as_json import dumps

if TYPE_CHECKING:
    from chatmem.evidence.answer import Answer, Evidence, Page
    from chatmem.tokens import Counter


class JsonSize:
    """Of the record of each result, and of the document around them if there is one."""

    def __init__(
        self,
        counter: Counter,
        record: Callable[[Evidence], dict[str, Any]],
        document: Callable[[Any], dict[str, Any]] | None,
    ) -> None:
        self._counter = counter
        self._record = record
        self._document = document

    def frame(self, found: Answer | Page) -> int:
        return sum(_counted(self._counter, [dumps(self._document(found))])) if self._document else 0

    def results(self, found: Sequence[Evidence]) -> Sequence[int]:
        return _counted(self._counter, [dumps(self._record(e)) for e in found])


class LineSize:
    """Of one line for each result."""

    def __init__(self, counter: Counter, line: Callable[[Sequence[Evidence]], Iterable[str]]) -> None:
        self._counter = counter
        self._line = line

    def frame(self, found: Answer | Page) -> int:
        return 0

    def results(self, found: Sequence[Evidence]) -> Sequence[int]:
        return _counted(self._counter, [line for e in found for line in self._line([e])])


def _counted(counter: Counter, texts: Sequence[str]) -> list[int]:
    """With the line feed or comma behind each."""
    count = counter.within(texts)
    return [count(text) + 1 for text in texts]
