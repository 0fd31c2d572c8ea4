"""Whether memory should be looked into for a message, with which tool and arguments. Pure.

Explicit references to earlier talk trigger, and questions about a time in it; what only sounds like them does not. A
reference without a topic or a time is asked about rather than guessed at.
"""

from __future__ import annotations

import re
from datetime import datetime, tzinfo
from typing import Any, Literal, NamedTuple

from chatmem.policy import periods
from chatmem.policy.triggers import own_part, speaks_of_earlier
from chatmem.search.stopwords import ENGLISH, OTHERS

Choice = Literal["search", "recent", "ask", "no"]
SEARCH, RECENT = "conversation_search", "recent_chats"

_STOP = ENGLISH.union(*OTHERS.values())
_TALK = re.compile(
    r"(?i)\b(?:talk(?:ed|ing)?|discuss(?:ed|ion)?|chat(?:s|ted)?|conversations?|sessions?|spoke|asked you|ask you|told you|tell you|said to you|"
    r"work(?:ed)? on (?:together|with you)|did we|have we|we do|we worked|threads?|messages?|besprochen|gesprochen|geredet|unterhalten|"
    r"gespräche?|chats?|unterhaltung(?:en)?|gefragt|gesagt|haben wir|parlé|discuté|conversations?|discussions?|demandé|dit|hablamos|hablado|"
    r"conversaciones|charlas?|pregunté|dijimos|conversas?|falamos|falámos|conversámos|conversamos|perguntei)\b|聊|谈|讨论|对话|说过|问过"
)
_LISTING = re.compile(
    r"(?i)\b(?:(?:my|our|the) (?:last|latest|recent|most recent|previous)(?: \w+)? (?:chats|conversations|sessions|threads|discussions)|"
    r"recent (?:chats|conversations)|last thing we (?:talked|spoke) about|conversaciones más recientes|conversas mais recentes|what (?:have|did) we (?:been )?(?:talk(?:ed|ing)? about|discuss(?:ed)?)(?: lately| recently)?\s*\?*$|"
    r"(?:meine|unsere) letzten (?:chats|gespräche|unterhaltungen)|(?:mes|nos) derni[eè]res conversations|(?:mis|nuestras) últimas conversaciones|"
    r"(?:minhas|nossas) últimas conversas)\b|最近的(?:对话|聊天)"
)
_GO_ON = re.compile(
    r"(?i)\b(?:(?:continue|pick up|carry on|resume|go on)\b.{0,30}\b(?:left off|where we (?:were|stopped|ended)|last (?:time|session|conversation|chat))|"
    r"wo wir (?:aufgehört|stehen ?geblieben)|là où (?:on|nous)|donde lo dejamos|onde (?:parámos|paramos|ficámos|ficamos))\b|(?:继续|接着)(?:上次|之前)"
)
# Words of a question that are about the talk, not about its topic.
_ABOUT_TALK = frozenset(
    """talk talked talking discuss discussed discussion chat chats chatted conversation conversations session sessions speak
    spoke said say tell told mention mentioned decide decided decision agree agreed remember recall continue continued
    pick resume left off together earlier before previously already time times last previous past week month year day
    yesterday today monday tuesday wednesday thursday friday saturday sunday january february march april may june july
    august september october november december ago work worked working show list give find look thing things topic topics
    something anything again where what first our we ask asked question questions discussed conclude concluded recommend
    recommended suggest suggested settle settled go going carry
    besprochen gesprochen geredet gesagt entschieden vereinbart erinnerst weißt mal letztes letzte letzten woche monat jahr
    gestern heute montag dienstag mittwoch donnerstag freitag samstag sonntag gespräch gespräche unterhaltung weiter
    machen weitermachen aufgehört stehengeblieben thema zeig
    parlé parlions discuté décidé dit souviens souvenez rappelles rappelez fois dernière semaine mois année hier avons-nous
    conversation conversations discussion on nous reprendre continuer reprenons continuons
    hablamos hablado dijimos decidimos acordamos quedamos discutimos recuerdas acuerdas vez última semana mes año ayer
    conversación conversaciones charla sigamos continuemos continuar dejamos
    falamos falámos dissemos decidimos combinamos combinámos discutimos lembras lembra-se vez última semana mês ano ontem
    everything recap recaps summarise summarize see covered pull pls plz please bring list ever many whats u name need said
    worüber fass zusammen fasse seit unsere unseren alten daran davon darüber erinnere gib liste such suche finde mal
    retrouve montre montre-moi revoir parlions reprenons muéstrame busca recientes anteriores lo mis nuestras
    comme avait tivemos tínhamos já combinado conversamos conversámos conversou gente quais mostra lembra quando perguntei
    conversa conversas continuar parámos paramos ficámos ficamos""".split()
)
_EAST = re.compile(
    r"我们|你|我|上次|之前|以前|讨论|聊天?|谈|说|决定|过|了|的|吗|什么|关于|还记得|记不记得|继续|接着|昨天|今天|前天|上个?(?:周|星期|月)|"
    r"去年|这(?:个)?(?:周|星期|月)|哪|怎么|呢|？|\?|。|，|对话|最近|请|在|是|有|给|问题|[一二三四两几\d]+(?:天|周|个月|年)前|星期.|周.|\d+月|.月"
)


class Decision(NamedTuple):
    """`tool` and `arguments` of the call to make, "" and {} if there is none; `matched`: what in the message decided."""

    decision: Choice
    tool: str
    arguments: dict[str, Any]
    matched: str
    reason: str


def decide(message: str, now: datetime, zone: tzinfo) -> Decision:
    message = own_part(message)
    earlier = speaks_of_earlier(message)
    when = periods.period(message, now, zone)
    listing, go_on = _LISTING.search(message), _GO_ON.search(message)
    about_talk = earlier or listing or (when and _TALK.search(message))
    if not about_talk:
        return Decision("no", "", {}, "", "the message does not speak of earlier conversations")
    words = topic(message.replace(when.words, " ") if when else message)
    times = {
        name: at.isoformat() for name, at in (("after", when and when.after), ("before", when and when.before)) if at
    }
    said = listing or go_on
    matched = when.words if when else said[0] if said else ""
    if words and not listing:
        return Decision(
            "search", SEARCH, {"query": " ".join(words), **times}, matched, "it refers to earlier talk about a topic"
        )
    if times or listing or go_on:
        why = "it asks for a time" if times else "it asks for the latest conversations"
        return Decision("recent", RECENT, {"n": 3, "sort_order": "newest", **times}, matched, why)
    return Decision(
        "ask", "", {}, matched, "it refers to earlier talk, but to which is not clear: ask for a topic or a time"
    )


def topic(message: str) -> list[str]:
    """The words of a message that say what the earlier talk was about."""
    east = re.findall(r"[\u3400-\u9fff]+", _EAST.sub(" ", message))
    words = re.findall(r"[^\W_\u3400-\u9fff][\w'’.+#-]*[\w+#]|[^\W_\u3400-\u9fff]", message)
    kept = [w for w in words if w.lower().replace("’", "'") not in _STOP and w.lower() not in _ABOUT_TALK]
    return [*(w for w in kept if len(w) > 1 or w.isdigit()), *east]
