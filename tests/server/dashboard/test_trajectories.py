"""A trajectory's page: the story for readers, the checklist for admins, the source of each number."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from core.trajectory import StopReason
from server.dashboard import trajectories
from server.dashboard.sources import sources
from server.dashboard.telling import told
from server.store import Repository
from server.store.figures import Figures
from tests.analysis.page import Element, parse
from tests.server.dashboard.conftest import Visit, crowd
from tests.server.dashboard.stories import (
    CHECKLIST,
    FIRST,
    QUOTE,
    ROWS,
    asked,
    begun,
    explore,
    finished,
    item_ids,
    turn,
)
from tests.server.support import START, draft


def test_without_a_token_there_is_none(visit: Visit, store: Repository) -> None:
    run = finished(store)
    assert visit(None).get(f"/trajectories/{run.id}/01").status_code == 303
    assert visit(None).get(f"/trajectories/{run.id}/01?part=sources").status_code == 303


def test_one_of_a_run_that_goes_on_is_for_admins(visit: Visit, store: Repository) -> None:
    going = begun(store, 2)
    explore(store, going, ends=False)
    path = f"/trajectories/{going.id}/01"
    for role in ("reader", "harness"):
        for part in ("", "?part=sources"):
            assert visit(role).get(path + part).status_code == 404
    assert FIRST.split(",")[0][-8:] in visit("admin").get(path).text


@pytest.mark.usefixtures("installed")
def test_an_admin_sees_the_checklist_and_a_readers_page_has_none_of_its_text(
    visit: Visit, store: Repository
) -> None:
    run = finished(store)
    path = f"/trajectories/{run.id}/01"
    full, plain = visit("admin").get(path).text, visit("reader").get(path).text
    page = parse(full)
    for item in CHECKLIST.of("01"):
        assert page.by_id(f"item-{item.id}")
        text = parse(plain).text
        for secret in (item.question, item.answer, item.evidence_sql or item.answer):
            assert " ".join(secret.split()) not in " ".join(text.split())
        assert item.id not in plain
    assert "first support" not in plain.lower()
    counts = parse(plain).one("aside", "counts").all("tr")[1:]
    assert sum(int(row.all("td")[0].text) for row in counts) == len(item_ids())
    assert sum(int(row.all("td")[1].text) for row in counts) == 1


@pytest.mark.usefixtures("installed")
def test_an_item_leads_to_its_turn_and_its_words(visit: Visit, store: Repository) -> None:
    run = finished(store)
    page = parse(visit("admin").get(f"/trajectories/{run.id}/01").text)
    card = page.by_id(f"item-{item_ids()[0]}")
    (quote, _) = [a.get("href") for a in card.all("p", "quote")[0].all("a")] * 2
    assert quote == f"#turn-1/item-{item_ids()[0]}"
    mark = page.by_id(str(quote)[1:])
    assert mark.text == QUOTE
    assert mark.above("article").get("id") == "turn-1"


def test_sql_is_coloured_and_hostile_text_stays_text(visit: Visit, store: Repository) -> None:
    run = begun(store, 1, carriers=("01",))
    explore(store, run, texts=("<script>alert(1)</script> of 12.5", "b", "c"))
    page = parse(visit("reader").get(f"/trajectories/{run.id}/01").text)
    source = page.all("pre", "source")[0]
    assert source.all("b")[0].text == "SELECT"
    assert source.text.endswith("-- <b>")
    assert page.all("div", "insight")[0].text == "<script>alert(1)</script> of 12.5"
    assert all(each.get("src") or each.get("type") for each in page.all("script"))


@pytest.mark.usefixtures("installed")
def test_in_a_crowd_no_story_is_told_and_what_costs_little_waits_for_nobody(
    visit: Visit, store: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, reader = finished(store), visit("reader")
    path = f"/trajectories/{run.id}/01"
    with crowd() as busy:
        monkeypatch.setattr(trajectories, "_WORK", busy)
        for part in ("", "?part=sources"):
            refused = reader.get(path + part)
            assert refused.status_code == 503
            assert "Busy: try again in a moment." in refused.text
        assert reader.get(f"{path}?part=figure").status_code == 404  # it drew none
        assert reader.get(f"/runs/{run.id}").status_code == 200
    for part in ("", "?part=sources"):
        assert reader.get(path + part).status_code == 200


@pytest.mark.usefixtures("installed")
def test_several_readers_at_once_are_served_one_after_the_other(
    visit: Visit, store: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, client, lock = finished(store), visit("reader"), threading.Lock()
    overlaps = [0]

    def alone(work: Callable[..., Any]) -> Callable[..., Any]:
        def done(*args: Any, **options: Any) -> Any:
            overlaps[0] += not lock.acquire(blocking=False)
            time.sleep(0.02)  # long enough for the others to come
            try:
                return work(*args, **options)
            finally:
                lock.release()

        return done

    monkeypatch.setattr(trajectories, "told", alone(told))
    monkeypatch.setattr(trajectories, "sources", alone(sources))
    paths = [f"/trajectories/{run.id}/01{part}" for part in ("", "?part=sources")] * 6
    with ThreadPoolExecutor(12) as pool:
        statuses = [answer.status_code for answer in pool.map(client.get, paths)]
    assert (statuses, overlaps[0]) == ([200] * 12, 0)


@pytest.mark.usefixtures("installed")
def test_each_number_leads_to_the_cell_it_stands_in(visit: Visit, store: Repository) -> None:
    run = finished(store)
    client = visit("reader")
    page = parse(client.get(f"/trajectories/{run.id}/01").text)
    found = client.get(f"/trajectories/{run.id}/01?part=sources").json()
    claims = page.all("a", "claim")
    assert {str(a.get("href"))[1:] for a in claims} == {a.get("id") for a in claims} == set(found)
    by_text = {a.text: found[str(a.get("id"))] for a in claims if "turn-" in str(a.get("id"))}
    shown = by_text["12.5 min"]
    assert shown["said"] == "turn 1, result of the query, column mean"
    assert (shown["href"], shown["turn"], shown["state"]) == ("#turn-1", 1, "observed")
    assert [_cell(page, place) for place in shown["places"]] == ["12.5"]


@pytest.mark.usefixtures("installed")
def test_a_difference_leads_to_both_of_its_figures(visit: Visit, store: Repository) -> None:
    run = finished(store)
    client = visit("reader")
    page = parse(client.get(f"/trajectories/{run.id}/01").text)
    found = client.get(f"/trajectories/{run.id}/01?part=sources").json()
    derived = found["turn-1/number-2"]
    assert derived["state"] == "derived"
    assert derived["said"].endswith("difference of 12.5 and 7.75")
    assert sorted(_cell(page, place) for place in derived["places"]) == ["12.5", "7.75"]


@pytest.mark.usefixtures("installed")
def test_a_number_that_was_never_shown_has_no_source(visit: Visit, store: Repository) -> None:
    run = finished(store)
    found = visit("reader").get(f"/trajectories/{run.id}/01?part=sources").json()
    (lost,) = [each for name, each in found.items() if name.startswith("turn-3")]
    assert lost["state"] == "not found"
    assert lost["said"].startswith("no source found")
    assert lost["href"] is None


def _cell(page: Element, place: dict[str, int]) -> str:
    call = page.by_id("turn-1").all("details", "call")[place["call"] - 1]
    table = call.all("table", "result")[place["table"]]
    cell = table.one("tbody").all("tr")[place["row"]].all("td")[place["column"]]
    return cell.text


def test_of_restricted_data_a_reader_sees_no_row_and_no_figure_of_a_result(
    visit: Visit, store: Repository
) -> None:
    run = begun(store, 1, scenario_id="patients", carriers=("9",))
    explore(store, run, "9")
    path = f"/trajectories/{run.id}/9"
    plain = visit("reader").get(path)
    assert plain.status_code == 200
    assert "52000" not in plain.text
    assert "52000" in visit("admin").get(path).text
    assert visit("reader").get(f"{path}?part=sources").status_code == 403
    assert visit("admin").get(f"{path}?part=sources").status_code == 200


def test_a_scenario_that_is_not_known_any_more_counts_as_restricted(
    visit: Visit, store: Repository
) -> None:
    run = begun(store, 1, scenario_id="gone", carriers=("9",))
    explore(store, run, "9")
    assert "52000" not in visit("reader").get(f"/trajectories/{run.id}/9").text


def test_an_attempt_can_be_named_and_the_latest_is_shown_else(
    visit: Visit, store: Repository
) -> None:
    run = begun(store, 1, carriers=("01",))
    lost = store.start_trajectory(draft(run, "01"))
    store.add_turn(lost.id, turn(1, [], text="The first attempt."))
    store.end_trajectory(lost.id, StopReason.CANCELLED, ended_at=START)
    explore(store, run)
    client = visit("admin")
    path = f"/trajectories/{run.id}/01"
    assert "The first attempt." not in client.get(path).text
    assert "attempt 2 of 2" in client.get(path).text
    assert "The first attempt." in client.get(f"{path}?attempt=1").text
    for missing in (f"{path}?attempt=3", f"{path}?trial=2", f"/trajectories/{run.id}/99"):
        assert client.get(missing).status_code == 404


def test_a_long_one_is_paged_by_turns(
    visit: Visit, store: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = begun(store, 1, carriers=("01",))
    explore(store, run, turns=25)
    monkeypatch.setattr(trajectories, "TURNS", 10)
    client, path = visit("reader"), f"/trajectories/{run.id}/01"
    seen: list[int] = []
    following: str | None = path
    while following:
        page = parse(client.get(following).text)
        seen += [int(a.text) for a in page.all("a", "index")]
        more = [
            a for a in page.all("a") if a.get("rel") == "next" and "first=" in str(a.get("href"))
        ]
        following = path + str(more[0].get("href")) if more else None
    assert seen == list(range(1, 26))


def test_a_page_of_one_asks_the_store_little_and_nothing_of_other_trajectories(
    visit: Visit, store: Repository
) -> None:
    run = finished(store)
    client = visit("admin")
    with asked(store) as statements:
        assert client.get(f"/trajectories/{run.id}/01").status_code == 200
    assert 0 < len(statements) <= 10


def test_what_is_shown_as_rows_is_what_was_seen(visit: Visit, store: Repository) -> None:
    run = begun(store, 1, carriers=("01",))
    explore(store, run)
    page = parse(visit("admin").get(f"/trajectories/{run.id}/01").text)
    rows = page.by_id("turn-1").one("table", "result").one("tbody").all("tr")
    assert [[cell.text for cell in row.all("td")] for row in rows] == [
        [str(value) for value in row] for row in ROWS
    ]


@pytest.mark.usefixtures("installed")
def test_what_a_cell_drew_stands_with_it_for_those_who_may_see_what_it_answered(
    visit: Visit, store: Repository
) -> None:
    png = b"\x89PNG\r\n\x1a\n of the test's own"
    for number, scenario in ((1, "flights"), (2, "patients")):
        run = begun(store, number, scenario_id=scenario, carriers=("01",))
        mine = explore(store, run)
        Figures(store).add(mine.id, mine_text(store, mine.id), [png])
        page = parse(visit("admin").get(f"/trajectories/{run.id}/01").text)
        (image,) = page.all("img")
        assert image.above("article").get("id") == "turn-1"
        assert image.get("alt") == "Figure 1 of 1 that this cell drew"
        path = f"/trajectories/{run.id}/01{image.get('src')}"
        answer = visit("admin").get(path)
        assert (answer.content, answer.headers["content-type"]) == (png, "image/png")
        assert visit("admin").get(path.replace("number=1", "number=2")).status_code == 404
        assert visit(None).get(path).status_code == 303
        plain = visit("reader").get(path)
        assert plain.status_code == (200 if scenario == "flights" else 403)


def mine_text(store: Repository, trajectory_id: str) -> str:
    """What its first call answered."""
    return store.trajectory(trajectory_id).turns[0].tool_results[0].text
