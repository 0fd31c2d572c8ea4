"""What a look into the archive gives back: excerpts with everything needed to cite and check them. Values only."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NamedTuple

from chatmem.archive.read import ChatRow, ScopeCount

Level = Literal["strong", "partial", "none"]
# Why there is nothing: four different answers (SPEC section 4).
Miss = Literal["", "empty_archive", "empty_scope", "filtered_out", "no_match"]

MISSES = {
    "empty_archive": "the archive holds no chats yet; chatmem import PATH",
    "empty_scope": "no chat belongs to this user, agent or project",
    "filtered_out": "the filters leave no chat",
}


class Excerpt(NamedTuple):
    """A verbatim part of one message. `matched`: the words of the question as they stand in it, with their places.

    `ref` is `chat_id#N`, or the chat id alone for a hidden or alternate message, which has no number. `outdated`: what
    its writer has replaced since, such as “plan Pro, now Starter”.
    """

    ref: str
    message_id: str
    role: str
    author: str | None
    created_at: datetime | None
    text: str
    tokens: int
    matched: tuple[str, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    hidden: str | None = None
    branch: str = "main"
    outdated: tuple[str, ...] = ()


class Score(NamedTuple):
    """How the rank came about; parts are shares of the best in scope, `cosine` is that of the nearest passage."""

    total: float
    own: float
    context: float
    chat: float
    author_factor: float
    meaning: float = 0.0
    cosine: float = 0.0


class Evidence(NamedTuple):
    """One result: a chat, its best excerpts (best first), and its score (None where nothing was ranked).

    `tokens`: of its excerpts and of all that is told around them (evidence/cite.py).
    """

    rank: int
    chat: ChatRow
    excerpts: tuple[Excerpt, ...]
    score: Score | None = None
    tokens: int = 0


class Sufficiency(NamedTuple):
    """`strength` is what the level was judged by (evidence/sufficiency.py), a number on no scale of its own."""

    level: Level
    reason: str
    strength: float = 0.0


class Answer(NamedTuple):
    """`omitted`: results that matched but did not fit the limit on tokens. `tokens`: of all results together.

    `mode` that was used, and a `note` if it is less than there could be. `matched`: chats (or exchanges, if messages
    are listed) in scope that have any of the words, listed or not.
    """

    query: str
    mode: str
    by: str
    results: tuple[Evidence, ...]
    sufficiency: Sufficiency
    scope: ScopeCount
    matched: int = 0
    omitted: int = 0
    tokens: int = 0
    tokens_exact: bool = True
    did_you_mean: tuple[str, ...] = ()
    miss: Miss = ""
    note: str = ""


class Page(NamedTuple):
    """Chats by time. `next_cursor` continues behind the last one, None at the end."""

    results: tuple[Evidence, ...]
    scope: ScopeCount
    next_cursor: str | None
    tokens: int
    omitted: int = 0
    miss: Miss = ""
