"""A run with a model: what was sent, nudges, endings and money reach the store as they were."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent.react import ReactAgent
from core.run import Limits, ModelSpec
from core.trajectory import UNKNOWN_USAGE, StopReason, Trajectory
from providers.scripted import ScriptedModel
from server.board import Board
from server.metering import BudgetSpentError, MeteredModel, Purse
from server.runner import explore
from server.runs import summary
from server.store import Repository
from tests.server.exploring import World
from tests.server.support import START, draft, spec, turn

QUERY = {"tool_calls": [{"name": "execute_query", "arguments": {"query": "SELECT 1"}}]}
DONE = "FINISH: all is said"


@pytest.fixture
def world(store: Repository, tmp_path: Path) -> World:
    return World(store, tmp_path)


class Priced(ScriptedModel):
    """A scripted model whose every call costs a cent."""

    cost: float | None = 0.01

    async def complete(
        self, messages: Any, tools: Any = (), *, role: Any = "agent", form: Any = None
    ) -> Any:
        reply = await super().complete(messages, tools, role=role)
        usage = reply.call.usage.model_copy(
            update={"cost_usd": self.cost, "input_tokens": 10, "output_tokens": 5}
        )
        return reply.model_copy(update={"call": reply.call.model_copy(update={"usage": usage})})


def go(
    world: World,
    replies: Sequence[Mapping[str, Any] | str],
    *,
    purse: Purse | None = None,
    insights: Any = "none",
    cost: float | None = 0.01,
    board: Board | None = None,
    **changes: Any,
) -> list[Trajectory]:
    changes = {"entity_ids": ("01",), "model": ModelSpec(provider="m", name="x"), **changes}
    run = spec(agent="react", **changes)
    if not world.store.runs():
        world.store.add_run(run)
    board, purse = board or Board(), purse or Purse(None)

    def make_model(_key: Any) -> MeteredModel:
        model = Priced(list(replies), name="m/x")
        model.cost = cost
        return MeteredModel(model, purse, board)

    setting = replace(
        world.setting(),
        make_agent=lambda _key: ReactAgent(insights=insights),
        make_model=make_model,
        board=board,
    )
    try:
        asyncio.run(explore(run, setting))
    finally:
        found = world.store.trajectories(run.id)
    return found


def test_what_was_sent_first_is_stored_as_it_was_sent(world: World) -> None:
    (only,) = go(world, [QUERY, DONE])
    assert only.preamble is not None
    assert "FINISH:" in str(only.preamble.system_prompt)
    assert "Analyse carrier 01." in only.preamble.start_prompt
    assert [s["name"] for s in only.preamble.tool_schemas] == ["execute_query"]
    assert (only.model, only.stop_reason) == ("m/x", StopReason.FINISHED)


def test_nudges_are_kept_apart_from_turns_and_counted_as_calls(world: World) -> None:
    (only,) = go(world, ["thinking", QUERY, "I FINISH: soon", "hm", DONE])
    assert [(n.after_turn, n.text) for n in only.nudges] == [
        (0, "thinking"),
        (1, "I FINISH: soon"),
        (1, "hm"),
    ]
    assert (len(only.turns), only.near_finishes, len(only.calls)) == (1, 1, 5)
    assert only.usage("agent").input_tokens == 50


def test_three_nudges_in_a_row_end_a_trajectory_as_idle(world: World) -> None:
    (only,) = go(world, [QUERY, "a", "b", "c"], limits=Limits(max_tokens=60))
    assert (only.stop_reason, only.report, len(only.nudges)) == (StopReason.IDLE, None, 3)


def test_the_last_call_and_its_prompt_stand_by_the_report(world: World) -> None:
    (only,) = go(world, [QUERY, DONE])
    (report,) = only.insights
    assert report.call is not None
    assert (report.call.role, report.text, only.report_forced) == ("agent", "all is said", False)
    assert report.prompt_hash


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        ({"max_turns": 2}, StopReason.MAX_TURNS),
        ({"max_tokens": 25}, StopReason.MAX_TOKENS),
        ({"max_cost_usd": 0.015}, StopReason.MAX_COST),
    ],
)
def test_a_limit_on_the_agents_own_calls_ends_it_with_one_forced_report(
    world: World, limits: dict[str, Any], reason: StopReason
) -> None:
    (only,) = go(world, [QUERY, QUERY, "The report."], limits=Limits(**limits))
    assert (only.stop_reason, only.report, only.report_forced) == (reason, "The report.", True)
    assert [call.role for call in only.calls] == ["agent", "agent", "report"]


def test_insights_do_not_count_towards_an_agents_limits(world: World) -> None:
    replies: list[Any] = [QUERY, {"text": "One.", "role": "insight"}, QUERY, DONE]
    (only,) = go(world, replies, insights="per-turn", limits=Limits(max_tokens=46))
    assert only.stop_reason is StopReason.FINISHED


def test_an_endpoints_failure_is_an_ending_of_its_own_and_never_a_report(world: World) -> None:
    failing = {"error": {"kind": "auth", "status_code": 401, "text": "no such key"}}
    (only,) = go(world, [QUERY, failing])
    assert (only.stop_reason, only.report, only.insights) == (StopReason.PROVIDER_ERROR, None, ())
    assert "no such key" in str(only.error)
    assert not StopReason.PROVIDER_ERROR.scored


def test_a_call_that_failed_is_kept_with_a_cost_that_is_unknown(world: World) -> None:
    """No turn holds it, and yet it was made: a sum over the run's calls is not known either."""
    failing = {"error": {"kind": "server", "status_code": 500, "text": "out of order"}}
    (only,) = go(world, [QUERY, failing])
    (failed,) = only.failed_calls
    assert (failed.role, failed.model_asked, failed.usage) == ("agent", "m/x", UNKNOWN_USAGE)
    assert "out of order" in str(failed.error)
    assert Counter(call.error is None for call in only.calls) == {True: 1, False: 1}
    assert only.usage().cost_usd is None
    assert only.usage().cost_reason == "the call failed"
    assert len(world.store.calls(spec().id)) == 2


def test_an_insight_that_failed_is_counted_once(world: World) -> None:
    failing = {"error": {"kind": "server", "text": "out of order"}, "role": "insight"}
    (only,) = go(world, [QUERY, failing, DONE], insights="per-turn")
    told = Counter((call.role, call.error is None) for call in only.calls)
    assert told == {("agent", True): 2, ("insight", False): 1}
    assert only.failed_calls == ()


def test_a_failed_report_is_a_failed_call_of_its_own(world: World) -> None:
    failing = {"error": {"kind": "server", "text": "out of order"}}
    (only,) = go(world, [QUERY, failing], limits=Limits(max_turns=1))
    told = Counter((call.role, call.error is None) for call in only.calls)
    assert told == {("agent", True): 1, ("report", False): 1}
    assert (only.stop_reason, only.report) == (StopReason.PROVIDER_ERROR, None)


def test_a_full_context_ends_with_a_report_over_what_fits_and_is_scored(world: World) -> None:
    full = {"error": {"kind": "context_length", "text": "too long"}}
    (only,) = go(world, [QUERY, QUERY, full, "What I saw."])
    assert only.stop_reason is StopReason.CONTEXT_LENGTH
    assert (only.report, only.report_forced) == ("What I saw.", True)
    assert "too long" in str(only.error)


def test_a_spent_budget_leaves_the_rest_not_begun_and_fails_nothing(world: World) -> None:
    """What was open is cancelled, so that a resume with more money explores it again."""
    purse = Purse(0.03)
    with pytest.raises(BudgetSpentError, match=r"the budget of \$0.03 is spent"):
        go(world, [QUERY, DONE], purse=purse, entity_ids=("01", "02", "03"))
    ends = [(t.entity_id, t.stop_reason) for t in world.store.trajectories(spec().id)]
    assert ends == [("01", StopReason.FINISHED), ("02", StopReason.CANCELLED)]
    assert purse.spent_usd == pytest.approx(0.03)
    found = go(world, [QUERY, DONE], entity_ids=("01", "02", "03"))
    assert [(t.entity_id, t.attempt, t.stop_reason) for t in found] == [
        ("01", 1, StopReason.FINISHED),
        ("02", 2, StopReason.FINISHED),
        ("03", 1, StopReason.FINISHED),
    ]


def test_a_call_of_unknown_cost_ends_a_run_that_has_a_budget(world: World) -> None:
    with pytest.raises(BudgetSpentError, match="the budget cannot be kept"):
        go(world, [QUERY, DONE], purse=Purse(1.0), cost=None)


def test_a_wish_to_stop_lets_the_open_call_end_and_keeps_its_turn(world: World) -> None:
    board = Board()

    async def stop(arguments: Mapping[str, Any]) -> Any:
        board.stopping = True
        return await original(arguments)

    original = world.answers["execute_query"]
    world.answers["execute_query"] = stop
    (only,) = go(world, [QUERY, DONE], board=board, entity_ids=("01", "02"))
    assert (only.entity_id, only.stop_reason, len(only.turns)) == ("01", StopReason.CANCELLED, 1)


def test_nudges_of_an_older_attempt_never_mix_with_a_newer_ones(world: World) -> None:
    with pytest.raises(BudgetSpentError):
        go(world, ["first", QUERY, DONE], purse=Purse(0.01))
    (only,) = go(world, ["second", QUERY, DONE])
    assert (only.attempt, [n.text for n in only.nudges]) == (2, ["second"])
    old = world.store.all_attempts(spec().id)[0]
    assert [n.text for n in old.nudges] == ["first"]


def test_the_board_says_what_was_spent_and_what_is_waited_for() -> None:
    now = [100.0]
    board = Board(clock=lambda: now[0])
    assert board.line() == ""
    model = MeteredModel(Priced([DONE, DONE], name="m"), Purse(None), board)
    asyncio.run(model.complete([]))
    now[0] += 2
    asyncio.run(model.complete([]))
    board.paused("429", 12)
    with board.busy("the model"), board.busy("a tool"):
        line = board.line()
    assert "2 calls; 30 tokens; $0.0200; 0.5 calls/s" in line
    assert "waiting: 1 for the model, 1 for a tool, a pause of 12 s (429)" in line


def test_a_runs_summary_tells_billed_peak_and_new_tokens_apart(store: Repository) -> None:
    """F34."""
    run = spec(entity_ids=("01",))
    store.add_run(run)
    only = store.start_trajectory(draft(run))
    for number, prompt in enumerate((3884, 7600, 11135, 11617, 12628, 13265), start=1):
        store.add_turn(only.id, turn(number, tokens=prompt))
    store.end_trajectory(only.id, StopReason.FINISHED, ended_at=START)
    (told,) = summary(run, store)["trajectories"]
    assert told["agent_input_tokens"] == {"billed": 60129, "peak_context": 13265, "new": 13265}
