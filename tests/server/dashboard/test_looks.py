"""The page on where a run looked and when it stopped: for finished runs, with figures and their values."""

from __future__ import annotations

import pytest

from databases.catalog import InstalledScenario
from server.store import Repository
from tests.analysis.page import parse
from tests.server.dashboard.conftest import Visit
from tests.server.dashboard.stories import CHECKLIST, begun, explore, finished, modelled


@pytest.mark.usefixtures("installed")
def test_a_finished_run_has_its_figures_and_their_values(
    visit: Visit, store: Repository, flights: InstalledScenario
) -> None:
    run = finished(store, scenario_fingerprint=flights.scenario.fingerprint)
    client = visit("reader")
    answer = client.get(f"/runs/{run.id}/looks")
    assert answer.status_code == 200
    page = parse(answer.text)
    images = [str(image.get("src")) for image in page.all("img")]
    assert [each.rpartition("/")[2] for each in images] == [
        "heat.svg",
        "points.svg",
        "turns.svg",
        "stopping.svg",
    ]
    for each in images:
        figure = client.get(each)
        assert figure.headers["content-type"] == "image/svg+xml"
        assert "default-src 'none'" in figure.headers["content-security-policy"]
        assert b"<svg" in figure.content
        assert b"<script" not in figure.content
    assert client.get(f"/runs/{run.id}/looks/other.svg").status_code == 404
    stops = [t for t in page.all("div", "scroll") if t.get("aria-label") == "endings"]
    cells = [td.text for td in stops[0].one("tbody").one("tr").all("td")]
    assert cells[2:5] == ["own", "2", "3"]
    for item in CHECKLIST.items:
        assert item.question not in page.text


def test_what_cannot_be_worked_out_says_why_and_the_rest_stands(
    visit: Visit, store: Repository
) -> None:
    run = modelled(store, 1, "gpt-a")
    page = parse(visit("reader").get(f"/runs/{run.id}/looks").text)
    told = " ".join(note.words for note in page.all("p", "note"))
    assert "Where it looked:" in told
    assert page.by_id("stopping")


def test_a_run_that_goes_on_has_none(visit: Visit, store: Repository) -> None:
    run = begun(store, 1)
    explore(store, run, ends=False)
    for path in (f"/runs/{run.id}/looks", f"/runs/{run.id}/looks/heat.svg"):
        assert visit(None).get(path).status_code == 303
        assert visit("reader").get(path).status_code == 404
        assert visit("admin").get(path).status_code == 409
