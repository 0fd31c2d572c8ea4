"""Whether a message speaks of earlier talk. Pure.

Only then is memory looked into by itself: what merely sounds like it (“remember to commit”, “last time complexity”)
does not count.
"""

from __future__ import annotations

import re

_EARLIER_TALK = re.compile(
    r"""(?ix)
    # English
    \b(?:you|u) \s (?:\w+ly \s | had \s | once \s)? (?:recommended|gave|wrote|helped|explained|said|suggested|told|made|showed
        |mentioned|sent|drafted|named|proposed) \b
    | \b(?:have|had|did) \s i \s (?:ever \s | already \s | not \s)? (?:told|tell|ask|asked|mention|mentioned|been \s asking|show|shown) \b
    | \b(?:i) \s (?:asked|told|showed) \s you \b | \bhave \s i \s been \s asking \b
    | \bwe \s (?:already \s)? (?:talk|spoke) \s about \b | \bwe['’]?ve \s (?:said|discussed|talked|covered|decided|been \s over) \b
    | \b(?:our|my) \s (?:\w+ \s){0,2} (?:chats?|conversations?|sessions?|threads|discussions?) \b (?! \s (?:apps?|with \s (?:my|a|the)))
    | \btopics \s we \s covered \b | \bthing \s we \s talked \s about \b |
    \b(?:what|which|where|how|when|why|who)\b [^.?!]{0,40} \b(?:did|have|had) \s (?:we|you|i) \b [^.?!]{0,30}
        \b(?:discuss|talk|decide|say|said|agree|settle|conclude|choose|chose|mention|recommend|suggest|tell|told|plan|leave)
    | \b(?:we|i|you) \s (?:already \s | once \s)? (?:discussed|talked \s about|spoke \s about|agreed|decided (?! \s to \b)|settled \s on
        |mentioned|told \s (?:you|me)|said \s (?:earlier|before|that|last)|chatted|went \s over|worked \s on)
    | \bas \s (?:we|i|you) \s (?:discussed|said|agreed|mentioned|told)
    | \b(?:do|can|did|don't) \s you \s (?:still \s)? (?:remember|recall) \b (?! \s to \b)
    | (?<! \b i \s) \bremember \s (?:when|what|that|how|the|my|our|me) \b
    | \b(?:continue|pick \s up|carry \s on|resume|go \s on) \b [^.?!]{0,25}
        \b(?:where|from|left \s off|last|our|with \s (?:the|our|my))
    | \b(?:our|my|the|a) \s (?:last|previous|earlier|prior|past|old) \s
        (?:chat|conversation|discussion|session|talk|call|message|ticket|request|question)s? \b
    | \b(?:last|the \s other) \s (?:time|day|week|month) \b (?! \s complexit) [^.?!]{0,40} \b(?:we|you|i|your|my|our)\b
    | \b(?:we|you|i|your|my|our)\b [^.?!]{0,40} \b(?:last \s time|previously|earlier \s (?:today|this|on)?|in \s the \s past) \b
    | \b(?:did|has|have|had) \s (?:your|my|our) \s (?:colleagues?|team|agent|support) \b
    | \b(?:your|my|our) \s (?:colleague|team|agent|support) \b [^.?!]{0,30} \b(?:said|promised|told|offered|confirmed|agreed|wrote)
    | \b(?:already|before) \s (?:asked|told|explained|reported|contacted|wrote)
    | \b(?:still|again) \b [^.?!]{0,30} \b(?:same \s (?:problem|issue|error)|not \s (?:fixed|solved|resolved))
    # German
    | \b(?:du \s (?:hast|hattest) \s (?:mir|uns) | (?:hast|hattest) \s du \s (?:mir|uns)) \b
    | \b(?:unser\w*|mein\w*) \s (?:\w+ \s){0,2} (?:chats?|gespräche?n?|unterhaltung(?:en)?) \b
    | \bhaben \s wir \b [^.?!]{0,40} \b(?:gesprochen|besprochen|geredet|gesagt) | \berinnerst \s du \s dich
    | \b(?:was|worüber|wie|wann|wo|warum|welche[nrs]?) \b [^.?!]{0,30} \b(?:haben|hatten) \s (?:wir|sie|ich) \b [^.?!]{0,40}
        \b(?:besprochen|gesagt|gesprochen|entschieden|vereinbart|beschlossen|geredet|ausgemacht)
    | \b(?:erinnerst \s du|erinnern \s sie|weißt \s du \s noch|wissen \s sie \s noch)
    | \b(?:letztes|beim \s letzten) \s mal \b | \bwo \s wir \s (?:aufgehört|stehen \s ?geblieben|waren)
    | \b(?:unser|mein)\w* \s (?:letzte[nrs]?|frühere[nrs]?|vorige[nrs]?) \s (?:gespräch|chat|unterhaltung|anfrage|ticket)
    | \b(?:wie|hatten) \s (?:wir \s)? (?:besprochen|vereinbart)
    | \b(?:ihr|ihre) \s (?:kollegen?|kollegin) \b [^.?!]{0,30} \b(?:gesagt|versprochen|zugesagt|meinte)
    # French
    | \b(?:tu \s m['’](?:as|avais) | vous \s m['’](?:avez|aviez) | tu \s avais) \b | \b(?:notre|nos|mes) \s (?:\w+ \s){0,2} (?:conversations?|discussions?)
    | \bcomme \s (?:on|nous) \s (?:en \s)? (?:avait|avions|a) \s (?:parlé|dit|convenu) | \blà \s où \s on \s s['’](?:était|est)
    | \b(?:qu['’]?(?:est-ce)?|quel\w*|comment|où|quand|pourquoi|de \s quoi) \b [^.?!]{0,40} \b(?:avons-nous|on \s a|nous \s avons|avait-on)
        \b [^.?!]{0,30} \b(?:dit|parlé|discuté|décidé|convenu)
    | \b(?:tu \s te|vous \s vous|te) \s (?:souviens|souvenez|rappelles|rappelez) | \bla \s dernière \s fois \b
    | \b(?:notre|ma|nos) \s (?:dernière|précédente|ancienne)s? \s (?:conversation|discussion|demande)
    | \blà \s où \s (?:on|nous) \s (?:s['’]est|nous \s sommes|en \s étions|en \s était)
    # Spanish
    | \bme \s (?:recomendaste|dijiste|diste|ayudaste|explicaste|sugeriste|contaste|escribiste|mostraste) \b
    | \b(?:nuestr[ao]s?|mis) \s (?:\w+ \s){0,2} (?:charlas?|conversaci(?:ón|ones)|chats?)
    | \b(?:qué|cuál|cómo|dónde|cuándo|de \s qué) \b [^.?!]{0,30} \b(?:hablamos|dijimos|decidimos|acordamos|quedamos|dijiste|discutimos)
    | \b(?:recuerdas|recuerda \s usted|te \s acuerdas|se \s acuerda) \b | \bla \s última \s vez \b
    | \b(?:nuestra|mi) \s (?:última|anterior) \s (?:conversación|charla|consulta) | \bdonde \s (?:lo \s)? (?:dejamos|quedamos)
    # Portuguese
    | \b(?:você \s (?:me \s)? | tu \s (?:me \s)? | me \s) (?:ajudou|sugeriu|deu|disse|recomendou|explicou|escreveu|ajudaste|sugeriste|deste|disseste|recomendaste|explicaste) \b
    | \b(?:te|lhe) \s perguntei | \ba \s gente \s (?:conversou|falou|decidiu|combinou) | \b(?:conversámos|conversamos) \b
    | \b(?:já \s)? (?:tínhamos|tinhamos) \s (?:combinado|falado|decidido) | \b(?:quais|noss[ao]s|minhas) \s (?:\w+ \s){0,2} conversas? | \blembra \s quando
    | \b(?:o \s que|qual|como|onde|quando|sobre \s o \s que) \b [^.?!]{0,30} \b(?:falamos|falámos|dissemos|decidimos|combinamos|combinámos|disseste|discutimos)
    | \b(?:lembras-te|você \s (?:se \s)? lembra|se \s lembra|lembra-se) \b | \bda \s última \s vez \b | \ba \s última \s vez \b
    | \b(?:nossa|minha) \s (?:última|conversa \s anterior|anterior) \s? (?:conversa|consulta)?
    | \bonde \s (?:parámos|paramos|ficámos|ficamos)
    # Chinese
    | 你(?:昨天|上次|上周|之前|前天|以前|那天)?.{0,4}(?:推荐|写|说|解释|建议|帮|告诉)(?:过|给|了|我)
    | 我们(?:之前|上次|以前|刚才)?(?:讨论|聊|谈|说|决定)(?:过|了|的) | 上次(?:我们|你|我|说|聊|讨论) | 还记得 | 记不记得 | 之前(?:我们|你|我)?(?:说|聊|提到|讨论)
    | (?:继续|接着)(?:上次|之前|我们)
    """
)
_NOT_TALK = re.compile(
    r"(?i)\bremember to\b|\blast time complexity\b|\bremember me\b|\bprevious (?:commit|version|line|page|element|row|year)\b"
    r"|\bcontinue (?:statement|keyword|reading|loop)\b"
)


# What is quoted, or said of talk with others, is no talk with the assistant.
_OTHERS = re.compile(
    r"(?i)(?:[\"“„«]|(?<!\w)['‘])(?:[^\"”“»'’\n]|(?<=\w)['’](?=\w)){12,}[\"”“»'’]"
    r"|\b(?:my|mein\w*|mon|ma|mi|meu|minha) \w+ (?:and|und|et|y|e) (?:i|ich|moi|yo|eu)\b.*"
)


def speaks_of_earlier(message: str) -> bool:
    """Whether a message refers to earlier conversations or asks to go on with them."""
    return _EARLIER_TALK.search(own_part(message)) is not None


def own_part(message: str) -> str:
    """The message without what only sounds like it."""
    return _NOT_TALK.sub(" ", _OTHERS.sub(" ", message))
