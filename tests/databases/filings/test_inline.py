"""Facts of an inline-XBRL report have the value, the period and the dimensions that the report means."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from core.errors import ScenarioError
from databases.filings.records import EXACT
from tests.databases.filings import reports
from tests.databases.filings.reports import context, facts_of, number, one, read, said

DOT = {"format": "ixt:num-dot-decimal"}


@pytest.mark.parametrize(
    ("text", "attributes", "value", "decimals"),
    [
        ("1,234", {**DOT, "scale": "6"}, "1234000000", -6),
        ("1,234", {**DOT, "scale": "6", "sign": "-"}, "-1234000000", -6),
        ("12.5", {**DOT, "scale": "-2", "decimals": "3", "unitRef": "pure"}, "0.125", 3),
        ("6.08", {**DOT, "scale": "0", "decimals": "2", "unitRef": "each"}, "6.08", 2),
        ("1.5", {**DOT, "scale": "9", "decimals": "-8"}, "1500000000", -8),
        ("15,408,095", {**DOT, "scale": "3", "unitRef": "shares", "decimals": "-3"}, "15408095000", -3),
        ("&#8212;", {"format": "ixt:fixed-zero"}, "0", -6),
        ("three", {"format": "ixt-sec:numwordsen", "scale": "0", "decimals": "INF"}, "3", EXACT),
        ("7", {"scale": "0", "decimals": "0"}, "7", 0),
    ],
)  # fmt: skip
def test_scale_sign_and_decimals(
    text: str, attributes: dict[str, str], value: str, decimals: int
) -> None:
    fact = one(number(text, **attributes))
    assert (fact.number, fact.decimals) == (Decimal(value), decimals)


def test_scaling_is_exact() -> None:
    fact = one(number("0.1", scale="20", **DOT))
    assert fact.number == Decimal(10) ** 19


def test_a_unit_is_named_by_its_measures() -> None:
    units = [
        one(number("1", unitRef=unit, scale="0")).unit for unit in ("usd", "shares", "pure", "each")
    ]
    assert units == ["USD", "shares", "pure", "USD/shares"]


def test_what_a_report_says_to_have_no_value_has_none() -> None:
    fact = one(number("", xsi__nil="true"))
    assert (fact.number, fact.text, fact.unit) == (None, None, "USD")


def test_a_number_within_a_number_gives_both() -> None:
    inner = number("1,000", "us-gaap:Assets", contextRef="e", **DOT)
    found = {
        fact.concept: fact.number for fact in facts_of(read(number(inner, "us-gaap:Cash", **DOT)))
    }
    assert found == {"us-gaap:Cash": 10**9, "us-gaap:Assets": 10**9}


def test_markup_inside_a_number_does_not_matter() -> None:
    assert one(number("<b>1,</b><i>234</i>", scale="0", **DOT)).number == 1234


def test_what_is_excluded_is_left_out() -> None:
    fact = one(said("one<ix:exclude> (page 7) </ix:exclude>two", "wom:Motto"))
    assert fact.text == "onetwo"


def test_a_period_and_an_instant() -> None:
    found = facts_of(read(number("1"), number("2", "us-gaap:Assets", contextRef="e")))
    year, end = dt.date(2024, 1, 1), dt.date(2024, 12, 31)
    assert [(fact.start, fact.end) for fact in found] == [(year, end), (None, end)]


def test_dimensions_are_in_order_of_axis_and_a_typed_one_counts() -> None:
    members = (("us-gaap:ZAxis", "wom:NorthMember"), ("us-gaap:AAxis", "country:US"))
    several = context("s", "2024-12-31", members=members)
    typed = several.replace('id="s"', 'id="t"').replace(
        "</xbrli:segment>",
        '<xbrldi:typedMember dimension="wom:BAxis"><wom:lot> 17 </wom:lot></xbrldi:typedMember></xbrli:segment>',
    )
    body = (number("1", contextRef="s"), number("1", contextRef="t"))
    plain, more = facts_of(read(*body, contexts=several + typed))
    assert plain.dimensions == (
        ("us-gaap:AAxis", "country:US"),
        ("us-gaap:ZAxis", "wom:NorthMember"),
    )
    assert more.dimensions[2] == ("wom:BAxis", "17")


def test_a_text_that_goes_on_elsewhere_is_one_text() -> None:
    first = said("We make ", "wom:Motto", continuedAt="c1")
    rest = (
        '<ix:continuation id="c1" continuedAt="c2">good </ix:continuation>between'
        '<ix:continuation id="c2">wombats</ix:continuation>'
    )
    assert one(first, rest).text == "We make good wombats"


def test_a_text_that_goes_on_in_a_circle_ends() -> None:
    first = said("a", "wom:Motto", continuedAt="c1")
    rest = '<ix:continuation id="c1" continuedAt="c1">b</ix:continuation>'
    assert str(one(first, rest).text).startswith("ab")


def test_a_text_in_very_many_pieces_is_refused_at_once() -> None:
    pieces = [
        f'<ix:continuation id="c{n}" continuedAt="c{n + 1}">x</ix:continuation>'
        for n in range(20_000)
    ]
    first = said("a", "wom:Motto", continuedAt="c0")
    assert "is in more than 1,000 pieces" in fails(first + "".join(pieces))


def test_a_list_of_links_becomes_names() -> None:
    links = "http://fasb.org/us-gaap/2024#OtherAssets http://www.wombatworks.example/2024#Burrows"
    assert one(said(links, "us-gaap:Enumeration")).text == "us-gaap:OtherAssets wom:Burrows"


def test_a_text_block_and_a_long_text_are_no_facts() -> None:
    body = (
        said("words", "us-gaap:DebtDisclosureTextBlock"),
        said("w" * 256, "wom:Story"),
        said("short", "wom:Motto"),
    )
    assert one(*body).concept == "wom:Motto"


def test_facts_of_another_registrant_are_left_out() -> None:
    other = context("o", "2024-12-31", cik="888002")
    assert one(number("1", contextRef="o"), number("2", scale="0"), contexts=other).number == 2


def test_the_cover_tells_company_and_report() -> None:
    source = read(number("1"))
    (report,) = source.reports
    assert (source.company.cik, source.company.name) == (reports.CIK, reports.NAME)
    assert (source.company.ticker, source.company.fiscal_year_end) == (reports.TICKER, "12-31")
    assert (report.form, report.fiscal_year, report.fiscal_period) == ("10-K", 2024, "FY")
    assert report.period_end == dt.date(2024, 12, 31)
    assert "wom" not in source.standard
    assert {"us-gaap", "dei", "srt"} <= source.standard


@pytest.mark.parametrize(
    ("name", "filed", "accession"),
    [
        ("womb-10-k-2025-02-14.html.gz", "2025-02-14", None),
        ("womb-20241231.htm", None, None),
        ("womb-2024-12-31.htm", None, None),
        ("womb-2031-01-01.htm", None, None),
        ("CIK0000777001-0000777001-25-000001.htm", None, "0000777001-25-000001"),
        ("000077700125000001.htm", None, "0000777001-25-000001"),
    ],
)
def test_a_files_name_may_tell_the_day_of_filing_and_the_number(
    name: str, filed: str | None, accession: str | None
) -> None:
    from pathlib import Path

    from databases.filings.inline import read_report

    (report,) = read_report(reports.report(number("1")), Path(name)).reports
    assert report.filed_on == (dt.date.fromisoformat(filed) if filed else None)
    assert report.accession == accession


def fails(*body: str, **changes: Any) -> str:
    with pytest.raises(ScenarioError) as caught:
        read(*body, **changes)
    return str(caught.value)


def test_a_number_that_cannot_be_read_is_an_error_with_file_line_and_concept() -> None:
    told = fails("<p>x</p>", number("about five", id="f-9"))
    assert "womb-20241231.htm: line 5: us-gaap:Revenues (f-9)" in told
    assert "'about five' is no number" in told


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (number("1", contextRef="gone"), "refers to the context 'gone'"),
        (number("1", unitRef="gone"), "refers to the unit 'gone'"),
        (number("1", format="ixt:num-roman"), "in the format ixt:num-roman"),
        (number("1", decimals="many"), "has the decimals 'many'"),
        (number("1", scale="4000"), "has the scale 4000"),
        (number("1", scale="six"), "six"),
        (said("a", "wom:Motto", continuedAt="gone"), "is continued at 'gone'"),
    ],
)
def test_what_a_report_refers_to_must_be_there(body: str, says: str) -> None:
    assert says in fails(body)


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (context("b", "2024-13-01"), "context 'b': "),
        (context("b", "2024-12-31", "2024-01-01"), "context 'b': its period begins on 2024-12-31"),
        (context("b", "2024-12-31", cik="Wombat"), "context 'b': its identifier"),
    ],
)
def test_a_context_that_cannot_be_read_is_an_error_with_its_id(broken: str, says: str) -> None:
    told = fails(number("1"), contexts=broken)
    assert says in told
    assert "womb-20241231.htm: line " in told
