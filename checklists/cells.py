"""Cells that no spreadsheet takes for a formula, and what they were before."""

from __future__ import annotations

import re
from typing import Final

_FORMULA: Final = re.compile(r"'*[=+\-@\t\r\n]")
"""What a spreadsheet computes, behind any number of our own marks: so that undoing is exact."""


def defused(text: str) -> str:
    """The text with a mark before what would be a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def undone(text: str) -> str:
    """The text as it was before `defused`."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text
