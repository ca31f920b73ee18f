"""Who may do what: each cell of the table in docs/rest.md is tried."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.runner import utc_now
from server.store.tokens import Tokens
from server.tokens import issue
from tests.server.rest_app.api import Api, Episode, kind

pytestmark = pytest.mark.real

PAGE = Path(__file__).parents[3] / "docs" / "rest.md"
WHO = ("admin", "harness", "reader", "agent", None)
BODIES: dict[str, Any] = {
    "POST /runs": {"scenario": "flights", "agent": "me", "entities": ["03"], "tools": "sql"},
    "POST /episodes": {"scenario": "flights", "entity": "03", "tools": "sql"},
    "POST /runs/{run}/usage": {"reports": [{"entity": "03", "usage": {"input_tokens": 7}}]},
    "POST /episodes/{path}/step": {"tool": "get_task"},
}
QUERIES = {"GET /runs/{run}/configurations": {"client": "mcp"}}


@cache
def table() -> dict[str, tuple[str, ...]]:
    """The page's table: what each may do at each endpoint, without /api."""
    rows = re.findall(
        r"^\| `(GET|POST) /api(/\S+)` \|(.*)\|$", PAGE.read_text("utf-8"), re.MULTILINE
    )
    return {
        f"{m} {path}": tuple(cell.strip() for cell in cells.split("|")) for m, path, cells in rows
    }


CELLS = [
    (endpoint, who, cell)
    for endpoint, cells in table().items()
    for who, cell in zip(WHO, cells, strict=True)
]


def ask(api: Api, endpoint: str, token: str | None, about: Episode) -> httpx.Response:
    """A request that is right in all but, perhaps, who makes it."""
    method, path = endpoint.split()
    path = path.format(run=about.run, entity="03", path=about.path)
    return api.ask(token, method, path, json=BODIES.get(endpoint), params=QUERIES.get(endpoint, {}))


@pytest.mark.parametrize(("endpoint", "who", "cell"), CELLS, ids=str)
def test_each_cell_of_the_table_holds(
    api: Api, finished: Episode, endpoint: str, who: str | None, cell: str
) -> None:
    """Of a run that is over and was made by the harness."""
    token = finished.told["token"] if who == "agent" else who
    answer = ask(api, endpoint, token, finished)
    if cell == "unknown":
        assert kind(answer, 401) == "token"
        assert answer.headers["www-authenticate"] == "Bearer"
    elif cell == "no":
        assert kind(answer, 403) == "role"
    else:
        assert cell in ("yes", "own", "finished", "seat")
        assert answer.status_code < 300 or kind(answer, 404) == "no-evaluation"


def test_the_table_speaks_of_every_endpoint_and_of_no_other(api: Api) -> None:
    document = api.get(None, "/openapi.json")
    served = {
        f"{method.upper()} {path}" for path, item in document["paths"].items() for method in item
    }
    assert set(table()) == served | {"GET /openapi.json"}


@pytest.mark.parametrize(
    "endpoint", [e for e, cells in table().items() if "finished" in cells and "{run}" in e]
)
def test_what_goes_on_is_for_its_harness_and_admins_alone(
    api: Api, going_on: Episode, endpoint: str
) -> None:
    if "events" not in endpoint:  # whose streams have no end here
        assert ask(api, endpoint, "harness", going_on).status_code in (200, 404)
        assert ask(api, endpoint, "admin", going_on).status_code in (200, 404)
    for who in ("reader", "other"):
        assert kind(ask(api, endpoint, who, going_on), 403) == "not-finished"


@pytest.mark.parametrize("endpoint", [e for e, cells in table().items() if "own" in cells])
def test_what_only_the_owner_may_do_another_harness_may_not(
    api: Api, finished: Episode, endpoint: str
) -> None:
    answer = ask(api, endpoint, "other", finished)
    assert kind(answer, 403) == "not-yours"
    assert finished.told["token"] not in answer.text


def test_an_admin_may_close_the_runs_of_others(api: Api, going_on: Episode) -> None:
    assert kind(ask(api, "POST /runs/{run}/close", "other", going_on), 403) == "not-yours"
    closed = ask(api, "POST /runs/{run}/close", "admin", going_on).json()
    assert closed["stop_reasons"] == {"abandoned": 1}


def test_runs_that_go_on_are_listed_for_their_harness_alone(
    api: Api, going_on: Episode, finished: Episode
) -> None:
    def listed(who: str) -> dict[str, bool]:
        return {run["run"]: run["mine"] for run in api.get(who, "/runs?limit=200")["runs"]}

    assert listed("harness")[going_on.run] and listed("admin")[going_on.run]
    for who in ("reader", "other"):
        assert going_on.run not in listed(who) and listed(who)[finished.run] is False


def test_an_agents_token_opens_its_own_seat_and_no_other(api: Api) -> None:
    mine, theirs = api.reset(), api.reset()
    path = f"/episodes/{theirs.path}/step"
    crossed = api.ask(mine.told["token"], "POST", path, json={"tool": "get_task"})
    guessed = api.ask(
        mine.told["token"], "POST", "/episodes/guessed/step", json={"tool": "get_task"}
    )
    assert kind(crossed, 401) == kind(guessed, 401) == "token"
    assert crossed.json() == guessed.json()  # whether there is such a path cannot be told
    assert theirs.step("get_task")["turn"] == 0


@pytest.mark.parametrize(
    "said",
    [
        "Basic YTpi",
        "Bearer",
        "Bearer a b",
        "bearer\tx",
        "",
        "Bearer " + "x" * 10_000,
        "Bearer ddr_\xe9",
    ],
)
def test_what_is_no_token_is_refused(api: Api, said: str) -> None:
    headers = [(b"authorization", said.encode("latin-1"))]
    answer = api.http.get("/runs", headers=headers)
    assert kind(answer, 401) == "token"


def test_two_tokens_at_once_are_none(api: Api) -> None:
    secret = api.secrets["admin"]
    headers = [("Authorization", f"Bearer {secret}"), ("Authorization", "Bearer x")]
    assert kind(api.http.get("/runs", headers=headers), 401) == "token"


def test_the_word_bearer_may_be_spelt_in_any_case(api: Api) -> None:
    answer = api.http.get("/runs", headers={"Authorization": f"bearer {api.secrets['reader']}"})
    assert answer.status_code == 200


def test_a_revoked_token_is_refused_from_the_next_request_on(api: Api) -> None:
    token, secret = issue(api.store, "admin", utc_now())
    assert api.ask(secret, "GET", "/runs").status_code == 200
    Tokens(api.store).revoke(token.id, utc_now())
    assert kind(api.ask(secret, "GET", "/runs"), 401) == "token"


def test_a_new_token_takes_an_old_ones_place(api: Api) -> None:
    old, old_secret = issue(api.store, "harness", utc_now(), name="rotated")
    run = api.make_run(who=old_secret)["run"]
    _, fresh = issue(api.store, "harness", utc_now(), name="rotated")
    Tokens(api.store).revoke(old.id, utc_now())
    assert api.get(fresh, f"/runs/{run}")["mine"]
    assert api.post(fresh, f"/runs/{run}/close")["stop_reasons"] == {"no_contact": 1}


def test_a_token_without_a_name_shares_its_runs_with_none(api: Api) -> None:
    (first, mine), (second, theirs) = (issue(api.store, "harness", utc_now()) for _ in range(2))
    run = api.make_run(who=mine)["run"]
    assert first.owner != second.owner
    assert kind(api.ask(theirs, "POST", f"/runs/{run}/close"), 403) == "not-yours"


def test_a_reader_of_a_harness_name_does_not_do_its_work(api: Api, going_on: Episode) -> None:
    _, secret = issue(api.store, "reader", utc_now(), name="harness")
    assert kind(api.ask(secret, "GET", f"/runs/{going_on.run}"), 403) == "not-finished"
    assert kind(api.ask(secret, "POST", f"/runs/{going_on.run}/close"), 403) == "role"


def test_an_expired_token_is_refused(api: Api) -> None:
    _, secret = issue(api.store, "admin", utc_now(), expires_days=1e-9)
    assert kind(api.ask(secret, "GET", "/runs"), 401) == "token"


def test_nobody_unknown_has_a_body_read(api: Api) -> None:
    headers = {"Content-Type": "application/json"}
    broken = api.http.post("/runs", content=b"{", headers=headers)
    assert kind(broken, 401) == "token"
    headers["Authorization"] = f"Bearer {api.secrets['harness']}"
    assert kind(api.http.post("/runs", content=b"{", headers=headers), 422) == "invalid"


def test_an_unknown_path_is_told_to_those_alone_who_are_known(api: Api) -> None:
    assert kind(api.ask(None, "GET", "/secrets"), 401) == "token"
    assert kind(api.ask("reader", "GET", "/secrets"), 404) == "no-such-path"
    assert kind(api.ask("reader", "DELETE", "/runs"), 405) == "no-such-method"
    assert kind(api.ask("reader", "GET", "/runs/"), 404) == "no-such-path"
