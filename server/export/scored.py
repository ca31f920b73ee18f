"""What a run's scores rest on, and the scores; or why there are none."""

from __future__ import annotations

from dataclasses import dataclass

from checklists.loader import load
from core.checklist import Checklist
from core.errors import DdrError
from core.evaluation import Evaluation
from core.run import RunSpec
from databases.catalog import open_scenario
from server.export.judged import Scored
from server.judged import Judged, own_evaluations, read
from server.settings import Settings
from server.store import Repository


@dataclass(frozen=True)
class Basis:
    """A run with the newest of its evaluations, as far as its checklist is here."""

    spec: RunSpec
    evaluation: Evaluation | None = None
    checklist: Checklist | None = None
    judged: Judged | None = None
    why_not: str | None = None
    """Why there are no scores; None where there are."""

    @property
    def scores(self) -> list[Scored]:
        """Of the agent and the baselines, over all items and by facet."""
        if self.judged is None:
            return []
        run, evaluation = self.spec.id, self.judged.evaluation.id
        everybody = [Scored(run, evaluation, None, None, each) for each in self.judged.scores]
        return everybody + [
            Scored(run, evaluation, facet, group, score)
            for facet, groups in self.judged.groups.items()
            for group, scores in groups.items()
            for score in scores
        ]


def basis_of(spec: RunSpec, store: Repository, settings: Settings) -> Basis:
    """What is known of it here."""
    own = own_evaluations(store.evaluations(spec.id))
    if not own:
        return Basis(spec, why_not="nobody has judged it")
    latest = own[-1]
    try:
        checklist = load(latest.checklist_id, settings.checklists)
        if checklist.hash != latest.checklist_hash:
            why = f"{latest.id} was judged by another version of {latest.checklist_id}"
            return Basis(spec, latest, why_not=why)
        entities = open_scenario(spec.scenario_id, settings.home).entities()
        judged = read(spec, store, checklist, entities, latest.id)
    except DdrError as exc:
        return Basis(spec, latest, why_not=str(exc))
    return Basis(spec, latest, checklist, judged)
