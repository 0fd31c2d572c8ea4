"""Texts of many scripts for properties: words, code, marks that combine, emoji that join, long runs, white space."""

from __future__ import annotations

from hypothesis import strategies as st

FAMILY = "👩\u200d👩\u200d👧\u200d👦"
PIECES = (
    "the", "heron", "GPT-4o", "getUserById()", "0x77", "3.12", "don't", "Größe", "cafe\u0301", "n\u0303", "über",
    "東京タワー", "冷蔵庫の卵", "更新到", "か\u3099", "한국어", "ภาษาไทย", "हिन्दी", "العربيّة", "שָׁלוֹם", "жёлтый",
    FAMILY, "🇯🇵🇫🇷", "👍🏽", "…", "—", "\u00a0", "\n", "\n\n", "\r\n", "\t", "   ", ". ", "。", "! ", "a" * 60, "=" * 40,
    "e\u0301\u0323\u0302", "𠮷", "\u200b", "{\"id\": 7}",
)  # fmt: skip
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
)
