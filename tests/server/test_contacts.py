"""How far an agent from outside came is told per trajectory: connected, tools listed, calls."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.contact import MOST_KINDS, OTHERS, Stage
from core.trajectory import Client, StopReason, Trajectory
from server.attendance import close_run
from server.contacts import Contacts
from server.runs import progress_of, state_of, summary
from server.store import Repository
from server.store.seats import Seats
from tests.server.outsiders import AGENT, CLIENT, Outsider, enrolled, explored
from tests.server.support import START, spec


def only(store: Repository) -> Trajectory:
    (found,) = store.trajectories(spec().id)
    return found


@pytest.mark.parametrize(
    ("methods", "calls", "stage"),
    [
        (("initialize",), 0, "connected"),
        (("server/discover", "tools/list"), 0, "tools listed"),
        (("server/discover", "tools/list"), 1, "calls"),
        ((), 1, "calls"),
    ],
)
def test_the_furthest_that_it_came_is_its_stage(
    store: Repository, methods: tuple[str, ...], calls: int, stage: Stage
) -> None:
    run = enrolled(store, (("01", 1),))
    agent = Outsider(store, run)
    agent.hear(*methods)
    for _ in range(calls):
        agent.query()
    found = Contacts(run, store).of(only(store))
    assert (found.stage, found.calls, found.explored) == (stage, calls, calls)
    assert found.messages == dict.fromkeys(methods, 1)


def test_one_that_never_came_has_no_contact_and_no_times(store: Repository) -> None:
    run = enrolled(store, (("01", 1),))
    close_run(run, store, START)
    found = Contacts(run, store).of(only(store))
    assert (found.stage, found.calls, found.first_at) == ("no contact", 0, None)


def test_errors_are_counted_by_kind_and_refused_cancelled_and_unanswered_ones_by_themselves(
    store: Repository,
) -> None:
    run = explored(store)
    first, second, third = (Contacts(run, store).of(t) for t in store.trajectories(run.id))
    assert first.errors == {"sql": 1, "client_cancelled": 1, "ended": 1}
    assert (first.refused, first.cancelled, first.unanswered) == (1, 1, 0)
    assert (first.calls, first.explored) == (11, 5)
    assert first.tools["submit_insight"] == 3
    assert (second.refused, second.cancelled, second.unanswered) == (0, 0, 1)
    assert third.stage == "no contact"


def test_every_client_that_introduced_itself_is_named_once(store: Repository) -> None:
    run = enrolled(store, (("01", 1),))
    other = Client(name="curl", version="8")
    agent = Outsider(store, run)
    agent.hear("initialize", "tools/list")
    agent.hear("initialize", client=other)
    agent.query(client=other)
    assert Contacts(run, store).of(only(store)).clients == (CLIENT, other)


def test_however_many_names_it_makes_up_some_are_told_and_all_are_counted(
    store: Repository,
) -> None:
    run = enrolled(store, (("01", 1),))
    agent = Outsider(store, run)
    for number in range(2 * MOST_KINDS):
        client = Client(name=f"client {number}", version="1")
        agent.hear(f"method/{number}", client=client)
        agent.call(f"tool_{number}", client=client)
    agent.query()
    agent.query()
    found = Contacts(run, store).of(only(store))
    for told in (found.tools, found.messages):
        assert len(told) == MOST_KINDS + 1
        assert list(told)[-1] == OTHERS
    assert next(iter(found.tools.items())) == ("execute_query", 2)
    assert sum(found.tools.values()) == found.calls == 2 * MOST_KINDS + 2
    assert sum(found.messages.values()) == 2 * MOST_KINDS
    assert len(found.clients) == MOST_KINDS


def test_in_a_queue_each_trajectory_has_its_own_messages(store: Repository) -> None:
    run = enrolled(store, (("01", 1), ("02", 1)), queue=True)
    agent = Outsider(store, run)
    agent.hear("initialize", "tools/list")
    agent.call("get_task")
    agent.query()
    agent.finish()
    agent.call("get_task")
    agent.hear("ping", "ping", "ping")
    agent.query()
    one, two = (Contacts(run, store).of(t) for t in store.trajectories(run.id))
    assert one.messages == {"initialize": 1, "tools/list": 1}
    assert two.messages == {"ping": 3}
    assert two.stage == "calls"
    assert one.tools == {"get_task": 1, "execute_query": 1, "finish": 1}


def test_a_second_attempt_has_the_messages_of_its_own_seat(store: Repository) -> None:
    run = enrolled(store, (("01", 1),))
    Outsider(store, run).hear("initialize")
    Seats(store).close(run.id)
    store.end_trajectory(only(store).id, StopReason.CANCELLED, ended_at=START)
    old = Seats(store).of_run(run.id)[0].seat
    Seats(store).add([old.model_copy(update={"path": "fresh"})])
    Outsider(store, run, seat=1).hear("tools/list", "tools/list")
    contacts = Contacts(run, store)
    first, second = store.all_attempts(run.id)
    assert contacts.of(first).messages == {"initialize": 1}
    assert contacts.of(second).messages == {"tools/list": 2}


def test_an_agent_of_ours_has_no_seats(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    assert Contacts(run, store).seats == []
    assert "seats" not in summary(run, store)


def words(store: Repository, run_id: str) -> str:
    run = store.run(run_id)
    return state_of(run, progress_of(run, store), Contacts(run, store), locked=False)


def test_a_run_is_open_while_somebody_may_come_and_complete_when_all_are_over(
    store: Repository,
) -> None:
    run = enrolled(store, (("01", 1), ("02", 1), ("03", 1)))
    assert words(store, run.id) == "open"
    agent = Outsider(store, run)
    agent.meet()
    agent.query()
    agent.finish()
    assert words(store, run.id) == "open"
    Seats(store).close(run.id)
    assert words(store, run.id) == "closed"
    Outsider(store, enrolled(store, id="r2")).query()
    other = store.run("r2")
    close_run(other, store, START + timedelta(hours=1), error="exit code 1")
    assert words(store, "r2") == "complete, 1 without contact, 1 failed"


def test_the_summary_tells_class_contact_and_what_was_reported_apart(store: Repository) -> None:
    run = explored(store)
    told = summary(run, store)
    assert (told["agent"], told["model"], told["class"]) == (AGENT, None, "outside with shell")
    assert told["declared"] == {"shell": True, "web": False}
    assert (told["seats"], told["open_seats"]) == (3, 0)
    assert told["usage"] is None, "what it reports is not what was measured"
    assert told["calls"] == 0
    first, second, third = told["trajectories"]
    assert first["reported"]["agent"] == "claude-code 2.1"
    assert first["reported"]["model"] == "claude-x"
    assert first["reported"]["usage"]["input_tokens"] == 1200
    assert second["reported"] == {"agent": None, "model": None, "usage": None}
    assert [t["contact"]["stage"] for t in (first, second, third)] == [
        "calls",
        "calls",
        "no contact",
    ]
    assert [t["turns"] for t in (first, second, third)] == [4, 2, 0]
