"""What chatmem costs at scale, on this machine: `python tests/benchmarks/scale.py [EXPORT] [--messages N]`.

Without an EXPORT a ChatGPT export of N messages is made up, with words of natural frequencies. Every figure is of a
whole process; those of look-ups are medians of interleaved runs, beside a bare `python -c 'import duckdb'` of the same
rounds, because machines differ and their ratio does not. Nothing here is asserted: a clock is no test.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from uuid import UUID

CHATMEM = [sys.executable, "-m", "chatmem"]
BARE = [sys.executable, "-c", "import duckdb"]
SAMPLED_BYTES = 30_000_000
# Ranks by frequency in the made-up vocabulary, whose words fall off as those of a language do.
RANKS = {"rare": 60_000, "medium": 900, "frequent": 3}


@dataclass(frozen=True)
class Run:
    """One process: seconds on the wall, peak resident megabytes, standard output."""

    seconds: float
    megabytes: float
    out: str


def run(command: Sequence[str], home: Path, accepted: tuple[int, ...] = (0,)) -> Run:
    with tempfile.TemporaryFile() as out:
        began = time.perf_counter()
        # An installed program has been compiled; a checkout that may not keep what it compiled would be at a loss.
        variables = {**os.environ, "CHATMEM_HOME": str(home), "PYTHONDONTWRITEBYTECODE": ""}
        child = subprocess.Popen(command, stdout=out, env=variables)
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in accepted:
            sys.exit(f"{' '.join(command)} ended with {child.returncode}")
        out.seek(0)
        # Linux counts kilobytes, macOS bytes.
        scale = 1e6 if sys.platform == "darwin" else 1e3
        return Run(seconds, usage.ru_maxrss / scale, out.read().decode("utf-8"))


def invented(path: Path, messages: int) -> dict[str, str]:
    """Write an export of one line with so many messages; gives a word of each frequency."""
    rnd = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(rnd.choices(letters, k=rnd.randint(3, 9))) for _ in range(200_000)]
    weights = list(accumulate(1 / (rank + 3.7) ** 1.05 for rank in range(len(words))))
    pool = rnd.choices(words, cum_weights=weights, k=min(4_000_000, 60 * messages + 10_000))
    made, clock = 0, 1_680_000_000.0
    with path.open("w", encoding="utf-8") as out:
        out.write("[")
        while made < messages:
            turns = min(rnd.randint(2, 40), messages - made)
            out.write(("," if made else "") + json.dumps(_chat(rnd, pool, turns, clock)))
            made, clock = made + turns, clock + 60 * turns + rnd.uniform(60, 6000)
        out.write("]")
    present = set(pool)
    return {name: next(w for w in words[rank:] if w in present) for name, rank in RANKS.items()}


def _chat(rnd: random.Random, pool: Sequence[str], turns: int, clock: float) -> dict[str, object]:
    def text() -> str:
        length = min(1500, max(3, int(rnd.lognormvariate(3.6, 1.0))))
        start = rnd.randrange(len(pool) - length)
        return " ".join(pool[start : start + length])

    ids = [str(UUID(int=rnd.getrandbits(128), version=4)) for _ in range(turns + 2)]
    mapping: dict[str, dict[str, object]] = {}
    for turn in range(turns + 1):
        message = {
            "id": ids[turn], "author": {"role": "user" if turn % 2 else "assistant"}, "create_time": clock + 60 * turn,
            "content": {"content_type": "text", "parts": [text()]}, "status": "finished_successfully",
            "metadata": {"model_slug": "gpt-4o"}, "recipient": "all", "weight": 1.0,
        }  # fmt: skip
        mapping[ids[turn]] = {
            "id": ids[turn], "message": message if turn else None, "parent": ids[turn - 1] if turn else None,
            "children": ids[turn + 1 : turn + 2] if turn < turns else [],
        }  # fmt: skip
    return {
        "title": text()[:50], "create_time": clock, "update_time": clock + 60 * turns, "mapping": mapping,
        "current_node": ids[turns], "conversation_id": ids[-1], "default_model_slug": "gpt-4o",
    }  # fmt: skip


def words_of(path: Path) -> dict[str, str]:
    """A word of each frequency in the beginning of an export."""
    with path.open("rb") as file:
        text = file.read(SAMPLED_BYTES).decode("utf-8", "replace")
    counted = Counter(w for w in re.findall(r"\b[a-z]{4,12}\b", text))
    ranked = [word for word, _ in counted.most_common()]
    # The very first are the keys of the format itself.
    places = {"rare": -1, "medium": min(900, len(ranked) // 2), "frequent": min(60, len(ranked) // 8)}
    return {name: ranked[place] for name, place in places.items()}


def say(name: str, value: str) -> None:
    sys.stdout.write(f"{name:<38}{value}\n")
    sys.stdout.flush()


def measure_import(export: Path, home: Path) -> None:
    first = run([*CHATMEM, "import", "-q", "--json", str(export)], home, accepted=(0, 4))
    archive = home / "archive.duckdb"
    size = archive.stat().st_size
    again = run([*CHATMEM, "import", "-q", "--json", str(export)], home, accepted=(0, 4))
    # Another flag makes it look again at a file that it knows.
    reread = run([*CHATMEM, "import", "-q", "--json", str(export), "--since", "1970-01-01"], home, accepted=(0, 4))
    messages = json.loads(first.out)["totals"]["messages"]["new"]
    say("messages", f"{messages:,}")
    say("import", f"{first.seconds:.1f} s, {messages / first.seconds:,.0f} messages/s")
    say("import, peak memory", f"{first.megabytes:,.0f} MB")
    say("archive / export", f"{size / export.stat().st_size:.2f} ({size / 1e6:,.0f} MB)")
    say("second import", f"{again.seconds:.2f} s, {first.seconds / again.seconds:.0f} times faster")
    say("second import, read anew", f"{reread.seconds:.1f} s, {first.seconds / reread.seconds:.1f} times faster")


def measure_looks(export: Path, home: Path, words: dict[str, str], rounds: int) -> None:
    chat_id = run([*CHATMEM, "recent", "-q", "-n", "1"], home).out.split("\t")[0]
    commands = {f"search, {name} word ({word})": [*CHATMEM, "search", "-q", word] for name, word in words.items()}
    commands |= {
        "search, three words": [*CHATMEM, "search", "-q", *words.values()],
        "search, three words, words alone": [*CHATMEM, "search", "-q", "--mode", "lexical", *words.values()],
        "recent": [*CHATMEM, "recent", "-q"],
        "show": [*CHATMEM, "show", chat_id],
        "--help": [*CHATMEM, "--help"],
    }
    if shutil.which("rg"):
        commands |= {f"rg -c {word}": ["rg", "-c", word, str(export)] for word in words.values()}
    taken: dict[str, list[Run]] = {name: [] for name in ("bare import duckdb", *commands)}
    for _ in range(rounds):
        for name, command in {"bare import duckdb": BARE, **commands}.items():
            taken[name].append(run(command, home, accepted=(0, 1)))
    bare = statistics.median(one.seconds for one in taken["bare import duckdb"])
    for name, runs in taken.items():
        median = statistics.median(one.seconds for one in runs)
        peak = max(one.megabytes for one in runs)
        say(name, f"{1000 * median:6.0f} ms   {median / bare:5.2f} × bare   {peak:4.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("export", type=Path, nargs="?", help="an export file; made up if none is given")
    parser.add_argument("--messages", type=int, default=100_000, help="size of the export that is made up")
    parser.add_argument("--rounds", type=int, default=7, help="runs of each look-up")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="chatmem-scale-") as folder:
        export = arguments.export or Path(folder) / "conversations.json"
        words = words_of(export) if arguments.export else invented(export, arguments.messages)
        say("export", f"{export.name}, {export.stat().st_size / 1e6:,.0f} MB")
        measure_import(export, Path(folder) / "home")
        measure_looks(export, Path(folder) / "home", words, arguments.rounds)


if __name__ == "__main__":
    main()
