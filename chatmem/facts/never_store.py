"""What is never kept, whatever it is part of: cards, codes, passwords, government ids, bank accounts, keys and tokens.

A filter of our own, not an instruction to somebody. Numbers are told by their checksums (python-stdnum), tokens by their
shape (detect-secrets and a few it lacks), passwords and codes by the words around them. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple


class Secret(NamedTuple):
    """Characters of a text, and what they are."""

    start: int
    stop: int
    kind: str


# Longer texts are no sentences: their secrets are looked for in pieces of this size that overlap.
_PIECE, _OVERLAP = 20_000, 500
_IS = r"(?:\s*(?:[:=]|\b(?:is|was|are|will be|lautet|ist|war|est|es|era|é|è|to|as)\b(?:\s(?:now|still))?)\s*|\s+)"
_FOR = r"(?:\s(?i:for|of|to|on|für|zum|zu|de|del|pour|para|da|do)\s(?:[\w-]+\s?){1,4}?)?(?:['’]s)?"
_SET = r"(?:[ \t]*(?:[:=→]|=>)[ \t]*\n?(?=\S)|\s+-\s+|(?<=['’]s)\s+|\s+(?:is|was|are|would be|lautet|ist|war|est|es|era|é|è)\s+(?:now\s|still\s)?)"
_QUOTED = r"(?:\"(?P<q1>[^\"\n]{3,200})\"|'(?P<q2>[^'\n]{3,200})'|“(?P<q3>[^”\n]{3,200})”|„(?P<q4>[^“”\n]{3,200})[“”]|«\s?(?P<q5>[^»\n]{3,200})»)"
_NO_PASSWORD = (
    r"(?!(?i:not|no|wrong|incorrect|right|correct(?!\s\w+\s\w+\s\w+)|invalid|expired|too|the|my|your|a|an|required|broken|working|weak|strong|"
    r"missing|empty|reset|longer|shorter|about|old|new|zurück|bisher|früher|changed|hidden|known|visible|also|used|same|different|in|on|at|for|being|still|now|never|always|and|or|nicht|falsch|zu|abgelaufen|pas|incorrecta?|"
    r"incorreta?|errada|inválida|fehlerhaft|invalide|oublié|that|this|it|what|only|case|stored|saved|accepted|rejected|"
    r"protected|needed|unknown|secure|ok|fine|kein|keine|ungültig|gone|lost|optional|mandatory|given|shown|sent)\b)"
)
_SECRET_WORD = r"(?:pass(?:\s?word|code|phrase)?|pwd?|passwd|passwort|kennwort|wlan-kennwort|mot de passe|mdp|contraseña|contrasena|clave(?: de acceso)?|senha|palavra-passe|(?:wlan|wifi|wi-fi)[- ]?schlüssel|(?:recovery|seed|secret) phrase)"
_OTP = (
    r"(?:\b(?:2fa|mfa|otp|passcode|one[- ]?time (?:pass)?(?:code|word)|einmal\w*|authenticator (?:shows?|says|code|app shows))\b[^.!?\n\d]{0,30}?"
    r"|\b(?:verification|verifica\w*|vérification|confirmation|confirmação|confirmación|login|sign-?in|access|security|auth\w*|sms|bestätigungs|sicherheits|zugangs)"
    r"[ -]?(?:codes?|código|codice|pin)\b[^.!?\n\d]{0,25}?|\b(?:código|codice|code) (?:de |di |d['’])?(?:verifica\w*|vérification|confirma\w*|acceso|acesso|seguridad|sécurité|di verifica)\b[^.!?\n\d]{0,25}?"
    r"|\b(?:code|código|codice)\b[^.!?\n\d]{0,20}?\b(?:sms|texted|sent|received|got|llegó|recebi|reçu|text|app)\b[^.!?\n\d]{0,20}?"
    r"|\b(?:sms|text message) (?:said|says|is|was)\b[^.!?\n\d]{0,10}?|\b(?:der|the|my|mein|il|el|mi|o meu|le|mon) (?:code|código|codice)(?: (?:is|was|lautet|ist|es|é|est|war))\s|\bcode:\s|\bcode\s(?=\d{6}\b)"
    r"|\bm?tan[\s:]+(?:ist |lautet )?)"
)
_CODE_NUMBER = r"(?<![\w-])(?:[A-Z]-)?(?:\d{3}[ -]\d{3}|\d{4,8})(?![\w-])"

# A text without any of these has no secret of the kind: patterns that are not tried need not be compiled either.
_CUES = {
    "government id": (
        "ssn social pass steuer nif contrib cpf dni nir séc insurance nino versicher svnr curp bsn personnummer aadhaar licen "
        "führerschein permis identit card ausweis national tax nhs ni"
    ).split(),
    "cvv": "cv cid cod crypto prüf digits sicherheits".split(),
    "one-time code": "cod cód otp 2fa mfa tan einmal passcode one- authenticator sms text".split(),
    "PIN": "pin geheim".split(),
    "password": "pass pw kennwort mdp contras clave senha palavra phrase schlüssel credential login zugangs identif use verwend benutz changed set reset :// -p".split(),
    "bank account": "account konto bank giro sort routing".split(),
    "key": "bearer token basic key secret sk- gh pat xox akia asia aiza _live_ _test_ npm_ hf_ pypi- eyj".split(),
    "private key": "-----begin".split(),
}
_WORDED: Sequence[tuple[str, str]] = (
    ("cvv", r"(?i:\b(?:cvv2?|cvc2?|cid|card verification(?: (?:code|value|number))?|(?:card['’]?s? )?security code|prüfziffer|prüfnummer|sicherheitscode|kartenprüfnummer|(?:three|3|four|4) digits on the back|cryptogramme|código de seguridad|código de segurança))\b[^.!?\n\d]{0,40}?(?P<s>\d{3,4})(?!\d)"),
    ("one-time code", rf"(?i:{_OTP})(?P<s>{_CODE_NUMBER})"),
    ("one-time code", rf"(?P<s>{_CODE_NUMBER})\s(?i:(?:is|as|was|ist|es|é)\s(?:my|the|your|a|mein|der|die|el|o)\s(?:\w+[- ]){{0,2}}?(?:code|one-time|passcode|otp|verification|2fa|tan|sms)\b)"),
    ("one-time code", r"(?i:\b(?:backup|recovery|rescue) codes?)[\s:]*(?:is\s)?(?P<s>(?=[\w-]*\d)[\w]{3,8}-[\w-]{3,20})"),
    ("PIN", rf"(?i:\b(?:pin|geheimzahl)(?:[- ](?:code|number|nummer))?(?:\s(?:für|for|of|to)\s[\w ]{{2,24}}?)?)(?:{_SET}|\s)(?P<s>(?<![\w-])\d{{4,8}}(?![\w-]))(?!\s(?:parts|people|pieces))"),
    ("password", rf"(?i:\b{_SECRET_WORD}){_FOR}{_SET}{_QUOTED}"),
    ("password", rf"(?i:\b{_SECRET_WORD}){_FOR}{_SET}{_NO_PASSWORD}(?P<s>(?:[a-z]+\s){{3,}}[a-z]+)(?=[,.;!?\n]|$)"),
    ("password", rf"(?i:\b(?:passphrase|(?:recovery|seed|secret) phrase)){_SET}(?P<s>(?:[a-z]+\s){{2,}}[a-z]+)(?=[,.;!?\n]|$)"),
    ("password", rf"(?i:\b{_SECRET_WORD}){_FOR}{_SET}{_NO_PASSWORD}(?P<s>[^\s\"'“„«]\S*?)(?=[,;]?(?:\s|$)|[.](?:\s|$))"),
    ("password", rf"(?i:\b(?:password|pwd|passwort))\s{_NO_PASSWORD}(?P<s>(?=\S*[\d!-/:-@\[-`{{-~])(?=\S*[A-Za-z])[^\s,;]{{6,64}}?)(?=[,;.]?(?:\s|$))"),
    ("password", r"(?i:\b(?:credentials?|login|zugangsdaten|identifiants?|credenciales)(?: (?:are|is|sind|:))?\s?:?\s*)[\w.@+-]+\s?[:/]\s?(?P<s>(?=\S*[\d\W])[^\s,;]{5,64})"),
    ("password", r"(?i:\b(?:i use|use|benutze|verwende)\s)(?P<s>[^\s,;]{4,64})\s(?i:as (?:the |my |a )?(?:password|passphrase)|als passwort)"),
    ("password", r"(?<!\w)-p(?P<s>(?=[^\s]*\d)[A-Za-z0-9!@#$%^&*]{6,40})(?!\w)"),
    ("key", r"(?i:[?&]?\b(?:access_)?token=)(?P<s>[^\s&]{8,400})"),
    ("key", r"(?i:\b(?:api[ _-]?key|aws secret|secret key|access token|auth token)\s(?:is\s|:\s?)?)(?P<s>(?=\S*\d)[A-Za-z0-9/+_=-]{12,200})"),
    ("bank account", r"(?i:\b(?:sort code|routing(?: number)?|account(?: number)?))\s(?P<s>\d{6,17}|\d\d-\d\d-\d\d)(?=[^.!?\n]{0,40}(?i:sort code|routing|account))"),
    ("password", r"(?<![^\s\"'(])(?P<s>(?=[^\s,;]{0,63}[\d\W])[^\s,;\"']{6,64})\s(?i:as (?:the|my|a) (?:new )?password)"),
    ("password", r"(?i:\b(?:changed|set|reset) (?:it|the password|my password) to)\s(?P<s>(?=\S*[\d!@#$%^&*])[^\s,;]{6,})"),
    ("password", r"\b[a-z][a-z0-9+.-]*://[^\s:@/]*:(?P<s>[^\s@/]+)@"),
    ("government id", rf"(?i:\b(?:ssn|social security(?: (?:number|no\.?))?)){_IS}(?:(?:number|no\.?|#)\s*)?(?P<s>\d{{3}}[- ]?\d{{2}}[- ]?\d{{4}})\b"),
    ("government id", rf"(?i:\b(?:passport|reisepass\w*|pass(?:nummer)|passeport|pasaporte|passaporte|id card|personalausweis\w*|ausweisnummer|driver['’]?s? licen[cs]e|driving licen[cs]e|führerschein\w*|permis de conduire|carte d['’]identité|national id|tax id|steuer-?id\w*|steueridentifikationsnummer|nif|contribuinte|cpf|dni|nir|numéro de séc\w*(?: sociale)?|sécurité sociale|nhs|ausweis-nr\.?|national insurance|ni no\.?|nino|sozialversicherungsnummer|rentenversicherungsnummer|svnr|curp|bsn|personnummer|aadhaar))\b(?i:(?:\s(?:number|no\.?|nummer|nr\.?|número|numéro|n[°º]))?){_IS}(?P<s>(?=[A-Z0-9 .\-/]{{6}})(?=(?:[A-Z .\-/]*\d){{3}})(?!\d{{4}}\s[a-z])(?:[A-Z]{{1,2}}\s?)?[A-Z0-9][A-Z0-9.\-/]*(?:\s\d[\d]*)*(?:\s?[A-Z]\b)?)"),
    ("bank account", rf"(?i:\b(?:checking|savings|bank|giro\w*|konto)\s?(?:account|nummer|konto)?\s?(?:number|no\.?|nr\.?)?){_IS}(?P<s>\d{{6,17}})\b"),
    ("key", r"(?i:\b(?:bearer|token|basic)\s)(?P<s>(?=\S*\d)[A-Za-z0-9_\-.=+/]{20,})"),
    ("key", r"(?i:(?<![a-z])(?:api|secret|access|private|auth|client|app|encryption|signing)[_ -]?(?:access[_ -]?)?(?:key|token|secret)\w{0,20})[\"']?\s*(?:[:=]|\bis\b)\s*[\"']?(?P<s>[A-Za-z0-9_\-.=+/]{12,})"),
    ("private key", r"(?P<s>-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z))"),
    ("key", r"(?<![\w-])(?P<s>sk-(?:proj-|ant-[a-z0-9]+-|svcacct-)?[A-Za-z0-9_-]{20,}|gh[oprsu]_[A-Za-z0-9]{30,}|github_pat_\w{40,}|glpat-[\w-]{18,}|xox[abeoprs]-[\w-]{20,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{33,}|[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{30,}|pypi-[\w-]{50,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,})"),
)  # fmt: skip
# Numbers of a shape of their own.
_SHAPED: Sequence[tuple[str, str]] = (
    (
        "government id",
        r"(?<![\w-])(?<!phone )(?<!tel )(?<!fax )(?<!call )(?P<s>(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4})(?![\w-])",
    ),
    ("government id", r"(?<![\w-])(?P<s>[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\s?\d{2}\s?\d{2}\s?\d{2}\s?[A-D])(?![\w-])"),
)
_PLACEHOLDER = r"(?i)[()\[\]{}<>]|^(?:your|my|the|some|example|test|dummy|fake|xxx|\*\*\*|\$)[\w-]*$|_here$|\benv\b|^(?:self|request|data|form|user|config|settings|os)\."
_PREFIXED = r"sk-|gh[oprsu]_|github_pat|glpat-|xox|AKIA|ASIA|AIza|[rs]k_|npm_|hf_|pypi-|eyJ"
_SAID = r"(?i)\b(?:is|was|ist|war|lautet|est|es|era|é|to|use|as)\s$"
_NOT_ONE_TIME = r"(?i)\b(?:error|fehler|status|exit|zip|postal|postleit|area|country|promo|discount|coupon|product|exit|status|qr|bar|source|order|ticket|invoice)\W{0,2}(?:code\W{0,3})?$|[A-Z]{2,}-$"
_CARD = r"(?<![\w-])[2-6]\d{3}(?:[^\w\n]{0,3}[\n_]?\d){8,15}(?!\d)"
_IBAN = r"(?i)\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{2,4}){2,8}\b"
# Numbers that say by themselves what they are: letters and dots in their places, and a checksum.
_NUMBERED: Sequence[tuple[str, str, str]] = (
    ("es.dni", r"(?<![\w-])\d{8}-?[A-Z](?![\w-])", "government id"),
    ("es.nie", r"(?<![\w-])[XYZ]-?\d{7}-?[A-Z](?![\w-])", "government id"),
    ("br.cpf", r"(?<![\w-])\d{3}\.\d{3}\.\d{3}-\d{2}(?![\w-])", "government id"),
    ("fr.nir", r"(?<![\w-])[12]\s?\d{2}\s?\d{2}\s?\d[\dAB]\s?\d{3}\s?\d{3}\s?\d{2}(?![\w-])", "government id"),
)
_LONG = r"[A-Za-z0-9_\-.=+/:@]{20,}"
_HINT = re.compile(
    r"\d{3}|\d\d \d\d|(?<![\w-])(?=[\w-]*\d)[\w-]{16}|://|"
    r"(?i:\bpass|\bpwd?\b|kennwort|contrase|\bclave\b|senha|palavra|\bmdp\b|phrase|schlüssel|credential|login|zugangs|-----BEGIN|\bcodes?\b)"
)
_PLUGINS = (
    "artifactory.ArtifactoryDetector", "aws.AWSKeyDetector", "azure_storage_key.AzureStorageKeyDetector",
    "discord.DiscordBotTokenDetector", "github_token.GitHubTokenDetector", "gitlab_token.GitLabTokenDetector",
    "jwt.JwtTokenDetector", "mailchimp.MailchimpDetector", "npm.NpmDetector", "openai.OpenAIDetector",
    "pypi_token.PypiTokenDetector", "sendgrid.SendGridDetector", "slack.SlackDetector",
    "square_oauth.SquareOAuthDetector", "stripe.StripeDetector", "telegram_token.TelegramBotTokenDetector",
    "twilio.TwilioKeyDetector",
)  # fmt: skip


def find(text: str) -> list[Secret]:
    """The secrets of a text, in order, none inside another."""
    if not _HINT.search(text):
        return []
    found: list[Secret] = []
    for start in range(0, len(text), _PIECE):
        piece = text[start : start + _PIECE + _OVERLAP]
        found += [Secret(start + a, start + b, kind) for a, b, kind in _in_piece(piece)]
    return _apart(found)


def mark(secret: Secret) -> str:
    """What stands in the place of a secret: its kind."""
    return f"[{secret.kind} removed]"


def masked(text: str, marked: Callable[[Secret], str] = mark) -> str:
    """The text with the kind of each secret, or something else, in its place."""
    parts, at = [], 0
    for secret in find(text):
        parts += [text[at : secret.start], marked(secret)]
        at = secret.stop
    return "".join([*parts, text[at:]]) if parts else text


def _in_piece(text: str) -> Iterator[tuple[int, int, str]]:
    yield from _numbers(text)
    lowered = text.lower()
    for kind, pattern in _WORDED:
        if not any(cue in lowered for cue in _CUES[kind]):
            continue
        for match in _compiled(pattern).finditer(text):
            group = next(name for name, value in match.groupdict().items() if value)
            start, stop = match.span(group)
            if kind == "one-time code" and _compiled(_NOT_ONE_TIME).search(text[max(0, start - 40) : start].rstrip()):
                continue
            if kind in ("password", "key") and _is_code(text[start:stop], kind, text[max(0, start - 12) : start]):
                continue
            yield start, stop, kind
    for kind, pattern in _SHAPED:
        yield from ((*match.span("s"), kind) for match in _compiled(pattern).finditer(text))
    yield from _tokens(text)


def _is_code(found: str, kind: str, before: str) -> bool:
    """Whether this is a name in a program or a placeholder, not a secret."""
    if _compiled(_PLACEHOLDER).search(found):
        return True
    if kind == "key":
        return not any(c.isdigit() for c in found) and not _compiled(_PREFIXED).match(found)
    letters = found.strip("*_`'\":.")
    plain = not letters or letters.isalpha()
    # A word in lower case is a password where a sentence says so, or in quotes.
    return plain and not _compiled(_SAID).search(before) and before[-1:] not in "\"'“„«"


def _numbers(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _compiled(_CARD).finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if 13 <= len(digits) <= 19 and _checker("luhn")(digits):
            yield *match.span(), "card number"
    for match in _compiled(_IBAN).finditer(text):
        for stop in range(match.end(), match.start() + 14, -1):
            if not text[stop - 1].isspace() and _checker("iban")(text[match.start() : stop]):
                yield match.start(), stop, "bank account"
                break
    for name, pattern, kind in _NUMBERED:
        for match in re.finditer(pattern, text):
            if _checker(name)(match[0]):
                yield *match.span(), kind


def _tokens(text: str) -> Iterator[tuple[int, int, str]]:
    long = [match for match in _compiled(_LONG).finditer(text) if any(c.isdigit() for c in match[0])]
    if not long:
        return
    for plugin in _plugins():
        for secret in plugin.analyze_string(text):
            for match in re.finditer(re.escape(secret), text):
                yield *match.span(), "key"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


@cache
def _checker(name: str) -> Callable[[str], bool]:
    from importlib import import_module

    found: Callable[[str], bool] = import_module(f"stdnum.{name}").is_valid
    return found


@cache
def _plugins() -> Sequence[Any]:
    from importlib import import_module

    made = []
    for path in _PLUGINS:
        module, name = path.split(".")
        made.append(getattr(import_module(f"detect_secrets.plugins.{module}"), name)())
    return made


def _apart(found: Sequence[Secret]) -> list[Secret]:
    """Without what lies inside or meets another: the first and longest stays, and takes in what it meets."""
    kept: list[Secret] = []
    for one in sorted(set(found), key=lambda s: (s.start, -s.stop)):
        if kept and one.start < kept[-1].stop:
            kept[-1] = kept[-1]._replace(stop=max(kept[-1].stop, one.stop))
        else:
            kept.append(one)
    return kept
