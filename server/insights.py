"""Message-wise insights after the fact: for each turn that has none, the same question as at once."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from agent.insights import InsightWriter
from agent.prompting import Prompts
from core.errors import ProviderError, UsageError
from core.outside import CANCELLED, UNANSWERED
from core.protocols import ChatModel
from core.run import Limits, ModelSpec, RunSpec
from core.scenario import Scenario, Task
from core.trajectory import RUN_LIMIT, Trajectory, Turn
from databases.catalog import open_scenario
from providers.pricing import PriceTable
from server import inputs
from server.board import Board
from server.metering import BudgetSpentError, Purse
from server.models import (
    TIMEOUT_S,
    Means,
    metered_model,
    named_model,
    refuse_endpoints,
    refuse_keyless,
    refuse_unpriced,
)
from server.settings import Settings
from server.store import Repository

FAILURES: Final = 3
"""So many failures in a row end it."""

_UNSEEN: Final = frozenset({RUN_LIMIT, UNANSWERED, CANCELLED})
"""Error kinds of calls of which the agent saw nothing of the data."""

Watch = Callable[[float, float, str], None]
"""Told how many turns are done, of how many, and what happened now."""


@dataclass(frozen=True)
class Asked:
    """What `ddr insights` is asked for."""

    model: str | None = None
    """None = the one that the run's insights were to be written by."""
    base_url: str | None = None
    sampling: Mapping[str, Any] = field(default_factory=dict)
    prices: Path | None = None
    """None = the run's own."""
    budget_usd: float | None = None
    concurrency: int = 1
    timeout_s: float = TIMEOUT_S
    endpoint_allowed: str | None = None


@dataclass(frozen=True)
class Plan:
    """Who is to be asked, under which prompts, at what prices; nothing is asked yet."""

    model: ModelSpec
    prompts: Prompts
    prices: PriceTable | None
    """Those that were given, now or for the run; None = litellm's, or none."""
    scenario: Scenario
    task: Callable[[str], Task]
    """For an entity, what its agent was told."""


@dataclass
class Written:
    """What came of it."""

    turns: int
    """Of all trajectories that have ended."""
    missing: int
    """Of them, without an insight when it began."""
    under_way: int = 0
    """Trajectories that have not ended, and are left for later."""
    asked: int = 0
    told: int = 0
    """Of those asked about, how many told something."""
    failed: int = 0
    """Of those asked about, how many still have none, since the endpoint failed."""
    stopped: str | None = None
    """Why it ended before all were asked about."""

    @property
    def left(self) -> int:
        """Turns that still have none."""
        return self.missing - self.asked + self.failed


def missing(trajectory: Trajectory) -> list[Turn]:
    """The turns without an insight, or with one whose call failed; none before it has ended."""
    if trajectory.stop_reason is None:
        return []
    have = {i.turn for i in trajectory.message_insights if not i.failed}
    return [turn for turn in trajectory.turns if turn.index not in have]


def tells_nothing(turn: Turn) -> bool:
    """Whether nothing of the data came of a turn, so that nobody needs to be asked what it tells.

    All its calls were refused by a limit, taken back by the client, or never answered.
    """
    if turn.was_refused:
        return True
    results = turn.tool_results
    return bool(results) and all(result.error_kind in _UNSEEN for result in results)


class LateInsights:
    """One pass over a run's trajectories that count: side by side, turn by turn within each."""

    def __init__(
        self,
        spec: RunSpec,
        store: Repository,
        prompts: Prompts,
        *,
        make_model: Callable[[], ChatModel],
        task: Callable[[str], Task],
        concurrency: int = 1,
    ) -> None:
        """`make_model` is asked for each trajectory; `task` for each entity, what its agent was told."""
        self._store, self._prompts = store, prompts
        self._make_model, self._task, self._concurrency = make_model, task, concurrency
        found = store.trajectories(spec.id)
        ended = [each for each in found if each.stop_reason is not None]
        todo = [(each, missing(each)) for each in ended]
        self._left = deque((each, turns) for each, turns in todo if turns)
        self._in_a_row = 0
        self.written = Written(
            turns=sum(len(each.turns) for each in ended),
            missing=sum(len(turns) for _, turns in todo),
            under_way=len(found) - len(ended),
        )

    def stop(self) -> None:
        """Ask about no further turn; what is under way may end, since it is paid for."""
        self.written.stopped = self.written.stopped or "Ctrl-C"

    async def write(self, watch: Watch = lambda *_: None) -> None:
        """Ask, and store each insight as it comes. Raises StoreError where one cannot be kept.

        It ends early, and says so in `stopped`, on a refused key, on the third failure in a row and
        where the budget is spent. A failed call is stored with its error and asked again next time.
        """
        async with asyncio.TaskGroup() as group:
            for _ in range(min(self._concurrency, len(self._left))):
                group.create_task(self._work(watch))

    async def _work(self, watch: Watch) -> None:
        while self._left and not self.written.stopped:
            trajectory, turns = self._left.popleft()
            task = self._task(trajectory.entity_id)
            writer = InsightWriter(self._make_model(), self._prompts, task)
            for turn in turns:
                if self.written.stopped:
                    return
                try:
                    await self._ask(trajectory, turn, writer)
                except BudgetSpentError as exc:
                    self.written.stopped = str(exc)
                    return
                told = f"{task.entity_noun} {trajectory.entity_id}: turn {turn.index}"
                watch(self.written.asked, self.written.missing, told)

    async def _ask(self, trajectory: Trajectory, turn: Turn, writer: InsightWriter) -> None:
        error: ProviderError | None = None
        if tells_nothing(turn):
            insight = writer.none(turn)
        else:
            insight, error = await writer.attempt(turn)
        self._store.add_late_insight(insight.model_copy(update={"trajectory_id": trajectory.id}))
        self.written.asked += 1
        self.written.told += insight.text is not None
        self._count(error, writer)

    def _count(self, error: ProviderError | None, writer: InsightWriter) -> None:
        if error is None:
            self._in_a_row = 0
            return
        self.written.failed += 1
        if error.kind == "context_length":
            return  # this one turn is too long; the endpoint is well
        self._in_a_row += 1
        if error.kind == "auth" or self._in_a_row >= FAILURES:
            times = "" if error.kind == "auth" else f" {self._in_a_row} times in a row"
            self.written.stopped = f"{writer.model.name} failed{times}: {error}"


def plan(asked: Asked, spec: RunSpec, store: Repository, settings: Settings) -> Plan:
    """Who would be asked, and how. Prompts are those of the run's beginning.

    Raises UsageError, UnknownNameError, ConfigError, ScenarioError.
    """
    installed = open_scenario(spec.scenario_id, settings.home)
    prices = PriceTable.load(asked.prices) if asked.prices else None
    if prices is None and spec.price_table_hash:
        prices = inputs.kept_prices(settings, spec.price_table_hash)
    key = spec.prompts_hash
    return Plan(
        model=_model(asked, spec, store),
        prompts=inputs.kept_prompts(settings, key) if key else Prompts.builtin(),
        prices=prices,
        scenario=installed.scenario,
        task=cache(lambda entity_id: installed.task(entity_id, spec.goal)),
    )


def prepare(
    asked: Asked, spec: RunSpec, store: Repository, settings: Settings
) -> tuple[LateInsights, ModelSpec, Board]:
    """The pass, not begun; who is asked; and the board on which the calls are seen.

    Raises what `plan` does, and UsageError before anything is spent. A reason why restricted data
    may leave this machine is kept with the run.
    """
    made = plan(asked, spec, store, settings)
    allowed = asked.endpoint_allowed or spec.endpoint_allowed
    refuse_endpoints(made.scenario, [made.model], allowed)
    refuse_unpriced([made.model], made.prices, budget_usd=asked.budget_usd, limits=Limits())
    refuse_keyless([made.model])
    if allowed != spec.endpoint_allowed:
        store.amend_run(spec.model_copy(update={"endpoint_allowed": allowed}))
    means = Means(prices=made.prices, purse=Purse(asked.budget_usd), timeout_s=asked.timeout_s)
    late = LateInsights(
        spec,
        store,
        made.prompts,
        make_model=lambda: metered_model(made.model, means),
        task=made.task,
        concurrency=asked.concurrency,
    )
    return late, made.model, means.board


def _model(asked: Asked, spec: RunSpec, store: Repository) -> ModelSpec:
    if asked.model is not None:
        model = named_model(asked.model, store, base_url=asked.base_url, sampling=asked.sampling)
    elif asked.base_url or asked.sampling:
        raise UsageError("--base-url and --sampling go with --model")
    elif (own := spec.insight_model or spec.model) is None:
        raise UsageError(f"which model? run {spec.id} asked none: give --model")
    else:
        model = own
    if model.provider == "replay":
        raise UsageError("a replay answers an exploration, not what is asked later: give --model")
    return model
