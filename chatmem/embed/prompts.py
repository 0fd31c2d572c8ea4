"""What some models want in front of a text: `query: ` before a question, `passage: ` before what is searched."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

CONFIG = "config_sentence_transformers.json"
# The e5 family was trained with these, and most of its published folders do not say so.
_E5 = re.compile(r"(^|[/_-])e5-", re.IGNORECASE)


class Prompts(NamedTuple):
    question: str = ""
    passage: str = ""


def prompts(name: str, folder: Path) -> Prompts:
    """By the names under which sentence-transformers keeps them; those of e5 if its folder has none."""
    try:
        own = json.loads((folder / CONFIG).read_text("utf-8"))
    except (OSError, ValueError):
        own = {}
    kept = own.get("prompts") or {}
    default = kept.get(own.get("default_prompt_name"), "")
    question = kept.get("query") or default
    passage = next((kept[key] for key in ("document", "passage", "corpus") if kept.get(key)), default)
    if not (question or passage) and _E5.search(name):
        return Prompts("query: ", "passage: ")
    return Prompts(question, passage)
