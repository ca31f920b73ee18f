"""How far an evaluation's labels agree with people's, and what its accuracy is once corrected."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.checklist import Checklist
from core.evaluation import LEVELS, Label, Level, Verdict
from core.labels import PersonLabel
from core.record import Record
from core.run import RunSpec
from core.scenario import Entity
from evaluator import agreement
from evaluator.correction import Corrected, Judged, corrected
from server.labelling import subject_of
from server.sampling import questions
from server.store import Repository
from server.store.judgements import Judgements

_SEED = 32


class PersonFigures(Record):
    """One person beside the judge."""

    name: str
    n: int
    agreement: float | None
    macro_f1: float | None
    kappa: float | None


class Agreement(Record):
    """A judge beside people (DDR-32). Figures are None where they are not defined."""

    evaluation_id: str
    n: int
    """Labelled items on which people agree, or most of them do, and which the judge has scored."""
    unscored: int
    """Labelled items that the judge left unscored."""
    divided: int
    """Items on which people are evenly divided; left out."""
    agreement: float | None
    agreement_interval: tuple[float, float] | None
    macro_f1: float | None
    macro_f1_interval: tuple[float, float] | None
    """95 %, from a bootstrap by entity."""
    kappa: float | None
    kappa_interval: tuple[float, float] | None
    alpha: float | None
    """Krippendorff's, over people; None where no item has two labels."""
    alpha_with_judge: float | None
    """The same with the judge as one more."""
    confusion: dict[str, dict[str, int]]
    """{people's label: {judge's label: items}}."""
    people: tuple[PersonFigures, ...]


def agree(
    evaluation_id: str,
    verdicts: Sequence[Verdict],
    labels: Sequence[tuple[str, str, PersonLabel]],
    clusters: Mapping[str, str],
) -> Agreement:
    """From (subject, who, label) and the verdicts; `clusters`: the cluster of each trajectory."""
    judge = {subject_of(v.trajectory_id, v.item_id, v.level): v.label for v in verdicts}
    trajectory_of = {subject: label.trajectory_id for subject, _, label in labels}
    by_subject: dict[str, dict[str, Label]] = defaultdict(dict)
    for subject, who, label in labels:
        by_subject[subject][who] = label.label
    agreed = {s: most for s, said in by_subject.items() if (most := majority(said.values()))}
    scored = [s for s in agreed if judge.get(s) is not None]
    rows = [(agreed[s], judge[s]) for s in scored]
    groups = [clusters.get(trajectory_of[s], trajectory_of[s]) for s in scored]

    def interval(statistic: Any) -> tuple[float, float] | None:
        return agreement.bootstrap(
            rows,
            groups,
            lambda some: statistic([t for t, _ in some], [j for _, j in some]),
            seed=_SEED,
        )

    truth, said = [t for t, _ in rows], [j for _, j in rows]
    names = sorted({who for each in by_subject.values() for who in each})
    units = [[each.get(name) for name in names] for each in by_subject.values()]
    beside = [[*unit, judge.get(s)] for s, unit in zip(by_subject, units, strict=True)]
    return Agreement(
        evaluation_id=evaluation_id,
        n=len(rows),
        unscored=len(agreed) - len(rows),
        divided=len(by_subject) - len(agreed),
        agreement=agreement.agreement(truth, said),
        agreement_interval=interval(agreement.agreement),
        macro_f1=agreement.macro_f1(truth, said),
        macro_f1_interval=interval(agreement.macro_f1),
        kappa=agreement.cohen_kappa(truth, said),
        kappa_interval=interval(agreement.cohen_kappa),
        alpha=agreement.krippendorff(units),
        alpha_with_judge=agreement.krippendorff(beside),
        confusion=agreement.confusion(truth, said),
        people=tuple(_person(name, by_subject, judge) for name in names),
    )


def correct(
    verdicts: Sequence[Verdict],
    labels: Sequence[tuple[str, str, PersonLabel]],
    clusters: Mapping[str, str],
    asked: Container[str],
) -> dict[Level, Corrected]:
    """The corrected accuracy at each level, over the scored items among `asked` (subjects).

    These are what the sample was drawn from: where nothing was handed in, nobody was asked.
    """
    said: dict[str, list[Label]] = defaultdict(list)
    for subject, _, label in labels:
        said[subject].append(label.label)
    found: dict[Level, list[Judged]] = defaultdict(list)
    for verdict in verdicts:
        subject = subject_of(verdict.trajectory_id, verdict.item_id, verdict.level)
        if verdict.label is None or subject not in asked:
            continue
        most = majority(said[subject])
        found[verdict.level].append(
            Judged(
                cluster=clusters.get(verdict.trajectory_id, verdict.trajectory_id),
                said=verdict.label == "supported",
                true=None if most is None else most == "supported",
            )
        )
    return {level: corrected(found[level], seed=_SEED) for level in LEVELS if found[level]}


def majority(said: Any) -> Label | None:
    """What most say; None where they are divided, or nobody speaks."""
    counts = Counter(said).most_common(2)
    if not counts or (len(counts) == 2 and counts[0][1] == counts[1][1]):
        return None
    label: Label = counts[0][0]
    return label


def _person(
    name: str, by_subject: Mapping[str, Mapping[str, Label]], judge: Mapping[str, Label | None]
) -> PersonFigures:
    mine = [(each[name], judge.get(s)) for s, each in by_subject.items() if name in each]
    pairs = [(own, other) for own, other in mine if other is not None]
    truth, said = [own for own, _ in pairs], [other for _, other in pairs]
    return PersonFigures(
        name=name,
        n=len(pairs),
        agreement=agreement.agreement(truth, said),
        macro_f1=agreement.macro_f1(truth, said),
        kappa=agreement.cohen_kappa(truth, said),
    )


@dataclass(frozen=True)
class Labelled:
    """All that people and an evaluation say of one run."""

    evaluation_id: str
    verdicts: Sequence[Verdict]
    labels: Sequence[tuple[str, str, PersonLabel]]
    """(subject, who, label)"""
    clusters: Mapping[str, str]
    """Of each trajectory."""
    asked: frozenset[str]
    """What people may be asked."""

    def agreement(self) -> Agreement:
        """The judge beside people."""
        return agree(self.evaluation_id, self.verdicts, self.labels, self.clusters)

    def corrected(self) -> dict[Level, Corrected]:
        """The accuracy corrected by their labels; empty where there are none."""
        return correct(self.verdicts, self.labels, self.clusters, self.asked) if self.labels else {}


def labelled(
    spec: RunSpec,
    store: Repository,
    checklist: Checklist,
    entities: Sequence[Entity],
    evaluation_id: str,
) -> Labelled:
    """From the store."""
    of = {entity.id: entity.cluster for entity in entities}
    trajectories = store.trajectories(spec.id)
    asked = questions(trajectories, checklist)
    return Labelled(
        evaluation_id,
        store.verdicts(evaluation_id),
        Judgements(store, "label").of_run(spec.id, PersonLabel),
        {each.id: of.get(each.entity_id, each.entity_id) for each in trajectories},
        frozenset(subject_of(each.id, item.id, level) for each, item, level in asked),
    )
