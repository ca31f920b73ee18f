"""What was judged: evaluations, verdicts, scores and curves."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field

from core.record import Record, UtcTime
from core.trajectory import ModelCall

BASELINES: Final = (
    "blank",
    "generic",
    "shuffled_entity",
    "constant",
    "population",
    "closed_book",
)
"""The competitors that are no agents. No agent's row bears one of their names."""

Level = Literal["message", "trajectory"]
LEVELS: Final[tuple[Level, Level]] = ("message", "trajectory")
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


CANNOT_TELL: Final = "cannot tell"
"""What a judge answers to a closed item where the insights speak for none of its options (DDR-08)."""


class Vote(Record):
    """What one judge of several says of an item."""

    judge: str
    """As it was asked for."""
    label: Label | None
    """None = it gave none; unscored_reason says why."""
    chosen: str | None = None
    """See Verdict."""
    supporting_turns: tuple[int, ...] = ()
    contradicting_turns: tuple[int, ...] = ()
    evidence: str | None = None
    reason: str = ""
    unscored_reason: str | None = None
    call: ModelCall | None = None


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
    chosen: str | None = None
    """Of a closed item: the option that was chosen, as the item spells it, or CANNOT_TELL."""
    votes: tuple[Vote, ...] = ()
    """Of several judges; the label is then that of most of them. () where one judged alone."""
    call: ModelCall | None = None
    """All that was asked for it; the sum over the votes where there are some."""

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """What was asked of each judge for it."""
        each = [vote.call for vote in self.votes] if self.votes else [self.call]
        return tuple(call for call in each if call is not None)

    @property
    def cannot_tell(self) -> bool:
        """Whether the judge was given the choice, and said that the insights do not tell."""
        return self.chosen == CANNOT_TELL

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
    answered_only: float | None = None
    """The paper's mean: items of entities of which nothing was handed in at this level are left out too."""
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
    cannot_tell: int = 0
    """Of the insufficient ones: closed items to which the judge said that the insights do not tell."""
    entities: int


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
