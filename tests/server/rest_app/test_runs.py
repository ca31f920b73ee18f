"""Runs over REST: made, listed, shown, configured and closed."""

from __future__ import annotations

from typing import Any

import pytest

from core.run import Limits
from server.secret import token_hash
from server.store.seats import Seats
from tests.server.rest_app.api import Api, Episode, kind, problem

pytestmark = pytest.mark.real


# Making one


def test_a_run_has_a_seat_for_each_entity_and_trial_with_a_token_of_its_own(api: Api) -> None:
    made = api.make_run(entities=["07", "03"], trials=2)
    keys = [(key["entity"], key["trial"]) for seat in made["seats"] for key in seat["keys"]]
    assert keys == [("03", 1), ("07", 1), ("03", 2), ("07", 2)]
    assert len({seat["token"] for seat in made["seats"]}) == 4
    for seat in made["seats"]:
        assert seat["url"] == f"{api.url}/r/{seat['path']}/mcp"
        state = Seats(api.store).at(seat["path"])
        assert state is not None and state.seat.token_hash == token_hash(seat["token"])


def test_a_queue_has_one_seat_for_each_trial(api: Api) -> None:
    made = api.make_run(entities=["03", "07"], trials=2, queue=True)
    assert [len(seat["keys"]) for seat in made["seats"]] == [2, 2]


def test_what_was_asked_for_is_kept(api: Api) -> None:
    made = api.make_run(
        agent="asked 1",
        entities="sample:2",
        seed=5,
        tools="sql",
        limits={"max_turns": 9, "max_seconds": 60},
        has_shell=True,
        has_web=False,
        idle_s=90,
    )
    spec = api.store.run(made["run"])
    assert spec.outside is not None
    assert (spec.agent, len(spec.entity_ids), spec.seed) == ("asked 1", 2, 5)
    assert spec.limits == Limits(max_turns=9, max_seconds=60)
    assert (spec.outside.has_shell, spec.outside.has_web) == (True, False)
    assert (spec.outside.idle_s, spec.outside.enrolled_by) == (90, "harness")
    assert api.get("harness", f"/runs/{made['run']}")["agent_class"] == "outside with shell"


@pytest.mark.parametrize(
    ("body", "said", "told"),
    [
        ({"scenario": "fligths"}, "unknown-name", "'fligths'; known: destinations, "),
        ({"scenario": "../../etc"}, "unknown-name", "unknown scenario"),
        ({"scenario": "incidents"}, "not-built", "`scenarios build incidents`"),
        ({"entities": ["03", "99"]}, "unknown-name", "unknown carrier '99'; known: 01, 02"),
        ({"entities": "sample:17"}, "refused", "a number from 1 to 16"),
        ({"entities": []}, "invalid", "body.entities"),
        ({"entities": ""}, "refused", "no carrier was named"),
        ({"agent": "react"}, "refused", "give another name"),
        ({"agent": "two\nlines"}, "refused", "one line of printable characters"),
        ({"agent": "x" * 65}, "refused", "at most 64 characters"),
        ({"trials": 0}, "invalid", "body.trials"),
        ({"trials": 1_000, "entities": "all"}, "refused", "a run has at most 10000"),
        ({"limits": {"max_turn": 3}}, "invalid", "body.limits.max_turn: Extra inputs"),
        ({"limits": {"max_turns": 0}}, "invalid", "body.limits.max_turns"),
        ({"tools": "bash"}, "invalid", "body.tools"),
        ({"token": "mine"}, "invalid", "body.token: Extra inputs are not permitted"),
        ({"seed": -1}, "invalid", "body.seed"),
        ({"goal": "dataset"}, "refused", "goal"),
    ],
)
def test_what_cannot_be_made_is_refused_with_the_way_out(
    api: Api, body: dict[str, Any], said: str, told: str
) -> None:
    before = len(api.store.run_ids())
    asked = {"scenario": "flights", "agent": "tester", "entities": ["03"], **body}
    answer = api.ask("harness", "POST", "/runs", json=asked)
    wrong = problem(answer, 409 if said == "not-built" else 422)
    assert wrong["type"].endswith(f":{said}") and told in wrong["detail"]
    assert str(api.home) not in answer.text
    assert len(api.store.run_ids()) == before


def test_each_wrong_field_is_named(api: Api) -> None:
    answer = api.ask("harness", "POST", "/runs", json={"agent": "", "trials": "many"})
    errors = problem(answer, 422)["errors"]
    assert {each["where"] for each in errors} == {"body.scenario", "body.agent", "body.trials"}


def test_a_body_that_is_no_json_is_refused(api: Api) -> None:
    for content, mime in [
        (b"agent=me", "application/x-www-form-urlencoded"),
        (b"{", "application/json"),
        (b"[" * 50_000, "application/json"),
        (b"\xff\xfe", "application/json"),
        (b'{"scenario": ' + b"9" * 5_000 + b"}", "application/json"),
        (b"", "application/json"),
    ]:
        headers = {"Content-Type": mime}
        answer = api.ask("harness", "POST", "/runs", content=content, headers=headers)
        problem(answer, answer.status_code)
        assert answer.status_code in (400, 422)


# Reading them


def test_runs_come_the_newest_first_a_page_at_a_time(api: Api) -> None:
    made = [api.make_run(who="admin")["run"] for _ in range(3)]
    found: list[str] = []
    after: dict[str, str] = {}
    while True:
        page = api.get("admin", "/runs", params={"limit": 2, **after})
        assert len(page["runs"]) <= 2
        found += [run["run"] for run in page["runs"]]
        if page["next"] is None:
            break
        after = {"after": page["next"]}
    assert found[:3] == made[::-1]
    assert len(found) == len(set(found)) == len(api.store.run_ids())


def test_a_page_is_full_even_where_others_runs_lie_between(api: Api, finished: Episode) -> None:
    for _ in range(3):
        api.make_run(who="admin")
    page = api.get("reader", "/runs", params={"limit": 1})
    assert len(page["runs"]) == 1 and page["runs"][0]["is_finished"]


def test_an_unknown_place_in_the_list_has_nothing_behind_it(api: Api) -> None:
    assert api.get("admin", "/runs?after=none") == {"runs": [], "next": None}


def test_a_run_says_how_far_it_is(api: Api) -> None:
    made = api.make_run(entities=["03", "07"], has_shell=False)
    first = api.at(made["seats"][0])

    def state() -> tuple[int, ...]:
        said = api.get("harness", f"/runs/{made['run']}")
        return tuple(said[name] for name in ("wanted", "begun", "open", "ended"))

    assert state() == (2, 0, 0, 0)
    first.step("execute_query", query="SELECT 1")
    assert state() == (2, 1, 1, 0)
    first.step("finish", report="Nothing stands out.")
    assert state() == (2, 1, 0, 1)
    api.post("harness", f"/runs/{made['run']}/close")
    said = api.get("reader", f"/runs/{made['run']}")
    assert said["stop_reasons"] == {"finished": 1, "no_contact": 1} and said["is_finished"]
    assert (said["has_shell"], said["has_web"], said["from_outside"]) == (False, None, True)
    assert said["mine"] is False


@pytest.mark.parametrize("run", ["last", "2026", "x" * 300, "%2e%2e", "%00", "é"])
def test_a_run_goes_by_its_whole_id_alone(api: Api, finished: Episode, run: str) -> None:
    answer = api.ask("admin", "GET", f"/runs/{run}")
    assert kind(answer, 404) == "no-such-run"
    assert finished.run not in answer.text


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=x", "limit=" + "9" * 5_000])
def test_a_page_has_its_bounds(api: Api, query: str) -> None:
    assert kind(api.ask("admin", "GET", f"/runs?{query}"), 422) == "invalid"


# Configurations


def test_a_configuration_has_the_seats_address_and_the_tokens_place(api: Api) -> None:
    made = api.make_run(entities=["03", "07"])
    told = api.get("harness", f"/runs/{made['run']}/configurations?client=opencode")
    assert told["command"].startswith("opencode run") and told["next"] is None
    for seat, mine in zip(told["seats"], made["seats"], strict=True):
        (file,) = seat["files"]
        assert (file["path"], seat["keys"]) == ("opencode.json", mine["keys"])
        assert mine["url"] in file["text"] and "Bearer $DDR_TOKEN" in file["text"]
        assert mine["token"] not in file["text"]


def test_configurations_come_a_page_at_a_time(api: Api) -> None:
    made = api.make_run(entities=["03", "07"], trials=2)
    path = f"/runs/{made['run']}/configurations?client=codex&limit=3"
    first = api.get("harness", path)
    rest = api.get("harness", f"{path}&after={first['next']}")
    paths = [seat["path"] for seat in (*first["seats"], *rest["seats"])]
    assert paths == [seat["path"] for seat in made["seats"]] and rest["next"] is None


def test_an_unknown_client_lists_those_that_are_known(api: Api) -> None:
    made = api.make_run()
    answer = api.ask("harness", "GET", f"/runs/{made['run']}/configurations?client=emacs")
    wrong = problem(answer, 422)
    assert "unknown client 'emacs'; known: opencode, codex" in wrong["detail"]
    missing = api.ask("harness", "GET", f"/runs/{made['run']}/configurations")
    assert "query.client" in problem(missing, 422)["detail"]


# Closing


def test_a_closed_run_takes_nothing_more_and_closing_it_again_changes_nothing(api: Api) -> None:
    made = api.make_run(entities=["03", "07"])
    seat = api.at(made["seats"][0])
    seat.step("execute_query", query="SELECT 1")
    closed = api.post("harness", f"/runs/{made['run']}/close")
    assert closed["stop_reasons"] == {"abandoned": 1, "no_contact": 1}
    assert api.post("harness", f"/runs/{made['run']}/close") == closed
    after = seat.step("execute_query", query="SELECT 1")
    assert after["is_error"] and after["done"]
    assert len(api.store.trajectories(made["run"])) == 2


def test_scenarios_are_named_without_a_word_about_their_places(api: Api) -> None:
    answer = api.ask("reader", "GET", "/scenarios")
    (flights,) = [s for s in answer.json()["scenarios"] if s["scenario"] == "flights"]
    assert flights == {
        "scenario": "flights",
        "title": "A year of flights by sixteen carriers",
        "noun": "carrier",
        "is_built": True,
        "entities": 16,
        "is_restricted": False,
    }
    (patients,) = [s for s in answer.json()["scenarios"] if s["scenario"] == "patients"]
    assert (patients["is_built"], patients["entities"], patients["is_restricted"]) == (
        False,
        None,
        True,
    )
    assert str(api.home) not in answer.text and "checklist" not in answer.text
