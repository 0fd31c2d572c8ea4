"""What strangers wrote never acts on the reader's terminal, whatever the verb, the form or the way it went wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.contracts import samples
from tests.contracts.looks import acting, bare, links, styles
from tests.contracts.program import Ended, chatmem
from tests.contracts.samples import HOSTILE

MALICE = "chatgpt:malice"
VERBS = (
    "search malice --hidden --branches --by message -v",
    "search answer",
    "recent -n 9",
    "recent --before 2025-02",
    f"show {MALICE} --all",
    f"show {MALICE}#1 --around 0",
)
# The colours and weights of our own; a stranger's red (31) is not among them.
OURS = {"", "0", "1", "2", "1;33", "33", "36", "32", "1;36", "1;32"}


def all_of_it_is_inert(ended: Ended) -> None:
    assert ended.code == 0
    assert ended.out
    assert not acting(ended.out) | acting(ended.err)


@pytest.mark.usefixtures("archive")
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("form", ["plain", "rich", "json", "jsonl"])
def test_no_verb_prints_what_acts(verb: str, form: str) -> None:
    all_of_it_is_inert(chatmem(*verb.split(), "-f", form))


@pytest.mark.usefixtures("archive")
@pytest.mark.parametrize("verb", VERBS)
def test_in_colour_only_our_own_styles_and_links_are_emitted(verb: str) -> None:
    ended = chatmem(*verb.split(), "--color", "always", terminal=True)

    assert ended.code == 0
    assert not acting(bare(ended.out)) | acting(ended.err)
    assert styles(ended.out) <= OURS
    assert links(ended.out) <= {"https://chatgpt.com/c/1d49502d-bread"}


@pytest.mark.usefixtures("archive")
@pytest.mark.parametrize("verb", ["export", "export --format markdown", "archive info", "archive info --json"])
def test_verbs_with_one_form_are_inert_too(verb: str) -> None:
    all_of_it_is_inert(chatmem(*verb.split()))


@pytest.mark.usefixtures("archive")
def test_markup_of_the_renderer_in_chat_text_is_text() -> None:
    shown = chatmem("show", MALICE, terminal=True)

    assert "[/oops] [link=http://evil.example]x[/link] [bold]b[/bold]" in " ".join(bare(shown.out).split())


@pytest.mark.usefixtures("archive")
@pytest.mark.parametrize(
    "line",
    [
        ["search", "bread", "--in", HOSTILE],
        ["search", "bread", "--role", HOSTILE],
        ["search", "bread", "--after", HOSTILE],
        ["search", f"--{HOSTILE}"],
        ["show", HOSTILE],
        ["show", "chatgpt:malicf"],
        ["recent", "-p", HOSTILE],
        ["recent", "--user", HOSTILE],
        ["recent", "--now", HOSTILE],
        ["recent", "-f", HOSTILE],
        [HOSTILE],
        ["archive", HOSTILE],
        ["import", f"/no/{HOSTILE}"],
        ["import", "/dev/null", "--timezone", HOSTILE],
        ["search", "--batch", f"/no/{HOSTILE}"],
    ],
)
def test_errors_and_notes_quote_what_was_typed_without_obeying_it(line: list[str]) -> None:
    ended = chatmem(*(part.replace("\x00", "") for part in line))

    assert ended.code in (0, 2, 5)
    assert ended.err.count("\n") == 1
    assert not acting(ended.err) | acting(ended.out)


@pytest.mark.usefixtures("archive")
def test_a_query_may_be_anything() -> None:
    all_of_it_is_inert(chatmem("search", HOSTILE.replace("\x00", ""), "-v"))


def test_a_broken_setting_is_quoted_without_obeying_it(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.toml").write_text('"\\u001b[2J" = "\\u009b2J"\n')

    ended = chatmem("recent")

    assert ended.code == 2
    assert "unknown setting" in ended.err
    assert not acting(ended.err)


@pytest.mark.usefixtures("archive")
def test_a_batch_with_hostile_names_is_answered_in_inert_json() -> None:
    asked = [{"query": f"malice {HOSTILE}", "id": HOSTILE}, {"query": "malice", "nosuch": HOSTILE}]
    ended = chatmem("search", "--batch", "-", stdin="".join(json.dumps(a) + "\n" for a in asked))

    assert json.loads(ended.lines[0])["id"] == HOSTILE
    assert "cannot use nosuch" in json.loads(ended.lines[1])["error"]["what"]
    assert ended.code == 4
    assert not acting(ended.out) | acting(ended.err)


def test_even_ids_are_inert_on_a_terminal(tmp_path: Path) -> None:
    odd = samples.chat("x:\x1b]0;owned\x07\x9b2J", samples.message("hello"))
    assert chatmem("import", samples.write(tmp_path / "odd.jsonl", [odd])).code == 0

    shown = [chatmem(*line, terminal=True) for line in (["recent"], ["recent", "-0"], ["search", "hello"])]
    piped = [chatmem("recent", "-f", form) for form in ("plain", "json")]

    assert not acting("".join(ended.out.replace("\0", "") for ended in piped))
    assert not acting("".join(bare(ended.out).replace("\0", "") for ended in shown))


def test_an_import_names_hostile_files_and_records_without_obeying_them(tmp_path: Path) -> None:
    folder = tmp_path / "\x1b]0;owned\x07 \u202egnp"
    folder.mkdir()
    samples.write(folder / "good \x1b[2J.jsonl", [samples.MALICE])
    broken = samples.chat(f"x:{HOSTILE}", samples.message("hi", role=HOSTILE), {"text": "no role"})
    samples.write(folder / "odd \x9b2J.jsonl", [broken, {**broken, "messages": HOSTILE}, {**broken, "chat_id": "y:1"}])
    (folder / "torn.jsonl").write_text('{"schema": "chatmem.chat/1", "\x1b[31m')

    told, document = chatmem("import", folder, "-v"), chatmem("import", folder, "--json")

    assert told.code == document.code == 4
    assert not acting(told.out) | acting(told.err)
    assert not acting(document.out) | acting(document.err)
