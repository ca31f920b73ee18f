"""Find the items of an annual report by their headings, and never by its table of contents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from databases.filings.records import Text

TITLES = {
    "1": "business",
    "1a": "risk factors",
    "1b": "unresolved",
    "1c": "cybersecurity",
    "2": "properties",
    "3": "legal",
    "4": "mine safety|submission|reserved|removed",
    "4a": "(?:information about our )?executive officers",
    "5": "market for",
    "6": r"\[?\(?reserved|selected|\[?removed",
    "7": "management",
    "7a": "quantitative",
    "8": "(?:consolidated )?financial statements",
    "9": "changes in",
    "9a": "controls",
    "9b": "other information",
    "9c": "disclosure regarding",
    "10": "directors",
    "11": "executive compensation",
    "12": "security ownership",
    "13": "certain relationships",
    "14": "principal account",
    "15": "exhibit",
    "16": "form 10-k summary",
}
"""Item to how its title begins: the form's own, of which reports differ in spelling."""
WANTED = ("1", "1a", "7", "7a")
SHORTEST = 200
"""Characters of an item that is more than a line of a table of contents."""
_LONGEST_HEADING = 300
_NUMBER = re.compile(
    r"(?:part\s+i{1,3}v?[\s,.\-\u2013\u2014]*)?items?\s*(\d{1,2}\s?[a-c]?)(?:\s*(?:and|&)\s*\d{1,2}[a-c]?)?"
    r"\s*[.:)\-\u2013\u2014|]*\s*(.*)",
    re.IGNORECASE | re.DOTALL,
)
_FURNITURE = re.compile(
    r"(?:page )?\d{1,3}|[fs]-\d{1,3}|(?:back to )?table of contents|.{0,50}\bform 10-k[\s|]*\d{0,3}",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _Heading:
    at: int
    item: str


def items(lines: Sequence[str]) -> list[Text]:
    """Items 1, 1A, 7 and 7A, in that order, of those that are there.

    A heading is a line with an item's number and the beginning of that item's own title (also on the
    next line). A heading that is said again on later pages belongs to the same stretch. Of an item's
    stretches the longest is taken: the line in a table of contents is the shortest.
    """
    headings = [h for at in range(len(lines)) if (h := _heading(lines, at))]
    stretches: dict[str, str] = {}
    titles: dict[str, str] = {}
    for start, end in _runs(headings, len(lines)):
        text = "\n".join(line for line in lines[start.at : end] if not _FURNITURE.fullmatch(line))
        if len(text) > max(len(stretches.get(start.item, "")), SHORTEST):
            stretches[start.item] = text
            titles[start.item] = lines[start.at][:_LONGEST_HEADING]
    return [
        Text(f"item-{name}", titles[name], stretches[name]) for name in WANTED if name in titles
    ]


def _runs(headings: Sequence[_Heading], end: int) -> list[tuple[_Heading, int]]:
    """Where each stretch begins and ends: headings of one item in a row make one stretch."""
    firsts = [
        heading
        for at, heading in enumerate(headings)
        if not at or headings[at - 1].item != heading.item
    ]
    ends = [*(heading.at for heading in firsts[1:]), end]
    return list(zip(firsts, ends, strict=False))


def _heading(lines: Sequence[str], at: int) -> _Heading | None:
    line = lines[at]
    if len(line) > _LONGEST_HEADING or not (found := _NUMBER.match(line)):
        return None
    item, title = found[1].replace(" ", "").lower(), found[2]
    if not title and at + 1 < len(lines):
        title = lines[at + 1]
    expected = TITLES.get(item)
    if expected is None or not re.match(expected, title, re.IGNORECASE):
        return None
    return _Heading(at, item)
