"""Judge a run: its own insights and the baselines', each verdict stored as it comes."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from core.checklist import Checklist
from core.errors import ChecklistError, UsageError
from core.evaluation import Evaluation, Level, Score, Verdict
from core.hints import typed
from core.protocols import Checker
from core.run import RunSpec
from core.scenario import Entity
from core.trajectory import ModelCall, Trajectory
from evaluator import baselines, scoring
from evaluator.asking import Enquiry
from evaluator.forced import without_forced
from evaluator.llm import is_open, summed
from server import judges
from server.runs import competitor as whose_of
from server.spending import Spending, spent
from server.store import Repository

BASELINES: Final = ("blank", "generic", "shuffled_entity")
DERANGEMENTS: Final = 5
_GROUP_S: Final = 0.1
"""How much judging a killed process may have to do again."""
_LEVELS: Final[tuple[Level, ...]] = ("message", "trajectory")

Watch = Callable[[float, float, str], None]
"""Told how many trajectories are judged, of how many, and whose."""

_Key = tuple[str, str, Level]
"""(trajectory id, item id, level)"""


@dataclass(frozen=True)
class Judged:
    """An evaluation with its baselines, and the scores that follow from them."""

    evaluation: Evaluation
    verdicts: list[Verdict]
    scores: list[Score]
    """The agent's, then each baseline's."""
    gated: dict[str, int]
    """Per competitor: how many insights passed the checker's gate."""
    no_shuffle: str | None
    """Why there is no shuffled baseline; None where there is one."""
    unforced: list[Score]
    """The agent's scores without reports that it was asked for; empty where none was."""
    reachable: list[Score] | None
    """The agent's scores over the items that evidence proves to be in its database; None where no
    item has evidence, so that nobody knows which can be found."""
    spending: Spending
    """Of judges, the baselines' included."""

    def accuracy(self, competitor: str) -> dict[str, float | None]:
        """Item-averaged strict accuracy by level."""
        return {
            score.level: score.strict
            for score in self.scores
            if score.competitor == competitor and score.averaging == "item"
        }


@dataclass(frozen=True)
class Competitor:
    """Whose insights are judged, under the recipients' trajectory ids."""

    suffix: str
    """Of the evaluation's id; '' for the agent itself."""
    parameters: dict[str, Any]
    trajectories: Sequence[Trajectory]


class Judging:
    """One checker's pass over one run, its baselines included."""

    def __init__(
        self,
        spec: RunSpec,
        store: Repository,
        checklist: Checklist,
        checker: Checker,
        *,
        baselines: str | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        """`baselines`: all, free or none (judges.chosen); `parameters` are kept with the rest.

        Raises UnknownNameError for another choice.
        """
        self._traits = judges.traits_of(checker)
        self._baselines = judges.chosen(baselines, is_paid=self._traits.is_paid)
        self._parameters = {**self._traits.parameters, **(parameters or {})}
        self._spec, self._store = spec, store
        self._checklist, self._checker = checklist, checker
        self._trajectories = store.trajectories(spec.id)

    async def judge(
        self, entities: Sequence[Entity], now: datetime, watch: Watch = lambda *_: None
    ) -> Judged:
        """Evaluate, or finish the evaluation of the same things that was broken off.

        Raises UsageError where there is nothing to judge, ChecklistError where the checklist is not
        about this database, StoreError where a verdict cannot be kept.
        """
        self._refuse()
        competitors = self._competitors(entities)
        own = self._unfinished(competitors) or self._next_id()
        total, done = sum(len(each.trajectories) for each in competitors), 0
        for competitor in competitors:
            evaluation = self._evaluation(own, competitor, now)
            kept = self._store.verdicts(evaluation.id)
            for trajectory in competitor.trajectories:
                await self._check(trajectory, evaluation.id, kept)
                done += 1
                whose = competitor.parameters.get("baseline", whose_of(self._spec))
                watch(done, total, f"{whose} on {trajectory.entity_id}")
            self._keep_served(evaluation)
        return read(self._spec, self._store, self._checklist, entities, own)

    def enquiries(self, entities: Sequence[Entity]) -> list[Enquiry]:
        """What a judge would still be asked, second asks left out; nothing is begun.

        Raises as `judge` does.
        """
        self._refuse()
        competitors = self._competitors(entities)
        own = self._unfinished(competitors)
        found: list[Enquiry] = []
        for competitor in competitors:
            kept = self._kept(_name(own, competitor)) if own else set()
            for trajectory in competitor.trajectories:
                done = frozenset(
                    (item, level) for mine, item, level in kept if mine == trajectory.id
                )
                items = self._checklist.of(trajectory.entity_id)
                found += judges.enquiries(self._checker, items, trajectory, done)
        return found

    def calls_alike(self) -> list[ModelCall]:
        """The stored calls of the same judges under the same prompts, of all runs."""
        return [
            verdict.call
            for run in self._store.runs()
            for evaluation in self._store.evaluations(run.id)
            if self._is_alike(evaluation)
            for verdict in self._store.verdicts(evaluation.id)
            if verdict.call is not None
        ]

    async def _check(
        self, trajectory: Trajectory, evaluation_id: str, stored: Sequence[Verdict]
    ) -> None:
        """Judge one trajectory where a verdict is missing; what is stored already stays.

        All its items are handed over together: a checker may weigh them against one another, and
        has to come to the same verdicts after an interruption.
        """
        items = self._checklist.of(trajectory.entity_id)
        mine = [verdict for verdict in stored if verdict.trajectory_id == trajectory.id]
        open_ = {(v.item_id, v.level): v for v in mine if is_open(v)}
        done = frozenset((v.item_id, v.level) for v in mine if not is_open(v))
        if all((item.id, level) in done for item in items for level in _LEVELS):
            return
        pending: list[Verdict] = []
        flushed = time.monotonic()
        try:
            async for verdict in judges.check(
                self._checker, items, trajectory, evaluation_id, done
            ):
                key = (verdict.item_id, verdict.level)
                if failed := open_.get(key):
                    self._store.replace_verdict(_again(failed, verdict))
                elif key not in done:
                    pending.append(verdict)
                # A verdict that took its time is on disk at once; those of rules are grouped.
                if time.monotonic() - flushed >= _GROUP_S:
                    self._store.add_verdicts(pending)
                    pending, flushed = [], time.monotonic()
        finally:
            self._store.add_verdicts(pending)

    def _kept(self, evaluation_id: str) -> set[_Key]:
        """What has its verdict; a judge that failed at one has given none."""
        verdicts = self._store.verdicts(evaluation_id)
        return {(v.trajectory_id, v.item_id, v.level) for v in verdicts if not is_open(v)}

    def _competitors(self, entities: Sequence[Entity]) -> list[Competitor]:
        mine = self._trajectories
        found = [Competitor("", {"trajectories": _set_of(mine)}, mine)]
        if self._baselines != "none":
            # Nothing handed in needs no judge.
            found.append(
                Competitor("blank", {"baseline": "blank"}, [baselines.blank(t) for t in mine])
            )
        if self._baselines == "all" or (self._baselines == "free" and not self._traits.is_paid):
            found += self._worded(entities)
        return found

    def _worded(self, entities: Sequence[Entity]) -> list[Competitor]:
        """The baselines that say something."""
        mine, seed = self._trajectories, self._spec.seed
        shuffled = baselines.shuffled(mine, entities, seed=seed, derangements=DERANGEMENTS)
        return [
            Competitor("generic", {"baseline": "generic"}, [baselines.generic(t) for t in mine]),
            *(
                Competitor(
                    f"shuffled{number}",
                    {"baseline": "shuffled_entity", "derangement": number, "seed": seed},
                    pseudo,
                )
                for number, pseudo in enumerate(shuffled, start=1)
            ),
        ]

    def _unfinished(self, competitors: Sequence[Competitor]) -> str | None:
        """The id of the last evaluation of the same things, if any of it is still to do."""
        same = [
            each.id
            for each in own_evaluations(self._store.evaluations(self._spec.id))
            if (each.checker, each.checklist_hash) == (self._checker.name, self._checklist.hash)
            and each.parameters.get("trajectories") == _set_of(self._trajectories)
            and self._is_alike(each)
        ]
        if not same:
            return None
        for competitor in competitors:
            expected = {
                (trajectory.id, item.id, level)
                for trajectory in competitor.trajectories
                for item in self._checklist.of(trajectory.entity_id)
                for level in _LEVELS
            }
            if expected - self._kept(_name(same[-1], competitor)):
                return same[-1]
        return None

    def _is_alike(self, other: Evaluation) -> bool:
        """Whether another evaluation asked the same judges in the same way."""
        mine = self._traits
        told = (other.judges_asked, other.prompt_hash, other.criteria)
        sampling = self._parameters.get("sampling")
        return told == (mine.judges_asked, mine.prompt_hash, mine.criteria) and (
            other.parameters.get("sampling") == sampling
        )

    def _keep_served(self, evaluation: Evaluation) -> None:
        """Who answered, by the calls that were made."""
        if not self._traits.is_paid:
            return
        calls = [v.call for v in self._store.verdicts(evaluation.id) if v.call]
        named = [name for c in calls if c.model_served for name in c.model_served.split(", ")]
        served = tuple(dict.fromkeys(named))
        if served != evaluation.judges_served:
            self._store.amend_evaluation(evaluation.model_copy(update={"judges_served": served}))

    def _next_id(self) -> str:
        number = len(own_evaluations(self._store.evaluations(self._spec.id))) + 1
        return f"{self._spec.id}.e{number}"

    def _evaluation(self, own: str, competitor: Competitor, now: datetime) -> Evaluation:
        """The stored evaluation of one competitor; made where it is missing."""
        name = _name(own, competitor)
        for each in self._store.evaluations(self._spec.id):
            if each.id == name:
                return each
        made = Evaluation(
            id=name,
            run_id=self._spec.id,
            checker=self._checker.name,
            judges_asked=self._traits.judges_asked,
            prompt_hash=self._traits.prompt_hash,
            criteria=self._traits.criteria,
            parameters={
                **self._parameters,
                **competitor.parameters,
                **({"of": own} if competitor.suffix else {}),
            },
            checklist_id=self._checklist.id,
            checklist_version=self._checklist.version,
            checklist_hash=self._checklist.hash,
            protocol=self._spec.protocol,
            created_at=now,
        )
        self._store.add_evaluation(made)
        return made

    def _refuse(self) -> None:
        spec, checklist = self._spec, self._checklist
        if not self._trajectories:
            raise UsageError(
                f"run {spec.id} has no trajectories yet; explore: {typed(f'run --resume {spec.id}')}"
            )
        if checklist.scenario_id != spec.scenario_id:
            raise ChecklistError(
                f"checklist {checklist.id} is about {checklist.scenario_id}, "
                f"run {spec.id} about {spec.scenario_id}"
            )
        if checklist.scenario_fingerprint not in (None, spec.scenario_fingerprint):
            raise ChecklistError(
                f"checklist {checklist.id} {checklist.version} was proved on another content of "
                f"{spec.scenario_id} than the one that run {spec.id} explored"
            )


def read(
    spec: RunSpec,
    store: Repository,
    checklist: Checklist,
    entities: Sequence[Entity],
    evaluation_id: str,
) -> Judged:
    """The scores of a stored evaluation, computed from its verdicts and its baselines'."""
    trajectories = store.trajectories(spec.id)
    mine = [e for e in entities if e.id in spec.entity_ids]
    found = store.evaluations(spec.id)
    own = next(e for e in found if e.id == evaluation_id)
    agent = whose_of(spec)
    verdicts: dict[str, list[Verdict]] = {agent: store.verdicts(own.id)}
    for each in found:
        if each.parameters.get("of") == own.id:
            whose = verdicts.setdefault(str(each.parameters["baseline"]), [])
            whose.extend(store.verdicts(each.id))

    def scores(competitor: str, said: Sequence[Verdict]) -> list[Score]:
        return scoring.score(competitor, checklist.items, trajectories, said, mine)

    unforced: list[Score] = []
    if any(t.report_forced for t in trajectories):
        unforced = scores(agent, without_forced(trajectories, verdicts[agent]))
    reason = baselines.no_shuffle_reason(trajectories)
    if reason is None and "shuffled_entity" not in verdicts:
        reason = "it was not asked for; judge it too with --baselines all"
    return Judged(
        evaluation=own,
        verdicts=verdicts[agent],
        scores=[score for name, said in verdicts.items() for score in scores(name, said)],
        gated={name: sum(v.gated for v in said) for name, said in verdicts.items()},
        no_shuffle=reason,
        unforced=unforced,
        reachable=scoring.reachable(agent, checklist.items, trajectories, verdicts[agent], mine),
        spending=spent(v.call for said in verdicts.values() for v in said if v.call),
    )


def own_evaluations(evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    """Those of the agent itself, without the baselines'."""
    return [each for each in evaluations if "baseline" not in each.parameters]


def _again(failed: Verdict, verdict: Verdict) -> Verdict:
    """A verdict in the place of one whose request failed, which was asked and perhaps paid for."""
    calls = [call for call in (failed.call, verdict.call) if call is not None]
    return verdict.model_copy(update={"call": summed(calls)}) if calls else verdict


def _set_of(trajectories: Sequence[Trajectory]) -> str:
    """A name for what was judged: the same run may hold other trajectories or insights later."""
    ends = ",".join(f"{t.id}:{t.stop_reason}:{len(t.insights)}" for t in trajectories)
    return hashlib.sha256(ends.encode()).hexdigest()[:16]


def _name(own: str, competitor: Competitor) -> str:
    return f"{own}.{competitor.suffix}" if competitor.suffix else own
