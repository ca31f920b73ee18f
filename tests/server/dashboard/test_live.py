"""A page that follows a run: what changes is told, to those alone who may see it, until it is over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from html import unescape
from typing import Any

import pytest
from starlette.testclient import TestClient

from core.outside import Outside
from core.run import RunSpec
from core.trajectory import Insight, StopReason
from server.dashboard import live
from server.dashboard.app import make_dashboard
from server.dashboard.live import _Watch
from server.dashboard.viewer import COOKIE, Place, Viewer
from server.runner import utc_now
from server.settings import Settings
from server.store import Repository
from server.store.glances import moment
from server.store.tokens import Tokens
from server.streams import MOST, MOST_OWN
from server.tokens import issue
from tests.server.dashboard.conftest import ORIGIN, Visit
from tests.server.dashboard.stories import begun, explore, finished, turn
from tests.server.support import START, draft


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "LOOK_S", 0.01)


def events(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """(kind, data) of each."""
    for block in text.split("\n\n"):
        fields = dict(
            line.split(": ", 1) for line in block.splitlines() if not line.startswith(":")
        )
        if fields:
            yield fields["event"], json.loads(fields["data"])


def watch(settings: Settings, store: Repository, run: RunSpec, role: Any = "admin") -> _Watch:
    """Somebody's page, looked at without waiting."""
    token, secret = issue(store, role, utc_now(), name=f"a {role}")
    place = Place(settings, store)
    return _Watch(place, Viewer(token, secret), run.id, 1, {}, "carrier")


def changes(watched: _Watch, place: str) -> tuple[dict[str, Any] | None, str]:
    """What one look tells, and the moment behind it."""
    found = watched.look(place)
    told = [data for text, _ in found.events for _, data in events(text)]
    assert len(told) <= 1
    return (told[0] if told else None), found.place


def test_a_finished_run_is_told_once_and_the_stream_ends(visit: Visit, store: Repository) -> None:
    run = finished(store)
    answer = visit("reader").get(f"/runs/{run.id}/live")
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["cache-control"] == "no-store"
    found = list(events(answer.text))
    assert [kind for kind, _ in found] == ["change", "over"]
    assert [row["id"] for row in found[0][1]["rows"]] == ["row-01-1", "row-02-1"]


def test_whoever_was_told_all_of_a_finished_run_is_told_to_stay_away(
    visit: Visit, store: Repository
) -> None:
    run = finished(store)
    now = moment(store, run.id)
    client = visit("reader")
    assert client.get(f"/runs/{run.id}/live", params={"since": now}).status_code == 204
    again = client.get(f"/runs/{run.id}/live", headers={"Last-Event-ID": now})
    assert again.status_code == 204


def test_each_turn_insight_and_end_changes_the_row_that_it_is_of(
    settings: Settings, store: Repository
) -> None:
    run = begun(store, 1)
    watched = watch(settings, store, run)
    first, place = changes(watched, "")
    assert first is not None
    assert len(first["rows"]) == 2
    mine = store.start_trajectory(draft(run, "01"))
    store.add_turn(mine.id, turn(1, []))
    told, place = changes(watched, place)
    assert told is not None
    assert [row["id"] for row in told["rows"]] == ["row-01-1"]
    assert "under way" in told["rows"][0]["html"]
    assert told["state"] == "under way"
    assert changes(watched, place) == (None, place)
    store.add_insight(
        Insight(id="i", trajectory_id=mine.id, level="message", turn=1, text="x", author="a")
    )
    told, place = changes(watched, place)
    assert told is not None
    assert told["said"] == "0 of 2 carriers explored"
    store.end_trajectory(mine.id, StopReason.MAX_TURNS, ended_at=START)
    told, place = changes(watched, place)
    assert told is not None
    assert "max turns" in told["rows"][0]["html"]
    assert told["said"] == "1 of 2 carriers explored"


def test_what_an_agent_writes_cannot_end_the_event_or_the_row(
    settings: Settings, store: Repository
) -> None:
    run = begun(store, 1, carriers=("01\n\nevent: over", "</tr><script>"))
    told, _ = changes(watch(settings, store, run), "")
    assert told is not None
    assert "<script>" not in json.dumps(told)


def test_a_harness_follows_its_own_run_and_no_other(visit: Visit, store: Repository) -> None:
    own = begun(store, 1, carriers=("01",), outside=Outside(enrolled_by="a harness"))
    other = begun(store, 2, carriers=("01",), outside=Outside(enrolled_by="another"))
    client = visit("harness")
    assert client.get(f"/runs/{other.id}/live").status_code == 404
    explore(store, own)
    assert client.get(f"/runs/{own.id}").status_code == 200


@pytest.mark.parametrize("role", ["reader", "harness"])
def test_no_event_reaches_who_may_not_see_the_run(
    settings: Settings, store: Repository, role: Any
) -> None:
    run = begun(store, 1)
    found = watch(settings, store, run, role).look("")
    assert (list(found.events), found.may_go_on, found.is_over) == ([], False, False)


def test_a_stream_ends_once_its_token_is_revoked(settings: Settings, store: Repository) -> None:
    run = begun(store, 1)
    watched = watch(settings, store, run)
    assert watched.look("").may_go_on
    assert watched.who.token is not None
    Tokens(store).revoke(watched.who.token.id, utc_now())
    store.start_trajectory(draft(run, "01"))
    found = watched.look("")
    assert (list(found.events), found.may_go_on) == ([], False)


def test_so_many_pages_follow_and_no_more(settings: Settings, store: Repository) -> None:
    run, app = begun(store, 1), make_dashboard(settings, store)
    secrets = [issue(store, "admin", utc_now(), name=name) for name in ("ann", "bob")]
    ann, bob = (token.id for token, _ in secrets)

    def asked(secret: str) -> str:
        client = TestClient(app, base_url=ORIGIN, headers={"origin": ORIGIN})
        client.cookies.set(COOKIE, secret)
        answer = client.get(f"/runs/{run.id}/live")
        assert answer.status_code == 503
        return unescape(answer.text)

    with ExitStack() as opened:
        for _ in range(MOST_OWN):
            opened.enter_context(app.streams.counted(ann))
        assert "This page cannot follow the run: 8 streams of yours are open" in asked(
            secrets[0][1]
        )
        assert app.streams.why_full(bob) is None
        for number in range(MOST - MOST_OWN):
            opened.enter_context(app.streams.counted(f"another {number}"))
        assert "This page cannot follow the run: 64 streams are open here" in asked(secrets[1][1])
