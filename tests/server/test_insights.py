"""A pass over turns without an insight: it stops where it is told to, and side by side loses none."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from agent.prompting import Prompts
from core.errors import ProviderError, UsageError
from core.outside import CANCELLED, UNANSWERED
from core.protocols import Reply, ToolSpec
from core.scenario import Task
from core.trajectory import RUN_LIMIT, ModelCall, Role, StopReason, Usage
from server.insights import Asked, LateInsights, missing, plan, tells_nothing
from server.settings import Settings
from server.store import Repository
from tests.server.support import START, draft, insight, spec, turn

TURNS = 3


class Writer:
    """Says the same of each turn; fails at those that it is told to."""

    name = "test/writer"

    def __init__(self, failing: Mapping[int, ProviderError] | None = None) -> None:
        self.asked = 0
        self._failing = failing or {}

    async def complete(
        self,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[ToolSpec] = (),
        *,
        role: Role = "agent",
        form: Mapping[str, Any] | None = None,
    ) -> Reply:
        assert role == "insight"
        self.asked += 1
        await asyncio.sleep(0)
        if error := self._failing.get(self.asked):
            raise error
        usage = Usage(input_tokens=1, output_tokens=1, cost_usd=0.5)
        call = ModelCall(
            role=role, model_asked=self.name, usage=usage, started_at=START, duration_s=0.1
        )
        return Reply(text="It is late.", raw={}, call=call)


def explored(store: Repository, entities: Sequence[str] = ("01", "02")) -> None:
    """A run whose trajectories have ended without insights, and one that has not ended."""
    run = spec(entity_ids=(*entities, "99"))
    store.add_run(run)
    for entity_id in run.entity_ids:
        mine = store.start_trajectory(draft(run, entity_id))
        for index in range(1, TURNS + 1):
            store.add_turn(mine.id, turn(index))
        if entity_id != "99":
            store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)


def late(store: Repository, writer: Writer, concurrency: int = 1) -> LateInsights:
    return LateInsights(
        store.run("last"),
        store,
        Prompts.builtin(),
        make_model=lambda: writer,
        task=_task,
        concurrency=concurrency,
    )


def _task(entity_id: str) -> Task:
    return Task(
        scenario_id="small",
        entity_id=entity_id,
        entity_label=entity_id,
        entity_noun="carrier",
        text=f"Explore carrier {entity_id}.",
    )


def test_side_by_side_every_turn_of_what_has_ended_is_asked_about_once(store: Repository) -> None:
    explored(store, [f"{number:02}" for number in range(1, 8)])
    made = late(store, writer := Writer(), concurrency=4)
    told: list[tuple[float, float]] = []
    asyncio.run(made.write(lambda done, total, _what: told.append((done, total))))
    assert (made.written.asked, made.written.told, made.written.left) == (21, 21, 0)
    assert writer.asked == 21
    assert told[-1] == (21, 21)
    for trajectory in store.trajectories(spec().id):
        turns = [i.turn for i in trajectory.message_insights]
        assert turns == ([] if trajectory.entity_id == "99" else [1, 2, 3])


def test_told_to_stop_it_asks_no_further(store: Repository) -> None:
    explored(store)
    made = late(store, writer := Writer())
    asyncio.run(made.write(lambda *_: made.stop()))
    assert (writer.asked, made.written.stopped, made.written.left) == (1, "Ctrl-C", 5)
    again = late(store, writer)
    asyncio.run(again.write())
    assert (again.written.missing, again.written.left) == (5, 0)


def test_a_turn_that_is_too_long_is_no_sign_of_a_broken_endpoint(store: Repository) -> None:
    explored(store)
    long = ProviderError("the prompt is too long", kind="context_length")
    made = late(store, Writer(dict.fromkeys(range(1, 5), long)))
    asyncio.run(made.write())
    assert (made.written.stopped, made.written.asked, made.written.failed) == (None, 6, 4)


def test_failures_count_in_a_row_alone(store: Repository) -> None:
    explored(store)
    broken = ProviderError("503", status_code=503, kind="server")
    made = late(store, Writer({1: broken, 2: broken, 4: broken, 5: broken}))
    asyncio.run(made.write())
    assert (made.written.stopped, made.written.asked, made.written.failed) == (None, 6, 4)


def test_what_is_missing_are_turns_without_an_insight_that_came_through(store: Repository) -> None:
    explored(store, ["01"])
    (ended, open_) = store.trajectories(spec().id)
    assert [each.index for each in missing(ended)] == [1, 2, 3]
    assert missing(open_) == [], "it may still write its own"
    told = ended.model_copy(update={"insights": (insight(ended.id, 2, None),)})
    assert [each.index for each in missing(told)] == [1, 3], "nothing to say is an answer"


def test_a_turn_that_a_limit_refused_whole_is_not_asked_about_and_one_that_lacked_memory_is(
    store: Repository,
) -> None:
    run = spec(entity_ids=("01",))
    store.add_run(run)
    mine = store.start_trajectory(draft(run, "01"))
    for index, kind in enumerate(("limit", RUN_LIMIT), 1):
        plain = turn(index)
        failed = plain.tool_results[0].model_copy(update={"is_error": True, "error_kind": kind})
        store.add_turn(mine.id, plain.model_copy(update={"tool_results": (failed,)}))
    store.end_trajectory(mine.id, StopReason.MAX_TURNS, ended_at=START)
    writer = Writer()
    made = late(store, writer)
    asyncio.run(made.write())
    assert (writer.asked, made.written.left) == (1, 0)
    (trajectory,) = store.trajectories(run.id)
    assert [(i.turn, i.text) for i in trajectory.message_insights] == [
        (1, "It is late."),
        (2, None),
    ]


@pytest.mark.parametrize(
    ("kinds", "nothing"),
    [
        ((None,), False),
        (("sql",), False),
        ((UNANSWERED,), True),
        ((CANCELLED, UNANSWERED), True),
        ((None, UNANSWERED), False),
        (("sql", CANCELLED), False),
        ((RUN_LIMIT, None), True),
        ((), False),
    ],
)
def test_a_turn_tells_nothing_where_the_agent_saw_nothing(
    kinds: tuple[str | None, ...], nothing: bool
) -> None:
    (answer,) = turn(1).tool_results
    results = [
        answer.model_copy(update={"is_error": kind is not None, "error_kind": kind})
        for kind in kinds
    ]
    assert tells_nothing(turn(1).model_copy(update={"tool_results": tuple(results)})) is nothing


def test_the_task_is_the_one_that_the_agent_was_told_its_goal_included(
    store: Repository, tmp_path: Path, flights_home: Path
) -> None:
    script = tmp_path / "model.jsonl"
    script.write_text('{"role": "insight", "text": "It has many."}\n', "utf-8")
    asked = Asked(model=f"scripted:{script}")
    settings = Settings(home=flights_home)
    plain = plan(asked, spec(scenario_id="flights"), store, settings)
    assert "carrier 01" in plain.task("01").text
    told = plan(asked, spec(scenario_id="flights", goal="generic"), store, settings)
    with pytest.raises(UsageError, match="--goal generic: carrier 01 of flights has no goal"):
        told.task("01")
