"""The facts that a user's message states about its writer, found by patterns. Pure.

A statement counts where the writer says it of himself, now and in earnest: not what others said, not what would be if,
not what is asked. Precision goes before recall, for a wrong fact is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from chatmem.facts import signature
from chatmem.facts.languages import Language, Pattern, all_languages, spoken
from chatmem.facts.languages.values import LOW_PRODUCT, TROUBLE
from chatmem.facts.sentences import BLANK, HEAD, TAIL, Sentence, own_words, sentences

# The longest quote kept, in characters.
QUOTE = 300
# Characters before a match that may say that it is none.
_BEFORE = 300
# Characters of a value that one would repeat.
_LONGEST = 160
# Nobody says more about himself in one message.
_MANY = 100
_EDGES = " \t\n.,;:!?\"'“”„«»()[]–—*_"
_NOT = "not_"
_WORD = re.compile(r"[^\W\d_]+")
_TROUBLE = re.compile(TROUBLE)
_NOT_SO = re.compile(
    r"(?i)[^.!?\n,;]{0,30}?\b(?:is not mine|isn['’]t mine|is (?:obviously )?fake|ist nicht (?:von mir|meine?)"
    r"|n['’]est pas à moi|no es mí[oa]|não é meu|não é minha|not found)\b"
)
_DENIAL = re.compile(r"(?i)\b(?:not|no|never|nor|nicht|kein\w*|nie|pas|jamais|nunca|não|jamás)\b|n['’]t\b")
_KNOWN_PRODUCT = re.compile(LOW_PRODUCT)
# Said without "I": whose they are is told by what stands around them. And a question may well name one's own.
_OTHERS_HAVE_TOO = ("reference", "product", "problem")
# Where patterns of several attributes meet on the same words, the first is right.
_PLACED = ("plan", "location", "company", "name", "role", "product", "reference")


class Statement(NamedTuple):
    """That the writer's `attribute` is (`says` True), or is not, `value`; `quote` is the sentence, verbatim."""

    attribute: str
    value: str
    says: bool
    quote: str
    start: int


def statements(text: str) -> list[Statement]:
    """What a message says about its writer, in order; each value at most once, none inside another of its kind."""
    head = text if len(text) <= HEAD + TAIL else text[:HEAD] + text[-TAIL:]
    words = set(_WORD.findall(head.lower()))
    languages = spoken(words)
    open_ = [
        (language, [one for one, may in zip(language.patterns, language.gate.open(head), strict=True) if may])
        for language in languages
    ]
    found = [*signature.statements(text)] if languages else []
    if any(patterns for _, patterns in open_):
        own = own_words(head)
        begins = min((m.end() for lang in languages if (m := lang.others_words.search(own))), default=len(text))
        for sentence in sentences(text):
            for language, patterns in open_:
                found += (one for one in _of_sentence(sentence, language, patterns, text) if one.start < begins)
    return _distinct(found[:_MANY])


def _of_sentence(sentence: Sentence, language: Language, patterns: Sequence[Pattern], text: str) -> Iterator[Statement]:
    places = [match.start() for match in language.own.finditer(sentence.text)]
    for one in patterns:
        attribute, regex, own = one.attribute, one.regex, one.own
        tried = (regex.match(sentence.text, place) for place in places) if own else regex.finditer(sentence.text)
        for match in filter(None, tried):
            if attribute == "problem" and not _troubled(match):
                continue
            if _is_earnest(attribute, match, sentence, language, own):
                yield from _stated(match, sentence, text)


def _stated(match: re.Match[str], sentence: Sentence, text: str) -> Iterator[Statement]:
    quote = text[sentence.start : sentence.start + len(sentence.text)].strip()
    for group, value in match.groupdict().items():
        if value and BLANK not in value and (value := value.strip(_EDGES)):
            says = not group.startswith(_NOT)
            start = text.find(value, sentence.start + match.start(group))
            if len(value) > _LONGEST:
                continue
            yield Statement(group.removeprefix(_NOT).rstrip("23"), value, says, quote, start)


def _troubled(match: re.Match[str]) -> bool:
    """What happens again and again is a problem only if it is a bad thing."""
    said = match.groupdict()
    return bool(said.get("not_problem") or said.get("problem2") or _TROUBLE.search(said.get("problem") or ""))


def _is_earnest(
    attribute: str, match: re.Match[str], sentence: Sentence, language: Language, own: bool = False
) -> bool:
    """Whether what stands before a match in its clause lets it count."""
    text, low = sentence.text, max(0, match.start() - _BEFORE)
    before = text[low : match.start()]
    first = next((match.start(g) for g in match.groupdict() if match.start(g) >= 0), match.start())
    ends = [m.end() for m in language.clause_end.finditer(text, low, first)]
    clause_start = max((e for e in ends if e <= match.start() + 2), default=low)
    clause = text[clause_start:first]
    if BLANK * 3 in clause or language.reported.search(before) or language.reported.search(clause):
        return False
    if language.hypothetical.search(text[clause_start : match.start()]) or language.supposing.search(before):
        return False
    if _NOT_SO.match(text, match.end()):
        return False
    if attribute == "problem":
        clause = text[low : match.end()]
        if language.hypothetical.match(match[0].lstrip(_EDGES)):
            return False
        if language.nobody.search(match[0]) or (sentence.asks and language.interrogative.search(match[0])):
            return False
    if attribute in _OTHERS_HAVE_TOO and language.third_person.search(clause):
        return False
    asked = sentence.asks and (attribute not in (*_OTHERS_HAVE_TOO, "preference") or (attribute == "product" and own))
    return not (asked and language.interrogative.search(text[clause_start:first]))


def earnest_sentence(text: str, start: int, stop: int, says: bool) -> str:
    """The sentence around a claim that others make about a message; "" if nothing can be claimed there."""
    for sentence in sentences(text):
        first, last = start - sentence.start, stop - sentence.start
        if first < 0 or last > len(sentence.text):
            continue
        before = sentence.text[max(0, first - _BEFORE) : first]
        if BLANK in sentence.text[first:last] or (says and _DENIAL.search(before)) or sentence.asks:
            return ""
        for language in all_languages():
            if any(p.search(before) for p in (language.hypothetical, language.reported, language.third_person)):
                return ""
        return text[sentence.start : sentence.start + len(sentence.text)].strip()
    return ""


def _distinct(found: Sequence[Statement]) -> list[Statement]:
    """Each value once, and of what lies on the same words what says most; that something is not so goes first."""
    kept: list[Statement] = []
    for one in sorted(found, key=lambda s: (s.says, -len(s.value))):
        if not any(other.attribute == one.attribute and _meets(other, one) for other in kept):
            kept.append(one)
    placed = sorted((one for one in kept if not _misplaced(one, kept)), key=lambda s: s.start)
    first: dict[tuple[str, bool, str], Statement] = {}
    for one in placed:
        first.setdefault((one.attribute, one.says, one.value.casefold()), one)
    return list(first.values())


def _misplaced(one: Statement, kept: Sequence[Statement]) -> bool:
    if one.attribute not in _PLACED:
        return False
    rank = _rank(one)
    return any(o.attribute in _PLACED and _rank(o) < rank and _meets(o, one) for o in kept)


def _rank(one: Statement) -> int:
    return -1 if one.attribute == "product" and _KNOWN_PRODUCT.fullmatch(one.value) else _PLACED.index(one.attribute)


def _meets(one: Statement, other: Statement) -> bool:
    return one.start < other.start + len(other.value) and other.start < one.start + len(one.value)
