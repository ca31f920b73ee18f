"""Read what the facts of an inline-XBRL report refer to: contexts (who, when, which part) and units."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from lxml import etree

from core.errors import ScenarioError
from databases.filings.records import Dimension

XBRLI = "http://www.xbrl.org/2003/instance"
XBRLDI = "http://xbrl.org/2006/xbrldi"


@dataclass(frozen=True)
class Context:
    """When and about which part of the company."""

    cik: str
    start: dt.date | None
    """None = an instant."""
    end: dt.date
    dimensions: tuple[Dimension, ...]
    """In order of axis; the value of a typed axis stands for its member."""


def contexts(root: etree._Element, place: str) -> dict[str, Context]:
    """Id to context. One without end (`forever`) is left out: no fact of a report is so.

    Raises ScenarioError with file, line and id where one cannot be read.
    """
    found = {}
    for element in root.iter(f"{{{XBRLI}}}context"):
        try:
            context = _context(element)
        except ValueError as exc:
            raise ScenarioError(
                f"{place}: line {element.sourceline}: context {element.get('id')!r}: {exc}"
            ) from exc
        if context is not None:
            found[element.get("id") or ""] = context
    return found


def units(root: etree._Element) -> dict[str, str]:
    """Id to unit: USD, shares, USD/shares, pure."""
    found = {}
    for element in root.iter(f"{{{XBRLI}}}unit"):
        divide = element.find(f"{{{XBRLI}}}divide")
        if divide is None:
            unit = _measures(element)
        else:
            unit = "/".join(
                _measures(part)
                for name in ("unitNumerator", "unitDenominator")
                if (part := divide.find(f"{{{XBRLI}}}{name}")) is not None
            )
        found[element.get("id") or ""] = unit
    return found


def _measures(element: etree._Element) -> str:
    names = [(m.text or "").strip().rpartition(":")[2] for m in element.iter(f"{{{XBRLI}}}measure")]
    return "*".join(names)


def _context(element: etree._Element) -> Context | None:
    identifier = element.findtext(f".//{{{XBRLI}}}identifier") or ""
    cik = identifier.strip().lstrip("0")
    if not cik.isdecimal():
        raise ValueError(f"its identifier {identifier[:40]!r} is no CIK")
    period = element.find(f"{{{XBRLI}}}period")
    if period is None:
        raise ValueError("it has no period")
    if period.find(f"{{{XBRLI}}}forever") is not None:
        return None
    instant = period.findtext(f"{{{XBRLI}}}instant")
    if instant is not None:
        start, end = None, day(instant)
    else:
        start = day(period.findtext(f"{{{XBRLI}}}startDate") or "")
        end = day(period.findtext(f"{{{XBRLI}}}endDate") or "")
        if start > end:
            raise ValueError(f"its period begins on {start}, after its end on {end}")
    return Context(cik, start, end, tuple(sorted(set(_dimensions(element)))))


def _dimensions(element: etree._Element) -> list[Dimension]:
    found = [
        (member.get("dimension") or "", (member.text or "").strip())
        for member in element.iter(f"{{{XBRLDI}}}explicitMember")
    ]
    for member in element.iter(f"{{{XBRLDI}}}typedMember"):
        said = " ".join("".join(map(str, member.itertext())).split())
        found.append((member.get("dimension") or "", said))
    return found


def day(text: str) -> dt.date:
    """A date; a time of day behind it is not looked at. Raises ValueError."""
    return dt.date.fromisoformat(text.strip()[:10])
