"""Attempts never mix: one counts, the rest are kept, and their cost is summed (F51, F52)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.trajectory import StopReason
from server.store import Repository
from server.store.attempts import active_s, counting, to_do, totals
from tests.server.support import START, draft, insight, spec, turn


def _attempt(
    store: Repository,
    entity_id: str,
    turns: int,
    stop: StopReason | None,
    *,
    tokens: int = 10,
    error: str | None = None,
) -> str:
    started = store.start_trajectory(draft(store.run("last"), entity_id))
    for index in range(1, turns + 1):
        store.add_turn(started.id, turn(index, f"{entity_id} by {started.attempt}", tokens=tokens))
        store.add_insight(insight(started.id, index))
    if stop is not None:
        ended = START + timedelta(seconds=100)
        store.end_trajectory(started.id, stop, ended_at=ended, error=error)
    return started.id


def test_a_killed_attempt_gives_way_to_the_fresh_one_and_is_kept(store: Repository) -> None:
    """F52: turns of the aborted attempt stay on disk and never mix with the new one's."""
    store.add_run(spec())
    broken = _attempt(store, "01", 12, None)
    fresh = _attempt(store, "01", 3, StopReason.FINISHED)
    (counted,) = store.trajectories("20260131-small-ab12")
    assert counted.id == fresh
    assert {t.text for t in counted.turns} == {"01 by 2"}
    assert {i.trajectory_id for i in counted.insights} == {fresh}
    both = store.all_attempts("20260131-small-ab12")
    assert [(t.id, len(t.turns)) for t in both] == [(broken, 12), (fresh, 3)]


def test_the_latest_attempt_counts_whatever_became_of_it(store: Repository) -> None:
    store.add_run(spec())
    _attempt(store, "01", 2, StopReason.ABANDONED, error="the agent crashed")
    last = _attempt(store, "01", 1, None)
    other = _attempt(store, "02", 1, StopReason.FINISHED)
    assert [t.id for t in counting(store.heads("20260131-small-ab12"))] == [last, other]
    assert [t.id for t in store.trajectories("20260131-small-ab12")] == [last, other]


@pytest.mark.parametrize(
    ("stop", "error", "again", "again_with_retry"),
    [
        (None, None, True, True),
        (StopReason.CANCELLED, None, True, True),
        (StopReason.FINISHED, None, False, False),
        (StopReason.IDLE, None, False, False),
        (StopReason.MAX_TURNS, None, False, False),
        (StopReason.TOOL_UNAVAILABLE, "the server is gone", False, True),
        (StopReason.ABANDONED, "the agent crashed", False, True),
    ],
)
def test_what_a_resume_explores_again(
    store: Repository,
    stop: StopReason | None,
    error: str | None,
    again: bool,
    again_with_retry: bool,
) -> None:
    run = spec(entity_ids=("01",))
    store.add_run(run)
    _attempt(store, "01", 1, stop, error=error)
    heads = store.heads(run.id)
    assert bool(to_do(run, heads, retry_errors=False)) is again
    assert bool(to_do(run, heads, retry_errors=True)) is again_with_retry


def test_every_entity_of_a_trial_comes_before_the_next_trial(store: Repository) -> None:
    run = spec(trials=2)
    store.add_run(run)
    _attempt(store, "02", 1, StopReason.FINISHED)
    assert to_do(run, store.heads(run.id), retry_errors=False) == [("01", 1), ("01", 2), ("02", 2)]


def test_tokens_and_time_are_summed_over_attempts(store: Repository) -> None:
    """F51: three entities use 3 M tokens, the run stops, the retry uses 1 M: 4 M in all."""
    run = spec(entity_ids=("01", "02", "03", "04"))
    store.add_run(run)
    for entity_id in ("01", "02", "03"):
        _attempt(store, entity_id, 2, StopReason.FINISHED, tokens=500_000)
    _attempt(store, "04", 0, StopReason.CANCELLED)
    _attempt(store, "04", 2, StopReason.FINISHED, tokens=500_000)
    attempts = store.all_attempts(run.id)
    summed = totals(attempts)
    assert summed.usage.input_tokens == 4_000_000
    assert (summed.turns, summed.tool_calls, summed.attempts) == (8, 8, 5)
    assert summed.active_s == 500.0
    assert [a.usage().input_tokens for a in attempts] == [10**6, 10**6, 10**6, 0, 10**6]


def test_a_killed_attempt_was_active_until_its_last_turn_ended(store: Repository) -> None:
    store.add_run(spec())
    _attempt(store, "01", 3, None)
    _attempt(store, "02", 0, None)
    killed, silent = store.all_attempts("20260131-small-ab12")
    assert active_s(killed) == 32.0
    assert active_s(silent) == 0.0


def test_tokens_that_one_call_did_not_report_stay_unknown(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    started = store.start_trajectory(draft(run))
    store.add_turn(started.id, turn(1, tokens=5))
    assert totals(store.all_attempts(run.id)).usage.cached_input_tokens is None
