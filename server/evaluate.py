"""Judge a run: its own insights and the baselines', each verdict stored as it comes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import count
from typing import Any

from core.checklist import Checklist
from core.errors import ChecklistError, UsageError
from core.evaluation import LEVELS, Evaluation, Level, Verdict
from core.hints import typed
from core.protocols import Checker
from core.run import RunSpec
from core.scenario import Entity
from core.trajectory import ModelCall
from evaluator.asking import Protocol
from evaluator.llm import Enquired, is_open
from server import judges
from server.competitors import Competitor, competitors, set_of, wanted_baselines
from server.judged import Judged, own_evaluations, read
from server.runs import competitor as whose_of
from server.standings_kept import keep_summary
from server.store import Repository
from server.sweep import Sheet, sheet_of, sweep

Watch = Callable[[float, float, str], None]
"""Told how many trajectories are judged, of how many, and whose."""

_Key = tuple[str, str, Level]
"""(trajectory id, item id, level)"""


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
        protocol: Protocol = "default",
    ) -> None:
        """`baselines`: see competitors.wanted_baselines; `parameters` are kept with the rest;
        `protocol` is that of the judging.

        Raises UnknownNameError for another choice.
        """
        self._traits = judges.traits_of(checker)
        self._wanted = wanted_baselines(baselines, is_paid=self._traits.is_paid)
        self._parameters = {**self._traits.parameters, **(parameters or {})}
        self._protocol = protocol
        self._spec, self._store = spec, store
        self._checklist, self._checker = checklist, checker
        self._trajectories = [
            trajectory
            for trajectory in store.trajectories(spec.id)
            # Of an agent from outside what goes on is nobody's to judge yet: more may be handed in.
            if spec.outside is None or trajectory.stop_reason is not None
        ]

    async def judge(
        self, entities: Sequence[Entity], now: datetime, watch: Watch = lambda *_: None
    ) -> Judged:
        """Evaluate, or finish the evaluation of the same things that was broken off.

        Raises UsageError where there is nothing to judge, ChecklistError where the checklist is not
        about this database, StoreError where a verdict cannot be kept.
        """
        self._refuse()
        rivals = self._rivals(entities)
        own = self._unfinished(rivals) or self._next_id()
        evaluations = [self._evaluation(own, rival, now) for rival in rivals]
        whose = {
            each.id: str(rival.parameters.get("baseline", whose_of(self._spec)))
            for each, rival in zip(evaluations, rivals, strict=True)
        }
        sheets = [sheet for rival in rivals for sheet in self._sheets(rival, own)]
        ended = count(1)

        def tell(sheet: Sheet) -> None:
            what = f"{whose[sheet.evaluation_id]} on {sheet.trajectory.entity_id}"
            watch(next(ended), len(sheets), what)

        try:
            await sweep(self._checker, sheets, self._store, tell)
        finally:
            for each in evaluations:
                self._keep_served(each)
        keep_summary(self._spec, self._store, self._checklist, entities)
        return read(self._spec, self._store, self._checklist, entities, own)

    def note(self, **parameters: Any) -> None:
        """Keep more with an evaluation that is still to be begun."""
        self._parameters |= parameters

    def enquiries(self, entities: Sequence[Entity]) -> list[Enquired]:
        """What judges would still be asked, second asks left out; nothing is begun.

        Raises as `judge` does.
        """
        self._refuse()
        rivals = self._rivals(entities)
        own = self._unfinished(rivals)
        return [
            enquired
            for rival in rivals
            for sheet in self._sheets(rival, own)
            for enquired in judges.enquiries(
                self._checker, sheet.items, sheet.trajectory, sheet.done, sheet.open
            )
        ]

    def calls_alike(self) -> list[ModelCall]:
        """The stored calls of the same judges under the same prompts, of all runs."""
        return [
            call
            for run in self._store.runs()
            for evaluation in self._store.evaluations(run.id)
            if self._is_alike(evaluation)
            for verdict in self._store.verdicts(evaluation.id)
            for call in verdict.calls
            if not call.is_recalled
        ]

    def _sheets(self, rival: Competitor, own: str | None) -> list[Sheet]:
        """A competitor's trajectories with what is stored of each; nothing is where `own` is None."""
        name = rival.name(own or "")
        stored: dict[str, list[Verdict]] = {}
        for verdict in self._store.verdicts(name) if own else ():
            stored.setdefault(verdict.trajectory_id, []).append(verdict)
        return [
            sheet_of(
                name,
                trajectory,
                self._checklist.of(trajectory.entity_id),
                stored.get(trajectory.id, ()),
            )
            for trajectory in rival.trajectories
        ]

    def _kept(self, evaluation_id: str) -> set[_Key]:
        """What has its verdict; a judge that failed at one has given none."""
        verdicts = self._store.verdicts(evaluation_id)
        return {(v.trajectory_id, v.item_id, v.level) for v in verdicts if not is_open(v)}

    def _rivals(self, entities: Sequence[Entity]) -> list[Competitor]:
        return competitors(
            self._trajectories,
            entities,
            self._checklist.items,
            wanted=self._wanted,
            spec=self._spec,
            store=self._store,
        )

    def _unfinished(self, rivals: Sequence[Competitor]) -> str | None:
        """The id of the last evaluation of the same things, if any of it is still to do."""
        same = [
            each.id
            for each in own_evaluations(self._store.evaluations(self._spec.id))
            if (each.checker, each.checklist_hash) == (self._checker.name, self._checklist.hash)
            and each.parameters.get("trajectories") == set_of(self._trajectories)
            and each.protocol == self._protocol
            and self._is_alike(each)
        ]
        if not same:
            return None
        for rival in rivals:
            expected = {
                (trajectory.id, item.id, level)
                for trajectory in rival.trajectories
                for item in self._checklist.of(trajectory.entity_id)
                for level in LEVELS
            }
            if expected - self._kept(rival.name(same[-1])):
                return same[-1]
        return None

    def _is_alike(self, other: Evaluation) -> bool:
        """Whether another evaluation asked the same judges in the same way."""
        mine = self._traits
        told = (other.judges_asked, other.prompt_hash, other.criteria)
        return told == (mine.judges_asked, mine.prompt_hash, mine.criteria) and all(
            other.parameters.get(name) == self._parameters.get(name)
            for name in ("sampling", "structured", "batch")
        )

    def _keep_served(self, evaluation: Evaluation) -> None:
        """Who answered, by the calls that were made."""
        if not self._traits.is_paid:
            return
        calls = [call for v in self._store.verdicts(evaluation.id) for call in v.calls]
        served = tuple(dict.fromkeys(name for call in calls for name in call.served))
        if served != evaluation.judges_served:
            self._store.amend_evaluation(evaluation.model_copy(update={"judges_served": served}))

    def _next_id(self) -> str:
        number = len(own_evaluations(self._store.evaluations(self._spec.id))) + 1
        return f"{self._spec.id}.e{number}"

    def _evaluation(self, own: str, rival: Competitor, now: datetime) -> Evaluation:
        """The stored evaluation of one competitor; made where it is missing."""
        name = rival.name(own)
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
                **rival.parameters,
                **({"of": own} if rival.suffix else {}),
            },
            checklist_id=self._checklist.id,
            checklist_version=self._checklist.version,
            checklist_hash=self._checklist.hash,
            protocol=self._protocol,
            created_at=now,
        )
        self._store.add_evaluation(made)
        return made

    def _refuse(self) -> None:
        spec, checklist = self._spec, self._checklist
        if not self._trajectories:
            if spec.outside is None:
                raise UsageError(
                    f"run {spec.id} has no trajectories yet; explore: {typed(f'run --resume {spec.id}')}"
                )
            raise UsageError(f"run {spec.id}: no trajectory of {spec.agent} has ended yet")
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
