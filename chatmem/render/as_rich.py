"""Results for people at a terminal: who said what, when, in which chat, with the matched words marked.

Chat text only ever enters a `Text` after scrubbing, so neither markup nor escape codes in it mean anything.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from chatmem.archive.read import ChatRow, MessageRow
from chatmem.evidence.answer import Evidence, Excerpt
from chatmem.recall import Thread
from chatmem.render.terminal import ColorChoice, one_line, scrub, wants_color

Render = Callable[[Console], None]


def console(color: ColorChoice) -> Console:
    """A console on stdout that obeys --color and NO_COLOR."""
    colored = wants_color(color, True)
    return Console(highlight=False, markup=False, emoji=False, no_color=not colored, force_terminal=colored or None)


def results(out: Console, found: tuple[Evidence, ...]) -> None:
    """Numbered results: title, where and when, excerpts."""
    for i, evidence in enumerate(found):
        if i:
            out.print()
        out.print(_heading(evidence, _links(out)))
        out.print(_facts(evidence.chat))
        for quoted in evidence.excerpts:
            out.print(Padding(_excerpt(quoted, evidence.chat), (0, 0, 0, 3)))


def thread(out: Console, shown: Thread) -> None:
    """A chat's head, then its messages one under the other."""
    out.print(Text(one_line(shown.chat.title or shown.chat.chat_id), style="bold"))
    out.print(_facts(shown.chat, indent=""))
    if shown.before:
        out.print(Text(f"… {shown.before} earlier", style="dim"))
    for message in shown.messages:
        out.print()
        out.print(_speaker_line(message, focus=message.n is not None and message.n == shown.focus))
        out.print(Text(scrub(message.text)))
        for attachment in message.attachments:
            out.print(Text(f"[{one_line(attachment.name)}]", style="dim"))
    if shown.after:
        out.print()
        out.print(Text(f"… {shown.after} later", style="dim"))


def _links(out: Console) -> bool:
    """OSC 8 links only where colours are: rich itself would print them under NO_COLOR too."""
    return out.is_terminal and not out.no_color


def _heading(evidence: Evidence, links: bool) -> Text:
    chat = evidence.chat
    title = Text(one_line(chat.title or chat.chat_id), style="bold")
    url = chat.source_url
    if links and url and url.startswith(("https://", "http://")) and one_line(url) == url:
        title.stylize(f"link {url}")
    return Text.assemble((f"{evidence.rank:>2} ", "dim"), title)


def _facts(chat: ChatRow, indent: str = "   ") -> Text:
    parts = [chat.chat_id, _when(chat.updated_at)]
    if chat.project_name or chat.project_id:
        parts.append(chat.project_name or chat.project_id or "")
    if chat.user_id != "me":
        parts.append(chat.user_id)
    if chat.resume:
        parts.append(chat.resume)
    return Text(indent + " · ".join(one_line(p) for p in parts if p), style="dim")


def _excerpt(quoted: Excerpt, chat: ChatRow) -> Text:
    number = quoted.ref[len(chat.chat_id) :]
    kind = quoted.hidden or ("" if quoted.branch == "main" else quoted.branch)
    label = one_line(quoted.author or quoted.role)
    head = f"{label}{f' ({kind})' if kind else ''}{' ' + number if number else ''}: "
    return Text.assemble((head, "cyan" if quoted.role == "user" else "green"), _marked(quoted))


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


def _speaker_line(message: MessageRow, focus: bool) -> Rule:
    kind = message.hidden or ("" if message.branch == "main" else message.branch)
    parts = [one_line(message.author or message.role)]
    if message.n:
        parts.append(f"#{message.n}")
    if kind:
        parts.append(f"({kind})")
    if message.created_at:
        parts.append(_when(message.created_at))
    style = "bold cyan" if message.role == "user" else "bold green"
    return Rule(Text(" ".join(parts), style=style), align="left", style="yellow" if focus else "dim", characters="─")


def _when(at: datetime | None) -> str:
    """In the reader's own zone, to the minute."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M") if at else "no date"
