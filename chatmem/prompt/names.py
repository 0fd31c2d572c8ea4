"""Names in a text: products, plans, error codes, numbers of things. They are what a question is about. Pure."""

from __future__ import annotations

import re

from chatmem.facts.languages.values import TIERS
from chatmem.search.stopwords import ENGLISH, OTHERS

_STOP = ENGLISH.union(*OTHERS.values())
_CODE = (
    r"(?:[A-Z]{1,5}[-_]?\d[\w-]*|\w+(?:_\w+)+|[A-Z]{2,}[-_][\w-]+|\d+(?:\.\d+)+|[a-z]+[A-Z]\w*"
    r"|(?<=\bcode )\d{2,5})"
)
_WORD = r"[A-ZÀ-ÖØ-Þ][\w'’&+-]*"
_NUMBER = r"(?:\d[\w.-]*\w|\d|[IVX]{1,4}\b)"
_NAME = re.compile(rf"(?<![\w-])(?:{_CODE}|{_WORD}(?:[ ](?:{_WORD}|{_NUMBER}|{_CODE}))*)(?!\w)")
_TIER = re.compile(rf"(?:{TIERS})(?:-\w+)?")
_START = re.compile(r"(?:^|[.!?:]\s+|\n\s*(?:\d+[.)]\s*|[-*•]\s*)?)$")
# They begin answers and sentences, and are no names.
_OPENERS = frozenset(
    """yes no sure then thanks thank hello hi hey please sorry okay ok right great good which what when where how why
    who
    is are do does did can could would should there here that this these those you your we our they it the a an and but
    if for from with without since two three several many both each every all some most another one first second third
    open press hold turn use set check try go add click select choose remove replace clean wait send write ask tell make
    ja nein danke hallo bitte gut gerne dann welche was wann wo wie warum wer ist sind oui non merci bonjour alors quel
    quelle comment pourquoi sí no gracias hola claro qué cuál cómo dónde sim não obrigado olá qual como onde""".split()
)


def names(text: str) -> list[str]:
    """The names of a text, in order, each once."""
    found: dict[str, None] = {}
    for match in _NAME.finditer(text):
        name = match[0].strip("'’&+-")
        while " " in name and _is_stop(name.split()[0]):
            name = name.partition(" ")[2]
        if _START.search(text[: match.start()]):
            name = _without_opener(name)
        if name and _is_name(name, text):
            found.setdefault(name)
    return list(found)


def is_tier(name: str) -> bool:
    return _TIER.fullmatch(name) is not None


def shape(name: str) -> str:
    """Names of one shape can stand for each other: plans, codes, models of one make."""
    if is_tier(name):
        return "plan"
    if re.fullmatch(_CODE, name):
        return re.sub(r"\d+", "0", name)
    return name.split()[0] if " " in name else "name"


def content_words(text: str) -> list[str]:
    """The words of a text that say what it is about."""
    return [word for word in re.findall(r"[^\W_][\w'’./-]*\w|[^\W_]", text) if not _is_stop(word)]


def listed(text: str, alike: bool = True) -> list[str]:
    """The items of a list in a text: its lines, or the names (of one shape if `alike`) that a sentence has."""
    items: list[str] = re.findall(r"^\s*(?:\d+[.)]|[-*•])\s+(.+)$", text, re.MULTILINE)
    if len(items) > 1:
        return items
    best: list[str] = []
    for sentence in re.split(r"(?<=[.!?])\s+|\n", text):
        inside = names(sentence)
        groups = [[n for n in inside if shape(n) == kind] for kind in dict.fromkeys(map(shape, inside))]
        for group in groups if alike else [inside]:
            if len(group) > 1 and len(group) >= len(best):
                best = group
    return best


def _without_opener(name: str) -> str:
    first, _, rest = name.partition(" ")
    return rest if first.lower() in _OPENERS or _is_stop(first) else name


def _is_name(name: str, text: str) -> bool:
    if _is_stop(name) or name.lower() in _OPENERS or len(name) < 2:
        return False
    # A word that the text has in lower case too only began a sentence.
    return " " in name or any(c.isdigit() for c in name) or not re.search(rf"\b{re.escape(name.lower())}\b", text)


def _is_stop(word: str) -> bool:
    return word.lower().replace("’", "'") in _STOP
