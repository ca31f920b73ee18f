"""Replace what says which companies and which years these are: names, numbers, dates, coined terms, texts."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from dataclasses import replace
from typing import Any

from databases.filings.records import Company, Fact, Report, Source, Text

# Neutral words: plants, stones, birds and waters. None is the name of a listed company or recalls one.
_FIRST = (
    "Basalt", "Bramble", "Cobalt", "Fennel", "Garnet", "Heron", "Juniper", "Larkspur", "Marigold",
    "Ochre", "Plover", "Quartz", "Saffron", "Sorrel", "Tamarack", "Thistle", "Alder", "Bracken",
    "Curlew", "Dunlin", "Elder", "Flint", "Gorse", "Hazel", "Ibis", "Jasper", "Kestrel", "Linden",
    "Mica", "Nettle", "Osprey", "Pumice",
)  # fmt: skip
_SECOND = (
    "Bay", "Beck", "Brook", "Cove", "Dale", "Dell", "Fen", "Field", "Ford", "Glen", "Grove", "Heath",
    "Hill", "Hollow", "Isle", "Lake", "Marsh", "Mead", "Mere", "Mill", "Moor", "Orchard", "Pond",
    "Ridge", "Shoal", "Slope", "Spring", "Strand", "Tarn", "Vale", "Weir", "Wood",
)  # fmt: skip
_SHIFTS = (-16, -12, -8, 8, 12, 16)
"""Years: multiples of four, so that every day is a day in the other year too."""
_PLAIN_TEXT = re.compile(r"true|false|P(?:[0-9]+[YMWD])+|--[0-9]{2}-[0-9]{2}")
_DATE = re.compile(r"([0-9]{4})(-[0-9]{2})?(-[0-9]{2})?")
_NAMES = re.compile(r"[\w-]+:[\w.-]+(?: [\w-]+:[\w.-]+)*")
_KEPT = frozenset(("dei:DocumentType", "dei:DocumentFiscalPeriodFocus", "dei:EntityFilerCategory"))
"""Texts of the report's cover that say nothing of who it is."""
_UNIT = re.compile(r"[A-Z]{3}(?:/shares)?|shares|pure")
_YEAR = re.compile(r"(?<![\w$.,-])((?:19|20)[0-9]{2})(?![\w%]|[.,][0-9])")
_WORDS = re.compile(r"[\w'\u2019]+")
_LEGAL = frozenset(
    [
        "inc",
        "incorporated",
        "corp",
        "corporation",
        "co",
        "company",
        "companies",
        "ltd",
        "limited",
        "plc",
        "llc",
        "lp",
        "sa",
        "nv",
        "ag",
        "the",
        "and",
        "of",
        "group",
        "holdings",
        "holding",
    ]
)


class Pseudonyms:
    """Draws them as companies come, the same for the same seed and files; keeps both sides."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self.years = _SHIFTS[self._draw("shift") % len(_SHIFTS)]
        self._companies: dict[str, Company] = {}
        self._names: dict[str, str] = {}
        self._accessions: dict[str, str] = {}
        self._coined: dict[str, dict[str, str]] = {}

    def knows(self, cik: str) -> bool:
        """Whether a company of this number has come."""
        return cik in self._companies

    def originals(self) -> set[str]:
        """The numbers of the companies that have come."""
        return set(self._companies)

    def replaced(self, source: Source) -> Source:
        """The same source, about nobody."""
        alias = self._company(source.company)
        hide = _Hidden(source.company, alias, self.years)
        coined = self._coined.setdefault(source.company.cik, {})
        rename = _Renamed(f"co{alias.cik}", source.standard, coined)
        reports = {
            self._report(report, alias.cik): [
                fact for old in facts if (fact := self._fact(old, rename)) is not None
            ]
            for report, facts in source.reports.items()
        }
        return Source(
            place=source.place,
            company=alias,
            reports=reports,
            texts={
                self._report(report, alias.cik): [hide.text(part) for part in texts]
                for report, texts in source.texts.items()
            },
            labels={
                name: label
                for name, label in source.labels.items()
                if name.partition(":")[0] in source.standard
            },
        )

    def to_json(self) -> dict[str, Any]:
        """Both sides, for $DDR_HOME/secrets."""
        return {
            "companies": {
                cik: {"name": self._names[cik], "cik": alias.cik, "alias": alias.name}
                for cik, alias in self._companies.items()
            },
            "accessions": self._accessions,
            "coined": self._coined,
            "shift_years": self.years,
        }

    def _draw(self, kind: str) -> int:
        digest = hashlib.sha256(f"{self._seed}|filings|{kind}".encode()).digest()
        return int.from_bytes(digest[:8])

    def _company(self, company: Company) -> Company:
        cik = company.cik
        if cik not in self._companies:
            self._names[cik] = company.name
            taken = {(a.cik, a.name) for a in self._companies.values()}
            numbers, names = {n for n, _ in taken}, {n for _, n in taken}
            attempt = 0
            while True:
                drawn = self._draw(f"{cik}|{attempt}")
                # No company has so high a number yet.
                number = str(9_000_000 + drawn % 1_000_000)
                name = f"{_FIRST[drawn // 10**6 % 32]} {_SECOND[drawn // 10**8 % 32]}"
                if number not in numbers and name not in names:
                    break
                attempt += 1
            self._companies[cik] = Company(cik=number, name=name)
        alias = self._companies[cik]
        return replace(
            alias,
            fiscal_year_end=company.fiscal_year_end,
            sic=company.sic,
            industry=company.industry,
            category=company.category,
        )

    def _report(self, report: Report, cik: str) -> Report:
        accession = report.accession
        if accession is not None and accession not in self._accessions:
            drawn = self._draw(f"accession|{accession}")
            self._accessions[accession] = (
                f"9{drawn % 10**9:09d}-{drawn // 10**9 % 100:02d}-{drawn // 10**11 % 10**6:06d}"
            )
        return replace(
            report,
            cik=cik,
            period_end=shifted(report.period_end, self.years),
            filed_on=None if report.filed_on is None else shifted(report.filed_on, self.years),
            fiscal_year=None if report.fiscal_year is None else report.fiscal_year + self.years,
            accession=None if accession is None else self._accessions[accession],
        )

    def _fact(self, fact: Fact, rename: _Renamed) -> Fact | None:
        """None: a text from which the company may be known."""
        text = fact.text
        if text is not None:
            text = self._said(fact.concept, text, rename)
            if text is None:
                return None
        return replace(
            fact,
            concept=rename(fact.concept, "Concept"),
            text=text,
            unit=fact.unit if fact.unit is None or _UNIT.fullmatch(fact.unit) else "other",
            start=None if fact.start is None else shifted(fact.start, self.years),
            end=shifted(fact.end, self.years),
            dimensions=tuple(
                sorted((rename(a, "Axis"), rename(m, "Member")) for a, m in fact.dimensions)
            ),
        )

    def _said(self, concept: str, text: str, rename: _Renamed) -> str | None:
        if concept in _KEPT or _PLAIN_TEXT.fullmatch(text):
            return text
        is_date = _DATE.fullmatch(text)
        if is_date and (concept.startswith("dei:DocumentFiscalYear") or is_date[2]):
            return f"{int(is_date[1]) + self.years}{text[4:]}"
        if _NAMES.fullmatch(text) and not concept.startswith("dei:"):
            return " ".join(rename(name, "Concept") for name in text.split(" "))
        return None


class _Renamed:
    """What a company coined itself names its products, deals and places: it gets a number instead."""

    def __init__(self, prefix: str, standard: frozenset[str], known: dict[str, str]) -> None:
        self._prefix, self._standard, self._known = prefix, standard, known

    def __call__(self, name: str, kind: str) -> str:
        taxonomy, colon, _ = name.partition(":")
        if colon and " " not in name and taxonomy in self._standard:
            return name
        if name not in self._known:
            self._known[name] = f"{self._prefix}:{kind}{len(self._known) + 1}"
        return self._known[name]


class _Hidden:
    """The texts of a report with its company's names and its years replaced."""

    def __init__(self, company: Company, alias: Company, years: int) -> None:
        self._alias, self._years = alias.name, years
        self._pattern = re.compile("|".join(map(_loosely, spellings(company))), re.IGNORECASE)
        exact = [company.cik, *([company.ticker] if company.ticker else [])]
        self._exact = re.compile(rf"\b0*(?:{'|'.join(map(re.escape, exact))})\b")

    def text(self, part: Text) -> Text:
        """One part, hidden."""
        return Text(part.kind, self._said(part.title), self._said(part.text))

    def _said(self, text: str) -> str:
        named = self._exact.sub(self._alias, self._pattern.sub(self._alias, text))
        return _YEAR.sub(lambda year: str(int(year[1]) + self._years), named)


def spellings(company: Company) -> list[str]:
    """How a company is called: its whole name, and the name without its legal form; the longest first."""
    words = _WORDS.findall(company.name)
    core = [word for word in words if word.lower().strip(".,&") not in _LEGAL]
    found = {company.name, " ".join(core)}
    return sorted((name for name in found if len(name) > 2), key=lambda name: (-len(name), name))


def _loosely(name: str) -> str:
    """A pattern for a name with any of the signs that are written between its words."""
    return r"[\s\u00a0\u2010\u2011&,.-]*".join(map(re.escape, _WORDS.findall(name)))


def shifted(day: dt.date, years: int) -> dt.date:
    """The same day in another year; 28 February where that year has no 29th."""
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return day.replace(year=day.year + years, day=28)
