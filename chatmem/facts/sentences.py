"""A message as sentences in which only its writer speaks: what is quoted or code is blanked out. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

# Facts are said in the first lines of a message, or signed in its last ones; between them stand logs and pasted texts.
HEAD, TAIL = 4_000, 600
BLANK = "\ue000"
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`|^(?: {4}|\t).*$", re.DOTALL | re.MULTILINE)
_QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)
# Talk of several people that was pasted: "From: …" and what follows.
_FORWARDED = re.compile(r"^(?:From|Von|De|To|Date|Subject|Sent): .*$", re.MULTILINE)
_LOG_LINE = re.compile(
    r"^\W*(?:(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL)\b|\d{4}-\d\d-\d\d[T ]\d\d:).*$", re.MULTILINE
)
_QUOTES = re.compile(
    r"\"[^\"\n]{2,2000}\"|“[^”]{2,2000}”|„[^“”\"]{2,2000}[“”\"]|«[^»]{2,2000}»|(?<!\w)['‘][^'’\n]{1,300}(?:['’]\w[^'’\n]{0,300}){0,8}['’](?!\w)"
)
_FEW_WORDS = 4
_OWN = re.compile(r"\b(?:I|i|me|my|we|our|ich|mein|wir|je|mon|yo|mi|eu|meu)\b")
_CODE_LINE = re.compile(
    r"^\s*(?:def|return|import|class|if|for|const|let|var|print|SELECT|from \w+ import)\b.*[(){};=].*$", re.MULTILINE
)
_SENTENCE = re.compile(
    r"(?:[^.!?…\n;。！？]|\.(?=\w)|(?<=\b[A-Z])\.(?=\s[A-Z])|(?<=\bno|\bnr|\bNr|\bNo|\bnº|\bvs|\bDr|\bMr|\bSt|\bca)\.(?=\s?\S)|(?<=\bMrs|\bref|\bapp|\bnum)\.(?=\s?\S))+[.!?…;]*"
)


class Sentence(NamedTuple):
    """`text` with blanks where others speak; `start` in the message, in characters."""

    text: str
    start: int

    @property
    def asks(self) -> bool:
        return self.text.rstrip(f" {BLANK})").endswith("?")


def own_words(text: str) -> str:
    """The text, of equal length, without quotations and code; a quoted name stays."""
    for what in (_CODE, _QUOTED_LINE, _FORWARDED, _CODE_LINE, _LOG_LINE):
        text = what.sub(lambda m: BLANK * len(m[0]), text)
    return _QUOTES.sub(lambda m: m[0] if _is_a_name(m[0]) else BLANK * len(m[0]), text)


def _is_a_name(quoted: str) -> bool:
    return len(quoted.split()) < _FEW_WORDS and not _OWN.search(quoted)


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of the beginning and the end of a message."""
    words = own_words(text)
    spans = [(0, len(words))] if len(words) <= HEAD + TAIL else [(0, HEAD), (len(words) - TAIL, len(words))]
    for first, last in spans:
        for found in _SENTENCE.finditer(words, first, last):
            said = found[0]
            start = len(said) - len(said.lstrip())
            if said.strip():
                yield Sentence(said.strip(), found.start() + start)
