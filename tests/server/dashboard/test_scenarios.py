"""Pages of scenarios: figures as they are, and how to connect, with nothing of the machine."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from checklists.loader import load
from databases.catalog import InstalledScenario, scenario_ids
from server import configurations
from server.scenario_facts import facts_of
from server.settings import Settings
from tests.server.dashboard.conftest import ORIGIN, Visit


@pytest.fixture
def settings(own_flights_home: Path) -> Settings:
    return Settings(own_flights_home)


def copied(page: str) -> list[str]:
    """The texts that can be copied."""
    return [html.unescape(each) for each in re.findall(r"<pre id=[^>]*>(.*?)</pre>", page, re.S)]


def test_every_scenario_is_listed_with_what_is_known_of_it(
    visit: Visit, settings: Settings
) -> None:
    page = visit(None).get("/scenarios").text
    for name in scenario_ids(settings.home):
        assert f'href="/scenarios/{name}"' in page
    first, *others = page.split("<tbody>")[1].split("<tr>")[1:]
    assert "flights" in first and "not built" not in first
    for figure in ("16", "5", "367,687"):
        assert f">{figure}</td>" in first
    assert all("not built here" in other for other in others)
    assert page.count('<span class="badge bad">restricted</span>') == 2  # patients, wearables


def test_a_page_has_the_figures_of_table_1_and_the_terms(
    visit: Visit, flights: InstalledScenario, settings: Settings
) -> None:
    page = visit(None).get("/scenarios/flights").text
    facts = facts_of(flights, settings)
    items = sum(item.status == "accepted" for item in load("flights").items)
    assert (facts.entities, facts.items) == (16, items)
    assert facts.size == flights.database_path.stat().st_size
    for figure in (facts.entities, facts.records, facts.fields, facts.items):
        assert f"<dd>{figure:,}</dd>" in page
    assert "<dt>carriers</dt>" in page
    assert "CC0-1.0" in page
    assert flights.scenario.fingerprint in copied(page)
    assert "Explore the database and report what stands out about carrier ID." in page


def test_each_client_can_be_copied_with_this_servers_address(visit: Visit) -> None:
    page = visit(None).get("/scenarios/flights").text
    texts = copied(page)
    for client in configurations.CLIENTS.values():
        for file in configurations.files_of(client, f"{ORIGIN}/r/PATH/mcp", None):
            assert file.text.strip() in [text.strip() for text in texts]
        assert client.command in texts
    (request,) = [text for text in texts if text.startswith("curl")]
    assert f"{ORIGIN}/api/runs" in request
    assert '"scenario": "flights"' in request


def test_the_commands_are_ones_that_the_program_knows(visit: Visit) -> None:
    from tests.support import pages
    from tests.test_docs import faults

    page = visit(None).get("/scenarios/flights").text
    typed = [text for text in copied(page) if text.startswith("ddr ")]
    assert len(typed) == 2
    for text in typed:
        (found,) = pages.command_in(pages.ROOT / "README.md", text)
        assert list(faults(found)) == []


def test_nobody_is_told_the_tables_nor_anything_of_the_checklist_and_the_machine(
    visit: Visit, settings: Settings
) -> None:
    public, reader = (visit(role).get("/scenarios/flights").text for role in (None, "reader"))
    assert "<code>airports</code>" in reader and "<code>airports</code>" not in public
    for page in (public, reader, visit("admin").get("/scenarios").text):
        assert str(settings.home) not in page
        for item in load("flights").items:
            assert html.escape(item.question) not in page
            assert html.escape(item.answer) not in page


def test_one_that_is_not_built_says_how_and_gives_no_figure(visit: Visit) -> None:
    page = visit(None).get("/scenarios/patients").text
    assert "ddr scenarios build patients" in page
    assert "restricted" in page
    assert "--endpoint-allowed" in page
    assert "<dt>rows</dt>" not in page


@pytest.mark.parametrize("name", ["nowhere", "%2e%2e", "flights%00", "flights/../x", "Flights"])
def test_what_is_no_scenario_is_not_found(name: str, visit: Visit) -> None:
    assert visit(None).get(f"/scenarios/{name}").status_code == 404


def test_one_whose_file_is_wrong_is_left_out_and_tells_no_place(
    visit: Visit, settings: Settings, flights_home: Path
) -> None:
    (settings.home / "scenarios").unlink()
    (settings.home / "scenarios" / "mine").mkdir(parents=True)
    (settings.home / "scenarios" / "mine" / "scenario.toml").write_text("id = 3")
    assert "/scenarios/mine" not in visit(None).get("/scenarios").text
    broken = visit(None).get("/scenarios/mine")
    assert broken.status_code == 503
    assert str(settings.home) not in broken.text and "scenario.toml" not in broken.text


def test_a_database_that_was_damaged_says_so_without_its_place(
    visit: Visit, settings: Settings, flights_home: Path
) -> None:
    import shutil

    (settings.home / "scenarios").unlink()
    shutil.copytree(flights_home / "scenarios" / "flights", settings.home / "scenarios" / "flights")
    (settings.home / "scenarios" / "flights" / "flights.duckdb").write_bytes(b"no database" * 100)
    page = visit(None).get("/scenarios/flights")
    assert page.status_code == 200
    assert "cannot be used as it is" in page.text
    assert str(settings.home) not in page.text
