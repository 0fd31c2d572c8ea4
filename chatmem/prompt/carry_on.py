"""What is needed to go on with earlier work: what was decided, what is open, what comes next, word for word. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from chatmem.prompt.fence import QUOTE, quoted
from chatmem.prompt.parts import Count, Dropped, Part, Turn, cut, part

NAME = "earlier work"
HEADINGS = {"decision": "Decided:", "question": "Open:", "action": "Next:"}

_DECISION = re.compile(
    r"(?i)\b(?:decided|decision|then (?:we|i)(?:'ll| will)|we(?:'ll| will| are going to)? (?:go|went) with|agreed|"
    r"settled on|let's (?:go with|use|take|keep|stick)|we(?:'ll| will) (?:use|keep|take|stick)|"
    r"final(?:ly)? (?:choice|answer)|chose|chosen|approved|"
    r"entschieden|entscheidung|beschlossen|wir nehmen|décidé|décision|on prend|decidido|decisión|decidimos|decisão)\b"
)
_ACTION = re.compile(
    r"(?i)\b(?:next steps?|to-?do|action items?|we(?: still)? (?:need|have) to|i(?: still)? (?:need|have) to|remaining|"
    r"i(?:'ll| will) (?:send|write|check|test|call|do|fix|try|add|ask|order|book|update|implement)|"
    r"follow up|next(?::| i| we)|"
    r"tomorrow|nächste[rn]? schritte?|noch zu tun|muss noch|müssen noch|prochaines? étapes?|il faut encore|"
    r"próximos? pasos?|falta|próximos? passos?)\b"
)
_OPEN = re.compile(
    r"(?i)\b(?:open questions?|unclear|not sure yet|to be decided|tbd|need to find out|still unknown|undecided|"
    r"offene fragen?|unklar|noch offen|à décider|question ouverte|por decidir|pendiente|em aberto)\b"
)
_SENTENCE = re.compile(r"[^\n.!?。！？]+(?:\.(?=\w)[^\n.!?。！？]+)*[.!?。！？]*")
_LONGEST = 300


class Line(NamedTuple):
    """A sentence, what it is, and the message that has it."""

    kind: str
    text: str
    reference: str


def found(turns: Sequence[Turn]) -> list[Line]:
    """The lines of one chat, the last of each kind first. A question is open if nothing but the end follows it."""
    lines: list[Line] = []
    for place, turn in enumerate(turns):
        unanswered = not any(later.role != turn.role for later in turns[place + 1 :])
        for match in _SENTENCE.finditer(turn.content):
            text = match[0].strip(" \t-*•#>")
            if not 8 <= len(text) <= _LONGEST:
                continue
            kind = _kind(text, unanswered)
            if kind:
                lines.append(Line(kind, text, turn.reference))
    return list(reversed(lines))


def _kind(text: str, unanswered: bool) -> str:
    if text.endswith(("?", "？")):
        return "question" if unanswered else ""
    if _OPEN.search(text):
        return "question"
    if _DECISION.search(text):
        return "decision"
    return "action" if _ACTION.search(text) else ""


def block(chats: Iterable[tuple[str, Sequence[Line]]], limit: int, count: Count) -> tuple[str, Part]:
    """(text, account) of the lines of some chats, the most relevant first: (heading, lines) each."""
    told = ""
    dropped: list[Dropped] = []
    loaded = kept = 0
    for heading, lines in chats:
        loaded += len(lines)
        text = heading
        used = 0
        for kind, name in HEADINGS.items():
            listed = [quoted(f"{line.text} [{line.reference}]") for line in lines if line.kind == kind]
            for number, line in enumerate(listed):
                more = f"\n{name}\n{line}" if not number else f"\n{line}"
                if len(told) + len(text) + len(more) + 2 > limit:
                    break
                text += more
                used += 1
        if used:
            told = f"{told}\n\n{text}" if told else text
        kept += used
        if used < len(lines):
            dropped.append(
                Dropped(
                    f"{len(lines) - used} lines of {heading.removeprefix(QUOTE)}", f"more than {limit:,} characters"
                )
            )
    return told, part(NAME, cut(told, limit), count, loaded, kept, dropped, limit)
