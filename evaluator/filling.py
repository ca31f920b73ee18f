"""Prompts, from evaluator/prompts unless said, filled in one pass: no value is scanned for placeholders."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent / "prompts"
_PLACEHOLDER: Final = re.compile(r"\{([a-z]+)\}")


@cache
def text_of(name: str, folder: Path = _FOLDER) -> str:
    """A prompt, unfilled."""
    return (folder / f"{name}.txt").read_text(encoding="utf-8").strip()


def filled(text: str, **values: str) -> str:
    """A text with its values."""
    return _PLACEHOLDER.sub(lambda found: values[found[1]], text)


def fill(name: str, **values: str) -> str:
    """A prompt with its values."""
    return filled(text_of(name), **values)


def hash_of(*names: str) -> str:
    """sha-256 of prompts, unfilled."""
    texts = {name: text_of(name) for name in names}
    return hashlib.sha256(json.dumps(sorted(texts.items())).encode()).hexdigest()
