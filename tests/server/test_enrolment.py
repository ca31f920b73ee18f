"""An agent from outside is let in: a run, its seats, and what becomes of them."""

from __future__ import annotations

import hashlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from core.errors import UsageError
from core.outside import Outside, Seat
from core.run import RunSpec
from core.trajectory import StopReason
from databases.catalog import InstalledScenario
from server.enrolment import MOST_KEYS, Enrolled, Issued, close, enrol, enrol_again
from server.store import Repository
from server.store.seats import Seats
from tests.server.support import START, draft, spec

LATER = START + timedelta(hours=1)


def enrolled(flights: InstalledScenario, store: Repository, **changes: Any) -> Enrolled:
    values = {"agent": "mine", "now": START, "entities": "01,02", "trials": 2, **changes}
    return enrol(flights, store, **values)


def end(run: RunSpec, store: Repository, entity_id: str, reason: StopReason | None) -> None:
    mine = store.start_trajectory(draft(run, entity_id))
    if reason is not None:
        store.end_trajectory(mine.id, reason, ended_at=START)


def test_each_entity_and_trial_gets_a_seat_of_its_own_that_nobody_can_guess(
    flights: InstalledScenario, store: Repository
) -> None:
    made = enrolled(flights, store)
    assert [each.seat.keys for each in made.seats] == [
        ((entity_id, trial),) for trial in (1, 2) for entity_id in ("01", "02")
    ]
    secrets = [text for each in made.seats for text in (each.seat.path, each.token)]
    assert len(set(secrets)) == 8
    assert min(map(len, secrets)) >= 22  # 128 bits and more
    assert store.run(made.spec.id) == made.spec
    assert [state.seat for state in Seats(store).of_run(made.spec.id)] == [
        each.seat for each in made.seats
    ]


def test_of_a_token_the_hash_alone_is_kept(flights: InstalledScenario, store: Repository) -> None:
    made = enrolled(flights, store)
    issued = made.seats[0]
    assert issued.seat.token_hash == hashlib.sha256(issued.token.encode()).hexdigest()
    assert issued.token not in repr(made)
    kept = b"".join(path.read_bytes() for path in store.path.parent.glob("store.sqlite3*"))
    assert issued.seat.token_hash.encode() in kept
    assert not [each for each in made.seats if each.token.encode() in kept]


def test_a_queue_is_one_seat_per_trial_with_all_entities(
    flights: InstalledScenario, store: Repository
) -> None:
    made = enrolled(flights, store, outside=Outside(queue=True))
    assert [each.seat.keys for each in made.seats] == [
        (("01", 1), ("02", 1)),
        (("01", 2), ("02", 2)),
    ]


def test_two_who_enrol_in_the_same_moment_get_two_runs(
    flights: InstalledScenario, store: Repository
) -> None:
    assert enrolled(flights, store).spec.id != enrolled(flights, store).spec.id


def test_many_may_enrol_at_once(flights: InstalledScenario, store: Repository) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = [pool.submit(enrolled, flights, store, trials=1) for _ in range(24)]
        ids = {each.result().spec.id for each in made}
    assert len(ids) == 24
    assert ids == set(store.run_ids())


def test_a_seats_name_is_a_files_name_whatever_its_entity_is_called() -> None:
    def label(*entities: str) -> str:
        keys = tuple((entity, 2) for entity in entities)
        seat = Seat(path="x", run_id="r", token_hash="h", keys=keys, created_at=START)
        return Issued(seat, "t").label

    odd = ["../x", ".", "..", "a/b", "a b", "a\nb", "\u00e9", "x" * 300, "x" * 300 + "y", "-", ""]
    labels = [label(entity) for entity in odd]
    assert len(set(labels)) == len(odd)
    assert all(len(each) < 200 and "/" not in each and each.isascii() for each in labels)
    assert (label("01"), label("01", "02")) == ("01-2", "queue-2")


def test_what_was_agreed_stands_in_the_run(flights: InstalledScenario, store: Repository) -> None:
    outside = Outside(has_shell=True, has_web=False, idle_s=60)
    made = enrolled(flights, store, agent="  Caf\u0065\u0301 2 ", outside=outside, tools="sql")
    assert (made.spec.agent, made.spec.outside, made.spec.tools) == ("Caf\u00e9 2", outside, "sql")
    assert made.spec.model is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"agent": " "}, "--agent mine"),
        ({"agent": "a\nb"}, "printable"),
        ({"agent": "a\u202eb"}, "printable"),
        ({"agent": "x" * 65}, "at most 64"),
        ({"agent": "Profiler"}, "ddr run --agent profiler"),
        ({"trials": 0}, "--trials"),
        ({"trials": MOST_KEYS}, f"at most {MOST_KEYS}"),
        ({"entities": "99"}, "unknown carrier"),
        ({"goal": "dataset"}, "goal"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_stored(
    flights: InstalledScenario, store: Repository, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        enrolled(flights, store, **changes)
    assert store.runs() == []


def test_restricted_data_are_shown_to_an_outside_agents_model_only_where_somebody_says_why(
    flights: InstalledScenario, store: Repository
) -> None:
    terms = flights.scenario.license.model_copy(update={"restricted": True})
    secret = replace(flights, scenario=flights.scenario.model_copy(update={"license": terms}))
    with pytest.raises(UsageError, match="--endpoint-allowed"):
        enrolled(secret, store)
    made = enrolled(secret, store, endpoint_allowed="a model on this machine")
    assert made.spec.endpoint_allowed == "a model on this machine"


def test_going_on_gives_fresh_seats_for_what_is_missing_and_takes_the_old_ones_back(
    flights: InstalledScenario, store: Repository
) -> None:
    made = enrolled(flights, store, entities="01,02,03,04", trials=1)
    end(made.spec, store, "01", StopReason.FINISHED)
    end(made.spec, store, "02", None)
    end(made.spec, store, "03", StopReason.ABANDONED)
    again = enrol_again(made.spec, store, now=LATER)
    assert [each.seat.keys[0][0] for each in again.seats] == ["02", "04"]
    states = Seats(store).of_run(made.spec.id)
    assert [state.is_closed for state in states] == [True] * 4 + [False] * 2
    assert [head.stop_reason for head in store.heads(made.spec.id)] == [
        StopReason.FINISHED,
        StopReason.CANCELLED,
        StopReason.ABANDONED,
    ]


def test_retrying_explores_again_what_was_abandoned_never_met_or_a_fault_of_ours(
    flights: InstalledScenario, store: Repository
) -> None:
    made = enrolled(flights, store, entities="01,02,03,04", trials=1)
    end(made.spec, store, "01", StopReason.FINISHED)
    end(made.spec, store, "02", StopReason.NO_CONTACT)
    end(made.spec, store, "03", StopReason.ABANDONED)
    end(made.spec, store, "04", StopReason.MAX_SECONDS)
    assert enrol_again(made.spec, store, now=LATER).seats == ()
    again = enrol_again(made.spec, store, now=LATER, retry=True)
    assert [each.seat.keys[0][0] for each in again.seats] == ["02", "03"]


def test_a_queue_goes_on_where_it_was_left(flights: InstalledScenario, store: Repository) -> None:
    made = enrolled(flights, store, outside=Outside(queue=True))
    end(made.spec, store, "01", StopReason.FINISHED)
    again = enrol_again(made.spec, store, now=LATER)
    assert [each.seat.keys for each in again.seats] == [
        (("02", 1),),
        (("01", 2), ("02", 2)),
    ]


def test_closing_ends_what_is_open_and_says_which_was_never_met(
    flights: InstalledScenario, store: Repository
) -> None:
    made = enrolled(flights, store, entities="01,02", trials=1)
    state = Seats(store).hear(
        made.seats[0].seat.path, "initialize", None, START, lambda key: draft(made.spec, key[0])
    )
    assert state is not None
    close(made.spec, store, now=LATER)
    assert [head.stop_reason for head in store.heads(made.spec.id)] == [
        StopReason.ABANDONED,
        StopReason.NO_CONTACT,
    ]
    assert all(state.is_closed for state in Seats(store).of_run(made.spec.id))


def test_a_run_of_our_own_agent_is_neither_given_seats_nor_closed(store: Repository) -> None:
    ours = spec(agent="profiler")
    store.add_run(ours)
    for act in (enrol_again, close):
        with pytest.raises(UsageError, match=f"ddr run --resume {ours.id}"):
            act(ours, store, now=LATER)


def test_an_address_is_below_the_servers_own(flights: InstalledScenario, store: Repository) -> None:
    issued = enrolled(flights, store).seats[0]
    for base in ("https://h:8/ddr", "https://h:8/ddr/"):
        assert issued.url(base) == f"https://h:8/ddr/r/{issued.seat.path}/mcp"
