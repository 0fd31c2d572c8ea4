"""HTML of answers as text: structure that stays recognisable, markup that never passes, input made to hurt."""

from __future__ import annotations

import pytest

from chatmem.readers.html_text import html_text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One</p>\n<p>Two<br>lines</p>", "One\n\nTwo\nlines"),
        ("<h3>Plan</h3><p>a &lt; b &amp; c</p>", "### Plan\n\na < b & c"),
        ("<ul><li>a</li><li>b<ol><li>c</li></ol></li></ul>end", "- a\n- b\n  1. c\n\nend"),
        ("<ol><li><p>first</p></li><li>second</li></ol>", "1. first\n\n2. second"),
        ("<pre><code>x  =  1\n\n\n  y\n</code></pre>", "```\nx  =  1\n\n\n  y\n```"),
        ("Use <code>--force</code>.", "Use `--force`."),
        ("<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td><p>2</p></td></tr></table>", "A | B\n1 | 2"),
        ('<a href="https://x.org/d">the doc</a>', "the doc (https://x.org/d)"),
        ('<a href="https://x.org">https://x.org</a>', "https://x.org"),
        ('<a href="javascript:x">here</a><script>alert(1)</script><style>p{}</style>!', "here!"),
        ('<img src="x" alt="a heron"><img src="y">', "[image: a heron]"),
        ("if a < b then <!-- gone --> c <! d", "if a < b then c <! d"),
        ("<b>bold</b> and <unknown>kept</unknown></p></td></ul></a></pre>", "bold and kept"),
        ("", ""),
    ],
)  # fmt: skip
def test_html_becomes_the_text_a_person_would_read(html: str, text: str) -> None:
    assert html_text(html) == text


@pytest.mark.parametrize("piece", ["<", "<a ", "<!", "<!--", "<![CDATA[>", "<ul><li>", "</", "&#", "<script>", "<td>"])
def test_html_made_to_hurt_ends(piece: str) -> None:
    assert isinstance(html_text(piece * 20_000), str)
