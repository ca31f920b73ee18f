"""Bodies of what runs came to: the leaderboard, and one run's curves, exploration, stopping and costs."""

from __future__ import annotations

from typing import Any, Final

from analysis.axes import Axis
from analysis.exploration.heat import SchemaHeat
from analysis.exploration.regime import Regime
from analysis.spending import Reasoning, ToolUse
from analysis.spent import Spent
from analysis.statistics import Spread
from analysis.stopping import Stop
from core.evaluation import Curve, Level
from server.rest_app.bodies.base import RUN_ID, TIME, Body, shown
from server.standings import Total
from server.standings_row import Row

_EVALUATION: Final = f"{RUN_ID}.e1"
_SCORE: Final = {
    "competitor": "openai/gpt-x",
    "level": "trajectory",
    "averaging": "item",
    "headline": 0.25,
    "strict": 0.25,
    "scored_only": 0.25,
    "coverage": 1.0,
    "low": 0.1,
    "high": 0.4,
    "items": 24,
    "supported": 6,
    "contradicted": 1,
    "insufficient": 17,
    "unscored": 0,
    "entities": 2,
}
_ROW: Final[dict[str, Any]] = {
    "competitor": "openai/gpt-x",
    "agent": "react",
    "model": "openai/gpt-x",
    "scenario_id": "flights",
    "protocol": "default",
    "agent_class": "built-in",
    "run_id": RUN_ID,
    "evaluation_id": _EVALUATION,
    "explored_at": TIME,
    "judged_at": TIME,
    "scores": [_SCORE],
    "baselines": {},
    "price": {
        "cost_usd": 0.03,
        "agent_usd": 0.02,
        "input_tokens": 40000.0,
        "output_tokens": 2000.0,
    },
    "entities": 2,
    "trials": 1,
    "explored": 2,
    "turns": 21.5,
    "self_terminated": 1.0,
}


class LeaderboardRow(Body):
    """A competitor in one scenario, and with whom it is comparable."""

    scenario: str
    group: int
    """Rows of one scenario and group rest on the same things and are one ranking; 1 is the main one."""
    apart: list[str]
    """Why the group is not comparable with the main one; empty for that one."""
    row: Row


class Leaderboard(Body):
    """Rows of all scenarios, the best of each group first."""

    model_config = shown(
        {
            "rows": [{"scenario": "flights", "group": 1, "apart": [], "row": _ROW}],
            "totals": [],
            "pending": 0,
            "next": None,
        }
    )

    rows: list[LeaderboardRow]
    totals: list[Total]
    """Over several scenarios."""
    pending: int
    """Runs and rankings that are still to be summed up: ask again."""
    next: int | None


class Curves(Body):
    """How the accuracy of a run grows along one axis, as it was run."""

    model_config = shown(
        {
            "run": RUN_ID,
            "evaluation": _EVALUATION,
            "axis": "turn",
            "level": "message",
            "label": "post-hoc threshold",
            "announced_budget": False,
            "undated_share": 0.0,
            "curve": {
                "competitor": "openai/gpt-x",
                "axis": "turn",
                "points": [{"x": 2.0, "value": 0.2, "low": 0.1, "high": 0.3, "n": 2}],
            },
            "next": None,
        }
    )

    run: str
    evaluation: str
    axis: Axis
    level: Level
    label: str
    """What a reading at a budget is."""
    announced_budget: bool
    """Whether the agent was told before each turn what was left of its limits."""
    undated_share: float
    """Of all items: supported, without a turn; in no point of the curve."""
    curve: Curve
    next: int | None


class ExplorationPoint(Body):
    """Where one trajectory looked."""

    trajectory: str
    entity: str
    trial: int
    accuracy: float | None
    turns: int
    coverage: float | None
    """Distinct fields that it read / all fields."""
    entropy: float | None
    """Normalised, of its accesses."""
    accesses: int
    tables: int
    """That it read any field of."""
    is_followed: bool
    """Whether all that it read is known; if not, its coverage is a lower bound."""


class Exploration(Body):
    """Where the trajectories of a run looked."""

    model_config = shown(
        {
            "run": RUN_ID,
            "evaluation": _EVALUATION,
            "left_out": 0,
            "trajectories": [],
            "regimes": [],
            "heat": {"trajectories": 0, "tables": []},
            "next": None,
        }
    )

    run: str
    evaluation: str | None
    """Whose accuracy stands at the trajectories; null where nobody judged the run."""
    left_out: int
    """Trajectories that go on, or that ended by no fault of the agent."""
    trajectories: list[ExplorationPoint]
    regimes: list[Regime]
    """Tests of whether accuracy is best in between, over all of them."""
    heat: SchemaHeat
    """How many of all of them read each column."""
    next: int | None


class Stopping(Body):
    """When and why the trajectories of a run ended."""

    model_config = shown(
        {
            "run": RUN_ID,
            "evaluation": _EVALUATION,
            "reasons": {"finished": 2},
            "turns": {"own": None, "forced": None, "fault": None, "open": None},
            "turns_after_last_discovery": {"own": None},
            "near_finishes": 0,
            "idle_replies": 0,
            "insights_generated": 40,
            "insights_valid": 39,
            "insights_failed": 0,
            "valid_insight_ratio": 0.975,
            "stops": [],
            "next": None,
        }
    )

    run: str
    evaluation: str | None
    """By which the last discovery is known; null where nobody judged the run."""
    reasons: dict[str, int]
    turns: dict[str, Spread | None]
    """By ending: own, forced, fault, open."""
    turns_after_last_discovery: dict[str, Spread | None]
    near_finishes: int
    idle_replies: int
    insights_generated: int
    insights_valid: int
    insights_failed: int
    valid_insight_ratio: float | None
    stops: list[Stop]
    """Each trajectory."""
    next: int | None


class CostsLine(Body):
    """What one trajectory took."""

    trajectory: str
    entity: str
    trial: int
    turns: int
    calls: int
    """Of tools."""
    errors: int
    tool_s: float | None
    """Inside tools; null where nobody measured, as the next ones."""
    agent_s: float | None
    """Inside the agent's own model calls."""
    other_s: float | None
    """Inside calls for insights and the report."""
    whole_s: float | None
    """From its start to its end."""
    repeated: int
    """Queries that say the same as an earlier one."""
    loops: int
    """Stretches of trying the same in vain."""


class Costs(Body):
    """What a run took, over the attempts that count."""

    model_config = shown(
        {
            "run": RUN_ID,
            "is_seen": True,
            "cost_usd": 0.04,
            "roles": [],
            "lost": None,
            "reasoning": {"per_turn": None, "median": None, "turns": 0, "of": 43},
            "tools": [],
            "trajectories": [],
            "next": None,
        }
    )

    run: str
    is_seen: bool
    """Whether the agent's model calls pass this server; if not, what they took is not known."""
    cost_usd: float | None
    """Of all calls of all roles but the judges; null where one of them is not known."""
    roles: list[Spent]
    """By role of the call: agent, insight, report."""
    lost: Spent | None
    """Of attempts that were broken off and explored again."""
    reasoning: Reasoning
    tools: list[ToolUse]
    trajectories: list[CostsLine]
    next: int | None
