"""Role markers of Markdown transcripts: which lines begin a turn, and whose.

A file keeps to one style of marker (`## User`, `**User:**`, `User:`, `You said:`, `> user`); what looks like another
style is part of a text. Lines inside fenced code are never markers, unless the fence is one that nobody closed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from chatmem.model import Role

# The words that make a file a transcript. `admin`, `lead` or `contact` head chapters of manuals, so they do not count.
_USERS = ("user", "human", "you", "me", "prompt", "customer", "visitor")
_ASSISTANTS = (
    "assistant", "ai", "chatgpt", "claude", "gemini", "bard", "copilot", "bing", "grok", "deepseek", "perplexity",
    "le chat", "llama", "mistral", "qwen", "kimi", "chatbot", "bot", "model", "agent", "response", "ai assistant",
)  # fmt: skip
_OTHERS: dict[str, Role] = {"system": "system", "developer": "system", "tool": "tool", "function": "tool"}
WORDS: dict[str, Role] = {**dict.fromkeys(_USERS, "user"), **dict.fromkeys(_ASSISTANTS, "assistant"), **_OTHERS}
# In running text `Model: X200` and `System: Linux` are facts, not speakers.
_VAGUE = {"model", "agent", "prompt", "response", "system", "developer", "tool", "function", "me"}

_WORD = r"(?P<word>(?:gpt[- ]?[\w.]+)|" + "|".join(sorted(map(re.escape, WORDS), key=len, reverse=True)) + r")"
_PICTURE = r"[^\w\s#*>`\[(<-]{0,4}\s*"
# What may follow the word: `(gpt-4o)`, `[10:15]`, `— 2025-03-01`; again after the closing stars of a bold marker.
_ASIDE = r"(?:\s*[(\[](?P<aside>[^)\]\n]{1,60})[)\]]|\s+[—–|·-]\s+(?P<dash>[^\n]{1,40}))?"
_ASIDE_2 = _ASIDE.replace("<aside>", "<aside2>").replace("<dash>", "<dash2>")
_REST = r"\s*(?P<rest>.*)"
_BOLD = r"(?:\*\*|__)"
_STYLES = {
    "heading": rf"(?P<level>#{{1,6}})\s+{_PICTURE}\**{_WORD}(?:\s+said)?\**{_ASIDE}\s*(?::\**{_REST}|\**\s*#*)",
    "bold": rf"{_BOLD}{_PICTURE}{_WORD}(?:\s+said)?{_ASIDE}(?::{_BOLD}|{_BOLD}:){_ASIDE_2}{_REST}",
    "bold alone": rf"{_BOLD}{_PICTURE}{_WORD}{_ASIDE}{_BOLD}{_ASIDE_2}\s*",
    "said": rf"{_WORD}\s+said:{_REST}",
    "plain": rf"{_WORD}{_ASIDE}:(?:\s+(?P<rest>.*)|\s*)",
    "quote": rf">\s*\**{_WORD}\**:?\s*",
}
_PATTERNS = {style: re.compile(pattern, re.IGNORECASE) for style, pattern in _STYLES.items()}
# The lines of facts that exporters put above a talk; a `**User:** name` among them is one of them.
_FACT = re.compile(
    r"(?:[-*>]\s+)?[*_]{0,2}(?:created|date|updated|exported|link|url|source|title|model|version)\b[^:]{0,12}:.*",
    re.IGNORECASE,
)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_MAX_LINE = 2000


class Marker(NamedTuple):
    """A line that begins a turn. `rest`: text on the same line; `aside`: what stands in brackets or after a dash."""

    line: int
    role: Role
    word: str
    aside: str
    rest: str


def markers(lines: Sequence[str]) -> list[Marker]:
    """The markers of the file's style, or none if it is no transcript: both sides must speak in one style."""
    found: dict[str, list[Marker]] = {}
    for style, marker in _candidates(lines):
        found.setdefault(style, []).append(marker)
        if style.startswith("heading "):
            found.setdefault("heading", []).append(marker)
    whole = {style: turns for style, turns in found.items() if _is_dialogue(turns)}
    if len([style for style in whole if style.startswith("heading ")]):
        whole.pop("heading", None)
    if "plain" in whole and not _is_preface(lines[: whole["plain"][0].line]):
        del whole["plain"]
    # The outer style begins first; what another style marks further in is quoted.
    return min(whole.values(), key=lambda turns: turns[0].line, default=[])


def _candidates(lines: Sequence[str]) -> Iterator[tuple[str, Marker]]:
    fenced = _fenced(lines)
    for number, line in enumerate(lines):
        if number in fenced or len(line) > _MAX_LINE or not line or line[0].isspace():
            continue
        for style, pattern in _PATTERNS.items():
            match = pattern.fullmatch(line.rstrip())
            if match and (marker := _marker(number, style, match)) and not _is_fact(marker, style, lines):
                yield (f"heading {len(match['level'])}" if style == "heading" else style), marker
                break


def _marker(number: int, style: str, match: re.Match[str]) -> Marker | None:
    groups = match.groupdict()
    word = " ".join(groups["word"].split())
    if style == "plain" and (word.lower() in _VAGUE):
        return None
    role = WORDS.get(word.lower(), "assistant")
    aside = next((groups[key] for key in ("aside", "aside2", "dash", "dash2") if groups.get(key)), "")
    return Marker(number, role, word, aside.strip(), (groups.get("rest") or "").strip())


def _is_fact(marker: Marker, style: str, lines: Sequence[str]) -> bool:
    if style not in ("bold", "plain") or not marker.rest:
        return False
    around = (*lines[max(0, marker.line - 1) : marker.line], *lines[marker.line + 1 : marker.line + 2])
    return marker.word.lower() == "model" or any(_FACT.fullmatch(line) for line in around)


def _is_dialogue(turns: list[Marker]) -> bool:
    return {"user", "assistant"} <= {turn.role for turn in turns}


def _is_preface(lines: Sequence[str]) -> bool:
    """Only titles, rules and short facts: `User:` lines further down in a text are no transcript."""
    return all(
        not line.strip() or line.startswith(("#", "---", "***", "===", "*", "_", ">"))
        or re.match(r"[-*]?\s*[\w ]{1,30}:", line)
        for line in lines
    )  # fmt: skip


def _fenced(lines: Sequence[str]) -> set[int]:
    """The lines of fenced code, fences included. A fence that is never closed opens nothing."""
    fences = [(number, match) for number, line in enumerate(lines) if (match := _FENCE.fullmatch(line.rstrip("\n")))]
    closers = _longest_closers(fences)
    inside: set[int] = set()
    opened: tuple[int, str] | None = None
    for place, (number, match) in enumerate(fences):
        run, info = match[1], match[2].strip()
        if opened is None:
            # Backticks in the info string mean inline code (CommonMark 4.5).
            if closers[place + 1][run[0]] >= len(run) and not (run[0] == "`" and "`" in info):
                opened = number, run
        elif run[0] == opened[1][0] and len(run) >= len(opened[1]) and not info:
            inside.update(range(opened[0], number + 1))
            opened = None
    return inside


def _longest_closers(fences: list[tuple[int, re.Match[str]]]) -> list[dict[str, int]]:
    """For every fence and the end: the longest run, by character, that could still close something from there on."""
    longest = {"`": 0, "~": 0}
    result = [longest]
    for _, match in reversed(fences):
        run = match[1]
        if not match[2].strip():
            longest = {**longest, run[0]: max(longest[run[0]], len(run))}
        result.append(longest)
    return result[::-1]
