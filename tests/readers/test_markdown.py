"""Markdown transcripts: role markers, what stands above them, and texts that only look like transcripts."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from chatmem.model import Chat, Record, Skipped
from chatmem.readers import markdown
from chatmem.readers.base import Level, ReadOptions
from chatmem.readers.detect import detect, peek
from chatmem.readers.unpack import Source, sources

SAMPLE = Path(__file__).parents[2] / "sample_data" / "markdown"


def only_source(path: Path) -> Source:
    (source,) = sources(path)
    assert isinstance(source, Source)
    return source


def read(path: Path, options: ReadOptions | None = None) -> list[Record]:
    source = only_source(path)
    assert detect(source).reader is markdown
    return list(markdown.read([source], options or ReadOptions()))


def note(tmp_path: Path, content: str, options: ReadOptions | None = None, name: str = "note.md") -> Chat:
    path = tmp_path / name
    path.write_text(content, "utf-8")
    (chat,) = read(path, options)
    assert isinstance(chat, Chat)
    return chat


def shown(chat: Chat) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in chat.visible()]


def level(tmp_path: Path, content: str) -> Level:
    path = tmp_path / "some.md"
    path.write_text(content, "utf-8")
    return markdown.sniff(peek(only_source(path))).level


def test_the_samples_are_claimed_as_generic_and_read_without_a_problem() -> None:
    found = [source for source in sources(SAMPLE) if isinstance(source, Source)]
    assert [(detect(source).reader, detect(source).level) for source in found] == [(markdown, Level.GENERIC)] * 3
    chats = [record for record in markdown.read(found, ReadOptions()) if isinstance(record, Chat)]
    assert {chat.title: len(list(chat.visible())) for chat in chats} == {
        "Kitchen tiles: grout and cost": 4,
        "Réseau maison : VLAN pour les caméras": 4,
        "standup-helper": 4,
    }


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("## User", "## Assistant"),
        ("## User", "### Assistant"),
        ("#### You", "#### ChatGPT:"),
        ("# Human:", "# AI:"),
        ("## **User**", "## **Claude**"),
        ("## 👤 User", "## 🤖 Assistant"),
        ("## Prompt:", "## Response:"),
        ("**User:**", "**Assistant:**"),
        ("**User**:", "**Gemini**:"),
        ("**Human**", "**Assistant**"),
        ("__You__", "__GPT-4o__"),
        ("User:", "Assistant:"),
        ("USER:", "ASSISTANT:"),
        ("You said:", "ChatGPT said:"),
        ("> user", "> assistant"),
        ("**Customer:**", "**Agent:**"),
    ],
)
def test_every_style_of_role_marker(tmp_path: Path, first: str, second: str) -> None:
    chat = note(tmp_path, f"{first}\n\nWhy?\n\n{second}\n\nBecause:\n\n* one\n\n{first}\n\nThanks\n")
    assert shown(chat) == [("user", "Why?"), ("assistant", "Because:\n\n* one"), ("user", "Thanks")]
    assert [message.pointer for message in chat.messages] == ["line 1", "line 5", "line 11"]


def test_text_may_begin_on_the_line_of_its_marker(tmp_path: Path) -> None:
    chat = note(tmp_path, "**You:** one\ntwo\n\n**ChatGPT:** three\n")
    assert shown(chat) == [("user", "one\ntwo"), ("assistant", "three")]
    assert chat.messages[1].author == "ChatGPT"


@pytest.mark.parametrize("fence", ["```", "~~~", "````", "   ```"])
def test_markers_inside_fenced_code_are_code(tmp_path: Path, fence: str) -> None:
    code = f"{fence}text\n## User\nnot me\n## Assistant\nnor me\n{fence}"
    chat = note(tmp_path, f"## User\nShow a transcript\n## Assistant\n{code}\n## User\nok\n")
    assert [role for role, _ in shown(chat)] == ["user", "assistant", "user"]
    assert "not me" in chat.messages[1].text


def test_a_fence_inside_a_longer_fence_and_inline_backticks_do_not_confuse(tmp_path: Path) -> None:
    code = "````md\n```\n## User\n```\n````\n```inline``` code"
    chat = note(tmp_path, f"## User\nq\n## Assistant\n{code}\n## User\nok\n")
    assert len(shown(chat)) == 3


def test_a_fence_that_nobody_closes_hides_nothing(tmp_path: Path) -> None:
    chat = note(tmp_path, "## User\nq\n## Assistant\n```python\ncut off\n## User\ngo on\n## Assistant\ndone\n")
    assert [role for role, _ in shown(chat)] == ["user", "assistant", "user", "assistant"]


def test_markers_of_another_style_inside_a_turn_are_text(tmp_path: Path) -> None:
    body = "**User:** quoted\n**Assistant:** quoted\n### User\nfields of the table\nUser: root"
    chat = note(tmp_path, f"## User\nq\n## Assistant\n{body}\n## User\nok\n")
    assert len(shown(chat)) == 3
    assert chat.messages[1].text == body


def test_indented_and_quoted_markers_are_text(tmp_path: Path) -> None:
    chat = note(tmp_path, "**User:** q\n**Claude:** a\n    **User:** code\n> **User:** quoted\n")
    assert len(shown(chat)) == 2


def test_front_matter_tells_title_date_product_link_and_model(tmp_path: Path) -> None:
    content = (
        "---\ntitle: 'Tiles: a plan'\ndate: 2025-06-14 16:20\nsource: Claude\n"
        'url: "https://claude.ai/chat/1"\nmodel: claude-sonnet-4\n---\n\n# Other\n\n## User\nq\n\n---\n\n## Claude\na\n'
    )
    chat = note(tmp_path, content, ReadOptions(timezone=ZoneInfo("Europe/Berlin")))
    assert (chat.source, chat.title, chat.title_origin, chat.model) == (
        "claude", "Tiles: a plan", "export", "claude-sonnet-4",
    )  # fmt: skip
    assert chat.source_url == "https://claude.ai/chat/1"
    assert chat.created_at == datetime(2025, 6, 14, 14, 20, tzinfo=UTC)
    assert shown(chat) == [("user", "q"), ("assistant", "a")]


def test_facts_above_the_talk_are_no_turns_even_if_they_name_a_user(tmp_path: Path) -> None:
    content = (
        "# Packing list\n\n**User:** Mira  \n**Created:** 1/2/2025 10:00  \n"
        "**Link:** [https://chatgpt.com/c/abc](https://chatgpt.com/c/abc)  \n\n"
        "**User:** q\n\n**ChatGPT:** a\n"
    )
    chat = note(tmp_path, content)
    assert shown(chat) == [("user", "q"), ("assistant", "a")]
    assert (chat.title, chat.source_url) == ("Packing list", "https://chatgpt.com/c/abc")


def test_other_text_above_the_talk_is_kept_as_a_note(tmp_path: Path) -> None:
    chat = note(tmp_path, "# Title\n\nMy remark on this talk.\n\n## User\nq\n## Assistant\na\n")
    assert (chat.messages[0].hidden, chat.messages[0].text) == ("note", "My remark on this talk.")


def test_the_title_is_the_heading_or_else_the_name_of_the_file(tmp_path: Path) -> None:
    assert note(tmp_path, "# Bread\n## User\nq\n## Assistant\na\n").title == "Bread"
    unnamed = note(tmp_path, "## User\nq\n## Assistant\n# Not this\na\n", name="Brot backen.md")
    assert (unnamed.title, unnamed.title_origin) == ("Brot backen", "derived")


def test_times_and_models_beside_or_below_a_marker_are_read(tmp_path: Path) -> None:
    content = (
        "## You (2025-03-01 10:00)\nq\n## ChatGPT (gpt-4o)\n*2025-03-01 10:01:30*\n\na\n"
        "## You — 2025-03-01T10:05:00Z\nb\n## You (Mira)\nc\n"
    )
    chat = note(tmp_path, content)
    assert [message.created_at for message in chat.messages] == [
        datetime(2025, 3, 1, 10, 0, tzinfo=UTC), datetime(2025, 3, 1, 10, 1, 30, tzinfo=UTC),
        datetime(2025, 3, 1, 10, 5, tzinfo=UTC), None,
    ]  # fmt: skip
    assert shown(chat)[1] == ("assistant", "a")
    assert (chat.model, chat.messages[3].author) == ("gpt-4o", "Mira")


def test_thoughts_and_system_prompts_are_hidden(tmp_path: Path) -> None:
    chat = note(tmp_path, "## System\nBe brief.\n## User\nq\n## Assistant\n<think>hm</think>\n\na\n")
    assert [(message.hidden, message.text) for message in chat.messages] == [
        ("system", "Be brief."),
        (None, "q"),
        ("thinking", "hm"),
        (None, "a"),
    ]


def test_the_id_survives_renaming_and_growth_but_not_another_talk(tmp_path: Path) -> None:
    content = "## User\nHello\n## Assistant\nHi!\n"
    first = note(tmp_path, content, name="a.md")
    renamed = note(tmp_path, content + "## User\nmore\n", name="b.md")
    assert first.native_id == renamed.native_id
    pair = [tmp_path / "c.md", tmp_path / "d.md"]
    for path, end in zip(pair, ("tea", "coffee"), strict=True):
        path.write_text(f"{content}## User\n{end}\n", "utf-8")
    chats = markdown.read([only_source(path) for path in pair], ReadOptions())
    assert len({chat.native_id for chat in chats if isinstance(chat, Chat)}) == 2


@pytest.mark.parametrize(
    "content",
    [
        "# Shopping\n\n- milk\n- user manual\n",
        "## User\nonly one speaker\n## User\nstill\n",
        "## Assistant\na\n## Assistant\nb\n",
        "# Rights\n\n## Admin\nmay all\n\n## User\nmay read\n",
        "## User stories\nx\n## Assistant professor\ny\n",
        "# Setup\nUser: admin\nModel: X200\nSystem: Linux\n",
        "A long text about logins.\nIt goes on.\n\nUser: root\nAgent: Mozilla\n",
        "```\n## User\nq\n## Assistant\na\n```\n",
        "user, assistant: see below\n",
        "<html><body>\n## User\n## Assistant\n</body></html>\n",
        "# aider chat started at 2025-01-01 10:00:00\n\n#### You\nq\n#### AI\na\n",
    ],
)
def test_texts_that_are_no_transcripts_are_not_claimed(tmp_path: Path, content: str) -> None:
    assert level(tmp_path, content) == Level.NO


def test_a_note_may_begin_with_a_bracket_or_quote_json_lines(tmp_path: Path) -> None:
    talk = "## User\nq\n## Assistant\na\n"
    assert level(tmp_path, f"[toc]\n\n{talk}") == Level.GENERIC
    assert level(tmp_path, f'See:\n{{"role": "user"}}\n{{"role": "user"}}\n{talk}') == Level.GENERIC


def test_windows_line_ends_and_encodings_are_read(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_bytes("## User\r\nGrüße\r\n## Assistant\r\nja\r\n".encode("cp1252"))
    (chat,) = read(path)
    assert isinstance(chat, Chat)
    assert shown(chat) == [("user", "Grüße"), ("assistant", "ja")]


def test_hostile_text_is_only_text(tmp_path: Path) -> None:
    evil = "\x1b[2J\u202eabc [/red] ${HOME} ' OR 1=1 -- </evidence>\u2028## User"
    chat = note(tmp_path, f"## User\n{evil}\n## Assistant\nno\0thing\n")
    assert shown(chat) == [("user", evil), ("assistant", "nothing")]


@pytest.mark.parametrize(
    "filler",
    ["```a\n" * 20_000, "**" * 50_000, "## User (" + "x" * 50_000, "User: " * 20_000, "~" * 50_000, "> " * 50_000,
     "".join("`" * n + "a\n" for n in range(3, 300)), "- " * 5000 + "\n" + "* " * 5000],
    ids=["fences", "stars", "bracket", "words", "tildes", "quotes", "growing fences", "bullets"],
)  # fmt: skip
def test_patterns_do_not_explode(tmp_path: Path, filler: str) -> None:
    path = tmp_path / "evil.md"
    path.write_text(f"{filler}\n## User\nq\n{filler}\n## Assistant\na\n{filler}\n", "utf-8")
    source = only_source(path)
    markdown.sniff(peek(source))
    assert len(list(markdown.read([source], ReadOptions()))) == 1


@pytest.mark.parametrize(
    "content", [b"", b"---", b"---\ntitle: x", b"\xff\xfe", b"\0", b"## User", b"## User\n## Assistant"]
)
def test_files_cut_short_never_raise(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "short.md"
    path.write_bytes(content)
    source = only_source(path)
    markdown.sniff(peek(source))
    (record,) = markdown.read([source], ReadOptions())
    assert isinstance(record, Skipped) or not list(record.visible())  # type: ignore[union-attr]
