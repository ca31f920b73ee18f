"""What every kind of source is read into: a company, its reports, their facts and texts."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from decimal import Decimal

EXACT = 99
"""Decimals of a value that is said to be exact."""
Dimension = tuple[str, str]
"""Axis and member, each as taxonomy:Name."""
STANDARD = frozenset(
    [
        "us-gaap",
        "dei",
        "srt",
        "ecd",
        "cyd",
        "country",
        "currency",
        "exch",
        "invest",
        "ifrs-full",
        "naics",
        "oef",
        "sic",
        "stpr",
        "vip",
    ]
)
"""Prefixes of the taxonomies that the regulator and the accounting boards publish."""
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+(?:\.[0-9]+)*")
_KIND = re.compile(r"(?:Policy|Table)?TextBlock$")


@dataclass(frozen=True)
class Company:
    """One that reports; None = the source does not say."""

    cik: str
    """Its number without leading zeros."""
    name: str
    fiscal_year_end: str | None = None
    """MM-DD."""
    sic: str | None = None
    industry: str | None = None
    state: str | None = None
    category: str | None = None
    exchange: str | None = None
    ticker: str | None = None


@dataclass(frozen=True)
class Report:
    """One report. Two sources that tell of the same one agree in `key`."""

    cik: str
    form: str
    period_end: dt.date
    fiscal_year: int | None = None
    fiscal_period: str | None = None
    filed_on: dt.date | None = None
    accession: str | None = None

    @property
    def key(self) -> str:
        """Company, form and period."""
        return f"{self.cik}-{self.form}-{self.period_end.isoformat()}"


@dataclass(frozen=True)
class Fact:
    """One fact: a number, a text, or neither where the report says that there is no value."""

    concept: str
    """taxonomy:Name."""
    end: dt.date
    start: dt.date | None = None
    """None = an instant."""
    number: Decimal | None = None
    text: str | None = None
    unit: str | None = None
    decimals: int | None = None
    dimensions: tuple[Dimension, ...] = ()
    """In order of axis."""


@dataclass(frozen=True)
class Text:
    """A part of a report in words: an item, or a note to the financial statements."""

    kind: str
    """item-1, item-1a, item-7, item-7a, notes."""
    title: str
    text: str


@dataclass
class Source:
    """What one file says."""

    place: str
    """The file's name, for messages."""
    company: Company
    reports: dict[Report, list[Fact]] = field(default_factory=dict)
    texts: dict[Report, list[Text]] = field(default_factory=dict)
    labels: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    """Concept to the label and the description that the source gives it."""
    standard: frozenset[str] = STANDARD
    """Prefixes of taxonomies that are not the company's own."""
    is_whole: bool = False
    """Whether it holds all reports of a company, so that a second one would tell them again."""


def words_of(name: str) -> str:
    """A concept's name in words: taxonomy:NetIncomeLoss is 'Net income loss'."""
    parts = _WORD.findall(_KIND.sub("", name.rpartition(":")[2]))
    plain = [part if part.isupper() and len(part) > 1 else part.lower() for part in parts]
    said = " ".join(plain) or name
    return said[0].upper() + said[1:]
