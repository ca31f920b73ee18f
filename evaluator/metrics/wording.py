"""The texts that a model is asked with for these figures, filled in one pass, statements fenced as data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from evaluator import filling
from evaluator.asking import fence

NAMES: Final = ("rating", "rating_again", "matching", "novelty", "again")
_FOLDER: Final = Path(__file__).parent / "prompts"
_INDENT: Final = "\n    "


def text_of(name: str) -> str:
    """One text, unfilled."""
    return filling.text_of(name, _FOLDER)


def prompts_hash() -> str:
    """sha-256 of all the texts."""
    texts = {name: text_of(name) for name in NAMES}
    return hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()


def asked(name: str, parts: Sequence[tuple[str, str]]) -> tuple[Mapping[str, str], ...]:
    """The messages of one question: a text, then each part under its heading between fences.

    One fence for all parts, a line that none of them can hold.
    """
    line = fence("\n".join(part for _, part in parts))
    shown = "\n\n".join(f"{heading}\n\n{line}\n{part}\n{line}" for heading, part in parts)
    return (
        {"role": "system", "content": text_of(name)},
        {"role": "user", "content": shown},
    )


def again(name: str, fault: str) -> Mapping[str, str]:
    """The message that asks once more, and says what was wrong."""
    return {"role": "user", "content": filling.filled(text_of(name), fault=fault)}


def listed(texts: Sequence[str]) -> str:
    """Texts with their numbers from 1; further lines of a text are indented, so that no line of it
    starts with a number in brackets."""
    return "\n".join(
        f"[{number}] {_INDENT.join(text.splitlines())}" for number, text in enumerate(texts, 1)
    )
