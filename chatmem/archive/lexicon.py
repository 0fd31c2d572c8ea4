"""The word index: postings made outside the archive, set at a time, and appended as one sorted run.

`posting(term, message_key, tf)` is stored in term order so that zone maps find a term's rows; each import appends a run,
and compaction merges them when the unsorted tail is large. A term is a hash, so runs need no shared dictionary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from chatmem.archive.tokenizer import MAX_TOKEN, RAW_TOKEN, expand, fold, term_id

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TOKENS = f"SELECT regexp_extract_all(?, $re${RAW_TOKEN}$re$)"
# The map from raw tokens to terms is rebuilt when it has grown past this many rows, to bound memory.
MAX_TOKENS_KEPT = 3_000_000

_TABLES = """
CREATE OR REPLACE TABLE token (raw VARCHAR, term UBIGINT, is_word BOOLEAN);
CREATE OR REPLACE TABLE surface (term UBIGINT, text VARCHAR);
"""
_RAW = f"""
CREATE OR REPLACE TABLE raw_token AS
SELECT message_key, raw, count(*) AS n
FROM (
    SELECT message_key, left(unnest(regexp_extract_all(text, $re${RAW_TOKEN}$re$)), {MAX_TOKEN}) AS raw
    FROM stage_text
)
GROUP BY ALL
"""
_UNSEEN = "SELECT DISTINCT raw FROM raw_token ANTI JOIN token USING (raw)"
_RUN = """
CREATE OR REPLACE TABLE run AS
SELECT term, message_key, least(sum(n), 65535)::USMALLINT AS tf
FROM raw_token JOIN token USING (raw)
GROUP BY ALL
ORDER BY term, message_key
"""
_LENGTH = """
CREATE OR REPLACE TABLE stage_length AS
SELECT message_key, sum(n)::INTEGER AS length
FROM raw_token JOIN token USING (raw)
WHERE is_word
GROUP BY ALL
"""


def open_lexicon(workbench: DuckDBPyConnection) -> None:
    """Make the workbench's token map; it lives as long as the import."""
    workbench.execute(_TABLES)


def build_run(workbench: DuckDBPyConnection) -> None:
    """From `stage_text(message_key, text)` make `run(term, message_key, tf)`, `stage_length` and `surface`."""
    (kept,) = workbench.execute("SELECT count(*) FROM token").fetchone() or (0,)
    if kept > MAX_TOKENS_KEPT:
        workbench.execute(_TABLES)
    workbench.execute(_RAW)
    _learn([raw for (raw,) in workbench.execute(_UNSEEN).fetchall()], workbench)
    workbench.execute(_RUN)
    workbench.execute(_LENGTH)


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
    workbench.execute("INSERT INTO token SELECT raw, term, is_word FROM batch")
    spelled = {
        "text": numpy.array(list(surfaces), dtype=object),
        "term": numpy.array(list(surfaces.values()), dtype=numpy.uint64),
    }
    workbench.execute("CREATE OR REPLACE TABLE surface AS SELECT term, text FROM spelled")
    del batch, spelled


APPEND = """
INSERT INTO archive.posting SELECT term, message_key, tf FROM run ORDER BY term, message_key;
INSERT INTO archive.term SELECT term, text FROM surface ANTI JOIN archive.term USING (term, text) ORDER BY text;
"""

MERGE_SHARE = 0.25
MERGE_CHUNKS = 24
