"""Words as the audit compares them: lower case, without endings, without those that say nothing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_WORD: Final = re.compile(r"[A-Za-z]+|\d+")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ENDINGS: Final = (
    "ations",
    "ation",
    "ments",
    "ment",
    "ings",
    "ing",
    "ies",
    "ed",
    "es",
    "s",
    "e",
    "y",
)
STOP: Final = frozenset(
    (Path(__file__).parent / "stop_words.txt").read_text(encoding="utf-8").split()
)
"""Of English, of questions about data, and the verbs of analysis: they name no concept."""


def stems(text: str) -> frozenset[str]:
    """The concepts that a text names, by their stems; identifiers fall into their words."""
    words = (word.lower() for word in _WORD.findall(_CAMEL.sub(" ", text.replace("_", " "))))
    return frozenset(stem(word) for word in words if len(word) > 2 and word not in STOP)


def stem(word: str) -> str:
    """A word without its ending, so that 'assignments' and 'assigned' meet; rough on purpose."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def squeezed(text: str) -> str:
    """A text without the accidents of its writing."""
    return " ".join(text.casefold().split())
