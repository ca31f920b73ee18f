"""What was asked for: a run's specification and its limits."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from core.agent_class import CLOSED_BOOK, UNDECLARED, class_of
from core.outside import Key, Outside
from core.record import Record, UtcTime
from core.scenario import Goal
from core.trajectory import Trajectory


class Limits(Record):
    """When a trajectory is ended from outside; None = unlimited."""

    max_turns: int | None = Field(default=None, ge=1)
    max_tokens: int | None = Field(default=None, ge=1)
    max_cost_usd: float | None = Field(default=None, gt=0)
    max_seconds: float | None = Field(default=None, gt=0)
    max_idle_turns: int = Field(default=3, ge=1)


class ModelSpec(Record):
    """Which language model, and how it is asked."""

    provider: str
    name: str
    base_url: str | None = None
    sampling: dict[str, Any] = Field(default_factory=dict)
    attributes: dict[str, str] = Field(default_factory=dict)


WITH_TOOLS_ALONE: Final = ("ddr-bench",)
"""Forms of logs whose agent is known to have had a database's tools and nothing beside."""


BUNDLE: Final = "bundle"
"""The form of a run that came with all its records from another home."""


class Imported(Record):
    """Where a run comes from that was not explored under our eyes."""

    form: str
    """ddr-bench, jsonl, inspect, ... of another program's logs; bundle of another home's records."""
    source: str
    """The name of the file or folder."""
    sha256: str | None = None
    """Of its content; None where nobody asked for it."""
    before: Imported | None = None
    """Of a bundle: where its run came from to the home that sent it; None = it was explored there,
    by that home's word."""


class Continued(Record):
    """A trajectory that is gone on from."""

    entity_id: str
    trial: int = Field(ge=1)
    trajectory_id: str


class Continuation(Record):
    """What a run goes on from: trajectories that had ended by themselves, which stay as they are."""

    run_id: str
    trajectories: tuple[Continued, ...] = Field(min_length=1)


class RunSpec(Record):
    """One run: who explores which entities of which scenario, under what rules."""

    id: str
    scenario_id: str
    scenario_fingerprint: str
    entity_ids: tuple[str, ...] = Field(min_length=1)
    agent: str
    model: ModelSpec | None = None
    tools: Literal["sql", "python", "both"] = "both"
    sandbox: str = "bubblewrap"
    """What was asked to hold Python, by its name; how it was held stands with each trajectory."""
    protocol: Literal["default", "ddr"] = "default"
    goal: Goal = "none"
    """What the agent is told that it is to find out."""
    prompts_hash: str | None = None
    limits: Limits = Limits()
    announced_budget: bool = False
    """Whether the agent was told before each turn what was left of its limits."""
    trials: int = Field(default=1, ge=1)
    concurrency: int = Field(default=1, ge=1)
    budget_usd: float | None = None
    seed: int = 0
    insight_model: ModelSpec | None = None
    """None = the same model as the agent's."""
    insights: Literal["per-turn", "later", "none"] = "per-turn"
    """When the message-wise insights are asked for."""
    final_report: Literal["ask", "none"] = "ask"
    """Whether an exploration that did not choose its end is asked for its report."""
    price_table_hash: str | None = None
    """Of the prices that were given; None = litellm's own, or none."""
    outside: Outside | None = None
    """How an agent from outside was let in; None for one of our own."""
    imported: Imported | None = None
    """None where it was explored under our eyes."""
    continues: Continuation | None = None
    """None where each exploration began at its beginning. Otherwise its first turn follows the last
    one of the trajectory that it goes on from, and the limits count what is new."""
    endpoint_allowed: str | None = None
    """Why restricted data may go to an endpoint off this machine; None = it may not."""
    created_at: UtcTime

    @property
    def keys(self) -> tuple[Key, ...]:
        """Each (entity, trial) that is explored, trial by trial."""
        if self.continues is not None:
            return tuple((each.entity_id, each.trial) for each in self.continues.trajectories)
        return tuple((e, trial) for trial in range(1, self.trials + 1) for e in self.entity_ids)

    @property
    def origin(self) -> Imported | None:
        """Which logs it was made of, wherever that was; None where a ddr let its agent explore."""
        found = self.imported
        return found.before if found is not None and found.form == BUNDLE else found

    @property
    def is_bundled(self) -> bool:
        """Whether its records are another home's word: whole, but nothing that happened here."""
        return self.imported is not None and self.imported.form == BUNDLE

    @property
    def agent_class(self) -> str:
        """What the agent had beside our tools; only one class makes one ranking.

        Of a bundle it is what the home that explored it said, as it is an owner's word of an agent
        from outside; that it is another's word is remarked wherever runs are compared.
        """
        if self.origin is not None and self.origin.form not in WITH_TOOLS_ALONE:
            return UNDECLARED
        if self.outside is None and self.agent == CLOSED_BOOK:
            return CLOSED_BOOK
        return class_of(self.outside)

    def draft(self, key: Key, now: UtcTime, **known: Any) -> Trajectory:
        """A trajectory of this run as it begins, without an id, which the store gives it.

        `known`: further fields of it.
        """
        entity_id, trial = key
        return Trajectory(
            id="",
            run_id=self.id,
            scenario_id=self.scenario_id,
            scenario_fingerprint=self.scenario_fingerprint,
            entity_id=entity_id,
            trial=trial,
            agent=self.agent,
            started_at=now,
            **known,
        )
