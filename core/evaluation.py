"""What was judged: evaluations, verdicts, comparisons, ratings and curves."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from core.record import Record, UtcTime
from core.trajectory import ModelCall

Level = Literal["message", "trajectory"]
Label = Literal["supported", "contradicted", "insufficient"]


class Evaluation(Record):
    """One pass of one checker over one run; old ones are kept beside new ones."""

    id: str
    run_id: str
    checker: str
    judges_asked: tuple[str, ...] = ()
    judges_served: tuple[str, ...] = ()
    parameters: dict[str, Any] = Field(default_factory=dict)
    prompt_hash: str | None = None
    criteria: str = "strict"
    checklist_id: str
    checklist_version: str
    checklist_hash: str
    protocol: Literal["default", "ddr"] = "default"
    created_at: UtcTime


class Verdict(Record):
    """What a checker says of one item at one level of one trajectory."""

    evaluation_id: str
    item_id: str
    trajectory_id: str
    level: Level
    label: Label | None
    """None = unscored; unscored_reason says why."""
    supporting_turns: tuple[int, ...] = ()
    contradicting_turns: tuple[int, ...] = ()
    evidence: str | None = None
    """The quote that decided it, found word for word in the insight."""
    reason: str = ""
    unscored_reason: str | None = None
    gated: int = 0
    """How many clauses passed the checker's gate (were about this fact at all)."""
    call: ModelCall | None = None

    @property
    def found_at_turn(self) -> int | None:
        """Discovery: the first supporting turn."""
        supported = self.label == "supported" and self.supporting_turns
        return min(self.supporting_turns) if supported else None


class Score(Record):
    """One accuracy with all that it is out of (DDR-09, EVALUATION 1.2). Derived, never stored."""

    competitor: str
    """Whose insights: an agent's or model's name, or a baseline's."""
    level: Level
    averaging: Literal["item", "sample"]
    """item: supported / all items. sample: mean over entities of each entity's share."""
    headline: float | None
    """strict where coverage is at least 0.95, else None; headline_reason says why."""
    headline_reason: str | None = None
    strict: float | None
    """Unscored items count as 0."""
    scored_only: float | None
    """Unscored items are left out."""
    coverage: float
    """Scored items / all items."""
    standard_error: float | None = None
    """Of the strict score, clustered by entity; None below two clusters."""
    low: float | None = None
    high: float | None = None
    """95 % interval, clustered by entity."""
    items: int
    supported: int
    contradicted: int
    insufficient: int
    unscored: int
    entities: int


class Comparison(Record):
    """Which of two sets of insights a judge finds more useful."""

    evaluation_id: str
    """Whose verdicts said what is novel."""
    scenario_id: str
    entity_id: str
    left: str
    right: str
    shown_first: Literal["left", "right"]
    winner: Literal["left", "right", "tie"] | None
    """None = unscored."""
    reason: str = ""
    judge: str
    call: ModelCall | None = None


class Rating(Record):
    """A competitor's strength on one scale (natural-log units, mean 0 inside a component)."""

    competitor: str
    strength: float | None
    low: float | None = None
    high: float | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    component: int = 0
    wins: int = 0
    losses: int = 0
    ties: int = 0
    method: str


class CurvePoint(Record):
    """One point of a curve with its interval."""

    x: float
    value: float
    low: float | None = None
    high: float | None = None
    n: int
    """Trajectories behind the point."""


class Curve(Record):
    """How accuracy grows along one axis."""

    competitor: str
    axis: Literal["turn", "calls", "billed_tokens", "new_tokens", "cost_usd", "seconds"]
    source: Literal["measured", "reported"] = "measured"
    points: tuple[CurvePoint, ...]
