"""Downloads say who asks, keep to the rate, wait when told to, go on where they stopped, and come once."""

from __future__ import annotations

import email.utils
import gzip
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from core.errors import ScenarioError, UsageError
from databases.build import build_manifest
from databases.catalog import open_scenario
from databases.filings import fetching
from databases.filings.fetching import Client
from databases.installed import InstalledScenario
from databases.variants import choose
from tests.databases.filings.reports import CIK, company_facts, number, report, submissions
from tests.databases.filings.sec_server import Service, sec_files, serving

ME = "Ada Wombat ada@wombat.example"
FACTS = f"/api/xbrl/companyfacts/CIK{CIK:0>10}.json"
DOCUMENT = f"/Archives/edgar/data/{CIK}/000077700125000001/womb-20241231.htm"


@dataclass
class Clock:
    """Time that passes only by sleeping."""

    time: float = 0.0
    slept: list[float] = field(default_factory=list)

    def now(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += seconds
        self.slept.append(seconds)


@pytest.fixture
def sec() -> Iterator[Service]:
    files = sec_files(CIK, company_facts(), submissions(), report(number("100", scale="6")))
    with serving(files) as service:
        yield service


def client(sec: Service, clock: Clock | None = None, **changes: Any) -> Client:
    given = {"contact": ME, "rate": 5.0, "data_url": sec.url, "archive_url": sec.url, **changes}
    return Client(**given, clock=clock or Clock())


def fetched(sec: Service, folder: Path, clock: Clock | None = None, **changes: Any) -> Client:
    one = client(sec, clock, **changes)
    with one.opened():
        one.company(CIK, folder)
    return one


def built(sec: Service, home: Path, **options: bool | float | str) -> InstalledScenario:
    installed = open_scenario("filings", home)
    given = {"fetch": True, "entities": CIK, "contact": ME, "rate": 10.0, **options}
    urls = {"data_url": sec.url, "archive_url": sec.url}
    return build_manifest(choose(installed.manifest, {**given, **urls}), home, rebuild=True)


def test_facts_list_and_last_report_come_and_are_built(sec: Service, tmp_path: Path) -> None:
    (entity,) = built(sec, tmp_path).entities()
    assert (entity.id, entity.attributes["industry"]) == (CIK, "Household Appliances")
    assert entity.attributes["last_fiscal_year"] == "2024"
    assert sec.paths == [FACTS, f"/submissions/CIK{CIK:0>10}.json", DOCUMENT]


def test_a_second_build_downloads_nothing(sec: Service, tmp_path: Path) -> None:
    first = built(sec, tmp_path).scenario.fingerprint
    asked = len(sec.asked)
    again = built(sec, tmp_path)
    assert (again.scenario.fingerprint, len(sec.asked)) == (first, asked)


def test_a_build_reads_only_what_was_asked_for(sec: Service, tmp_path: Path) -> None:
    sec.files |= sec_files(
        "888002", company_facts(cik=888002, name="Quokka Ltd"), submissions("888002"),
        report(number("5"), name="Quokka Ltd", cik="888002"),
    )  # fmt: skip
    assert len(built(sec, tmp_path, entities=f"{CIK},888002").entities()) == 2
    assert [entity.id for entity in built(sec, tmp_path, entities="888002").entities()] == [
        "888002"
    ]


def test_every_request_says_who_asks(sec: Service, tmp_path: Path) -> None:
    fetched(sec, tmp_path)
    assert {agent for _, agent in sec.asked} == {ME}


@pytest.mark.parametrize("contact", ["", "Ada", "ada@", "a b", "Ada ada@x.example\r\nHost: evil"])
def test_who_does_not_say_so_is_refused_before_anything_is_asked(
    sec: Service, tmp_path: Path, contact: str
) -> None:
    with pytest.raises(UsageError, match="--contact 'Your Name you@example"):
        built(sec, tmp_path, contact=contact)
    assert sec.asked == []


@pytest.mark.parametrize("rate", [0.0, -1.0, 10.1])
def test_a_rate_beyond_what_is_allowed_is_refused(
    sec: Service, tmp_path: Path, rate: float
) -> None:
    with pytest.raises(UsageError, match="at most 10 requests a second"):
        built(sec, tmp_path, rate=rate)


def test_without_companies_nothing_is_fetched(sec: Service, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="which companies"):
        built(sec, tmp_path, entities="")


def test_requests_keep_to_the_rate(sec: Service, tmp_path: Path) -> None:
    clock = Clock()
    fetched(sec, tmp_path, clock, rate=4.0)
    assert clock.slept == pytest.approx([0.25, 0.25])


@pytest.mark.parametrize("status", [429, 403, 503])
def test_a_refusal_is_waited_out_for_as_long_as_it_says(
    sec: Service, tmp_path: Path, status: int
) -> None:
    sec.refusals = [(status, "7")]
    clock = Clock()
    assert fetched(sec, tmp_path, clock).requests == 4
    assert 7.0 in clock.slept


def test_a_wait_until_a_date_and_one_without_end(sec: Service, tmp_path: Path) -> None:
    until = email.utils.format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    sec.refusals = [(429, until), (429, "999999"), (429, "soon")]
    clock = Clock()
    fetched(sec, tmp_path, clock)
    waits = [wait for wait in clock.slept if wait > 1]
    assert waits[0] == pytest.approx(30, abs=3)
    assert waits[1:] == [fetching.LONGEST_WAIT_S, 4.0]


def test_a_connection_that_is_cut_is_made_again(sec: Service, tmp_path: Path) -> None:
    sec.refusals = [(0, None)]
    assert fetched(sec, tmp_path).requests == 4


def test_a_service_that_goes_on_refusing_is_given_up_and_what_came_is_kept(
    sec: Service, tmp_path: Path
) -> None:
    sec.refusals = [(200, None)] + [(429, "1")] * fetching.TRIES
    with pytest.raises(ScenarioError, match=r"HTTP 429.*what has come is kept"):
        fetched(sec, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [f"companyfacts-CIK{CIK:0>10}.json.gz"]
    sec.asked.clear()
    fetched(sec, tmp_path)
    assert FACTS not in sec.paths


def test_a_company_that_is_not_there_is_said(sec: Service, tmp_path: Path) -> None:
    sec.files.clear()
    with pytest.raises(ScenarioError, match=rf"404.*is {CIK} the number of a company"):
        fetched(sec, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_an_answer_that_no_patience_mends_is_not_asked_for_again(
    sec: Service, tmp_path: Path
) -> None:
    sec.refusals = [(400, None)]
    with pytest.raises(ScenarioError, match="HTTP 400"):
        fetched(sec, tmp_path)
    assert len(sec.asked) == 1


def test_a_redirect_is_not_followed(sec: Service, tmp_path: Path) -> None:
    sec.refusals = [(302, None)]
    with pytest.raises(ScenarioError, match="HTTP 302"):
        fetched(sec, tmp_path)


@pytest.mark.parametrize("name", ["../../evil.htm", "a/b.htm", "x.exe", ""])
def test_a_document_with_a_hostile_name_is_refused(sec: Service, tmp_path: Path, name: str) -> None:
    sec.files |= sec_files(CIK, company_facts(), submissions(document=name), b"")
    with pytest.raises(ScenarioError, match="is no report's file name"):
        fetched(sec, tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_report_with_a_hostile_number_is_refused(sec: Service, tmp_path: Path) -> None:
    place = f"/submissions/CIK{CIK:0>10}.json"
    sec.files[place] = sec.files[place].replace(b"0000777001-25-000001", b"../../../evil")
    with pytest.raises(ScenarioError, match=r"'\.\./\.\./\.\./evil' is no accession number"):
        fetched(sec, tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


def test_a_company_without_an_annual_report_has_its_facts_alone(
    sec: Service, tmp_path: Path
) -> None:
    place = f"/submissions/CIK{CIK:0>10}.json"
    sec.files[place] = sec.files[place].replace(b'"10-K"', b'"10-K/A"')
    fetched(sec, tmp_path)
    assert len(sec.asked) == 2


def test_too_much_is_not_taken(
    sec: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "MAX_BYTES", 100)
    with pytest.raises(ScenarioError, match="is larger than"):
        fetched(sec, tmp_path)


def test_what_is_kept_is_packed_and_whole(sec: Service, tmp_path: Path) -> None:
    fetched(sec, tmp_path)
    (path,) = tmp_path.glob("companyfacts-*")
    assert gzip.decompress(path.read_bytes()) == sec.files[FACTS]
    assert list(tmp_path.glob(".*")) == []


def test_what_is_packed_in_layers_is_not_unpacked(sec: Service, tmp_path: Path) -> None:
    sec.layers = 2
    with pytest.raises(
        ScenarioError, match=r"packed in a way that was not asked for \('gzip, gzip'\)"
    ):
        fetched(sec, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_time_without_a_zone_is_waited_for_as_well(sec: Service, tmp_path: Path) -> None:
    sec.refusals = [(429, "Wed, 21 Oct 2015 07:28:00 -0000")]
    assert fetched(sec, tmp_path).requests == 4
