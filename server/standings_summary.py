"""Sum up a finished run for the leaderboard: what its newest whole evaluation says, and what it took."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from core.checklist import Checklist
from core.evaluation import LEVELS, Evaluation, Level, Score, Verdict
from core.record import Record
from core.run import RunSpec
from core.scenario import Entity
from core.trajectory import ModelCall, StopReason, Trajectory, Usage
from evaluator import scoring
from evaluator.chance import CONSTANT, closed, constants, guessed
from evaluator.comparable import basis
from evaluator.scoring import Averaging
from server.judged import own_evaluations
from server.runs import competitor
from server.spending import spent
from server.store import Repository
from server.store.overview import overview
from server.store.standings import Explored, explored

Facts = Callable[[RunSpec, Evaluation], tuple[Checklist, Sequence[Entity]] | str]
"""The checklist that an evaluation was made by and the scenario's entities, or why they are not to be had."""

NOT_FINISHED: Final = "it is not finished"
NOT_EVALUATED: Final = "it is not evaluated"
NOT_WHOLE: Final = "no evaluation of it is whole"
NOT_HERE: Final = "not to be scored here: "
"""How a reason begins that files decide, whose changes the store does not count."""


class Spent(Record):
    """What the model calls of one role took, over the attempts that count."""

    calls: int
    usage: Usage
    """The sum in which one unknown part makes the whole unknown."""
    known: Usage
    """The sum of the parts that are known."""
    unpriced: int
    """Calls whose cost is not known."""


class Summary(Record):
    """A run as the leaderboard shows it; or why it does not."""

    run_id: str
    competitor: str
    scenario_id: str
    why_not: str | None = None
    """Why it has no place on the leaderboard; None where it has, and all below is known."""
    evaluation_id: str | None = None
    agent: str = ""
    model: str | None = None
    """None for an agent that asks no model of ours."""
    protocol: str = "default"
    agent_class: str = ""
    created_at: datetime
    judged_at: datetime | None = None
    newer: str | None = None
    """Why a newer evaluation does not speak for it; None where this is the newest."""
    ruling: Mapping[str, str] = {}
    """What must be the same in one column (evaluator.comparable)."""
    judges: tuple[str, ...] = ()
    """Those that were asked, each by itself; in `ruling` they are one text."""
    remarkable: Mapping[str, str] = {}
    scores: tuple[Score, ...] = ()
    """Of the agent: message before trajectory, item before sample."""
    baselines: Mapping[str, tuple[Score, ...]] = {}
    """Of each baseline of the same evaluation, the best constant answer included."""
    entities: int = 0
    """That were to be explored."""
    trials: int = 1
    explored: int = 0
    """(entity, trial) pairs that were explored, to whatever end."""
    turns: int = 0
    """Over these."""
    self_terminated: int = 0
    """Of these, those whose agent itself chose to stop."""
    spent: Mapping[str, Spent] = {}
    """By role of the call."""
    is_seen: bool = True
    """Whether the agent's model calls pass us, so that what they took can be known."""

    @property
    def is_lasting(self) -> bool:
        """Whether the records of the store alone decided it, so that it can be kept."""
        return not any((why or "").startswith(NOT_HERE) for why in (self.why_not, self.newer))


def summarise(spec: RunSpec, store: Repository, facts: Facts) -> Summary:
    """Derived from the store's records, whatever was summed up before."""
    head = Summary(
        run_id=spec.id,
        competitor=competitor(spec),
        scenario_id=spec.scenario_id,
        created_at=spec.created_at,
    )
    state = overview(store, spec.id)
    if state is None or not state.is_finished:
        return head.model_copy(update={"why_not": NOT_FINISHED})
    evaluations = store.evaluations(spec.id)
    own = own_evaluations(evaluations)[::-1]
    if not own:
        return head.model_copy(update={"why_not": NOT_EVALUATED})
    found: Explored | None = None
    why: str | None = None
    for each in own:
        told = facts(spec, each)
        if isinstance(told, str):
            why = f"{NOT_HERE}{told}"
            continue
        checklist, entities = told
        found = found or explored(store, spec.id)
        said = store.verdicts(each.id)
        if not _is_whole(said, found.trajectories, checklist):
            why = why or NOT_WHOLE
            continue
        mine = [entity for entity in entities if entity.id in spec.entity_ids]
        verdicts = {head.competitor: said, **_of_baselines(each, evaluations, store)}
        scores = _scores(verdicts, found.trajectories, checklist, mine)
        at = basis(head.competitor, spec, each)
        return head.model_copy(
            update={
                "evaluation_id": each.id,
                "agent": spec.agent,
                "model": head.competitor if spec.model else None,
                "protocol": spec.protocol,
                "agent_class": spec.agent_class,
                "judged_at": each.created_at,
                "newer": why,
                "ruling": dict(at.ruling),
                "judges": tuple(sorted(each.judges_asked)),
                "remarkable": dict(at.remarkable),
                "scores": scores.pop(head.competitor),
                "baselines": scores,
                "entities": len(mine),
                "trials": spec.trials,
                "explored": len(found.trajectories),
                "turns": sum(found.turns.values()),
                "self_terminated": _finished(found.trajectories),
                "spent": _spent(found.calls),
                "is_seen": spec.outside is None and spec.origin is None,
            }
        )
    return head.model_copy(update={"why_not": why or NOT_WHOLE})


def _is_whole(
    said: Iterable[Verdict], trajectories: Sequence[Trajectory], checklist: Checklist
) -> bool:
    """Whether each item of each explored entity has its verdict at both levels."""
    wanted = {
        (trajectory.id, item.id, level)
        for trajectory in trajectories
        for item in checklist.of(trajectory.entity_id)
        for level in LEVELS
    }
    return wanted <= {(verdict.trajectory_id, verdict.item_id, verdict.level) for verdict in said}


def _of_baselines(
    own: Evaluation, evaluations: Sequence[Evaluation], store: Repository
) -> dict[str, list[Verdict]]:
    """The verdicts on each baseline of the same evaluation."""
    return {
        name: [verdict for each in group for verdict in store.verdicts(each.id)]
        for name, group in _baselines(own, evaluations).items()
    }


def _scores(
    said: Mapping[str, Sequence[Verdict]],
    trajectories: Sequence[Trajectory],
    checklist: Checklist,
    entities: Sequence[Entity],
) -> dict[str, tuple[Score, ...]]:
    """The four scores of each, as server.judged.read has them, the best constant answer's beside."""
    items = checklist.items
    asked = {entity.id for entity in entities}
    beside: dict[str, Sequence[Verdict]] = {}
    if any(item.entity_id in asked for item in closed(items)):
        beside[CONSTANT] = guessed(constants(items), items, trajectories)
    return {
        name: tuple(scoring.score(name, items, trajectories, verdicts, entities))
        for name, verdicts in {**said, **beside}.items()
    }


def _baselines(own: Evaluation, evaluations: Sequence[Evaluation]) -> dict[str, list[Evaluation]]:
    """Those judged beside it; of closed-book runs only the newest one's."""
    mine: dict[str, list[Evaluation]] = defaultdict(list)
    for each in evaluations:
        if each.parameters.get("of") == own.id:
            mine[str(each.parameters["baseline"])].append(each)
    if books := mine.get("closed_book"):
        mine["closed_book"] = books[-1:]
    return mine


def _finished(trajectories: Iterable[Trajectory]) -> int:
    return sum(each.stop_reason is StopReason.FINISHED for each in trajectories)


def _spent(calls: Iterable[ModelCall]) -> dict[str, Spent]:
    by_role: dict[str, list[ModelCall]] = defaultdict(list)
    for call in calls:
        by_role[call.role].append(call)
    found = {}
    for role, own in sorted(by_role.items()):
        total = spent(own)
        found[role] = Spent(
            calls=total.calls, usage=total.usage, known=total.known, unpriced=total.unpriced
        )
    return found


def score_of(scores: Iterable[Score], level: Level, averaging: Averaging = "item") -> Score | None:
    """One of four; None where it is not there."""
    return next((s for s in scores if (s.level, s.averaging) == (level, averaging)), None)
