"""Watching a run: each call, insight and end once and in order, from any place and any worker."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.rest_app import watching
from server.rest_app.door import MOST_WATCHED
from server.runner import utc_now
from server.store.happenings import Cursor
from server.store.tokens import Tokens
from server.tokens import issue
from tests.server.rest_app.api import Api, Episode, events, kind, served

pytestmark = pytest.mark.real

PLAYED = ["call", "call", "call", "call", "call", "insight", "insight", "end"]


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "LOOK_S", 0.02)


def stream(api: Api, run: str, who: str = "harness", after: str | None = None) -> Any:
    headers = {"Authorization": f"Bearer {api.secrets.get(who, who)}"}
    if after is not None:
        headers["Last-Event-ID"] = after
    return api.http.stream("GET", f"/runs/{run}/events", headers=headers)


def seen(api: Api, run: str, after: str | None = None) -> list[dict[str, Any]]:
    with stream(api, run, after=after) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["cache-control"] == "no-store"
        return list(events(answer))


def kinds(found: list[dict[str, Any]]) -> list[str]:
    return [each["event"] for each in found]


@pytest.fixture(scope="module")
def played(api: Api) -> Episode:
    """One look, one wrong query, one query, one insight and the report."""
    episode = api.reset()
    episode.play()
    return episode


def test_a_finished_run_is_told_from_its_beginning_and_the_stream_ends(
    api: Api, played: Episode
) -> None:
    found = seen(api, played.run)
    assert kinds(found) == [*PLAYED, "over"]
    calls = [each["data"] for each in found[:5]]
    assert [call["name"] for call in calls] == [
        "get_database_info",
        "execute_query",
        "execute_query",
        "submit_insight",
        "finish",
    ]
    assert [call["turn"] for call in calls] == [1, 2, 3, None, None]
    assert [call["is_error"] for call in calls] == [False, True, False, False, False]
    assert calls[1]["arguments"] == '{"query": "SELECT nope FROM flights"}'
    message, report = found[5]["data"], found[6]["data"]
    assert (message["level"], message["turn"], message["text"]) == (
        "message",
        3,
        "Carrier 03 flies.",
    )
    assert (report["level"], report["turn"], report["text"]) == ("trajectory", None, "It flies.")
    assert found[7]["data"] == {"entity": "03", "trial": 1, "stop_reason": "finished"}
    assert found[8]["data"] == {"run": played.run} and "id" not in found[8]


@pytest.mark.parametrize("place", range(len(PLAYED)))
def test_a_stream_goes_on_behind_any_event(api: Api, played: Episode, place: int) -> None:
    whole = seen(api, played.run)
    rest = seen(api, played.run, after=whole[place]["id"]) if place + 1 < len(PLAYED) else []
    assert rest == whole[place + 1 :] or place + 1 == len(PLAYED)


def test_where_nothing_comes_any_more_a_client_is_told_to_stay_away(
    api: Api, played: Episode
) -> None:
    last = seen(api, played.run)[-2]["id"]
    with stream(api, played.run, after=last) as answer:
        assert answer.status_code == 204


def test_what_happens_is_told_as_it_happens(api: Api) -> None:
    episode = api.reset()
    with stream(api, episode.run) as answer:
        told = events(answer)
        episode.step("execute_query", query="SELECT 1")
        assert next(told)["data"]["arguments"] == '{"query": "SELECT 1"}'
        episode.step("submit_insight", text="One is one.")
        # The insight is kept before the answer to its call: a look between the two meets it alone.
        both = {each["event"]: each["data"] for each in (next(told), next(told))}
        assert both["call"]["name"] == "submit_insight"
        assert both["insight"]["text"] == "One is one."
        episode.step("finish", report="One.")
        assert kinds(list(told)) == ["call", "insight", "end", "over"]


def test_a_long_call_is_told_once_it_is_answered_and_holds_up_nothing(api: Api) -> None:
    made = api.make_run(entities=["03", "07"])
    slow, quick = (api.at(seat) for seat in made["seats"])
    slow.step("get_task")
    long = "SELECT count(*) FROM range(400000000) a, range(3) b"
    with stream(api, made["run"]) as answer:
        told = events(answer)
        assert next(told)["data"]["name"] == "get_task"
        calling = threading.Thread(target=slow.step, args=["execute_query"], kwargs={"query": long})
        calling.start()
        quick.step("get_task")
        first = next(told)
        calling.join()
        second = next(told)
    assert {first["data"]["entity"], second["data"]["entity"]} == {"03", "07"}
    by_name = {each["data"]["name"]: each for each in (first, second)}
    waited = Cursor.read(by_name["get_task"]["id"])
    if first["data"]["name"] == "get_task":  # else the long one was over first
        assert len(waited.pending) == 1
        again = seen_some(api, made["run"], 1, after=first["id"])
        assert again[0]["data"] == second["data"]


def seen_some(api: Api, run: str, count: int, after: str) -> list[dict[str, Any]]:
    with stream(api, run, after=after) as answer:
        told = events(answer)
        return [next(told) for _ in range(count)]


def test_another_worker_goes_on_with_a_stream(api: Api, rest_home: Path, played: Episode) -> None:
    whole = seen(api, played.run)
    with served(rest_home) as url:
        headers = {
            "Authorization": f"Bearer {api.secrets['reader']}",
            "Last-Event-ID": whole[3]["id"],
        }
        path = f"{url}/api/runs/{played.run}/events"
        with httpx.stream("GET", path, headers=headers, timeout=60) as answer:
            assert list(events(answer)) == whole[4:]


def test_what_another_worker_serves_is_told_too(api: Api, rest_home: Path) -> None:
    episode = api.reset()
    body = {"tool": "execute_query", "arguments": {"query": "SELECT 2"}}
    headers = {"Authorization": f"Bearer {episode.told['token']}"}
    with served(rest_home) as url, stream(api, episode.run) as answer:
        step = f"{url}/api/episodes/{episode.path}/step"
        assert httpx.post(step, json=body, headers=headers, timeout=60).status_code == 200
        assert next(events(answer))["data"]["arguments"] == '{"query": "SELECT 2"}'


def test_a_silent_stream_beats(
    api: Api, going_on: Episode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "HEARTBEAT_S", 0.05)
    beats = 0
    with stream(api, going_on.run) as answer:
        for line in answer.iter_lines():
            beats += line == ": still watching"
            if beats == 3:
                break
    assert beats == 3


def test_a_stream_ends_once_its_token_is_revoked(api: Api, going_on: Episode) -> None:
    token, secret = issue(api.store, "admin", utc_now())
    with stream(api, going_on.run, who=secret) as answer:
        told = events(answer)
        assert next(told)["event"] == "call"
        Tokens(api.store).revoke(token.id, utc_now())
        going_on.step("execute_query", query="SELECT 3")
        assert "SELECT 3" not in str(list(told))
    assert kind(api.ask(secret, "GET", f"/runs/{going_on.run}/events"), 401) == "token"


def test_so_many_streams_of_one_token_are_open_and_no_more(api: Api, going_on: Episode) -> None:
    with ExitStack() as opened:
        held = []  # a generator that is let go of hangs up
        for _ in range(MOST_WATCHED):
            held.append(events(opened.enter_context(stream(api, going_on.run))))
            assert next(held[-1])["event"] == "call"
        with stream(api, going_on.run) as refused:
            assert refused.status_code == 503  # before it is read: one that was let in has no end
            refused.read()
        assert kind(refused, 503) == "busy" and refused.headers["retry-after"] == "5"
        assert f"{MOST_WATCHED} streams of yours are open here" in refused.text
        with stream(api, going_on.run, who="admin") as answer:
            assert next(events(answer))["event"] == "call"
    for _ in range(200):  # the server learns by its next word that the client has left
        with stream(api, going_on.run) as answer:
            if answer.status_code == 200:
                break
    else:
        raise AssertionError("the stream of a client that left is counted for ever")


@pytest.mark.parametrize(
    "place",
    ["x", "1.2.3", "1..0.g", "-1..0.0", "9" * 19 + "..0.0", "1.1-.0.0", "1..0." + "f" * 9_000, "é"],
)
def test_a_place_that_is_none_is_refused(api: Api, played: Episode, place: str) -> None:
    headers = [
        (b"authorization", f"Bearer {api.secrets['harness']}".encode()),
        (b"last-event-id", place.encode()),
    ]
    answer = api.http.get(f"/runs/{played.run}/events", headers=headers)
    assert kind(answer, 422) == "invalid"


def test_a_place_beyond_all_that_happened_has_nothing_behind_it(api: Api, played: Episode) -> None:
    with stream(api, played.run, after=f"{10**17}..{10**17}.{'f' * 64}") as answer:
        assert answer.status_code == 204
