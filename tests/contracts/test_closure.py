"""What one verb prints, every verb takes: ids and references through pipes, prefixes, cursors."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from tests.contracts import samples
from tests.contracts.program import Ended, chatmem, shell

BREAD, BUILD, TICKET = "chatgpt:1d49502d-bread", "claude-code:77aa-build", "csv:ticket #7, part  2"

pytestmark = pytest.mark.usefixtures("archive")


def test_plain_lines_of_a_search_are_taken_as_ids_on_stdin() -> None:
    found = chatmem("search", "flour")

    assert found.lines[0].startswith(f"{BREAD}#2\t")
    assert chatmem("show", "-", stdin=found.out).lines == chatmem("show", f"{BREAD}#2").lines
    assert [json.loads(line)["chat_id"] for line in chatmem("export", "-", stdin=found.out).lines] == [BREAD]


def test_ids_end_with_nul_for_xargs_0_and_are_taken_back_so() -> None:
    listed = chatmem("recent", "-n", "9", "-0")

    assert listed.out == f"{TICKET}\0{BUILD}\0{BREAD}\0chatgpt:malice\0"
    assert chatmem("show", "-", "--jsonl", stdin=listed.out).out.count('"n": 1,') == 4
    assert chatmem("search", "flour", "-0").out == f"{BREAD}#2\0"


def test_xargs_0_hands_ids_with_spaces_to_show(archive: Path) -> None:
    ended = shell("chatmem recent -n 2 -0 -q | xargs -0 bash -c 'chatmem show \"$@\"' chatmem | cut -f1")

    assert ended.lines == [f"{TICKET}#1", f"{TICKET}#2", f"{BUILD}#1", f"{BUILD}#2"]


@pytest.mark.parametrize("verb", ["show", "export"])
def test_no_id_on_stdin_means_no_chat_and_not_all_of_them(verb: str) -> None:
    ended = chatmem(verb, "-", stdin="\n\0\n")

    assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_every_verb_takes_an_id_a_reference_and_a_unique_prefix() -> None:
    for name in (BREAD, "1d49502d-bread", "chatgpt:1d4", "1d49", f"{BREAD}#1"):
        assert json.loads(chatmem("show", name, "--json").out)["chat_id"] == BREAD
    for name in ("chatgpt:1d4", f"{BREAD}#1"):
        assert json.loads(chatmem("export", name).out)["chat_id"] == BREAD
        inside, without = (chatmem("search", "water", flag, name, "--json").out for flag in ("--in", "--not-in"))
        assert [r["chat_id"] for r in json.loads(inside)["results"]] == [BREAD]
        assert json.loads(without)["results"] == []


def test_a_prefix_that_a_chat_shares_with_its_sub_agents_alone_means_the_chat() -> None:
    assert json.loads(chatmem("show", "claude-code:77aa", "--json").out)["chat_id"] == BUILD


def test_an_id_with_blanks_and_a_hash_is_an_id_like_any_other() -> None:
    listed = chatmem("recent", "-n", "1")

    assert listed.lines[0].split("\t")[0] == TICKET
    assert json.loads(chatmem("show", TICKET, "--json").out)["chat_id"] == TICKET
    assert json.loads(chatmem("show", f"{TICKET}#2", "--json").out)["focus"] == 2


def test_the_note_of_a_page_is_the_command_for_the_next_one() -> None:
    def following(ended: Ended) -> Ended:
        return chatmem(*shlex.split(ended.err.removeprefix("more: chatmem ")))

    first = chatmem("recent", "-n", "2")
    second = following(first)
    last = following(chatmem("recent", "-n", "3", "--sort", "oldest"))

    assert [line.split("\t")[0] for line in first.lines + second.lines] == [TICKET, BUILD, BREAD, "chatgpt:malice"]
    assert second.err == ""
    assert [line.split("\t")[0] for line in last.lines] == [TICKET]


def test_a_cursor_with_blanks_is_quoted_for_the_shell() -> None:
    note = chatmem("recent", "-n", "1").err

    assert note == f"more: chatmem recent -n 1 --before '1748765100000000@{TICKET}'\n"


def test_the_next_page_is_of_the_same_list() -> None:
    flags = ["-s", "csv", "-s", "chatgpt", "-n", "1", "--max-tokens", "900", "--after", "2001-02-03"]
    note = chatmem("recent", *flags, "--subagents").err

    words = shlex.split(note.removeprefix("more: chatmem recent "))
    assert words[-2] == "--before"
    assert sorted(words[:-2]) == sorted([*flags, "--subagents"])


def test_plain_records_have_fixed_columns_whatever_the_text() -> None:
    for line, columns in (("search malice", 6), ("recent -n 9", 6), ("show chatgpt:malice --all", 6)):
        ended = chatmem(*line.split())

        assert ended.lines
        assert {len(record.split("\t")) for record in ended.lines} == {columns}


def test_the_text_of_a_plain_record_is_on_one_line() -> None:
    shown = chatmem("show", f"{BREAD}#4", "--around", "0")

    assert shown.out == f"{BREAD}#4\t2025-03-15T18:02:00Z\tassistant\t\t\tWholemeal drinks more: 400 g of water.\n"


def test_jsonl_of_search_recent_and_show_is_one_record_a_line() -> None:
    for line in ("search flour", "recent -n 3", f"show {BREAD}"):
        records = [json.loads(record) for record in chatmem(*line.split(), "--jsonl").lines]

        assert {r["chat_id"] for r in records} >= {BREAD}
        assert len(records) == (1 if line.startswith("search") else 3 if line.startswith("recent") else 4)


def test_the_export_of_a_named_chat_restores_it_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    exported = chatmem("export", BREAD).out
    monkeypatch.setenv("CHATMEM_HOME", str(tmp_path / "elsewhere"))

    assert chatmem("import", "-", stdin=exported).code == 0
    assert chatmem("export").out == exported
    assert samples.BREAD["title"] in exported
