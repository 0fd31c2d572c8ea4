"""Characters that act or hide instead of being seen."""

from __future__ import annotations

# C1 controls and DEL, what reorders text (bidi marks, embeddings, overrides, isolates), line and paragraph separators,
# interlinear annotation, halves of surrogate pairs, the tag block. For a character class.
ACTING = "\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"
