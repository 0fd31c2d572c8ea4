"""What the README shows is what happens: its commands run here, in a home of their own, and print what stands below.

A `sh` block is run if a `text` block follows it at once, and in a `text` block every `$ chatmem …` with the lines under
it. Steps that install are left out. The output is that of a terminal of 80 columns without colours, both streams.
"""

from __future__ import annotations

import os
import pty
import re
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contracts.program import PATIENCE, until_closed

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SECONDS = re.compile(r"\bin [\d.]+ s\b")


def shown(markdown: str) -> Iterator[tuple[list[str], str]]:
    """(command lines, the output that the document shows for them)."""
    fences = list(_FENCE.finditer(markdown))
    for i, fence in enumerate(fences):
        language, body = fence.groups()
        before = fences[i - 1] if i else None
        if language != "text":
            continue
        if before and before.group(1) == "sh" and not markdown[before.end() : fence.start()].strip():
            yield [part for line in before.group(2).splitlines() for part in _steps(line)], body
        for session in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, _, output = session.partition("\n")
            yield _steps(command), output


def _steps(line: str) -> list[str]:
    """The commands of a line that are this program's."""
    return [part.strip() for part in line.split("&&") if part.strip().startswith("chatmem ")]


def printed(commands: list[str]) -> str:
    """What the commands print on a terminal, one after the other, without what differs between machines and runs."""
    master, slave = pty.openpty()
    _set_size(slave)
    script = f'chatmem() {{ "{sys.executable}" -m chatmem "$@"; }}; set -e\n' + "\n".join(commands)
    child = subprocess.Popen(
        ["bash", "-c", script],
        stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, cwd=ROOT,
        env={**os.environ, "TERM": "dumb", "TZ": "UTC"},
    )  # fmt: skip
    os.close(slave)
    output = b"".join(until_closed(master)).decode("utf-8").replace("\r\n", "\n")
    assert child.wait(PATIENCE) == 0, output
    return steady(output)


def _set_size(descriptor: int) -> None:
    import fcntl
    import termios

    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 80, 0, 0))


def steady(output: str) -> str:
    home = os.environ["CHATMEM_HOME"]
    return _SECONDS.sub("in N s", output.replace(f"{ROOT}/", "").replace(home, "$CHATMEM_HOME"))


SAMPLE = """
Some words.

```sh
python3 -m venv .venv && pip install . && chatmem config path && chatmem --version
```

```text
$CHATMEM_HOME/config.toml
chatmem 0.1.0
```

```sh
rm -rf / # never run: nothing is shown for it
```

Then:

```text
$ chatmem config show
user = "me"
$ chatmem recent
chatmem: there is no archive
```
"""


def test_the_commands_of_a_document_are_found_with_what_it_shows_for_them() -> None:
    assert list(shown(SAMPLE)) == [
        (["chatmem config path", "chatmem --version"], "$CHATMEM_HOME/config.toml\nchatmem 0.1.0\n"),
        (["chatmem config show"], 'user = "me"\n'),
        (["chatmem recent"], "chatmem: there is no archive\n"),
    ]


def test_what_is_printed_does_not_name_the_machine(tmp_path: Path) -> None:
    assert printed(["chatmem config path"]) == "$CHATMEM_HOME/config.toml\n"
    assert steady(f"imported 3 chats in 0.7 s from {ROOT}/sample_data") == "imported 3 chats in N s from sample_data"


@pytest.mark.skipif(not (ROOT / "README.md").exists(), reason="an installed package has no README")
def test_the_readme_shows_what_its_commands_print() -> None:
    sessions = list(shown((ROOT / "README.md").read_text("utf-8")))

    assert sessions
    assert any(command.startswith("chatmem import sample_data") for commands, _ in sessions for command in commands)
    for commands, output in sessions:
        assert printed(commands).strip() == steady(output).strip()
