"""Compare runs by their stored evaluations: which ones can be compared, and each pair's difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from core.checklist import Checklist
from core.errors import UsageError
from core.evaluation import LEVELS, Evaluation, Level
from core.hints import typed
from core.run import RunSpec
from core.scenario import Entity
from evaluator.comparable import Basis, Differences, basis, differences
from evaluator.outcomes import Outcome, outcomes
from evaluator.paired import Paired, all_pairs, corrected
from evaluator.scoring import AVERAGINGS, Averaging, Facet
from server.judged import own_evaluations
from server.runs import competitor
from server.store import Repository
from server.store.told import told


@dataclass(frozen=True)
class Side:
    """One run with the evaluation that speaks for it."""

    name: str
    """Tells it from the others: its model or agent, with the run's id where that is not enough."""
    spec: RunSpec
    evaluation: Evaluation

    @property
    def basis(self) -> Basis:
        """What its scores rest on."""
        return basis(self.name, self.spec, self.evaluation)


@dataclass(frozen=True)
class Compared:
    """Runs side by side."""

    sides: tuple[Side, ...]
    differences: Differences
    pairs: tuple[Paired, ...]
    """For both levels and averagings; Holm's correction is over the pairs of one of these four."""
    groups: tuple[Paired, ...] = ()
    """The same inside each category or other part, over items; corrected over pairs and parts."""


def sides_of(
    specs: Sequence[RunSpec], store: Repository, named: Sequence[str] = ()
) -> tuple[Side, ...]:
    """The newest evaluations that rest on the same things; without such, each run's newest.

    `named`: ids of evaluations that are to speak for their runs. Raises UsageError for fewer than two
    runs, one twice, one without an evaluation, and a named one that is none of theirs.
    """
    if len(specs) < 2:
        raise UsageError("a comparison needs two runs at least")
    if len({spec.id for spec in specs}) < len(specs):
        raise UsageError("the same run is named twice: a run does not differ from itself")
    choices = [_choices(spec, store, named) for spec in specs]
    known = {each.id for group in choices for each in group}
    if unknown := [name for name in named if name not in known]:
        raise UsageError(f"{unknown[0]} is no evaluation of these runs")
    names = _names(specs)
    made = [
        tuple(Side(*each) for each in zip(names, specs, picked, strict=True))
        for picked in _newest_first(choices)
    ]
    alike = (sides for sides in made if not _judged_apart(sides))
    return next(alike, made[0])


def compare(
    sides: Sequence[Side],
    store: Repository,
    checklist: Checklist,
    entities: Sequence[Entity],
    *,
    by: Facet | None = None,
    although_different: bool = False,
) -> Compared:
    """Each pair of runs, paired by item over the entities that both explored.

    Raises UsageError where they rest on different things, unless that is wanted.
    """
    found = differences([side.basis for side in sides])
    found.refuse("one comparison", although_different=although_different)
    shared = set.intersection(*(set(side.spec.entity_ids) for side in sides))
    mine = [entity for entity in entities if entity.id in shared]
    if not mine:
        raise UsageError("the runs have no entity in common")
    results = _results(sides, store, checklist, mine)
    pairs: list[Paired] = []
    for level, averaging in product(LEVELS, AVERAGINGS):
        pairs += corrected(all_pairs(results[level], level=level, averaging=averaging))
    groups: list[Paired] = []
    if by is not None:
        for level in LEVELS:
            groups += corrected(_by(results[level], checklist, by, level, "item"))
    return Compared(tuple(sides), found, tuple(pairs), tuple(groups))


def _results(
    sides: Sequence[Side], store: Repository, checklist: Checklist, entities: Sequence[Entity]
) -> dict[Level, dict[str, list[Outcome]]]:
    """By level and side. What was said and seen in the turns is not read: nothing here hangs on it."""
    found: dict[Level, dict[str, list[Outcome]]] = {level: {} for level in LEVELS}
    for side in sides:
        trajectories = told(store, side.spec.id)
        verdicts = store.verdicts(side.evaluation.id)
        for level in LEVELS:
            found[level][side.name] = outcomes(
                checklist.items, trajectories, verdicts, entities, level
            )
    return found


def _by(
    results: dict[str, list[Outcome]],
    checklist: Checklist,
    by: Facet,
    level: Level,
    averaging: Averaging,
) -> list[Paired]:
    part = {item.id: str(getattr(item, by) or "unknown") for item in checklist.items}
    seen = {part[outcome.item_id] for found in results.values() for outcome in found}
    return [
        pair
        for group in sorted(seen)
        for pair in all_pairs(
            {
                name: [each for each in found if part[each.item_id] == group]
                for name, found in results.items()
            },
            level=level,
            averaging=averaging,
            group=group,
        )
    ]


def _choices(spec: RunSpec, store: Repository, named: Sequence[str]) -> list[Evaluation]:
    """The evaluations that may speak for a run, the newest first."""
    found = own_evaluations(store.evaluations(spec.id))[::-1]
    if not found:
        raise UsageError(f"run {spec.id} is not scored yet: {typed(f'evaluate {spec.id}')}")
    return [each for each in found if each.id in named] or found


def _newest_first(choices: Sequence[list[Evaluation]]) -> list[tuple[Evaluation, ...]]:
    """Every way to pick one for each run, those first whose oldest part is newest."""
    ranked = [list(enumerate(group)) for group in choices]
    ways = sorted(
        product(*ranked), key=lambda way: (max(age for age, _ in way), sum(age for age, _ in way))
    )
    return [tuple(each for _, each in way) for way in ways]


def _judged_apart(sides: Sequence[Side]) -> bool:
    """Whether the evaluations themselves rest on different things; what was explored is given."""
    same = sides[0].spec
    told = [basis(side.name, same, side.evaluation) for side in sides]
    return bool(differences(told).forbidding)


def _names(specs: Sequence[RunSpec]) -> list[str]:
    names = [competitor(spec) for spec in specs]
    return [
        name if names.count(name) == 1 else f"{name} ({spec.id})"
        for name, spec in zip(names, specs, strict=True)
    ]
