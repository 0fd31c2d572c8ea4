"""Who signed a message: the lines behind a greeting at its end. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from chatmem.facts.languages.values import pattern
from chatmem.facts.sentences import own_words

if TYPE_CHECKING:
    from chatmem.facts.extract import Statement

# Characters.
_END = 300
_SIGNED = pattern(
    r"(?:^|\n|[.!?,]\s)[ \t]*(?i:best(?: regards| wishes)?|(?:kind|warm|many)? ?regards|cheers|sincerely|thanks(?: again| in advance| a lot)?|thank you"
    r"|all the best|yours|--|viele grüße|liebe grüße|mit freundlichen grüßen|beste grüße|grüße|lg|mfg|vg|cordialement|bien à vous|merci"
    r"|saludos(?: cordiales)?|un saludo|gracias|atentamente|cumprimentos|abraços?|obrigad[oa])[,.!]?[ \t]*\n\s*"
    r"(?P<name><<PERSON>>)[ \t]*(?:\n[ \t]*(?P<role>[^\n,@\d]{3,40})[ \t]*(?:,|\n)[ \t]*(?P<company><<PROPER>>)?[^\n]*)?(?:\n[^\n]*){0,3}\s*\Z"
)
_LINE = pattern(
    r"(?i:\b(?:best|regards|cheers|thanks|thx|grüße|lg|mfg|vg|saludos|gracias|cordialement|obrigad[oa]|abraços?)),?\s(?P<name><<CAP>>(?:\s<<CAP>>)?)[.!\s]*\Z"
)


def statements(text: str) -> Iterator[Statement]:
    from chatmem.facts.extract import Statement

    start = max(0, len(text) - _END)
    words = own_words(text[start:])
    found = _SIGNED.search(words) or _LINE.search(words)
    if found:
        quote = text[start + found.start() : start + found.end()].strip()
        for attribute, value in found.groupdict().items():
            if value:
                yield Statement(attribute, value.strip(), True, quote, start + found.start(attribute))
