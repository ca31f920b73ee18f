"""Read one annual report in inline XBRL, as the SEC serves it: its facts, its items and its notes."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

from lxml import etree

from core.errors import ScenarioError
from databases.filings.contexts import Context, contexts, units
from databases.filings.formats import number, text_value
from databases.filings.plain import IX, lines, text_of
from databases.filings.records import EXACT, Company, Fact, Report, Source, Text, words_of
from databases.filings.sections import items

MAX_TEXT = 255
"""Characters of a text that is a fact; a longer one is narrative, and agents read no narrative."""
MAX_SCALE = 30
MAX_PIECES = 1000
"""Of one fact's text that is continued elsewhere; a note has one a page."""
_NIL = "{http://www.w3.org/2001/XMLSchema-instance}nil"
_BLOCK = "TextBlock"
_STANDARD = re.compile(r"https?://(?:[\w-]+\.)*(?:fasb\.org|sec\.gov|xbrl\.org|ifrs\.org|w3\.org)/")
_NO_NOTES = frozenset(("dei", "cyd", "ecd"))
_ACCESSION = re.compile(r"(?<![0-9])([0-9]{10})-?([0-9]{2})-?([0-9]{6})(?![0-9])")
_DATED = re.compile(r"(?<![0-9])(20[0-9]{2}-[01][0-9]-[0-3][0-9])(?![0-9])")
_LINK = re.compile(r"(https?://\S+)#([\w.-]+)")


def read_report(data: bytes, path: Path) -> Source:
    """The one report of a file.

    Raises ScenarioError with file and line where it is cut short, is not well-formed, is no annual
    report in inline XBRL, or states a number that its format cannot read.
    """
    return _Reader(_parsed(data, path), path).source()


def _parsed(data: bytes, path: Path) -> etree._Element:
    # No entity is expanded, nothing is fetched, and a tree of endless depth or text is refused.
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as exc:
        raise ScenarioError(
            f"{path}: line {exc.lineno}: is not a whole, well-formed report ({exc.msg}); the file is "
            "cut short, in another encoding than it says, or no inline XBRL: download it again"
        ) from exc
    declared: Any = root.getroottree().docinfo.internalDTD
    if declared is not None and any(True for _ in declared.iterentities()):
        raise ScenarioError(f"{path}: declares entities of its own, which no report needs")
    return root


class _Reader:
    def __init__(self, root: etree._Element, path: Path) -> None:
        self._root, self._path = root, path
        self._contexts = contexts(root, str(path))
        self._units = units(root)
        self._prefixes: Mapping[str, str] = {
            uri.rstrip("/"): prefix or "" for prefix, uri in root.nsmap.items()
        }
        self._continued = {
            element.get("id") or "": element for element in root.iter(f"{{{IX}}}continuation")
        }

    def source(self) -> Source:
        particulars = {name: (value, context) for name, value, context in self._particulars()}
        if "EntityRegistrantName" not in particulars or "DocumentType" not in particulars:
            if not any(True for _ in self._elements()):
                raise ScenarioError(
                    f"{self._path}: has no inline-XBRL fact; reports have them since 2019"
                )
            raise ScenarioError(
                f"{self._path}: has no dei:DocumentType or no dei:EntityRegistrantName: not the main "
                "document of a report"
            )
        told = {name: value for name, (value, _) in particulars.items()}
        context = particulars["DocumentType"][1]
        report = self._report(told, context)
        facts = [fact for element in self._elements() if (fact := self._fact(element, context.cik))]
        return Source(
            place=str(self._path),
            company=_company(context.cik, told),
            reports={report: facts},
            texts={report: [*items(lines([self._root])), *self._notes()]},
            standard=frozenset(
                prefix
                for prefix, uri in self._root.nsmap.items()
                if prefix and _STANDARD.match(str(uri))
            ),
        )

    def _elements(self) -> Iterator[etree._Element]:
        # A regulator's report has no ix:fraction and no ix:tuple: its filer manual forbids them.
        return self._root.iter(f"{{{IX}}}nonFraction", f"{{{IX}}}nonNumeric")

    def _particulars(self) -> Iterator[tuple[str, str, Context]]:
        """What the report says of itself; the first of each that is about the whole company."""
        seen = set()
        for element in self._root.iter(f"{{{IX}}}nonNumeric"):
            prefix, _, name = (element.get("name") or "").partition(":")
            context = self._contexts.get(element.get("contextRef") or "")
            if prefix != "dei" or context is None or name in seen:
                continue
            if not context.dimensions or name in ("TradingSymbol", "SecurityExchangeName"):
                seen.add(name)
                yield name, self._text(element), context

    def _report(self, told: Mapping[str, str], context: Context) -> Report:
        year, period = (
            told.get("DocumentFiscalYearFocus", ""),
            told.get("DocumentFiscalPeriodFocus"),
        )
        accession = _ACCESSION.search(self._path.name)
        return Report(
            cik=context.cik,
            form=told["DocumentType"],
            period_end=context.end,
            fiscal_year=int(year) if re.fullmatch(r"[0-9]{4}", year) else None,
            fiscal_period=period,
            filed_on=_filed_on(self._path.name, context.end),
            accession="-".join(accession.groups()) if accession else None,
        )

    def _fact(self, element: etree._Element, cik: str) -> Fact | None:
        """None: about another company, too long for a fact, or a block of text."""
        reference, concept = element.get("contextRef") or "", element.get("name") or ""
        context = self._contexts.get(reference)
        if context is None:
            self._fail(element, f"refers to the context {reference!r}, which is not there")
        if context.cik != cik:
            return None
        when: dict[str, Any] = {
            "start": context.start,
            "end": context.end,
            "dimensions": context.dimensions,
        }
        is_nil = element.get(_NIL) in ("true", "1")
        if element.tag == f"{{{IX}}}nonFraction":
            unit = self._units.get(element.get("unitRef") or "")
            if unit is None:
                self._fail(element, f"refers to the unit {element.get('unitRef')!r}: not there")
            if is_nil:
                return Fact(concept=concept, unit=unit, **when)
            value, decimals = self._number(element), self._decimals(element)
            return Fact(concept=concept, number=value, unit=unit, decimals=decimals, **when)
        if concept.endswith(_BLOCK):
            return None
        text = None if is_nil else self._text(element)
        if text is not None and not 0 < len(text) <= MAX_TEXT:
            return None
        return Fact(concept=concept, text=text, **when)

    def _number(self, element: etree._Element) -> Decimal:
        try:
            value = number(text_of(element).strip(), element.get("format"))
            scale = int(element.get("scale") or 0)
        except ValueError as exc:
            self._fail(element, str(exc))
        if abs(scale) > MAX_SCALE:
            self._fail(element, f"has the scale {scale}")
        value = value.scaleb(scale)
        return -value if element.get("sign") == "-" else value

    def _decimals(self, element: etree._Element) -> int | None:
        said = element.get("decimals")
        if said is None:
            return None
        if said == "INF":
            return EXACT
        try:
            return int(said)
        except ValueError:
            self._fail(element, f"has the decimals {said!r}")

    def _text(self, element: etree._Element) -> str:
        said = "".join(text_of(part) for part in self._chain(element))
        value = text_value(said, element.get("format"))
        return _LINK.sub(lambda link: f"{self._prefixes.get(link[1], link[1])}:{link[2]}", value)

    def _chain(self, element: etree._Element) -> list[etree._Element]:
        """The element and what continues it; a chain that comes back to itself ends there."""
        part, parts = element, {element: None}
        while following := part.get("continuedAt"):
            if following not in self._continued:
                self._fail(element, f"is continued at {following!r}, which is not there")
            part = self._continued[following]
            if part in parts:
                break
            if len(parts) == MAX_PIECES:
                self._fail(element, f"is in more than {MAX_PIECES:,} pieces")
            parts[part] = None
        return list(parts)

    def _notes(self) -> list[Text]:
        """The outermost blocks of text: the notes as wholes, and not the policies and tables in them."""
        chains = [
            (element.get("name") or "", self._chain(element))
            for element in self._root.iter(f"{{{IX}}}nonNumeric")
            if (element.get("name") or "").endswith(_BLOCK)
        ]
        within = {part for _, chain in chains for part in chain}
        found: list[Text] = []
        for name, chain in chains:
            if name.partition(":")[0] in _NO_NOTES:
                continue
            if any(outer in within for outer in chain[0].iterancestors()):
                continue
            said = lines(chain)
            if said:
                title = said[0] if len(said[0]) <= 120 else words_of(name)
                found.append(Text("notes", title, "\n".join(said)))
        # A table's block may stand around a piece of the note that it belongs to.
        return [one for one in found if not any(_holds(other, one) for other in found)]

    def _fail(self, element: etree._Element, what: str) -> NoReturn:
        name, line = element.get("name"), element.sourceline
        raise ScenarioError(f"{self._path}: line {line}: {name} ({element.get('id')}): {what}")


def _holds(note: Text, other: Text) -> bool:
    return len(note.text) > len(other.text) and other.text in note.text


def _company(cik: str, told: Mapping[str, str]) -> Company:
    return Company(
        cik=cik,
        name=told["EntityRegistrantName"],
        fiscal_year_end=(told.get("CurrentFiscalYearEndDate") or "").removeprefix("--") or None,
        state=told.get("EntityIncorporationStateCountryCode"),
        category=told.get("EntityFilerCategory"),
        exchange=told.get("SecurityExchangeName"),
        ticker=told.get("TradingSymbol"),
    )


def _filed_on(name: str, period_end: dt.date) -> dt.date | None:
    """A date in a file's name, where it can be the day of filing: in the year after the period."""
    for text in _DATED.findall(name):
        try:
            day = dt.date.fromisoformat(text)
        except ValueError:
            continue
        if period_end < day <= period_end + dt.timedelta(days=366):
            return day
    return None
