"""Every verb explains itself, at 80 columns and in each shell's completion."""

from __future__ import annotations

import pytest

from chatmem import __version__
from tests.contracts.program import chatmem, process, shell

VERBS = ("import", "search", "recent", "show", "export", "archive", "config")
COMMANDS = (
    *VERBS,
    *("archive info", "archive check", "archive compact", "archive reindex", "archive backup"),
    *("config show", "config path"),
)


@pytest.mark.parametrize("command", ["", *COMMANDS])
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_of_every_verb_fits_80_columns_and_exits_0(command: str, flag: str) -> None:
    ended = chatmem(*command.split(), flag)

    assert (ended.code, ended.err) == (0, "")
    assert ended.lines[0].startswith(f"Usage: chatmem {command}".rstrip() + " ")
    assert max(map(len, ended.lines)) <= 80


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_explained_in_words_and_not_in_types(command: str) -> None:
    ended = chatmem(*command.split(), "--help")
    told = ended.out.partition("Options:")[2].partition("Commands:")[0]

    # An option is told in words on its own line or on the next one.
    options = [" ".join(part.split()) for part in told.split("\n  -")[1:]]
    assert options
    assert all(len(option.split()) > 2 for option in options)
    for jargon in ("<str>", "<int", "<path>", "TEXT", "INTEGER"):
        assert jargon not in ended.out


def test_no_summary_of_a_verb_is_cut_off() -> None:
    for group in ((), ("archive",), ("config",)):
        assert "..." not in chatmem(*group, "--help").out.partition("Commands:")[2]


def test_all_verbs_are_listed_and_no_verb_at_all_shows_the_help() -> None:
    alone, helped = chatmem(), chatmem("--help")

    assert alone == helped
    for verb in VERBS:
        assert f"\n  {verb} " in helped.out
    for group in ("archive", "config"):
        assert chatmem(group) == chatmem(group, "--help")


def test_a_narrow_terminal_gets_narrow_help(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")

    assert max(map(len, chatmem("recent", "--help").lines)) <= 50


def test_the_version_is_printed() -> None:
    assert chatmem("--version").out == f"chatmem {__version__}\n"


def test_an_option_that_is_nearly_right_is_put_right() -> None:
    ended = chatmem("search", "--projct", "x", "flour")

    assert ended.code == 2
    assert "--project" in ended.err


def test_a_word_to_leave_out_that_looks_like_an_option_is_explained() -> None:
    assert "put -- before the query" in chatmem("search", "deadlock", "-mysql").err
    assert "put -- before" not in chatmem("search", "deadlock", "--projct", "x").err
    assert "put -- before" not in chatmem("recent", "-mysql").err


@pytest.mark.parametrize(
    ("instruction", "variables"),
    [
        ("complete_bash", {"COMP_WORDS": "chatmem se", "COMP_CWORD": "1"}),
        ("complete_zsh", {"_TYPER_COMPLETE_ARGS": "chatmem se"}),
        ("complete_fish", {"_TYPER_COMPLETE_ARGS": "chatmem se", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}),
    ],
)
def test_verbs_are_completed(instruction: str, variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"_CHATMEM_COMPLETE": instruction, **variables}.items():
        monkeypatch.setenv(name, value)

    ended = chatmem()

    assert (ended.code, ended.err) == (0, "")
    assert "search" in ended.out
    assert "recent" not in ended.out


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("chatmem search --mo", {"--mode"}),
        ("chatmem search --mode ", {"hybrid", "lexical", "semantic"}),
        ("chatmem archive c", {"check", "compact"}),
        ("chatmem recent --sort o", {"oldest"}),
    ],
)
def test_options_and_their_values_are_completed(words: str, wanted: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CHATMEM_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))

    assert set(chatmem().lines) == wanted


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_script_that_asks_this_program(shell_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_CHATMEM_COMPLETE", f"source_{shell_name}")

    ended = chatmem()

    assert ended.code == 0
    assert f"_CHATMEM_COMPLETE=complete_{shell_name}" in ended.out


def test_the_bash_script_completes_in_a_real_bash() -> None:
    ended = shell("""
        eval "$(_CHATMEM_COMPLETE=source_bash chatmem)"
        COMP_WORDS=(chatmem archive ba) COMP_CWORD=2
        _chatmem_completion() { COMPREPLY=($(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD \
            _CHATMEM_COMPLETE=complete_bash bash -c chatmem)); }
        _chatmem_completion; echo "${COMPREPLY[@]}"
    """)

    assert ended.out.split() == ["backup"]


@pytest.mark.parametrize("variables", [{"_CHATMEM_COMPLETE": "complete_bash"}, {"_CHATMEM_COMPLETE": "nonsense"}])
def test_a_completion_that_asks_nothing_sensible_ends_in_one_line_at_most(variables: dict[str, str]) -> None:
    ended = process("search", variables=variables)

    assert ended.out == ""
    assert ended.err.count("\n") <= 1
    assert "a bug" not in ended.err
