"""HTML of an answer as the text a person would have read, with code, lists and links still recognisable.

No markup passes, whatever the HTML contains: text is either words of the document or one of the few marks made here.
"""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

_SILENT = {"script", "style"}
_BLOCKS = {"p", "div", "section", "article", "blockquote", "table", "figure", "hr", "header", "footer", "dl"}
_HEADING = re.compile(r"h([1-6])")
# A `<` that opens no whole tag, or a marked section; html.parser takes quadratic time over many of them.
_LOOSE = re.compile(r"<(?![^<>]*>)|<(?=!\[)")
_TAG = re.compile(r"<[^<>]*>")
_DEEPEST = 8
_SPACE = re.compile(r"[ \t\r\n\f]+")

Attributes = list[tuple[str, str | None]]


def html_text(html: str) -> str:
    """Plain text with paragraphs apart, `- ` items, fenced code, `a | b` table rows and `label (address)` links."""
    reader = _Reader()
    html = _LOOSE.sub("&lt;", _without_comments(html))
    try:
        reader.feed(html)
        reader.close()
    except AssertionError:
        # html.parser gives up on a malformed `<![`; the bare words are better than none.
        return unescape(_TAG.sub(" ", html)).strip()
    return "".join(reader.out).strip()


def _without_comments(html: str) -> str:
    first, *rest = html.split("<!--")
    closed = (piece.partition("-->") for piece in rest)
    return first + "".join(after if end else before for before, end, after in closed)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.out: list[str] = []
        self.line_ends = 2
        self.silent = 0
        self.code = 0
        self.lists: list[int | None] = []
        self.links: list[tuple[str, int]] = []
        self.cells = 0
        self.in_cell = False
        self.after_mark = False

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        heading = _HEADING.fullmatch(tag)
        if tag in _SILENT:
            self.silent += 1
        elif tag == "br":
            self._emit(" " if self.in_cell else "\n")
        elif tag in _BLOCKS:
            self._gap(2)
        elif heading:
            self._gap(2)
            self._mark("#" * int(heading[1]) + " ")
        elif tag == "pre":
            self._gap(2)
            self.code += 1
            self._emit("```\n")
        elif tag == "code" and not self.code:
            self._emit("`")
        else:
            self._start_inner(tag, dict(attrs))

    def _start_inner(self, tag: str, attrs: dict[str, str | None]) -> None:
        if tag in ("ul", "ol"):
            self._gap(1 if self.lists else 2)
            self.lists.append(0 if tag == "ol" else None)
        elif tag == "li":
            self._item()
        elif tag == "tr":
            self._gap(1)
            self.cells, self.in_cell = 0, False
        elif tag in ("td", "th"):
            self._mark(" | " if self.cells else "")
            self.cells, self.in_cell = self.cells + 1, True
        elif tag == "a":
            self.links.append((attrs.get("href") or "", len(self.out)))
        elif tag == "img" and attrs.get("alt"):
            self._emit(f"[image: {attrs['alt']}]")

    def handle_endtag(self, tag: str) -> None:
        if tag in _SILENT:
            self.silent = max(0, self.silent - 1)
        elif tag in _BLOCKS or _HEADING.fullmatch(tag):
            self.in_cell = self.in_cell and tag != "table"
            self._gap(2)
        elif tag == "pre" and self.code:
            self._gap(1)
            self.code -= 1
            self._emit("```")
            self._gap(2)
        elif tag == "code" and not self.code:
            self._emit("`")
        elif tag in ("ul", "ol") and self.lists:
            self.lists.pop()
            self._gap(1 if self.lists else 2)
        elif tag in ("td", "th", "tr"):
            self.in_cell = False
        elif tag == "a" and self.links:
            self._link()

    def handle_data(self, data: str) -> None:
        if self.silent:
            return
        if not self.code:
            data = _SPACE.sub(" ", data)
            if self.line_ends or self.after_mark:
                data = data.lstrip(" ")
        self._emit(data)

    def _item(self) -> None:
        self._gap(1)
        depth = "  " * min(max(0, len(self.lists) - 1), _DEEPEST)
        if self.lists and self.lists[-1] is not None:
            self.lists[-1] += 1
            self._mark(f"{depth}{self.lists[-1]}. ")
        else:
            self._mark(f"{depth}- ")

    def _link(self) -> None:
        address, start = self.links.pop()
        label = "".join(self.out[start:]).strip()
        if address.startswith(("http://", "https://", "mailto:")) and label != address:
            self._emit(f" ({address})" if label else address)

    def _mark(self, mark: str) -> None:
        self._emit(mark)
        self.after_mark = True

    def _emit(self, piece: str) -> None:
        if piece:
            self.out.append(piece)
            self.after_mark = False
            kept = piece.rstrip("\n")
            self.line_ends = len(piece) - len(kept) + (0 if kept else self.line_ends)

    def _gap(self, lines: int) -> None:
        """At least so many line ends before what follows; a table cell stays on its line, an item at its mark."""
        if self.in_cell:
            self._emit("" if self.after_mark else " ")
        elif not self.after_mark and self.line_ends < lines:
            if self.out and not self.code:
                self.out[-1] = self.out[-1].rstrip(" ")
            self._emit("\n" * (lines - self.line_ends))
