"""One row of the leaderboard: a competitor in one scenario, with what its scores rest on and cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from core.evaluation import Level, Score
from core.naming import without_folders
from core.ranking import Rating
from core.record import Record
from evaluator.chance import CONSTANT
from evaluator.comparable import JUDGES, listed
from evaluator.overall import Column, columns_of
from evaluator.scoring import ENOUGH, Averaging
from server.standings_summary import Spent, Summary, score_of

_UNSEEN: Final = "its model calls do not pass us"
_OTHERS: Final = ("insight", "report")
"""Roles that turn what the agent saw into insights; its own exploration is 'agent'."""
_TOLD: Final = frozenset(
    {
        "scenario",
        "data (fingerprint)",
        "protocol of exploration",
        "class of agent",
        "goal",
        "tools",
        "checker",
        "protocol of judging",
        "checklist",
    }
)
"""What a group rests on that holds nothing of anybody's making."""


class Price(Record):
    """What exploring one entity took on average, over the attempts that count."""

    cost_usd: float | None
    """Of all model calls, the judge's apart. None where a part of it is not known; `reason` says why."""
    reason: str | None = None
    agent_usd: float | None
    """Of the agent's own calls alone, as the axes of curves count."""
    input_tokens: float | None
    """Of the agent's own calls, re-sent ones each time."""
    output_tokens: float | None
    least_usd: float | None = None
    """The sum of what is known, where that is not all: a lower bound."""


class Row(Record):
    """A competitor in one scenario; one run and one evaluation speak for it."""

    competitor: str
    """The model, or the agent where there is none."""
    agent: str
    model: str | None
    scenario_id: str
    protocol: str
    agent_class: str
    run_id: str | None
    """None for the public, as the next one."""
    evaluation_id: str | None
    explored_at: datetime
    judged_at: datetime
    newer: str | None = None
    """Why a newer evaluation does not speak for it."""
    older: int = 0
    """Further finished runs of the same competitor under the same rules; the newest one speaks."""
    scores: tuple[Score, ...]
    """Message before trajectory, item before sample."""
    baselines: Mapping[str, tuple[Score, ...]]
    """The same four of each baseline of the same evaluation."""
    novelty: Rating | None = None
    """From the newest ranking of this group's runs; None where it is in none."""
    price: Price
    entities: int
    trials: int
    explored: int
    """(entity, trial) pairs that were explored."""
    turns: float | None
    """Per pair; None where none was explored."""
    self_terminated: float | None
    """Share of the pairs whose agent itself chose to stop."""

    def score(self, level: Level, averaging: Averaging = "item") -> Score | None:
        """One of its four accuracies."""
        return score_of(self.scores, level, averaging)

    def baseline(self, name: str, level: Level, averaging: Averaging = "item") -> Score | None:
        """A baseline's; None where it was not judged beside it."""
        return score_of(self.baselines.get(name, ()), level, averaging)

    def headline(self, level: Level, averaging: Averaging = "item") -> float | None:
        """The strict score where enough was scored; the score says why it is None."""
        found = self.score(level, averaging)
        return None if found is None else found.headline


def row_of(summary: Summary, *, older: int, rating: Rating | None) -> Row:
    """Of a summary that has a place (`why_not` is None)."""
    if summary.judged_at is None:
        raise ValueError(f"{summary.run_id} has no place: {summary.why_not}")
    pairs = summary.explored
    return Row(
        competitor=summary.competitor,
        agent=summary.agent,
        model=summary.model,
        scenario_id=summary.scenario_id,
        protocol=summary.protocol,
        agent_class=summary.agent_class,
        run_id=summary.run_id,
        evaluation_id=summary.evaluation_id,
        explored_at=summary.created_at,
        judged_at=summary.judged_at,
        newer=summary.newer,
        older=older,
        scores=summary.scores,
        baselines=summary.baselines,
        novelty=rating,
        price=price_of(summary),
        entities=summary.entities,
        trials=summary.trials,
        explored=pairs,
        turns=summary.turns / pairs if pairs else None,
        self_terminated=summary.self_terminated / pairs if pairs else None,
    )


def price_of(summary: Summary) -> Price:
    """Per explored (entity, trial). An agent of ours without a model costs nothing, and that is known."""
    pairs = summary.explored
    agent = summary.spent.get("agent")
    if not pairs or (agent is None and not summary.is_seen):
        why = _UNSEEN if pairs else "nothing was explored"
        return Price(
            cost_usd=None, reason=why, agent_usd=None, input_tokens=None, output_tokens=None
        )
    others = [summary.spent[role] for role in _OTHERS if role in summary.spent]
    mine = [agent] if agent is not None else []
    whole = _cost([*mine, *others])
    known = [s.known.cost_usd for s in (*mine, *others) if s.known.cost_usd is not None]
    return Price(
        cost_usd=_per(whole, pairs),
        reason=None if whole is not None else _why([*mine, *others]),
        agent_usd=_per(_cost(mine), pairs),
        input_tokens=_per(_sum(s.usage.input_tokens for s in mine), pairs),
        output_tokens=_per(_sum(s.usage.output_tokens for s in mine), pairs),
        least_usd=sum(known) / pairs if whole is None and known else None,
    )


def columns_by_key(row: Row) -> dict[tuple[str, Level, Averaging], Column]:
    """Its four accuracies by (scenario, level, averaging), the best constant answer's beside."""
    columns = columns_of(row.scenario_id, row.scores, row.baselines.get(CONSTANT, ()))
    return {
        (row.scenario_id, score.level, score.averaging): column
        for score, column in zip(row.scores, columns, strict=True)
    }


def public_row(row: Row) -> Row:
    """Without ids, and without words that came from a judge, a file or a path of this machine."""
    return row.model_copy(
        update={
            "competitor": public_name(row.competitor),
            "model": None if row.model is None else public_name(row.model),
            "run_id": None,
            "evaluation_id": None,
            "newer": None,
            "scores": tuple(map(_plain, row.scores)),
            "baselines": {name: tuple(map(_plain, s)) for name, s in row.baselines.items()},
            "novelty": None
            if row.novelty is None
            else row.novelty.model_copy(update={"competitor": public_name(row.competitor)}),
        }
    )


def public_ruling(ruling: Mapping[str, str], judges: Sequence[str]) -> dict[str, str]:
    """What a group rests on, without names that somebody chose on this machine."""
    told = {name: value for name, value in ruling.items() if name in _TOLD}
    if JUDGES in ruling:
        told[JUDGES] = listed([public_name(name) for name in judges])
    return told


def public_name(name: str) -> str:
    """A model's name without the folder of the file that scripts it, or the run that is replayed."""
    return "replay" if name.startswith("replay:") else without_folders(name)


def _plain(score: Score) -> Score:
    """Its reason without what judges said."""
    why = None
    if score.headline_reason is not None:
        why = "nothing was scored"
        if score.coverage:
            why = f"coverage {score.coverage:.3f} is below {ENOUGH}"
    return score.model_copy(
        update={"competitor": public_name(score.competitor), "headline_reason": why}
    )


def _cost(parts: Iterable[Spent]) -> float | None:
    return _sum(part.usage.cost_usd for part in parts)


def _sum(values: Iterable[float | None]) -> float | None:
    total = 0.0
    for value in values:
        if value is None:
            return None
        total += value
    return total


def _per(value: float | None, pairs: int) -> float | None:
    return None if value is None else value / pairs


def _why(parts: Iterable[Spent]) -> str:
    told = (part.usage.cost_reason for part in parts if part.usage.cost_usd is None)
    return next((reason for reason in told if reason), "not known")
