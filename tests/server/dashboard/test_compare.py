"""Two trajectories side by side: whose may be chosen, and what of the checklist is shown to whom."""

from __future__ import annotations

import pytest

from server.dashboard import compare
from server.store import Repository
from tests.analysis.page import parse
from tests.server.dashboard.conftest import Visit, crowd
from tests.server.dashboard.stories import (
    CHECKLIST,
    asked,
    begun,
    explore,
    finished,
    item_ids,
    modelled,
)


def test_runs_that_somebody_may_not_see_are_not_offered(visit: Visit, store: Repository) -> None:
    done, going = finished(store, 1), begun(store, 2)
    explore(store, going, ends=False)
    assert visit(None).get("/compare").status_code == 303
    shown = visit("reader").get("/compare").text
    assert done.id in shown
    assert going.id not in shown
    hidden = visit("reader").get(f"/compare?left={done.id}&right={going.id}&entity=01")
    assert hidden.status_code == 404
    assert going.id in visit("admin").get("/compare").text


def test_both_stories_stand_side_by_side_with_places_of_their_own(
    visit: Visit, store: Repository
) -> None:
    one, other = modelled(store, 1, "gpt-a"), modelled(store, 2, "gpt-b")
    answer = visit("reader").get(f"/compare?left={one.id}&right={other.id}&entity=01")
    page = parse(answer.text)
    assert page.by_id("left/turn-1") is not page.by_id("right/turn-1")
    assert [h.words for h in page.all("h2")][-2:] == [
        f"openai/gpt-a {one.id}",
        f"openai/gpt-b {other.id}",
    ]
    ids = [each.get("id") for each in page.walk() if each.get("id")]
    assert len(ids) == len(set(ids))


def test_stories_are_told_one_pair_at_a_time_and_the_choice_waits_for_nobody(
    visit: Visit, store: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = modelled(store, 1, "gpt-a"), modelled(store, 2, "gpt-b")
    path, reader = f"/compare?left={one.id}&right={other.id}", visit("reader")
    with crowd() as busy:
        monkeypatch.setattr(compare, "_WORK", busy)
        assert reader.get(path).status_code == 200
        refused = reader.get(f"{path}&entity=01")
        assert refused.status_code == 503
        assert "Busy: try again in a moment." in refused.text
    assert reader.get(f"{path}&entity=01").status_code == 200


@pytest.mark.usefixtures("installed")
def test_item_by_item_is_for_admins(visit: Visit, store: Repository) -> None:
    one, other = finished(store, 1), finished(store, 2)
    path = f"/compare?left={one.id}&right={other.id}&entity=01"
    page = parse(visit("admin").get(path).text)
    table = page.by_id("items-h").above("section").one("table")
    assert len(table.all("tr")) == 1 + len(item_ids())
    (first,) = [row for row in table.all("tr")[1:] if row.all("a")]
    links = [str(link.get("href")) for link in first.all("a")]
    assert [link.partition("/item-")[0] for link in links] == ["#left/turn-1", "#right/turn-1"]
    plain = visit("reader").get(path).text
    for item in CHECKLIST.of("01"):
        assert item.id not in plain
        assert item.answer not in parse(plain).text


def test_only_entities_that_both_have_begun_can_be_chosen(visit: Visit, store: Repository) -> None:
    one, other = finished(store, 1), finished(store, 2, carriers=("02", "03"))
    page = parse(visit("reader").get(f"/compare?left={one.id}&right={other.id}").text)
    chosen = [select for select in page.all("select") if select.get("name") == "entity"]
    assert [option.get("value") for option in chosen[0].all("option")] == ["", "02"]
    third = finished(store, 3, carriers=("04",))
    none = visit("reader").get(f"/compare?left={one.id}&right={third.id}").text
    assert "no entity in common" in none


def test_runs_of_two_scenarios_are_refused(visit: Visit, store: Repository) -> None:
    one = finished(store, 1)
    other = begun(store, 2, scenario_id="gone", carriers=("01",))
    explore(store, other)
    answer = visit("reader").get(f"/compare?left={one.id}&right={other.id}")
    assert answer.status_code == 422


def test_the_page_asks_the_store_little(visit: Visit, store: Repository) -> None:
    one, other = finished(store, 1), finished(store, 2)
    client = visit("admin")
    with asked(store) as statements:
        answer = client.get(f"/compare?left={one.id}&right={other.id}&entity=01")
        assert answer.status_code == 200
    assert 0 < len(statements) <= 10
