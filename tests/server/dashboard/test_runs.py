"""The list of runs and a run's page: who sees which, and what stands there."""

from __future__ import annotations

import pytest

from core.access import Role
from core.run import ModelSpec
from core.trajectory import ModelCall, StopReason, Usage
from server.dashboard import runs
from server.store import Repository
from tests.analysis.page import parse
from tests.server.dashboard.conftest import Visit
from tests.server.dashboard.stories import CARRIERS, asked, begun, explore, finished, item_ids, turn
from tests.server.support import START, draft


def test_without_a_token_there_is_no_list_and_no_run(visit: Visit, store: Repository) -> None:
    run = finished(store)
    for path in ("/runs", f"/runs/{run.id}", f"/runs/{run.id}/live"):
        answer = visit(None).get(path)
        assert (answer.status_code, answer.headers["location"][:6]) == (303, "/enter")


@pytest.mark.parametrize("role", ["reader", "harness"])
def test_who_is_no_admin_sees_finished_runs_alone(
    visit: Visit, store: Repository, role: Role
) -> None:
    done, going = finished(store, 1), begun(store, 2)
    explore(store, going, ends=False)
    shown = visit(role).get("/runs").text
    assert done.id in shown
    assert going.id not in shown
    # The same answer as for a run that there is not.
    refused = visit(role).get(f"/runs/{going.id}")
    missing = visit(role).get("/runs/20260131-flights-none")
    assert refused.status_code == missing.status_code == 404
    assert going.id not in refused.text
    assert visit(role).get(f"/runs/{going.id}/live").status_code == 404


def test_an_admin_sees_all_with_their_state(visit: Visit, store: Repository) -> None:
    finished(store, 1)
    explore(store, begun(store, 2), ends=False)
    begun(store, 3)
    page = parse(visit("admin").get("/runs").text)
    rows = page.one("table").all("tr")[1:]
    assert [row.one("th").text for row in rows] == [f"20260131-flights-s00{k}" for k in (3, 2, 1)]
    assert [row.all("td")[0].words for row in rows] == ["not begun", "under way", "finished"]


def test_long_lists_are_paged_and_lose_none(
    visit: Visit, store: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "MOST", 2)
    for number in range(1, 6):
        finished(store, number, carriers=("01",))
    client, found = visit("reader"), []
    path: str | None = "/runs"
    while path:
        page = parse(client.get(path).text)
        found += [row.one("th").text for row in page.one("table").all("tr")[1:]]
        older = [a for a in page.all("a") if a.get("rel") == "next"]
        path = older[0].get("href") if older else None
    assert found == [f"20260131-flights-s00{k}" for k in (5, 4, 3, 2, 1)]


def test_a_run_tells_how_far_each_entity_is_and_why_it_stopped(
    visit: Visit, store: Repository
) -> None:
    run = begun(store, 1, carriers=("01", "02", "03"))
    explore(store, run, "01")
    broken = store.start_trajectory(draft(run, "02"))
    store.add_turn(broken.id, turn(1, []))
    store.end_trajectory(broken.id, StopReason.PROVIDER_ERROR, ended_at=START, error="429 <script>")
    answer = visit("admin").get(f"/runs/{run.id}")
    page = parse(answer.text)
    rows = {row.get("id"): row for row in page.one("tbody", None).above("table").all("tr")[1:]}
    assert [cell.words for cell in rows["row-01-1"].all("td")[:4]] == ["finished", "3", "3", "yes"]
    assert "provider error" in rows["row-02-1"].words
    assert "429 <script>" in rows["row-02-1"].words
    assert rows["row-03-1"].all("td")[0].words == "not begun"
    assert "<script>" not in answer.text.replace('<script type="application/json">', "")
    assert "1 finished (by itself), 1 provider error" in " ".join(page.words.split())
    assert [a.get("href") for a in rows["row-01-1"].all("a")] == [f"/trajectories/{run.id}/01"]


def test_what_an_agent_without_a_model_spent_is_none_and_what_is_unknown_is_no_zero(
    visit: Visit, store: Repository
) -> None:
    plain = begun(store, 1, carriers=("01",))
    explore(store, plain)
    model = ModelSpec(provider="openai", name="gpt-x")
    paid = begun(store, 2, carriers=("01",), agent="react", model=model)
    mine = store.start_trajectory(draft(paid, "01"))
    for index, cost in ((1, 0.25), (2, None)):
        call = ModelCall(
            role="agent",
            model_asked="gpt-x",
            usage=Usage(cost_usd=cost),
            started_at=START,
            duration_s=1.0,
        )
        store.add_turn(mine.id, turn(index, [], call=call))
    client = visit("admin")
    rows = parse(client.get("/runs").text).one("table").all("tr")[1:]
    assert [row.all("td")[4].words for row in rows] == ["at least $0.2500", "none"]
    tiles = parse(client.get(f"/runs/{paid.id}").text).one("dl", "tiles").words
    assert "at least $0.2500" in tiles


@pytest.mark.usefixtures("installed")
def test_a_judged_run_shows_its_curve_and_the_threshold_that_nobody_was_told(
    visit: Visit, store: Repository
) -> None:
    run = finished(store)
    page = parse(visit("reader").get(f"/runs/{run.id}").text)
    figure = page.by_id("curve")
    assert "nobody was told a budget" in figure.words
    # One item of each carrier is found, at the first of three turns; then nothing more.
    share = sum(1 / len(item_ids(carrier)) for carrier in CARRIERS) / len(CARRIERS)
    values = [(row.one("th").text, row.one("td").text) for row in figure.all("tr")[1:]]
    assert values == [(str(place), f"{100 * share:.1f}%") for place in (1, 2, 3)]


@pytest.mark.usefixtures("installed")
def test_a_page_of_a_run_asks_the_store_little(visit: Visit, store: Repository) -> None:
    run = finished(store)
    client = visit("reader")
    for path in (f"/runs/{run.id}", "/runs"):
        with asked(store) as statements:
            assert client.get(path).status_code == 200
        assert 0 < len(statements) <= 10
