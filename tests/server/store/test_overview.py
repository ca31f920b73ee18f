"""Runs with how far each is: the attempt that counts, a page at a time, the newest first."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.trajectory import StopReason
from server.store import Repository
from server.store.overview import overview, overviews
from tests.server.support import START, draft, spec


def explored(store: Repository, run_id: str, *stops: StopReason | None, entity: str = "01") -> None:
    """Attempts at one entity, which ended like this; None = it goes on."""
    run = store.run(run_id)
    for stop in stops:
        mine = store.start_trajectory(draft(run, entity))
        if stop is not None:
            store.end_trajectory(mine.id, stop, ended_at=START)


def test_a_run_that_is_not_there_has_none(store: Repository) -> None:
    assert overview(store, "none") is None
    store.add_run(spec())
    assert overview(store, spec().id[:-1]) is None


def test_a_fresh_run_wants_all_and_has_begun_nothing(store: Repository) -> None:
    store.add_run(spec(trials=3))
    found = overview(store, spec().id)
    assert found is not None and found.spec == spec(trials=3)
    assert (found.wanted, len(found.stops), found.open, found.ended) == (6, 0, 0, 0)
    assert not found.is_finished


@pytest.mark.parametrize(
    ("stops", "open_", "ended"),
    [
        ([None], 1, 0),
        ([StopReason.FINISHED], 0, 1),
        ([StopReason.NO_CONTACT], 0, 1),
        ([StopReason.CANCELLED], 0, 0),
        ([StopReason.CANCELLED, None], 1, 0),
        ([StopReason.PROVIDER_ERROR, StopReason.FINISHED], 0, 1),
        ([StopReason.FINISHED, None], 1, 0),
    ],
)
def test_the_last_attempt_at_an_entity_counts(
    store: Repository, stops: list[StopReason | None], open_: int, ended: int
) -> None:
    store.add_run(spec())
    explored(store, spec().id, *stops)
    found = overview(store, spec().id)
    assert found is not None
    assert (found.open, found.ended, len(found.stops)) == (open_, ended, 1)
    assert found.stops["01", 1] is stops[-1]


def test_more_than_nine_attempts_are_counted_as_numbers(store: Repository) -> None:
    store.add_run(spec())
    explored(store, spec().id, *[StopReason.CANCELLED] * 10, StopReason.FINISHED)
    found = overview(store, spec().id)
    assert found is not None and found.stops == {("01", 1): StopReason.FINISHED}


def test_a_run_is_finished_once_every_entity_is(store: Repository) -> None:
    store.add_run(spec())
    explored(store, spec().id, StopReason.FINISHED)
    halfway = overview(store, spec().id)
    explored(store, spec().id, StopReason.ABANDONED, entity="02")
    whole = overview(store, spec().id)
    assert halfway is not None and not halfway.is_finished
    assert whole is not None and whole.is_finished


def test_runs_come_the_newest_first_and_each_once(store: Repository) -> None:
    # Two of the same moment: their ids tell which comes first.
    hours = {"a": 0, "b": 2, "c": 1, "d": 1, "e": 3}
    for name, hour in hours.items():
        store.add_run(spec(name, created_at=START + timedelta(hours=hour)))
    explored(store, "c", StopReason.FINISHED)

    def page(before: str | None, count: int) -> list[str]:
        return [each.spec.id for each in overviews(store, before=before, count=count)]

    assert page(None, 10) == ["e", "b", "d", "c", "a"]
    assert page(None, 2) + page("b", 2) + page("c", 2) == ["e", "b", "d", "c", "a"]
    assert page("a", 2) == page("none", 2) == []
    stops = {each.spec.id: each.ended for each in overviews(store, before=None, count=10)}
    assert stops == {"e": 0, "b": 0, "d": 0, "c": 1, "a": 0}
