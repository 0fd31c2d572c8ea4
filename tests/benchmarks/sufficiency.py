"""How `sufficiency` tells questions with an answer from those without: a curve, on judged chats and our samples.

    python -m tests.benchmarks.sufficiency DIR [--model NAME]

DIR holds NAME.chats.jsonl.gz and NAME.queries.jsonl.gz. All their chats and sample_data go into one archive. Each
question is asked of the whole archive, where its answer is, and of everybody's chats but its owner's, where it is not;
absent_questions.txt are about what nobody said. For every strength: how many of either kind are at least so strong.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
STEPS = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5)
OWNER = "me"


class Asked(NamedTuple):
    """`gold`: the chats with the answer, empty where there is none."""

    kind: str
    line: dict[str, Any]
    gold: frozenset[str]


class Got(NamedTuple):
    asked: Asked
    level: str
    strength: float
    hit: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        run = Program(home)
        for path in sorted(args.folder.glob("*.chats.jsonl.gz")):
            copy = Path(home) / path.stem
            copy.write_bytes(gzip.decompress(path.read_bytes()))
            run("import", str(copy), "-q")
        run("import", str(ROOT / "sample_data"), "--user", OWNER, "-q")
        if args.model:
            run("archive", "embed", "--model", args.model)
        report(list(answered(run, list(questions(args.folder)))))


class Program:
    """The command line over one archive."""

    def __init__(self, home: str) -> None:
        self._environment = os.environ | {"CHATMEM_HOME": home}

    def __call__(self, *line: str, given: str | None = None) -> str:
        command = [sys.executable, "-m", "chatmem", *line]
        done = subprocess.run(command, input=given, capture_output=True, text=True, env=self._environment, check=True)
        return done.stdout


def questions(folder: Path) -> Iterator[Asked]:
    judged = []
    for path in sorted(folder.glob("*.queries.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            judged += [(path.name.split(".")[0], json.loads(line)) for line in file]
    people = sorted({one["user"] for _, one in judged})
    for name, one in judged:
        gold = frozenset(f"bench:{chat}" for chat in one["gold_chats"])
        if gold:
            yield Asked(name, {"query": one["query"]}, gold)
            others = [user for user in (*people, OWNER) if user != one["user"]]
            yield Asked(f"{name} elsewhere", {"query": one["query"], "user": others}, frozenset())
    for line in (ROOT / "sample_data/questions.jsonl").read_text("utf-8").splitlines():
        one = json.loads(line)
        yield Asked("sample", {"query": one["query"]}, frozenset(one["chat_ids"]))
        yield Asked("sample alone", {"query": one["query"], "user": OWNER}, frozenset(one["chat_ids"]))
        yield Asked("sample elsewhere", {"query": one["query"], "user": people}, frozenset())
    for text in (Path(__file__).parent / "absent_questions.txt").read_text("utf-8").splitlines():
        yield Asked("absent", {"query": text}, frozenset())
        yield Asked("absent alone", {"query": text, "user": OWNER}, frozenset())


def answered(run: Program, asked: list[Asked]) -> Iterator[Got]:
    lines = run("search", "--batch", "-", given="\n".join(json.dumps(one.line) for one in asked)).splitlines()
    for one, line in zip(asked, lines, strict=True):
        answer = json.loads(line)
        found = {result["chat_id"] for result in answer["results"][:5]}
        yield Got(one, answer["sufficiency"]["level"], answer["sufficiency"]["strength"], bool(found & one.gold))


def report(found: list[Got]) -> None:
    kinds = list(dict.fromkeys(got.asked.kind for got in found))
    say(f"{'':18}{'n':>5}  hit@5  strong partial none  at least " + " ".join(f"{step:5.1f}" for step in STEPS))
    for kind in kinds:
        mine = [got for got in found if got.asked.kind == kind]
        levels = [share([got.level == level for got in mine]) for level in ("strong", "partial", "none")]
        curve = " ".join(f"{share([got.strength >= step for got in mine]):5.2f}" for step in STEPS)
        hit = f"{share([got.hit for got in mine]):5.2f}" if any(got.asked.gold for got in mine) else "    -"
        say(f"{kind:18}{len(mine):5}  {hit}  {levels[0]:6.2f} {levels[1]:7.2f} {levels[2]:4.2f}           {curve}")


def say(line: str) -> None:
    sys.stdout.write(line + "\n")


def share(held: list[bool]) -> float:
    return sum(held) / len(held)


if __name__ == "__main__":
    main()
