"""Take the test inside Inspect: our tools by Inspect's own MCP client, our facts as its scorer.

`pip install '.[inspect]'`, then `inspect eval server/explore -T scenario=flights --model openai/gpt-5-mini`
(Inspect names a task by its module's first part). Nothing else of this project imports this module.
"""

from __future__ import annotations

import asyncio
import os
import sys
from datetime import UTC, datetime
from typing import Any, Final

from inspect_ai import Task, task
from inspect_ai.agent import AgentPrompt, react
from inspect_ai.dataset import Sample
from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import mcp_server_stdio

from checklists.loader import checklist_for
from core.checklist import Checklist
from core.errors import UsageError
from core.evaluation import LEVELS, Verdict
from core.outside import Key, Outside
from core.run import Limits, RunSpec
from core.scenario import Goal
from core.trajectory import Trajectory, Usage
from databases.catalog import InstalledScenario, open_scenario
from evaluator.matching import MatchingChecker
from evaluator.scoring import score
from server import settings as places
from server.build import Hands
from server.enrolment import enrol
from server.selection import pick
from server.store import Repository, open_store
from server.store.seats import Seats

AGENT: Final = "inspect"
PROMPT: Final = "Call the tool get_task, and do what it says."


@task
def explore(
    *,
    scenario: str = "flights",
    entities: str | int | list[str | int] = "all",
    trials: int = 1,
    agent: str = AGENT,
    tools: Hands | None = None,
    goal: Goal = "none",
    max_turns: int | None = None,
) -> Task:
    """Explore entities of a scenario, one sample each; `trials` are its epochs.

    The scores are the shares of an entity's checklist items that the insights of its turns
    (`message`) and its report (`trajectory`) support by the checker without a model; a trajectory
    that ended by a fault is unscored. All that was called is kept in $DDR_HOME, as of any agent from
    outside, so that `ddr evaluate last --checker llm --judge M` may judge it once more.
    Raises UsageError or ScenarioError where the scenario is not there, ChecklistError for one
    without a checklist.
    """
    home = places.load().prepare()
    installed = open_scenario(scenario, home.home)
    known = [entity.id for entity in installed.entities()]
    chosen = pick(_named(entities, known), known, noun=installed.scenario.entity_noun)
    checklist = checklist_for(scenario, home.checklists)
    clusters = {entity.id: entity.cluster for entity in installed.entities()}
    enrolment = _Enrolment(
        installed, chosen, trials, agent=agent, tools=tools, goal=goal, max_turns=max_turns
    )
    return Task(
        dataset=[
            Sample(
                id=entity_id,
                input=installed.task(entity_id, goal).text,
                metadata={"entity": entity_id, "cluster": clusters[entity_id]},
            )
            for entity_id in chosen
        ],
        epochs=trials,
        solver=exploring(enrolment),
        scorer=facts(enrolment, checklist),
        name=f"ddr-{scenario}",
        version=checklist.version,
    )


def _named(said: str | int | list[str | int], known: list[str]) -> str | list[str]:
    """The ids that were meant: Inspect reads -T as YAML, in which 01 is the number 1 and 010 is 8.

    Raises UsageError where nobody can tell.
    """
    if isinstance(said, str):
        return said
    return [_id(each, known) for each in (said if isinstance(said, list) else [said])]


def _id(said: str | int, known: list[str]) -> str:
    text = str(said)
    if isinstance(said, str) or text in known:
        return text
    # Below 8 a number is the same in both bases.
    meant = [name for name in known if name.isdecimal() and int(name) == said < 8]
    if len(meant) != 1:
        raise UsageError(f"entities came as the number {said}; quote ids: -T 'entities=\"{said}\"'")
    return meant[0]


class _Enrolment:
    """The run of one evaluation, kept when its first sample begins: a task that is listed runs nothing."""

    # No dataclass: those ask for their module, and Inspect loads a file without making it one.

    def __init__(
        self,
        installed: InstalledScenario,
        entities: tuple[str, ...],
        trials: int,
        *,
        agent: str,
        tools: Hands | None,
        goal: Goal,
        max_turns: int | None,
    ) -> None:
        self.installed, self.entities, self.trials = installed, entities, trials
        self._agent, self._tools, self._goal, self._max_turns = agent, tools, goal, max_turns
        self._spec: RunSpec | None = None
        self._lock = asyncio.Lock()

    async def run(self) -> RunSpec:
        """The run that this evaluation's explorations belong to."""
        async with self._lock:
            if self._spec is None:
                self._spec = await asyncio.to_thread(self._begin)
            return self._spec

    def _begin(self) -> RunSpec:
        with self.store() as store:
            enrolled = enrol(
                self.installed,
                store,
                agent=self._agent,
                entities=self.entities,
                trials=self.trials,
                tools=self._tools,
                goal=self._goal,
                limits=Limits(max_turns=self._max_turns),
                # Inspect's react has the tools that it is given, and no others.
                outside=Outside(has_shell=False, has_web=False),
                now=datetime.now(UTC),
            )
        return enrolled.spec

    def store(self) -> Repository:
        """Where it is kept; closed by whoever asks."""
        return open_store(places.load().store_path)


@solver
def exploring(enrolment: _Enrolment) -> Solver:
    """Inspect's react loop with the seven tools of an agent from outside, until it stops by itself."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.epoch > enrolment.trials:
            raise UsageError(
                f"epoch {state.epoch} of {enrolment.trials} trials: say how many by -T trials=N, not "
                "by --epochs"
            )
        spec = await enrolment.run()
        entity_id = state.metadata["entity"]
        served = mcp_server_stdio(
            name="ddr",
            command=sys.executable,
            args=[
                *("-m", "server.cli.main", "serve", "--run", spec.id),
                *("--entity", entity_id, "--trial", str(state.epoch), "--quiet"),
            ],
            env=dict(os.environ),
        )
        # Inspect's own prompts ask for an answer, and here nobody asks a question.
        prompt = AgentPrompt(instructions=PROMPT, assistant_prompt=None, submit_prompt=None)
        explorer = react(prompt=prompt, tools=[served], submit=False)
        state.messages = (await explorer(_as_agent(state))).messages
        state.completed = True
        model, usage = str(get_model()), _usage()
        await asyncio.to_thread(_report, enrolment, spec, (entity_id, state.epoch), model, usage)
        return state

    return solve


def _as_agent(state: TaskState) -> Any:
    from inspect_ai.agent import AgentState

    return AgentState(messages=state.messages)


def _usage() -> Usage | None:
    """What Inspect counted of the sample's model calls so far; None where it counted nothing."""
    told = [event.output.usage for event in transcript().events if isinstance(event, ModelEvent)]
    total: Usage | None = None
    for used in told:
        if used is None:
            continue
        read, written = used.input_tokens_cache_read or 0, used.input_tokens_cache_write or 0
        one = Usage(
            # Inspect counts what went through a cache beside the rest, we count all input.
            input_tokens=used.input_tokens + read + written,
            output_tokens=used.output_tokens,
            cached_input_tokens=read,
            cache_write_tokens=written,
            reasoning_tokens=used.reasoning_tokens,
            cost_reason="Inspect did not report it",
        )
        total = one if total is None else total + one
    return total


def _report(
    enrolment: _Enrolment, spec: RunSpec, key: Key, model: str, usage: Usage | None
) -> None:
    """Kept as reported: we did not measure it."""
    with enrolment.store() as store:
        trajectory = _trajectory(store, spec, *key)
        if trajectory is not None:
            known = {"reported_model": model, "reported_agent": AGENT, "reported_usage": usage}
            Seats(store).amend(trajectory.id, **known)


@scorer(metrics={level: [mean(), stderr(cluster="cluster")] for level in LEVELS})
def facts(enrolment: _Enrolment, checklist: Checklist) -> Scorer:
    """Shares of the entity's checklist items that its insights support, by the matching checker."""

    async def judge(state: TaskState, target: Target) -> Score:
        spec = await enrolment.run()
        entity_id = state.metadata["entity"]
        with enrolment.store() as store:
            trajectory = _trajectory(store, spec, entity_id, state.epoch)
        if trajectory is None:
            return Score.unscored(reason="no_contact", explanation="the tools were never reached")
        return await _scored(trajectory, checklist, enrolment.installed)

    return judge


def _trajectory(store: Repository, spec: RunSpec, entity_id: str, trial: int) -> Trajectory | None:
    mine = (t for t in store.trajectories(spec.id) if (t.entity_id, t.trial) == (entity_id, trial))
    return next(mine, None)


async def _scored(
    trajectory: Trajectory, checklist: Checklist, installed: InstalledScenario
) -> Score:
    entities = installed.entities()
    checker = MatchingChecker(entities)
    items = checklist.of(trajectory.entity_id)
    verdicts: list[Verdict] = [
        verdict async for verdict in checker.check(items, trajectory, evaluation_id="inspect")
    ]
    entity = [each for each in entities if each.id == trajectory.entity_id]
    scores = {
        each.level: each
        for each in score(trajectory.agent, items, [trajectory], verdicts, entity)
        if each.averaging == "item"
    }
    stopped = str(trajectory.stop_reason or "open")
    told = {
        "run": trajectory.run_id,
        "trajectory": trajectory.id,
        "stop_reason": stopped,
        "turns": len(trajectory.turns),
        "checklist": f"{checklist.id} {checklist.version}",
        "out_of": len(items),
        "coverage": {level: scores[level].coverage for level in LEVELS},
    }
    if any(scores[level].headline is None for level in LEVELS):
        why = "; ".join(scores[level].headline_reason or "" for level in LEVELS)
        return Score.unscored(reason=stopped, explanation=why, metadata=told)
    supported = {level: scores[level].supported for level in LEVELS}
    return Score(
        value={level: scores[level].headline for level in LEVELS},
        answer=trajectory.report,
        explanation=f"{supported} of {len(items)} items supported",
        metadata=told,
    )
