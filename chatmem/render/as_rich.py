"""Results for people at a terminal: who said what, when, in which chat, with the matched words marked.

Chat text only ever enters a `Text` after scrubbing, so neither markup nor escape codes in it mean anything.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from chatmem.render.terminal import cell, local_time, one_line, scrub, wants_color
from chatmem.render.view import View

if TYPE_CHECKING:
    from datetime import datetime

    from chatmem.archive.read import ChatRow, MessageRow
    from chatmem.evidence.answer import Evidence, Excerpt
    from chatmem.recall import Thread


INDENT = "   "
# Of scripts that are written without spaces, among them all whose characters take two cells.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
)
# A word with the blanks behind it, or one character of a script without spaces.
_PIECE = re.compile(rf"[{_UNSPACED}]\s*|[^\s{_UNSPACED}]+\s*|\s+")
# Lines of prose that are longer are hard to read, however wide the screen is.
PROSE_WIDTH = 100
NAME_WIDTH = 36
USER, OTHERS = "cyan", "green"


class Screen:
    """A console on stdout, the reader's zone, and whether links may be emitted."""

    def __init__(self, view: View) -> None:
        colored = wants_color(view.color, sys.stdout.isatty())
        self.zone = view.zone
        # Rich emits links under NO_COLOR too; here they follow the colours.
        self.links = colored
        self.console = Console(
            highlight=False, markup=False, emoji=False, force_terminal=colored,
            color_system="standard" if colored else None, no_color=not colored,
        )  # fmt: skip
        self.width = min(self.console.width, PROSE_WIDTH)

    def text(self, text: Text) -> None:
        self.console.print(text)

    def prose(self, text: Text, indent: str, first: str = "") -> None:
        """Wrapped text, indented by `indent`, or by `first` in its first line."""
        width = self.width - len(indent)
        for i, line in enumerate(self._lines(text, max(1, width))):
            line.rstrip()
            before = indent if i or not first else (first, "dim")
            self.console.print(Text.assemble(before, line), soft_wrap=True)

    def _lines(self, text: Text, width: int) -> Iterable[Text]:
        """Wrapped between words, and between characters of scripts without spaces, which rich takes for long words."""
        if text.plain.isascii() or not re.search(f"[{_UNSPACED}]", text.plain):
            return text.wrap(self.console, width)
        return [line for one in text.split("\n") for line in one.divide(_breaks(one.plain, width))]

    def written(self, text: str) -> None:
        """A message as it is: prose wrapped, code never, so that it can be copied."""
        lines = text.split("\n")
        for fenced, group in groupby(_fenced(lines), key=itemgetter(0)):
            self.console.print(Text("\n".join(line for _, line in group)), soft_wrap=fenced)

    def packed(self, parts: Iterable[str], indent: str) -> None:
        """Dim facts, as many on a line as fit. One that is wider than the screen is not broken: it can be copied."""
        line = ""
        for part in parts:
            joined = f"{line} · {part}" if line else part
            if line and cell_len(indent + joined) > self.width:
                self._dim(indent + line)
                line = part
            else:
                line = joined
        if line:
            self._dim(indent + line)

    def _dim(self, line: str) -> None:
        self.console.print(Text(line, style="dim"), soft_wrap=True)


def _breaks(plain: str, width: int) -> list[int]:
    """Where to break a line: before the word, or the character without spaces around it, that does not fit."""
    found, used = [], 0
    for match in _PIECE.finditer(plain):
        for piece, start in _fitting(match, width):
            size = cell_len(piece)
            if used and used + cell_len(piece.rstrip()) > width:
                found.append(start)
                used = 0
            used += size
    return found


def _fitting(match: re.Match[str], width: int) -> Iterator[tuple[str, int]]:
    """The piece, or what it consists of if it is longer than a line."""
    start = match.start()
    for part in chop_cells(match.group(), width) if cell_len(match.group().rstrip()) > width else [match.group()]:
        yield part, start
        start += len(part)


def _fenced(lines: Sequence[str]) -> Iterator[tuple[bool, str]]:
    """(whether it is code, line)"""
    inside = False
    for line in lines:
        fence = line.lstrip().startswith("```") and line.count("```") == 1
        yield inside or fence, line
        inside ^= fence


def results(screen: Screen, found: Sequence[Evidence], by_message: bool = False) -> None:
    """Numbered results: title, when and where, excerpts, the way back. A message has its own time, a chat its last."""
    for i, evidence in enumerate(found):
        if i:
            screen.text(Text())
        _print_title(screen, evidence.chat, f"{evidence.rank:>2} ")
        said = evidence.excerpts[0].created_at if by_message and evidence.excerpts else None
        screen.packed(_facts(screen, evidence.chat, said), INDENT)
        for quoted in evidence.excerpts:
            screen.prose(
                _excerpt(screen, quoted, evidence.chat, said or evidence.chat.updated_at), INDENT + "  ", INDENT
            )


def thread(screen: Screen, shown: Thread) -> None:
    """A chat's head, then its messages one under the other."""
    chat = shown.chat
    _print_title(screen, chat)
    screen.packed([*_facts(screen, chat), *_relations(chat)], "")
    if shown.before:
        screen.text(Text(f"… {shown.before:,} earlier", style="dim"))
    for message in shown.messages:
        screen.text(Text())
        line = _speaker_line(screen, message, message.n is not None and message.n == shown.focus)
        screen.console.print(line, width=screen.width)
        screen.written(scrub(message.text))
        for attachment in message.attachments:
            screen.text(Text(f"[{one_line(attachment.name)}]", style="dim"))
    if shown.after:
        screen.text(Text())
        screen.text(Text(f"… {shown.after:,} later", style="dim"))


def _print_title(screen: Screen, chat: ChatRow, rank: str = "") -> None:
    """The title in bold, linked where it may be, its further lines below its first."""
    title = Text(one_line(chat.title or chat.chat_id), style="bold")
    if _linked(screen, chat):
        title.stylize(f"link {chat.source_url}")
    screen.prose(title, " " * len(rank), rank)


def _linked(screen: Screen, chat: ChatRow) -> bool:
    """Whether the title carries the chat's address: an address with anything odd in it is text instead."""
    url = chat.source_url or ""
    return screen.links and url.startswith(("https://", "http://")) and url.isascii() and url.isprintable()


def _facts(screen: Screen, chat: ChatRow, said: datetime | None = None) -> list[str]:
    """Time, project, owner if it is not oneself, id, and the way back to the product."""
    back = chat.resume or ("" if _linked(screen, chat) else chat.source_url)
    owner = "" if chat.user_id == "me" else chat.user_id
    named = (local_time(said or chat.updated_at, screen.zone), chat.project_name or chat.project_id, owner)
    exact = (chat.chat_id, back)
    return [_short(p) for p in named if p] + [cell(p) for p in exact if p]


def _short(name: str) -> str:
    text = Text(one_line(name))
    text.truncate(NAME_WIDTH, overflow="ellipsis")
    return text.plain


def _relations(chat: ChatRow) -> list[str]:
    parent = f"sub-agent of {chat.parent_chat_id}" if chat.parent_chat_id else ""
    continues = f"continues {chat.continues}" if chat.continues else ""
    return [cell(p) for p in (chat.model, parent, continues) if p]


def _excerpt(screen: Screen, quoted: Excerpt, chat: ChatRow, at: datetime | None) -> Text:
    """Who said it and the words, with the day where it is not that of the result."""
    day = local_time(quoted.created_at, screen.zone)[:10] if quoted.created_at else ""
    if day == local_time(at, screen.zone)[:10]:
        day = ""
    label = _label(quoted.author or quoted.role, quoted.ref[len(chat.chat_id) :], quoted.hidden, quoted.branch, day)
    said = Text.assemble((f"{label}: ", USER if quoted.role == "user" else OTHERS), _marked(quoted))
    for since in quoted.outdated:
        said.append(f"\nsince replaced: {one_line(since)}", style="yellow")
    return said


def _label(name: str, number: str, hidden: str | None, branch: str, when: str) -> str:
    """`user #3 (alternate) 2025-03-14`, without what there is not."""
    kind = hidden or ("" if branch == "main" else branch)
    return " ".join(p for p in (one_line(name), number, f"({kind})" if kind else "", when) if p)


def _marked(quoted: Excerpt) -> Text:
    """The excerpt with its matches marked. Blank lines are left out: a list of results is read, not a message."""
    text = Text()
    at = 0
    for start, end in sorted(quoted.spans):
        if start < at:
            continue
        text.append(scrub(quoted.text[at:start]))
        text.append(scrub(quoted.text[start:end]), style="bold yellow")
        at = end
    text.append(scrub(quoted.text[at:]))
    lines = [line for line in text.split("\n") if line.plain.strip()]
    return Text("\n").join(lines)


def _speaker_line(screen: Screen, message: MessageRow, focus: bool) -> Rule:
    when = local_time(message.created_at, screen.zone) if message.created_at else ""
    number = f"#{message.n}" if message.n else ""
    label = _label(message.author or message.role, number, message.hidden, message.branch, when)
    style = f"bold {USER if message.role == 'user' else OTHERS}"
    text = Text(f"▶ {label}" if focus else label, style=style)
    return Rule(text, align="left", style="yellow" if focus else "dim", characters="─")
