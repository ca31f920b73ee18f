"""People's blind votes on two sets of novel insights, kept as comparisons beside the judges'."""

from __future__ import annotations

import hashlib
import hmac
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from datetime import datetime
from itertools import combinations, islice
from typing import Final, Literal

from core.errors import StoreError
from core.evaluation import Verdict
from core.ranking import Comparison, Ranking, Side, Winner
from core.run import RunSpec
from evaluator.adaptive import Cell
from server.contest import shown, why_not
from server.runs import competitor
from server.standings_summary import Summary
from server.store import Repository
from server.store.closeups import Closeup, Wanted, closeups, peoples_rankings, verdicts_on, votes
from server.store.rankings import Rankings

QUESTION: Final = "Which set is more useful to somebody who is responsible for the subject and has to decide what to do?"
CRITERIA: Final = (
    "It says something particular about this subject, which would not be true of any other.",
    "It tells of causes, comparisons, changes or risks, and not merely that figures exist.",
    "Somebody could act on it, or would look at the matter in another way.",
    "What it says is borne out by figures or by how they were arrived at.",
)
"""As judges are told (evaluator/prompts/useful.txt)."""
MOST_DRAWN: Final = 5_000
"""Pairs that are looked through for one person."""
BATCHES: Final = (1, 8, 32)
"""Of these, so many are read in search of one with two sets, and so many of them at once."""
MOST_REASON: Final = 1_000
Choice = Literal["first", "second", "tie"]


@dataclass(frozen=True)
class Ballot:
    """One pair as one person sees it: who is who it does not say."""

    cell: Cell
    shown_first: Side
    left: tuple[str, ...]
    right: tuple[str, ...]

    @property
    def first(self) -> tuple[str, ...]:
        """The set that is shown first."""
        return self.left if self.shown_first == "left" else self.right

    @property
    def second(self) -> tuple[str, ...]:
        """The other."""
        return self.right if self.shown_first == "left" else self.left

    def winner(self, choice: Choice) -> Winner:
        """Which side was meant."""
        if choice == "tie":
            return "tie"
        other: Side = "right" if self.shown_first == "left" else "left"
        return self.shown_first if choice == "first" else other


class Booth:
    """Where one person votes on one scenario. The order of pairs and of sides is drawn by their name."""

    def __init__(
        self,
        store: Repository,
        scenario_id: str,
        person: str,
        runs: Sequence[tuple[RunSpec, Summary]],
    ) -> None:
        """`runs`: those that are finished and judged, with what they came to."""
        self._store, self._scenario, self._person = store, scenario_id, person
        self._runs = {spec.id: (spec, summary) for spec, summary in runs}
        self.said = votes(store, scenario_id, person)
        self._done = {Cell(c.entity_id, c.trial, c.left, c.right) for c in self.said}

    def next(self) -> Ballot | None:
        """The next pair that they have not voted on; None where there is none left."""
        open_ = (cell for cell in self._cells() if cell not in self._done)
        for size in BATCHES:
            for ballot in self._ballots(list(islice(open_, size))):
                if ballot is not None:
                    return ballot
        return None

    def seal(self, cell: Cell, key: str) -> str:
        """What a form says of its pair: nobody reads from it which runs these are."""
        text = json.dumps([self._scenario, self._person, *astuple(cell), self._evaluations(cell)])
        return hmac.new(key.encode(), text.encode(), hashlib.sha256).hexdigest()[:32]

    def sealed(self, seal: str, key: str) -> Ballot | None:
        """The pair of a form, also one that was voted on; None where it is none any more."""
        for cell in self._cells():
            if hmac.compare_digest(self.seal(cell, key).encode(), seal.encode()):
                return self._ballots([cell])[0]
        return None

    def vote(self, ballot: Ballot, choice: Choice, reason: str, now: datetime) -> bool:
        """Keep it; False where they have voted on this pair before, and that stands."""
        cell = ballot.cell
        if cell in self._done:
            return False
        ranking = self._ranking(cell, now)
        made = Comparison(
            ranking_id=ranking.id,
            entity_id=cell.entity,
            trial=cell.trial,
            left=cell.left,
            right=cell.right,
            shown_first=ballot.shown_first,
            winner=ballot.winner(choice),
            left_insights=len(ballot.left),
            right_insights=len(ballot.right),
            left_characters=sum(map(len, ballot.left)),
            right_characters=sum(map(len, ballot.right)),
            reason=reason[:MOST_REASON],
            judge=self._person,
        )
        try:
            Rankings(self._store).add_comparison(made)
        except StoreError:  # sent twice at the same moment: the first stands
            return False
        return True

    def _cells(self) -> Iterator[Cell]:
        """All pairs of comparable runs, in an order of this person's own; runs of one competitor last."""
        drawn: tuple[list[Cell], list[Cell]] = ([], [])
        for one, other in combinations(sorted(self._runs), 2):
            (left, mine), (right, theirs) = self._runs[one], self._runs[other]
            if mine.ruling != theirs.ruling:
                continue
            known = frozenset(right.entity_ids)
            both = [entity for entity in left.entity_ids if entity in known]
            trials = range(1, min(left.trials, right.trials) + 1)
            drawn[mine.competitor == theirs.competitor].extend(
                Cell(entity, trial, one, other) for entity in both for trial in trials
            )
        chance = random.Random(f"{self._scenario}|{self._person}")
        for cells in drawn:
            yield from chance.sample(cells, min(len(cells), MOST_DRAWN))

    def _ballots(self, cells: Sequence[Cell]) -> list[Ballot | None]:
        """Of each, in a few statements for all; None where one of the two has nothing to show, or both
        say the same."""
        wanted = [
            Wanted(run, (cell.entity, cell.trial))
            for cell in cells
            for run in (cell.left, cell.right)
        ]
        found = closeups(self._store, wanted, without_turns=True) if wanted else []
        judged = [str(self._runs[each.run_id][1].evaluation_id) for each in wanted]
        said = verdicts_on(
            self._store,
            [
                (evaluation, close.trajectory.id)
                for close, evaluation in zip(found, judged, strict=True)
                if close is not None
            ],
        )
        names = [competitor(spec) for spec, _ in self._runs.values()]
        sets = [self._set(close, said, names) for close in found]
        return [
            self._ballot(cell, left, right)
            for cell, left, right in zip(cells, sets[::2], sets[1::2], strict=True)
        ]

    def _set(
        self, close: Closeup | None, said: Mapping[str, list[Verdict]], names: Sequence[str]
    ) -> tuple[str, ...]:
        """What one of the two is shown with; () where it has nothing to show."""
        if close is None or why_not(close.trajectory, said[close.trajectory.id]) is not None:
            return ()
        return shown(close.trajectory, said[close.trajectory.id], names)[1]

    def _ballot(self, cell: Cell, left: tuple[str, ...], right: tuple[str, ...]) -> Ballot | None:
        first: Side = (
            "left" if random.Random(f"{self._person}|{astuple(cell)}").random() < 0.5 else "right"
        )
        # Whoever says the same as the other has neither won nor lost by it.
        return Ballot(cell, first, left, right) if left and right and left != right else None

    def _evaluations(self, cell: Cell) -> dict[str, str]:
        return {run: str(self._runs[run][1].evaluation_id) for run in (cell.left, cell.right)}

    def _ranking(self, cell: Cell, now: datetime) -> Ranking:
        """That of the two runs by these evaluations. One per pair of runs: whoever deletes a run takes
        no vote on others along."""
        evaluations = self._evaluations(cell)
        asked = hashlib.sha256(json.dumps([QUESTION, *CRITERIA]).encode()).hexdigest()
        digest = hashlib.sha256(json.dumps([evaluations, asked]).encode()).hexdigest()
        made = Ranking(
            id=f"people-{digest[:12]}",
            scenario_id=self._scenario,
            by="people",
            run_ids=tuple(sorted(evaluations)),
            evaluations=evaluations,
            judges_asked=(),
            prompt_hash=asked,
            orders="one",
            created_at=now,
        )
        with suppress(StoreError):  # it is there from an earlier vote
            Rankings(self._store).add(made)
        return made


def beside(ranking: Ranking, store: Repository) -> list[Comparison]:
    """What people said of the pairs of a ranking of models, by the same evaluations; who said it is
    named so that nobody takes them for a model."""
    found = []
    for other in peoples_rankings(store, ranking.scenario_id):
        if _is_part(other.evaluations, ranking.evaluations):
            found += Rankings(store).comparisons(other.id)
    return [each.model_copy(update={"judge": f"{each.judge} (person)"}) for each in found]


def _is_part(some: Mapping[str, str], all_: Mapping[str, str]) -> bool:
    return all(all_.get(run) == evaluation for run, evaluation in some.items())
