"""Documents and passages that whoever builds the prompt has found elsewhere: read, kept within their limit."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from chatmem.config import Settings
from chatmem.errors import UsageError
from chatmem.prompt.fence import heading, one_line, quoted
from chatmem.prompt.parts import Count, Dropped, Part, cut, part

NAME = "knowledge"


class Passage(NamedTuple):
    """A text with its title and address, either may be ""; `pinned` ones come first."""

    title: str
    text: str
    url: str
    pinned: bool = False


class Knowledge(NamedTuple):
    text: str
    passages: tuple[Passage, ...]
    part: Part


def read(path: str, pinned: bool) -> list[Passage]:
    """The passages of a JSONL file or a JSON array of {title, text, url, score}, best first; any other file is one.

    Raises UsageError for a file that cannot be read.
    """
    try:
        text = Path(path).read_bytes().decode("utf-8-sig", "replace")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", "give a file of passages, or any text") from error
    found = _records(text)
    if found is None:
        return [Passage(Path(path).name, text.strip(), "", pinned)] if text.strip() else []
    return [
        Passage(str(one.get("title") or ""), str(one.get("text") or ""), str(one.get("url") or ""), pinned)
        for one in found
        if str(one.get("text") or "").strip()
    ]


def _records(text: str) -> list[dict[str, Any]] | None:
    """The objects of a JSON array or of JSON lines; None if it is something else."""
    try:
        whole = json.loads(text)
        found = whole if isinstance(whole, list) else [whole]
    except (ValueError, RecursionError):
        try:
            found = [json.loads(line) for line in text.splitlines() if line.strip()]
        except (ValueError, RecursionError):
            return None
    return found if found and all(isinstance(one, dict) and "text" in one for one in found) else None


def block(pinned: Sequence[Passage], passages: Sequence[Passage], settings: Settings, count: Count) -> Knowledge:
    """The pinned documents and the best passages, together within the limit; one that does not fit is cut."""
    limit = settings.knowledge_characters
    dropped: list[Dropped] = []
    chosen = [*pinned, *passages[: settings.knowledge_passages]]
    if len(passages) > settings.knowledge_passages:
        more = len(passages) - settings.knowledge_passages
        dropped.append(Dropped(f"{more} passages", f"more than {settings.knowledge_passages} passages"))
    told: list[str] = []
    kept: list[Passage] = []
    for number, one in enumerate(chosen, 1):
        head = heading(f"K{number}", one.title, one.url)
        text = f"{head}\n{quoted(one.text)}"
        room = limit - len("\n\n".join([*told, ""]) if told else "")
        name = one_line(one.title) or f"K{number}"
        if len(text) > room:
            short = cut(text, max(0, room))
            if len(short) <= len(head) + 40:
                dropped.append(Dropped(name, f"more than {limit:,} characters"))
                continue
            dropped.append(Dropped(f"the end of {name}", f"more than {limit:,} characters"))
            text = short
            # An answer may rest on what is there, not on what was cut.
            one = one._replace(text=one.text[: max(0, len(short) - len(head))])
        told.append(text)
        kept.append(one)
    text = "\n\n".join(told)
    loaded = len(pinned) + len(passages)
    return Knowledge(text, tuple(kept), part(NAME, text, count, loaded, len(kept), dropped, limit))
