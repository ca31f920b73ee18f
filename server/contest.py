"""Who meets whom in a ranking: the novel insights of each run on each entity, by a named evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from core.errors import UsageError
from core.evaluation import Evaluation, Verdict
from core.hints import typed
from core.run import RunSpec
from core.trajectory import Trajectory
from evaluator.adaptive import Cell
from evaluator.novelty import Novelty, novel
from evaluator.usefulness import hidden
from server.competitors import set_of
from server.judged import own_evaluations
from server.runs import competitor
from server.store import Repository

_Key = tuple[str, int]
"""(entity, trial)"""


@dataclass
class Contest:
    """The runs that are ranked, and what each has to show."""

    runs: tuple[RunSpec, ...]
    """In order of their ids."""
    evaluations: dict[str, Evaluation]
    """By run."""
    names: dict[str, str]
    """Run -> how it is called; the run's id beside it where two are called alike."""
    sets: dict[str, dict[_Key, tuple[str, ...]]] = field(default_factory=dict)
    """Run -> the texts of its novel insights, without names; empty where it handed in nothing novel."""
    handed_in: Counter[str] = field(default_factory=Counter)
    """Run -> message-wise insights, of the trajectories that count here."""
    novel: Counter[str] = field(default_factory=Counter)
    """Run -> of these, the novel ones."""
    unscored_items: Counter[str] = field(default_factory=Counter)
    """Run -> items without a label at message level: what these alone would have used is novel here."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Why trajectories of some run show nothing here."""
    both_empty: int = 0
    """Pairs in which neither had anything to show: they are left out."""
    cells: list[Cell] = field(default_factory=list)
    """Pairs to be judged."""
    forfeits: list[tuple[Cell, str]] = field(default_factory=list)
    """Pairs in which one had nothing to show, with the run that wins by that."""

    def texts(self, run_id: str, cell: Cell) -> tuple[str, ...]:
        """What a run shows in a pair."""
        return self.sets[run_id][cell.entity, cell.trial]


def contest(
    runs: Sequence[RunSpec], evaluations: Mapping[str, Evaluation], store: Repository
) -> Contest:
    """Everything that can meet. Raises UsageError where a run changed after its evaluation."""
    ordered = tuple(sorted(runs, key=lambda run: run.id))
    found = Contest(ordered, dict(evaluations), names_of(ordered))
    for run in ordered:
        found.sets[run.id] = _sets(run, found, store)
    for key in sorted({key for sets in found.sets.values() for key in sets}):
        present = [run.id for run in ordered if key in found.sets[run.id]]
        for left, right in combinations(present, 2):
            cell = Cell(*key, left, right)
            shows = [bool(found.texts(run, cell)) for run in (left, right)]
            if all(shows):
                found.cells.append(cell)
            elif any(shows):
                found.forfeits.append((cell, left if shows[0] else right))
            else:
                found.both_empty += 1
    return found


def names_of(runs: Sequence[RunSpec]) -> dict[str, str]:
    """Run -> competitor, told apart where two runs are of the same one."""
    plain = {run.id: competitor(run) for run in runs}
    often = Counter(plain.values())
    return {r: name if often[name] == 1 else f"{name} ({r})" for r, name in plain.items()}


def evaluations_of(
    runs: Sequence[RunSpec], wanted: Sequence[str], store: Repository
) -> dict[str, Evaluation]:
    """The evaluation of each run: the one that is wanted, else its last.

    Raises UsageError where one is missing, or belongs to none of the runs, or two are of one run.
    """
    found: dict[str, Evaluation] = {}
    known: list[str] = []
    for run in runs:
        own = own_evaluations(store.evaluations(run.id))
        known += [each.id for each in own]
        chosen = [each for each in own if each.id in wanted]
        if len(chosen) > 1:
            raise UsageError(
                f"{chosen[0].id} and {chosen[1].id} are both of run {run.id}: name one"
            )
        if not own:
            raise UsageError(
                f"run {run.id} has no evaluation, and so nobody knows which of its insights are "
                f"novel; evaluate: {typed(f'evaluate {run.id}')}"
            )
        found[run.id] = chosen[0] if chosen else own[-1]
    for name in wanted:
        if name not in known:
            listed = ", ".join(known)
            raise UsageError(f"no evaluation {name!r} of these runs; there are: {listed}")
    return found


def _sets(run: RunSpec, found: Contest, store: Repository) -> dict[_Key, tuple[str, ...]]:
    evaluation = found.evaluations[run.id]
    trajectories = [
        each
        for each in store.trajectories(run.id)
        if run.outside is None or each.stop_reason is not None
    ]
    if set_of(trajectories) != evaluation.parameters.get("trajectories"):
        raise UsageError(
            f"run {run.id} has changed since {evaluation.id}: of what came later nobody knows whether "
            f"it is novel; evaluate again: {typed(f'evaluate {run.id}')}"
        )
    verdicts: dict[str, list[Verdict]] = {}
    for verdict in store.verdicts(evaluation.id):
        verdicts.setdefault(verdict.trajectory_id, []).append(verdict)
    sets: dict[_Key, tuple[str, ...]] = {}
    for trajectory in trajectories:
        theirs = verdicts.get(trajectory.id, [])
        if (why := why_not(trajectory, theirs)) is not None:
            found.left_out[why] += 1
            continue
        new, texts = shown(trajectory, theirs, map(competitor, found.runs))
        found.handed_in[run.id] += new.handed_in
        found.novel[run.id] += len(new.insights)
        found.unscored_items[run.id] += sum(
            v.label is None and v.level == "message" for v in theirs
        )
        sets[trajectory.entity_id, trajectory.trial] = texts
    return sets


def shown(
    trajectory: Trajectory, verdicts: Sequence[Verdict], names: Iterable[str]
) -> tuple[Novelty, tuple[str, ...]]:
    """What of a trajectory is novel, and how it is shown to whoever compares: without these names."""
    new = novel(trajectory, verdicts)
    return new, tuple(hidden([each.text or "" for each in new.insights], names))


def why_not(trajectory: Trajectory, verdicts: Sequence[Verdict]) -> str | None:
    """Why a trajectory meets nobody; None where it may."""
    stop = trajectory.stop_reason
    if stop is None:
        return "the trajectory did not end"
    if not stop.scored:
        return str(stop)
    mine = [verdict for verdict in verdicts if verdict.level == "message"]
    if not mine:
        return "not judged, so nobody knows what is novel"
    if all(verdict.label is None for verdict in mine):
        return "no item is scored, so nobody knows what is novel"
    return None
