"""When a question asks for the latest, time decides among hits that are about equally good. Pure.

Only then: boosting what is new lost everywhere it was measured (DESIGN section 3).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from chatmem.search.hits import Hit

# A hit is near-equal to the best of its group from this share of that one's score on.
NEAR_EQUAL = 0.85

_LATEST = re.compile(
    r"""
    \b(latest|newest|most\ recent(ly)?|currently|current|nowadays|last\ time|as\ of\ now|at\ the\ moment|up\ to\ date)\b
    | \b(neuest\w*|aktuell\w*|zuletzt|jüngst\w*|derzeit\w*|momentan\w*|letzte[nrs]?\ mal|heutzutage|inzwischen)\b
    | \b(derni[eè]re?s?\ (fois|version)|r[eé]cemment|plus\ r[eé]cente?s?|actuel\w*|en\ ce\ moment|maintenant)\b
    | \b([uú]ltima\ (vez|versi[oó]n)|m[aá]s\ recientes?|actual(es|mente)?|ahora\ mismo|[uú]ltimamente)\b
    | \b(mais\ recentes?|atua(l|is|lmente)|[uú]ltima\ vers[aã]o|neste\ momento|agora\ mesmo)\b
    | 最新 | 最近 | 目前 | 现在 | 現在 | 当前 | 當前 | 上次
    """,
    re.IGNORECASE | re.VERBOSE,
)


def asks_for_latest(question: str) -> bool:
    return _LATEST.search(question) is not None


def latest_first(hits: Sequence[Hit]) -> list[Hit]:
    """Best first, as given, but newest first inside each run of near-equal scores."""
    ordered: list[Hit] = []
    group: list[Hit] = []
    for hit in hits:
        if group and hit.score < NEAR_EQUAL * group[0].score:
            ordered += _newest_first(group)
            group = []
        group.append(hit)
    return ordered + _newest_first(group)


def _newest_first(group: list[Hit]) -> list[Hit]:
    return sorted(group, key=lambda hit: hit.moment or datetime.min, reverse=True)
