"""Write small annual reports in inline XBRL, company facts and databases, each of an invented company."""

from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path
from typing import Any

from databases.build import build_manifest
from databases.catalog import open_scenario
from databases.filings.inline import read_report
from databases.filings.records import Fact, Source
from databases.installed import InstalledScenario
from databases.variants import choose

HEAD = (
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="http://www.xbrl.org/2013/inlineXBRL" '
    'xmlns:ixt="http://www.xbrl.org/inlineXBRL/transformation/2020-02-12" '
    'xmlns:ixt-sec="http://www.sec.gov/inlineXBRL/transformation/2015-08-31" '
    'xmlns:xbrli="http://www.xbrl.org/2003/instance" xmlns:xbrldi="http://xbrl.org/2006/xbrldi" '
    'xmlns:iso4217="http://www.xbrl.org/2003/iso4217" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xmlns:dei="http://xbrl.sec.gov/dei/2024" xmlns:us-gaap="http://fasb.org/us-gaap/2024" '
    'xmlns:srt="http://fasb.org/srt/2024" xmlns:wom="http://www.wombatworks.example/2024">'
)
DURING = ("2024-01-01", "2024-12-31")
NAME, CIK, TICKER = "Wombat Works, Inc.", "777001", "WOMB"
UNITS = (
    '<xbrli:unit id="usd"><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unit>'
    '<xbrli:unit id="shares"><xbrli:measure>xbrli:shares</xbrli:measure></xbrli:unit>'
    '<xbrli:unit id="pure"><xbrli:measure>xbrli:pure</xbrli:measure></xbrli:unit>'
    '<xbrli:unit id="each"><xbrli:divide><xbrli:unitNumerator><xbrli:measure>iso4217:USD</xbrli:measure>'
    "</xbrli:unitNumerator><xbrli:unitDenominator><xbrli:measure>xbrli:shares</xbrli:measure>"
    "</xbrli:unitDenominator></xbrli:divide></xbrli:unit>"
)


def context(
    name: str, *when: str, cik: str = CIK, members: tuple[tuple[str, str], ...] = ()
) -> str:
    """A context of an instant (one date) or a period (two)."""
    segment = "".join(
        f'<xbrldi:explicitMember dimension="{axis}">{member}</xbrldi:explicitMember>'
        for axis, member in members
    )
    segment = f"<xbrli:segment>{segment}</xbrli:segment>" if segment else ""
    period = (
        f"<xbrli:instant>{when[0]}</xbrli:instant>"
        if len(when) == 1
        else f"<xbrli:startDate>{when[0]}</xbrli:startDate><xbrli:endDate>{when[1]}</xbrli:endDate>"
    )
    return (
        f'<xbrli:context id="{name}"><xbrli:entity><xbrli:identifier scheme="http://www.sec.gov/CIK">'
        f"{cik:0>10}</xbrli:identifier>{segment}</xbrli:entity><xbrli:period>{period}</xbrli:period>"
        "</xbrli:context>"
    )


def number(text: str, concept: str = "us-gaap:Revenues", **attributes: str) -> str:
    """A tagged number; attributes beyond the usual ones are put in as they are."""
    given = {"contextRef": "y", "unitRef": "usd", "decimals": "-6", "scale": "6", **attributes}
    given["name"] = concept
    written = " ".join(f'{key.replace("__", ":")}="{value}"' for key, value in given.items())
    return f"<ix:nonFraction {written}>{text}</ix:nonFraction>"


def said(text: str, concept: str, **attributes: str) -> str:
    """A tagged text."""
    given = {"contextRef": "y", "name": concept, **attributes}
    written = " ".join(f'{key}="{value}"' for key, value in given.items())
    return f"<ix:nonNumeric {written}>{text}</ix:nonNumeric>"


def report(
    *body: str,
    contexts: str = "",
    name: str = NAME,
    cik: str = CIK,
    during: tuple[str, str] = DURING,
    form: str = "10-K",
    ticker: str = TICKER,
) -> bytes:
    """A whole report with these pieces in its body. Contexts: y (the year), e (its end)."""
    cover = (
        said(form, "dei:DocumentType")
        + said(name.replace("&", "&amp;"), "dei:EntityRegistrantName")
        + said(during[1][:4], "dei:DocumentFiscalYearFocus")
        + said("FY", "dei:DocumentFiscalPeriodFocus")
        + said(f"--{during[1][5:]}", "dei:CurrentFiscalYearEndDate")
        + said(ticker, "dei:TradingSymbol")
    )
    resources = UNITS + context("y", *during, cik=cik) + context("e", during[1], cik=cik) + contexts
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n{HEAD}<head><title>t</title></head><body>\n'
        f'<div style="display:none"><ix:header><ix:hidden>{cover}</ix:hidden><ix:resources>{resources}'
        f"</ix:resources></ix:header></div>\n" + "\n".join(body) + "\n</body></html>\n"
    ).encode()


def read(*body: str, **changes: Any) -> Source:
    """What is read of a report with these pieces."""
    return read_report(report(*body, **changes), Path("womb-20241231.htm"))


def facts_of(source: Source) -> list[Fact]:
    """Its facts but those of the cover."""
    (facts,) = source.reports.values()
    return [fact for fact in facts if not fact.concept.startswith("dei:")]


def one(*body: str, **changes: Any) -> Fact:
    """The one fact of a report with one."""
    (fact,) = facts_of(read(*body, **changes))
    return fact


def company_facts(
    facts: dict[str, Any] | None = None, *, cik: int = int(CIK), name: str = NAME
) -> dict[str, Any]:
    """Company facts with revenues of two years, the first of them in two reports."""

    def row(start: str, end: str, value: float, accession: str, year: int, filed: str) -> Any:
        return {
            "start": start, "end": end, "val": value, "accn": accession, "fy": year, "fp": "FY",
            "form": "10-K", "filed": filed,
        }  # fmt: skip

    rows = [
        row("2022-01-01", "2022-12-31", 90_000_000, "0000777001-23-000001", 2022, "2023-02-10"),
        row("2022-01-01", "2022-12-31", 90_000_000, "0000777001-24-000001", 2023, "2024-02-09"),
        row("2023-01-01", "2023-12-31", 95_500_000, "0000777001-24-000001", 2023, "2024-02-09"),
    ]
    about = {"label": "Revenues", "description": "All of them.", "units": {"USD": rows}}
    told = {"us-gaap": {"Revenues": about}} if facts is None else facts
    return {"cik": cik, "entityName": name, "facts": told}


def submissions(cik: str = CIK, document: str = "womb-20241231.htm") -> dict[str, Any]:
    """The SEC's list of a company's reports, with one annual report among others."""
    return {
        "cik": f"{cik:0>10}", "name": NAME, "sic": "3630", "sicDescription": "Household Appliances",
        "stateOfIncorporation": "DE", "fiscalYearEnd": "1231", "category": "Accelerated filer",
        "tickers": [TICKER], "exchanges": ["NYSE"],
        "filings": {
            "recent": {
                "accessionNumber": ["0000777001-25-000009", "0000777001-25-000001"],
                "form": ["8-K", "10-K"],
                "reportDate": ["2025-03-01", "2024-12-31"],
                "filingDate": ["2025-03-02", "2025-02-14"],
                "primaryDocument": ["x.htm", document],
            }
        },
    }  # fmt: skip


def write(folder: Path, **files: bytes | str | dict[str, Any]) -> Path:
    """Write files into a folder; `__` in a name stands for a dot, and what ends in .gz is packed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        text = json.dumps(content, indent=1) if isinstance(content, dict) else content
        data = text.encode() if isinstance(text, str) else text
        path = folder / name.replace("__", ".")
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return folder


def build(
    folder: Path, home: Path, *, name: str | None = None, **options: bool | float | str
) -> InstalledScenario:
    """The scenario, built from a folder under a home."""
    installed = open_scenario("filings", home)
    manifest = choose(installed.manifest, {"from": str(folder), **options}, name)
    return build_manifest(manifest, home)


def sqlite_file(path: Path, script: str) -> Path:
    """A SQLite file made by a script."""
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()
    return path
