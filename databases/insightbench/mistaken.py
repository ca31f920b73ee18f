"""Tell an insight from the text of an error that stands where an insight should (EVALUATION 3.2, E4 and E6)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

_EXCEPTION: Final = re.compile(
    r"\b[A-Z]\w*(?:Error|Exception)\b|\bTraceback \(most recent call last\)"
)
"""A name such as KeyError; 'Database error' in an incident's words is none."""
_BROKEN_OFF: Final = re.compile(
    r"\b(?:analysis|analyses|insight|insights|plot|chart|code)\b[^.;]{0,40}?"
    r"\b(?:could not|couldn't|cannot|can't|was unable to|were unable to|failed to)\b"
    r"[^.;]{0,20}?\b(?:be\s+)?(?:perform|conduct|complet|generat|execut|carr|run)\w*",
    re.IGNORECASE,
)
_NO_ANALYSIS: Final = re.compile(
    r"\bno (?:columns?|fields?|data)\b[^.;]{0,60}\bto (?:conduct|perform|do|run) (?:any|the|an) analys",
    re.IGNORECASE,
)
_REFUSAL: Final = re.compile(
    r"\A\s*(?:i'm sorry|i am sorry|sorry,|as an ai\b|i cannot\b|i can't\b|i am unable\b|i'm unable\b)",
    re.IGNORECASE,
)
_ABSENT: Final = re.compile(
    r"\b(?:no|missing|lacks?|without)\s+(?:a\s+|an\s+|the\s+)?"
    r"(?:columns?\s+(?:named\s+|called\s+)?['\"`]?(?P<after>[A-Za-z_]\w*)['\"`]?"
    r"|['\"`](?P<before>[A-Za-z_]\w*)['\"`]\s+columns?)"
    r"|['\"`](?P<subject>[A-Za-z_]\w*)['\"`]\s+columns?\s+(?:is|was|does|could)\s+"
    r"(?:missing|absent|unavailable|not)",
    re.IGNORECASE,
)


def is_error_text(insight: str, columns: Collection[str]) -> bool:
    """Whether a text tells of an analysis that failed, and not of the data.

    It does where it names an exception, says that the analysis was broken off, or refuses; and where
    it says that there is no such column, if in truth there is none in the set's tables: the table is
    the wrong one then, and nothing said of it can be found.
    """
    if any(sign.search(insight) for sign in (_EXCEPTION, _BROKEN_OFF, _NO_ANALYSIS, _REFUSAL)):
        return True
    have = {column.lower() for column in columns}
    return any(name.lower() not in have for name in _named(insight))


def error_texts(insights: Iterable[str], columns: Collection[str]) -> list[str]:
    """Those insights that are error text."""
    return [insight for insight in insights if is_error_text(insight, columns)]


def _named(insight: str) -> list[str]:
    """The columns that a text calls absent."""
    found = _ABSENT.finditer(insight)
    return [next(name for name in match.groups() if name) for match in found]
