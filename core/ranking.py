"""Who found the more useful things: rankings, comparisons of two sets of insights, ratings."""

from __future__ import annotations

from typing import Any, Final, Literal, get_args

from pydantic import Field

from core.record import Record, UtcTime
from core.trajectory import ModelCall

Side = Literal["left", "right"]
SIDES: Final[tuple[Side, ...]] = get_args(Side)
Winner = Literal["left", "right", "tie"]


class Ranking(Record):
    """What was asked of which judges about which runs. Ratings are derived, by any method."""

    id: str
    scenario_id: str
    by: Literal["models", "people"] = "models"
    """Who compared: judges that were asked, or people who voted blind; their judge is their name."""
    run_ids: tuple[str, ...]
    """Sorted; whoever ranks the same runs in another order ranks the same."""
    evaluations: dict[str, str]
    """Run -> the evaluation whose verdicts said which of its insights are novel."""
    judges_asked: tuple[str, ...]
    judges_served: tuple[str, ...] = ()
    parameters: dict[str, Any] = Field(default_factory=dict)
    """Of the judges: sampling, base URL."""
    prompt_hash: str
    orders: Literal["both", "one"] = "both"
    pairs: Literal["all", "adaptive"] = "all"
    is_length_matched: bool = False
    seed: int = 0
    protocol: Literal["default", "ddr"] = "default"
    although: tuple[str, ...] = ()
    """In what the runs differ that were ranked together all the same."""
    created_at: UtcTime


class Comparison(Record):
    """Which of two runs' novel insights on one entity a judge finds more useful, in one order."""

    ranking_id: str
    entity_id: str
    trial: int = Field(default=1, ge=1)
    left: str
    """A run."""
    right: str
    shown_first: Side
    winner: Winner | None
    """None = unscored; unscored_reason says why."""
    is_forfeit: bool = False
    """One of the two sets is empty and lost by that; nobody was asked."""
    left_insights: int
    """How many the judge was shown."""
    right_insights: int
    left_characters: int
    right_characters: int
    reason: str = ""
    unscored_reason: str | None = None
    judge: str | None
    """None where nobody was asked."""
    call: ModelCall | None = None


class Rating(Record):
    """A competitor's strength on one scale (natural-log units, mean 0 inside a component)."""

    competitor: str
    strength: float | None
    """None where it was compared with nobody."""
    low: float | None = None
    high: float | None = None
    """95 % interval over entities; None below two entities, and where a prior alone says how far it is
    from everybody else."""
    rank: int | None = None
    """Inside its component; equal strengths share the better rank."""
    rank_low: int | None = None
    rank_high: int | None = None
    component: int = 0
    """Those that were never compared, not even by way of others, are in different ones; from 1."""
    wins: int = 0
    losses: int = 0
    ties: int = 0
    forfeits_won: int = 0
    """Among the wins."""
    forfeits_lost: int = 0
    method: str
    note: str | None = None
    """Why a prior sets its strength: it has won nothing, or lost nothing; or why it has none."""
