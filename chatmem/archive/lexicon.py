"""The word index: postings made outside the archive, set at a time, and appended as one sorted run.

`posting(term, message_key, tf)` is stored in term order so that zone maps find a term's rows; each import appends a
run, and compaction merges them when the unsorted tail is large. A term is a hash, so runs need no shared dictionary.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from chatmem.archive import keys
from chatmem.archive.store import Store
from chatmem.archive.tokenizer import (
    MARK,
    MAX_LONG_TOKEN,
    RAW_TOKEN,
    TERMINAL_SEQUENCE,
    UNSPACED,
    VERSION,
    expand,
    fold,
    term_id,
)

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# The map from raw tokens to terms is rebuilt when it has grown past this many rows, to bound memory.
MAX_TOKENS_KEPT = 3_000_000

# Tokens are met by their hashes: joining and grouping by strings takes a third longer.
_TABLES = """
CREATE OR REPLACE TABLE token (token UBIGINT, term UBIGINT, is_word BOOLEAN);
CREATE OR REPLACE TABLE surface (term UBIGINT, text VARCHAR);
"""
# The first of the characters that are written without spaces and cut into bigrams below.
_UNSPACED = 0x3005
PLAIN_TEXT = (
    f"CASE WHEN contains(text, chr(27)) THEN regexp_replace(text, '{TERMINAL_SEQUENCE}', ' ', 'g') ELSE text END"
)
_WHOLE = f"strlen(found) <= {MAX_LONG_TOKEN} OR regexp_matches(found, '{UNSPACED.pattern}')"


def _raw_tokens(count: str, grouped: str = "") -> str:
    return f"""
CREATE OR REPLACE TABLE raw_token AS
SELECT message_key, raw, hash(raw) AS token, {count} AS n
FROM (
    SELECT message_key, CASE WHEN {_WHOLE} THEN found ELSE left(found, {MAX_LONG_TOKEN}) END AS raw
    FROM (SELECT message_key, unnest(regexp_extract_all({PLAIN_TEXT}, $re${RAW_TOKEN}$re$)) AS found FROM stage_text)
    UNION ALL
    SELECT message_key, unnest(string_split(strftime(created_at, '{MARK}%Y {MARK}m%m {MARK}d%d'), ' '))
    FROM stage_text WHERE created_at IS NOT NULL
)
{grouped}
"""


# Grouping costs more than it saves, except where one message repeats its words a thousand times.
_SINGLE, _GROUPED = _raw_tokens("1"), _raw_tokens("count(*)", "GROUP BY message_key, raw")
# Runs of Chinese, Japanese or Korean hardly ever come twice, and their terms are nothing but their bigrams: they are
# cut here, so that the token map need not hold them all. Only characters that mean the same alone and in a run.
_UNSPACED_RUN = (
    r"^[\x{3005}-\x{3007}\x{3041}-\x{3096}\x{30A1}-\x{30FA}\x{30FC}\x{3400}-\x{4DBF}\x{4E00}-\x{9FFF}"
    r"\x{AC00}-\x{D7A3}]{3,}$"
)
_IS_RUN = f"ord(raw) >= {_UNSPACED} AND regexp_matches(raw, '{_UNSPACED_RUN}')"
_BIGRAMS = f"""
CREATE OR REPLACE TABLE raw_token AS
SELECT message_key, raw, hash(raw) AS token, sum(n)::BIGINT AS n
FROM (
    SELECT message_key, raw, n FROM raw_token WHERE NOT ({_IS_RUN})
    UNION ALL
    SELECT message_key, substring(raw, unnest(range(1, length(raw)))::BIGINT, 2), n FROM raw_token WHERE {_IS_RUN}
)
GROUP BY message_key, raw
"""
_UNSEEN = "SELECT DISTINCT raw FROM raw_token ANTI JOIN token USING (token)"
_RUN = """
CREATE OR REPLACE TABLE run AS
SELECT term, message_key, least(sum(n), 65535)::USMALLINT AS tf
FROM raw_token JOIN token USING (token)
GROUP BY ALL
ORDER BY term, message_key
"""
_LENGTH = """
CREATE OR REPLACE TABLE stage_length AS
SELECT message_key, sum(n)::INTEGER AS length
FROM raw_token JOIN token USING (token)
WHERE is_word
GROUP BY ALL
"""


def open_lexicon(workbench: DuckDBPyConnection) -> None:
    """Make the workbench's token map; it lives as long as the import."""
    workbench.execute(_TABLES)


def build_run(workbench: DuckDBPyConnection, giant: bool = False) -> None:
    """From `stage_text(message_key, text, created_at)` make the tables `run`, `stage_length` and `surface`.

    `giant`: there are texts of many thousand words among them.
    """
    (kept,) = workbench.execute("SELECT count(*) FROM token").fetchone() or (0,)
    if kept > MAX_TOKENS_KEPT:
        workbench.execute(_TABLES)
    workbench.execute(_GROUPED if giant else _SINGLE)
    unseen = _unseen(workbench)
    if any(ord(raw[0]) >= _UNSPACED for raw in unseen):
        workbench.execute(_BIGRAMS)
        unseen = _unseen(workbench)
    _learn(unseen, workbench)
    workbench.execute(_RUN)
    workbench.execute(_LENGTH)


def _unseen(workbench: DuckDBPyConnection) -> list[str]:
    return [raw for (raw,) in workbench.execute(_UNSEEN).fetchall()]


def _learn(unseen: list[str], workbench: DuckDBPyConnection) -> None:
    """Expand raw tokens that were never met before, and add them to the maps."""
    import numpy

    raws: list[str] = []
    terms: list[int] = []
    words: list[bool] = []
    surfaces: dict[str, int] = {}
    for raw in unseen:
        found = expand(raw)
        ids = [term_id(term) for term in (*found.words, *found.wholes)]
        raws += [raw] * len(ids)
        terms += ids
        words += [True] * len(found.words) + [False] * len(found.wholes)
        if raw.startswith(MARK):
            continue
        texts = (fold(raw),) if len(found.words) == 1 and not found.wholes else (*found.words, *found.wholes)
        surfaces.update(zip(texts, ids, strict=False))
    if not raws:
        workbench.execute("DELETE FROM surface")
        return
    batch = {
        "raw": numpy.array(raws, dtype=object),
        "term": numpy.array(terms, dtype=numpy.uint64),
        "is_word": numpy.array(words, dtype=bool),
    }
    workbench.execute("INSERT INTO token SELECT hash(raw::VARCHAR), term, is_word FROM batch")
    spelled = {
        "text": numpy.array(list(surfaces), dtype=object),
        "term": numpy.array(list(surfaces.values()), dtype=numpy.uint64),
    }
    workbench.execute("CREATE OR REPLACE TABLE surface AS SELECT term, text FROM spelled")
    del batch, spelled


APPEND = """
INSERT INTO archive.posting SELECT term, message_key, tf FROM run;
INSERT INTO archive.term SELECT term, text FROM surface ANTI JOIN archive.term USING (term, text) ORDER BY text;
"""

# Rows of rewritten chats stay in the index until it is merged; as long as the mark stands, queries join them away.
MARK_DEAD = """
DELETE FROM archive.stamp WHERE name = 'dead';
INSERT INTO archive.stamp VALUES ('dead', '1');
"""
_DEAD = "SELECT count(*) FROM stamp WHERE name = 'dead'"


STAMP = f"""
DELETE FROM archive.stamp WHERE name = 'tokenizer';
INSERT INTO archive.stamp VALUES ('tokenizer', '{VERSION}');
"""
_STAMPED = """
SELECT (SELECT count(*) FROM stamp WHERE name = 'tokenizer' AND value = ?), (SELECT count(*) FROM chat)
"""


def stamped(connection: DuckDBPyConnection) -> bool:
    """True if the index was made by this tokenizer, or there is none yet."""
    matching, chats = connection.execute(_STAMPED, [VERSION]).fetchone() or (0, 0)
    return bool(matching or not chats)


def settled(connection: DuckDBPyConnection) -> bool:
    """True if every row of the index belongs to a chat that exists."""
    row = connection.execute(_DEAD).fetchone()
    return not (row and row[0])


# Merging pays when this share of the rows, and that many, stand outside the sorted part.
MERGE_SHARE = 0.3
MERGE_LEAST = 200_000
MERGE_ROWS = 4_000_000

_SORTED = "SELECT coalesce(max(value::BIGINT), 0) FROM archive.stamp WHERE name = 'sorted'"
_BEGIN_MERGE = "CREATE OR REPLACE TABLE archive.posting_merged AS FROM archive.posting LIMIT 0"
_MERGE_PART = f"""
INSERT INTO archive.posting_merged
SELECT p.* FROM archive.posting p
WHERE term >= ?::UBIGINT AND term <= ?::UBIGINT
    AND {keys.sql_chat("p.message_key")} IN (SELECT chat_no FROM archive.chat)
ORDER BY term, message_key
"""
_END_MERGE = f"""
BEGIN;
DROP TABLE archive.posting;
ALTER TABLE archive.posting_merged RENAME TO posting;
DELETE FROM archive.unit
WHERE {keys.sql_chat_of_unit("unit_key")} NOT IN (SELECT chat_no FROM archive.chat);
DELETE FROM archive.vector WHERE {keys.sql_chat("message_key")} NOT IN (SELECT chat_no FROM archive.chat);
DELETE FROM archive.stamp WHERE name IN ('dead', 'sorted');
INSERT INTO archive.stamp SELECT 'sorted', count(*)::VARCHAR FROM archive.posting;
COMMIT;
"""


def merge(store: Store, workbench: DuckDBPyConnection, force: bool = False) -> bool:
    """Rewrite the postings in term order, without rows of rewritten chats, in steps that let readers in between.

    A merge that is killed leaves the old table in use. True if it was done.
    """
    with store.attached(workbench):
        (rows,) = workbench.execute("SELECT count(*) FROM archive.posting").fetchone() or (0,)
        (in_order,) = workbench.execute(_SORTED).fetchone() or (0,)
        if not force and (rows - in_order < MERGE_LEAST or rows - in_order < MERGE_SHARE * rows):
            return False
        workbench.execute(_BEGIN_MERGE)
    parts = max(1, -(-rows // MERGE_ROWS))
    edges = [(1 << 64) * i // parts for i in range(parts + 1)]
    for low, high in itertools.pairwise(edges):
        with store.attached(workbench):
            workbench.execute(_MERGE_PART, [low, high - 1])
    with store.attached(workbench):
        workbench.execute(_END_MERGE)
    return True
