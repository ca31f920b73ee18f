"""Judge prefixes of trajectories again: by which turn do the insights suffice for each supported item?

The whole is known to suffice, for its verdict says so. The prefix that ends with the item's discovery
is tried first and the one before it next, for mostly the one suffices and the other does not; else the
turns between are halved. Where a checker is not monotone (a later insight contradicts an earlier one) the
answer is a turn at which it turns from insufficient to supported.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from analysis.growth import Find
from core.checklist import Checklist, ChecklistItem
from core.evaluation import LEVELS, Evaluation, Verdict
from core.protocols import Checker
from core.sufficiency import Sufficiency
from core.trajectory import ModelCall, Trajectory
from evaluator.llm import Enquired, LLMChecker, is_open
from server import judges
from server.diffing import Side
from server.judged import as_judged
from server.store import Repository
from server.store.judgements import Judgements

KIND: Final = "sufficiency"
Watch = Callable[[float, float, str], None]


@dataclass
class Search:
    """The turns between which one item's answer lies."""

    item: ChecklistItem
    verdict: Verdict
    turns: Sequence[int]
    """Those with an insight, in order; the last of them is known to suffice."""
    low: int = -1
    """Place of the last turn that is known not to suffice; -1 = none."""
    high: int = field(init=False)
    """Place of the first that is known to suffice."""
    judged: int = 0
    calls: list[ModelCall] = field(default_factory=list)
    reason: str | None = None

    def __post_init__(self) -> None:
        self.high = len(self.turns) - 1

    @property
    def is_over(self) -> bool:
        """Whether the answer is known, or that there is none."""
        return self.high - self.low <= 1 or self.reason is not None

    @property
    def next(self) -> int:
        """The place to try: the discovery, the turn before it, the middle of the rest."""
        first = self.verdict.found_at_turn
        at = self.turns.index(first) if first in self.turns else None
        for place in () if at is None else (at, at - 1):
            if self.low < place < self.high and self.judged < 2:
                return place
        return (self.low + self.high) // 2

    def hear(self, verdict: Verdict) -> None:
        """What a judged prefix says of the item."""
        place, self.judged = self.next, self.judged + 1
        self.calls += verdict.calls
        if verdict.label is None:
            self.reason = verdict.unscored_reason or "no reason was given"
        elif verdict.label == "supported":
            self.high = place
        else:
            self.low = place


class Sufficing:
    """One evaluation's supported items, with what is known of them already."""

    def __init__(
        self, side: Side, store: Repository, checklist: Checklist, checker: Checker
    ) -> None:
        """`checker`: that of the evaluation (`same_checker` sees to it)."""
        self._side, self._store = side, store
        self._checklist, self._checker = checklist, checker
        self._kept = Judgements(store, KIND)
        self._said_by = judge_of(side.evaluation)

    def known(self) -> dict[tuple[str, str], Sufficiency]:
        """What was found before, by (trajectory id, item id)."""
        own = self._side.evaluation.id
        return {
            (said.trajectory_id, said.item_id): said
            for _, by, said in self._kept.of_run(self._side.spec.id, Sufficiency)
            if said.evaluation_id == own and by == self._said_by
        }

    def searches(self) -> list[tuple[Trajectory, list[Search]]]:
        """What is still to be found, trajectory by trajectory."""
        known = self.known()
        items = {item.id: item for item in self._checklist.items}
        supported: dict[str, list[Verdict]] = defaultdict(list)
        for verdict in self._store.verdicts(self._side.evaluation.id):
            is_known = (verdict.trajectory_id, verdict.item_id) in known
            if verdict.level == "message" and verdict.label == "supported" and not is_known:
                supported[verdict.trajectory_id].append(verdict)
        found = []
        for trajectory in self._store.trajectories(self._side.spec.id):
            then = as_judged(trajectory, self._side.evaluation)
            turns = sorted({i.turn for i in then.message_insights if i.text and i.turn})
            mine = [
                Search(items[verdict.item_id], verdict, turns)
                for verdict in supported[trajectory.id]
                if verdict.item_id in items and turns
            ]
            if mine:
                found.append((then, mine))
        return found

    async def find(self, now: datetime, watch: Watch = lambda *_: None) -> list[Sufficiency]:
        """Judge until each item has its answer; each is kept as soon as it stands.

        Raises what ends a judging: CheckerError, BudgetSpentError, StoreError.
        """
        work = self.searches()
        for done, (trajectory, searches) in enumerate(work):
            watch(done, len(work), f"prefixes of {trajectory.entity_id}")
            open_ = [search for search in searches if not search.is_over]
            for search in searches:
                if search.is_over:
                    self._keep(trajectory, search, now)
            while open_:
                await self._step(trajectory, open_)
                for search in open_:
                    if search.is_over:
                        self._keep(trajectory, search, now)
                open_ = [search for search in open_ if not search.is_over]
        watch(len(work), len(work), "done")
        return list(self.known().values())

    def enquiries(self) -> list[Enquired]:
        """What a judge would be asked where the discovery suffices and the turn before it does not;
        nothing of rules. An item that is harder takes a call for each halving more."""
        found: list[Enquired] = []
        for trajectory, searches in self.searches():
            for search in searches:
                first = search.verdict.found_at_turn
                at = search.turns.index(first) if first in search.turns else search.high // 2
                for place in {at, at - 1} & set(range(search.high)):
                    prefix = prefix_of(trajectory, search.turns[place])
                    _, of_reports = LEVELS
                    done = frozenset({(search.item.id, of_reports)})
                    found += judges.enquiries(self._checker, [search.item], prefix, done)
        return found

    async def _step(self, trajectory: Trajectory, open_: Sequence[Search]) -> None:
        """Judge one prefix for each search; searches that want the same prefix share it."""
        by_place: dict[int, list[Search]] = defaultdict(list)
        for search in open_:
            by_place[search.turns[search.next]].append(search)
        for turn, wanting in by_place.items():
            told = {
                verdict.item_id: verdict async for verdict in self._check(trajectory, turn, wanting)
            }
            for search in wanting:
                search.hear(told[search.item.id])

    async def _check(
        self, trajectory: Trajectory, turn: int, wanting: Sequence[Search]
    ) -> AsyncIterator[Verdict]:
        """Message-wise verdicts on a prefix.

        Rules weigh all items of the trajectory together, as they did on the whole; a model is asked
        about the wanted ones alone.
        """
        prefix = prefix_of(trajectory, turn)
        wanted = {search.item.id for search in wanting}
        items = self._checklist.of(trajectory.entity_id)
        if isinstance(self._checker, LLMChecker):
            items = tuple(item for item in items if item.id in wanted)
        _, of_reports = LEVELS
        done = frozenset((item.id, of_reports) for item in items)
        found = judges.check(
            self._checker, items, prefix, evaluation_id=self._side.evaluation.id, done=done
        )
        async for verdict in found:
            if verdict.level == "message" and verdict.item_id in wanted:
                yield verdict

    def _keep(self, trajectory: Trajectory, search: Search, now: datetime) -> None:
        """Keep an answer; a failed request gives none, and is asked again another time."""
        if search.reason is not None and is_open(_unscored(search)):
            return
        own = self._side.evaluation.id
        said = Sufficiency(
            evaluation_id=own,
            trajectory_id=trajectory.id,
            item_id=search.item.id,
            turn=None if search.reason else search.turns[search.high],
            discovered_at=search.verdict.found_at_turn,
            judged=search.judged,
            unscored_reason=search.reason,
            calls=tuple(search.calls),
            created_at=now,
        )
        subject = json.dumps([own, trajectory.id, search.item.id])
        self._kept.say(self._side.spec.id, subject, self._said_by, said)


def prefix_of(trajectory: Trajectory, turn: int) -> Trajectory:
    """It with the message-wise insights up to a turn, and without its report."""
    kept = (i for i in trajectory.message_insights if i.turn is not None and i.turn <= turn)
    return trajectory.model_copy(update={"insights": tuple(kept)})


def finds_of(said: Sequence[Sufficiency]) -> list[Find]:
    """As curves take them; what could not be judged again has no turn."""
    return [Find(each.trajectory_id, each.item_id, each.turn) for each in said]


def judge_of(evaluation: Evaluation) -> str:
    """Who judges prefixes: the checker, its judges, by what prompts and criteria."""
    told = (evaluation.checker, *evaluation.judges_asked, evaluation.criteria)
    return " ".join((*told, (evaluation.prompt_hash or "")[:12])).strip()


def _unscored(search: Search) -> Verdict:
    return search.verdict.model_copy(
        update={"label": None, "unscored_reason": search.reason, "votes": ()}
    )
