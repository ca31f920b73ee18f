"""What goes into the store comes out of it: whole, once, and in order."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest

from core.errors import StoreError, UnknownNameError, UsageError
from core.trajectory import (
    UNKNOWN_USAGE,
    Client,
    Nudge,
    Preamble,
    Sandbox,
    StopReason,
    Trajectory,
)
from server.store import Repository, open_store
from tests.server.support import START, draft, evaluation, insight, spec, turn, verdict


def test_a_trajectory_comes_back_as_it_went_in(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    told = draft(
        run,
        client=Client(name="ddr", version="1", protocol="2026-07-28"),
        preamble=Preamble(start_prompt="Explore.", tool_schemas=({"type": "object"},)),
        sandbox=Sandbox(name="off", detail="no user namespaces"),
    )
    started = store.start_trajectory(told)
    turns = (turn(1, "ä \x00 \U0001f6eb", tokens=7), turn(2))
    insights = (insight(started.id, 1), insight(started.id, 2, None))
    for each, said in zip(turns, insights, strict=True):
        store.add_turn(started.id, each)
        store.add_insight(said)
    store.end_trajectory(started.id, StopReason.FINISHED, ended_at=START, report_forced=True)
    expected = started.model_copy(
        update={
            "turns": turns,
            "insights": insights,
            "stop_reason": StopReason.FINISHED,
            "ended_at": START,
            "report_forced": True,
        }
    )
    assert store.trajectories(run.id) == [expected]
    assert store.trajectory(started.id) == expected


def test_runs_are_listed_by_time_and_found_by_prefix_or_as_the_last(store: Repository) -> None:
    older = spec("20260131-small-aa11")
    newer = spec("20260131-small-bb22", created_at=START.replace(hour=13))
    store.add_run(newer)
    store.add_run(older)
    assert [run.id for run in store.runs()] == [older.id, newer.id]
    assert store.run("last") == newer
    assert store.run("20260131-small-a") == older
    assert store.run(newer.id) == newer


def test_an_ambiguous_prefix_lists_the_runs_that_it_begins(store: Repository) -> None:
    for run_id in ("20260131-small-aa11", "20260131-small-aa22"):
        store.add_run(spec(run_id))
    with pytest.raises(UsageError, match="aa11, 20260131-small-aa22"):
        store.run("2026")


def test_an_id_that_begins_another_is_still_found(store: Repository) -> None:
    for run_id in ("run-1", "run-12"):
        store.add_run(spec(run_id))
    assert store.run("run-1").id == "run-1"


def test_an_unknown_run_names_those_that_exist(store: Repository) -> None:
    store.add_run(spec())
    with pytest.raises(UnknownNameError, match="20260131-small-ab12"):
        store.run("20260131-small-ab13")


def test_without_any_run_the_next_step_is_named(store: Repository) -> None:
    with pytest.raises(UsageError, match="no runs here yet; see it work: ddr demo"):
        store.run("last")


def test_a_run_is_stored_once(store: Repository) -> None:
    store.add_run(spec())
    with pytest.raises(StoreError, match="run 20260131-small-ab12 is stored already"):
        store.add_run(spec(seed=9))
    assert store.run("last").seed == 0


def test_attempts_are_numbered_by_the_store_per_entity_and_trial(store: Repository) -> None:
    run = spec(trials=2)
    store.add_run(run)
    started = [
        store.start_trajectory(draft(run, entity, trial))
        for entity, trial in (("01", 1), ("01", 1), ("01", 2), ("02", 1))
    ]
    assert [t.attempt for t in started] == [1, 2, 1, 1]
    assert len({t.id for t in started}) == 4


def test_attempts_that_start_at_once_get_different_numbers(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    barrier = threading.Barrier(4)
    seen: list[int] = []

    def begin() -> None:
        with open_store(store.path) as mine:
            barrier.wait()
            seen.append(mine.start_trajectory(draft(run)).attempt)

    threads = [threading.Thread(target=begin) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == [1, 2, 3, 4]


def test_a_turn_is_stored_once_and_the_first_one_stays(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    started = store.start_trajectory(draft(run))
    store.add_turn(started.id, turn(1, "first"))
    with pytest.raises(StoreError, match=r"turn 1 of .* is stored already"):
        store.add_turn(started.id, turn(1, "second"))
    assert [t.text for t in store.trajectory(started.id).turns] == ["first"]


def test_two_insights_of_one_name_are_refused(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    started = store.start_trajectory(draft(run))
    store.add_insight(insight(started.id, 1))
    with pytest.raises(StoreError, match="stored already"):
        store.add_insight(insight(started.id, 1, "Otherwise."))


def test_an_attempt_that_has_ended_takes_no_more(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    started = store.start_trajectory(draft(run))
    store.end_trajectory(started.id, StopReason.IDLE, ended_at=START)
    ended = r"has ended \(idle\)"
    with pytest.raises(StoreError, match=ended):
        store.add_turn(started.id, turn(1))
    with pytest.raises(StoreError, match=ended):
        store.add_insight(insight(started.id, 1))
    with pytest.raises(StoreError, match=ended):
        store.end_trajectory(started.id, StopReason.FINISHED, ended_at=START)
    assert store.trajectory(started.id).stop_reason is StopReason.IDLE


def test_an_unknown_trajectory_or_run_is_refused_and_leaves_nothing(store: Repository) -> None:
    with pytest.raises(StoreError, match="no trajectory nowhere"):
        store.add_turn("nowhere", turn(1))
    with pytest.raises(StoreError, match="refused a record"):
        store.start_trajectory(draft(spec()))
    assert store.all_attempts(spec().id) == []


def test_a_lone_surrogate_costs_no_turn(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    started = store.start_trajectory(draft(run))
    store.add_turn(started.id, turn(1, "a\ud800b \U0001f6eb"))
    assert store.trajectory(started.id).turns[0].text == "a\ufffdb \U0001f6eb"


def test_heads_have_neither_turns_nor_insights(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    started = store.start_trajectory(draft(run))
    store.add_turn(started.id, turn(1))
    assert store.heads(run.id) == [started]


def test_one_verdict_for_each_evaluation_item_trajectory_and_level(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    mine = store.start_trajectory(draft(run)).id
    store.add_evaluation(evaluation(run))
    store.add_evaluation(evaluation(run, "e2"))
    store.add_verdicts([verdict(mine)])
    store.add_verdicts([verdict(mine, level="trajectory"), verdict(mine, evaluation_id="e2")])
    with pytest.raises(StoreError, match="verdict on the same item"):
        store.add_verdicts([verdict(mine, "q2"), verdict(mine, label="contradicted")])
    kept = store.verdicts("e1")
    assert [(v.item_id, v.level, v.label) for v in kept] == [
        ("q1", "message", "supported"),
        ("q1", "trajectory", "supported"),
    ]
    assert kept[0].found_at_turn == 1


def test_old_evaluations_are_kept_beside_new_ones_in_order(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    for name in ("zz", "aa", "mm"):
        store.add_evaluation(evaluation(run, name))
    assert [e.id for e in store.evaluations(run.id)] == ["zz", "aa", "mm"]


def test_deleting_a_run_takes_all_that_hangs_on_it_and_nothing_else(store: Repository) -> None:
    gone, stays = spec("run-a"), spec("run-b")
    for run in (gone, stays):
        store.add_run(run)
        started = store.start_trajectory(draft(run))
        store.add_turn(started.id, turn(1))
        store.add_insight(insight(started.id, 1))
        store.add_evaluation(evaluation(run, f"e-{run.id}"))
        store.add_verdicts([verdict(started.id, evaluation_id=f"e-{run.id}")])
    store.delete_run(gone.id)
    assert [run.id for run in store.runs()] == ["run-b"]
    assert store.all_attempts(gone.id) == []
    assert store.verdicts("e-run-a") == []
    assert len(store.all_attempts(stays.id)[0].turns) == 1
    assert len(store.verdicts("e-run-b")) == 1


def test_deleting_what_is_not_there_is_an_error(store: Repository) -> None:
    with pytest.raises(StoreError, match="no run nothing"):
        store.delete_run("nothing")


def test_the_store_file_is_its_owners_alone(store: Repository) -> None:
    store.add_run(spec())
    for path in Path(store.path.parent).glob("store.sqlite3*"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path


def test_another_process_reads_turns_while_the_run_goes_on(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    started = store.start_trajectory(draft(run))
    with open_store(store.path) as reader:
        for index in (1, 2, 3):
            store.add_turn(started.id, turn(index))
            assert len(reader.trajectories(run.id)[0].turns) == index


def test_the_log_grows_with_the_turns_not_with_their_square(store: Repository) -> None:
    """F55: 200 turns of 10 KB stay under twice their raw size."""
    run = spec()
    store.add_run(run)
    started = store.start_trajectory(draft(run))
    for index in range(1, 201):
        store.add_turn(started.id, turn(index, result="x" * 10_000))
    store.close()
    size = sum(path.stat().st_size for path in store.path.parent.glob("store.sqlite3*"))
    assert 2_000_000 < size < 4_000_000


def test_calls_are_read_without_what_was_said(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    only = store.start_trajectory(draft(run))
    first = turn(1, tokens=7)
    assert first.call is not None
    store.add_turn(only.id, first)
    store.add_turn(only.id, turn(2))
    store.add_nudge(only.id, Nudge(after_turn=2, text="hm", call=first.call))
    store.add_insight(insight(only.id, 1))
    assert store.calls(run.id) == [first.call, first.call]
    assert store.trajectory(only.id).calls == (first.call, first.call)
    assert store.calls("another") == []


def test_a_failed_call_is_one_of_the_calls_though_no_turn_holds_it(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    only = store.start_trajectory(draft(run))
    first = turn(1, tokens=7)
    store.add_turn(only.id, first)
    assert first.call is not None
    failed = first.call.model_copy(update={"usage": UNKNOWN_USAGE, "error": "401"})
    store.add_failed_call(only.id, failed)
    store.add_failed_call(only.id, failed)
    assert store.calls(run.id) == [first.call, failed, failed]
    kept = store.trajectory(only.id)
    assert kept.failed_calls == (failed, failed)
    assert sorted(c.error or "" for c in kept.calls) == ["", "401", "401"]
    assert kept.usage().cost_usd is None
    assert kept.usage().cost_reason == "the call failed"
    assert store.reprice(run.id, lambda call: call) == [failed, failed, first.call]


def test_nudges_keep_their_order_and_go_with_their_run(store: Repository) -> None:
    run = spec()
    store.add_run(run)
    only = store.start_trajectory(draft(run))
    call = turn(1, tokens=1).call
    assert call is not None
    for text in ("b", "a", "b"):
        store.add_nudge(only.id, Nudge(after_turn=0, text=text, call=call))
    assert [n.text for n in store.trajectory(only.id).nudges] == ["b", "a", "b"]
    store.end_trajectory(only.id, StopReason.IDLE, ended_at=START)
    with pytest.raises(StoreError, match="has ended"):
        store.add_nudge(only.id, Nudge(after_turn=0, text="late", call=call))
    with pytest.raises(StoreError, match="has ended"):
        store.set_preamble(only.id, Preamble(start_prompt="late"))
    store.delete_run(run.id)
    assert store.all_attempts(run.id) == []


def test_an_insight_may_come_after_its_attempt_has_ended_and_gets_its_id(store: Repository) -> None:
    mine = store.start_trajectory(_run(store))
    store.add_turn(mine.id, turn(1))
    store.add_turn(mine.id, turn(2))
    store.add_insight(insight(mine.id, 1))
    store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    with pytest.raises(StoreError, match="has ended"):
        store.add_insight(insight(mine.id, 2))
    for text in (None, "Late."):
        store.add_late_insight(insight(mine.id, 2, text).model_copy(update={"id": "whatever"}))
    kept = store.trajectory(mine.id)
    assert [(i.id, i.turn, i.text) for i in kept.insights] == [
        (f"{mine.id}.i1", 1, "It is so."),
        (f"{mine.id}.i2", 2, None),
        (f"{mine.id}.i3", 2, "Late."),
    ]
    assert kept.stop_reason is StopReason.FINISHED


def test_a_verdict_may_take_another_ones_place_and_nobody_elses(store: Repository) -> None:
    mine = store.start_trajectory(_run(store))
    store.add_evaluation(evaluation(store.run("last")))
    one, two = verdict(mine.id, "q1"), verdict(mine.id, "q2")
    store.add_verdicts([one, two])
    better = one.model_copy(update={"label": "insufficient", "supporting_turns": ()})
    store.replace_verdict(better)
    assert store.verdicts("e1") == [better, two]
    with pytest.raises(StoreError, match="no verdict on q3"):
        store.replace_verdict(verdict(mine.id, "q3"))


def test_what_was_allowed_of_a_run_later_is_kept_with_it(store: Repository) -> None:
    _run(store)
    spec_ = store.run("last")
    store.amend_run(spec_.model_copy(update={"endpoint_allowed": "agreed"}))
    assert store.run("last").endpoint_allowed == "agreed"
    with pytest.raises(StoreError, match="no run nothing"):
        store.amend_run(spec_.model_copy(update={"id": "nothing"}))


def _run(store: Repository) -> Trajectory:
    """A run's first draft."""
    run = spec()
    store.add_run(run)
    return draft(run)
