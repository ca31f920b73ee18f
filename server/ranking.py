"""Have judges compare runs' novel insights: each comparison stored as it comes, none asked twice."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any, Final

from core.errors import CheckerError, ProviderError, UsageError
from core.ranking import Comparison, Ranking, Side, Winner
from core.run import RunSpec
from core.scenario import Entity
from core.trajectory import ModelCall
from evaluator.adaptive import SHARE, Cell, rounds
from evaluator.comparable import Basis, basis, differences
from evaluator.interviewing import KEPT, Answered, Interviewer, Question
from evaluator.persevering import Endpoint
from evaluator.rating.results import Result, settle
from evaluator.replying import Fault
from evaluator.usefulness import Preference, prompt_hash
from providers.catalog import model_name
from server.asking import Judges
from server.contest import Contest, contest, evaluations_of
from server.meetings import Asked, Case, Meetings
from server.store import Repository
from server.store.rankings import Rankings, key_of

_REACHED: Final = frozenset({"base_url", "endpoint_allowed"})
"""Parameters that say how the judge is reached, not what it replies."""

Watch = Callable[[float, float, str], None]
"""Told how many comparisons there are, of how many, and which was the last."""


class RankingWork:
    """One ranking of several runs of one scenario."""

    def __init__(
        self,
        runs: Sequence[RunSpec],
        asked: Asked,
        judges: Judges,
        entities: Sequence[Entity],
        store: Repository,
        *,
        noun: str,
    ) -> None:
        """`noun` is what an entity is. Raises UsageError for runs that make no ranking."""
        unique = {run.id: run for run in runs}
        if len(unique) < 2:
            raise UsageError("a ranking is of two runs at least: name another one")
        if len(scenarios := {run.scenario_id for run in unique.values()}) > 1:
            raise UsageError(
                f"one ranking is of one scenario, not of {', '.join(sorted(scenarios))}"
            )
        chosen = evaluations_of(list(unique.values()), asked.evaluations, store)
        self.contest: Contest = contest(list(unique.values()), chosen, store)
        bases = [self._basis(run) for run in self.contest.runs]
        self._differences = differences(bases)
        self._differences.refuse("one ranking", although_different=asked.although_different)
        self._asked, self._judges, self._store = asked, judges, Rankings(store)
        subjects = {
            e.id: f"{noun} {e.label}" if e.label == e.id else f"{noun} {e.label} ({e.id})"
            for e in entities
        }
        self._meetings = Meetings(self.contest, asked, subjects)
        self.failed = 0
        """Comparisons whose request failed: asking again goes on with them."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """In what the runs differ, beside their insights."""
        return tuple(str(each) for each in self._differences.remarks)

    def found(self) -> Ranking | None:
        """The stored ranking of the same runs by the same judges in the same way; the last of them."""
        if self._judges.options.afresh:
            return None
        return next((k for k in reversed(self._store.all()) if self._is_same(k)), None)

    def begin(self, now: datetime) -> Ranking:
        """A new ranking, stored, with its forfeits."""
        number = max((int(k.id[1:]) for k in self._store.all() if k.id[1:].isdigit()), default=0)
        ranking = Ranking(
            id=f"k{number + 1}",
            judges_served=(),
            although=tuple(map(str, self._differences.forbidding)),
            created_at=now,
            **self._traits(),
        )
        self._store.add(ranking)
        return ranking

    async def compare(self, ranking: Ranking, watch: Watch = lambda *_: None) -> Ranking:
        """Ask what has not been asked; the ranking with who answered.

        Raises CheckerError where a judge fails for good, BudgetSpentError; what was said till then is
        kept, and comparing again goes on.
        """
        self.failed = 0
        kept = {key_of(each): each for each in self._store.comparisons(ranking.id)}
        for lost in self._meetings.forfeits(ranking):
            if key_of(lost) not in kept:
                self._store.add_comparison(lost)
                kept[key_of(lost)] = lost
        total = self._expected()
        interviewers = list(self._judges.interviewers("judge"))
        endpoints: dict[str, Endpoint[Case, Answered[Preference]]] = {
            each.name: Endpoint(each.name, concurrency=self._judges.concurrency)
            for each in interviewers
        }
        try:
            for batch in self._batches(kept.values):
                for interviewer in interviewers:
                    cases = self._meetings.cases(ranking, batch, interviewer.name, kept)
                    async for made in self._ask(cases, interviewer, endpoints[interviewer.name]):
                        self._store.add_comparison(made)
                        kept[key_of(made)] = made
                        done = sum(not each.is_forfeit for each in kept.values())
                        watch(done, max(total, done), f"{made.entity_id}: {self._pair(made)}")
        finally:
            ranking = self._keep_served(ranking, kept.values())
        return ranking

    def open_questions(self, judge: str) -> list[Question[Preference]]:
        """What this judge would still be asked, second asks left out; nothing is begun.

        Of an adaptive ranking nobody knows yet which pairs: as many of them as it would ask.
        """
        ranking = self.found()
        held = ranking or Ranking(id="", created_at=datetime.now(UTC), **self._traits())
        kept = self._store.comparisons(ranking.id) if ranking else []
        cases = list(self._meetings.cases(held, self.contest.cells, judge, set(map(key_of, kept))))
        if self._asked.pairs == "adaptive":
            done = sum(each.judge == judge for each in kept)
            cases = cases[: max(0, self._expected() // len(self._judges.specs) - done)]
        return [case.question for case in cases]

    def calls_alike(self, judge: str) -> list[ModelCall]:
        """The stored calls of this judge with the same prompts, of all rankings."""
        return [
            each.call
            for ranking in self._store.all()
            if ranking.prompt_hash == prompt_hash()
            for each in self._store.comparisons(ranking.id)
            if each.judge == judge and each.call is not None and not each.call.is_recalled
        ]

    def _basis(self, run: RunSpec) -> Basis:
        return basis(self.contest.names[run.id], run, self.contest.evaluations[run.id])

    def _traits(self) -> dict[str, Any]:
        """What makes two rankings the same."""
        asked = self._asked
        return {
            "scenario_id": self.contest.runs[0].scenario_id,
            "run_ids": tuple(run.id for run in self.contest.runs),
            "evaluations": {r: e.id for r, e in sorted(self.contest.evaluations.items())},
            "judges_asked": tuple(map(model_name, self._judges.specs)),
            "parameters": self._judges.parameters,
            "prompt_hash": prompt_hash(),
            "orders": asked.orders,
            "pairs": asked.pairs,
            "is_length_matched": asked.is_length_matched,
            "seed": asked.seed,
            "protocol": asked.protocol,
        }

    def _is_same(self, other: Ranking) -> bool:
        mine = self._traits()
        told = {name: getattr(other, name) for name in mine}
        for each in (mine, told):
            each["parameters"] = {k: v for k, v in each["parameters"].items() if k not in _REACHED}
        return mine == told

    def _batches(self, kept: Callable[[], Iterable[Comparison]]) -> Iterator[Sequence[Cell]]:
        if self._asked.pairs == "all":
            yield self.contest.cells
            return
        both = self._asked.orders == "both"
        results: list[Result] = []
        # Each round goes by the games of the rounds before alone, so that one which was broken off
        # chooses the same pairs again.
        before: set[Cell] = set()
        for batch in rounds(self.contest.cells, results, seed=self._asked.seed):
            yield batch
            before |= set(batch)
            mine = [c for c in kept() if c.is_forfeit or _cell(c) in before]
            results[:] = settle(mine, both_orders=both).results

    def _expected(self) -> int:
        """How many comparisons judges make, if none fails."""
        cells = len(self.contest.cells)
        if self._asked.pairs == "adaptive":
            pairs = len({(cell.left, cell.right) for cell in self.contest.cells})
            cells = min(cells, max(int(cells * SHARE), pairs))
        orders = 2 if self._asked.orders == "both" else 1
        return cells * orders * len(self._judges.specs)

    async def _ask(
        self,
        cases: Iterator[Case],
        interviewer: Interviewer,
        endpoint: Endpoint[Case, Answered[Preference]],
    ) -> AsyncIterator[Comparison]:
        async def ask(case: Case) -> Answered[Preference]:
            return await interviewer.ask(case.question)

        try:
            async with aclosing(endpoint.ask(cases, ask)) as answers:
                async for case, answered in answers:
                    if isinstance(answered, ProviderError):
                        if answered.kind != "context_length":
                            self.failed += 1
                            continue
                        told = f"too long for the judge: {answered}"[:KEPT]
                        yield case.blank.model_copy(update={"unscored_reason": told})
                        continue
                    yield _said(case.blank, answered)
        except CheckerError as exc:
            cause = exc.__cause__
            raise CheckerError(
                f"the judge {interviewer.name} failed: {cause or exc}. The comparisons so far are kept; "
                "the same command goes on"
            ) from cause

    def _keep_served(self, ranking: Ranking, made: Iterable[Comparison]) -> Ranking:
        served = tuple(sorted({name for each in made if each.call for name in each.call.served}))
        if served != ranking.judges_served:
            ranking = ranking.model_copy(update={"judges_served": served})
            self._store.amend(ranking)
        return ranking

    def _pair(self, made: Comparison) -> str:
        names = self.contest.names
        return f"{names[made.left]} with {names[made.right]}"


def _cell(comparison: Comparison) -> Cell:
    c = comparison
    return Cell(c.entity_id, c.trial, c.left, c.right)


def _said(blank: Comparison, answered: Answered[Preference]) -> Comparison:
    """A comparison with what the judge said; a reply that cannot be read is missing, never a tie."""
    found = answered.found
    if isinstance(found, Fault):
        return blank.model_copy(
            update={
                "unscored_reason": str(found),
                "reason": answered.text[:KEPT],
                "call": answered.call,
            }
        )
    other: Side = "right" if blank.shown_first == "left" else "left"
    winners: dict[str, Winner] = {"first": blank.shown_first, "second": other, "tie": "tie"}
    return blank.model_copy(
        update={
            "winner": winners[found.word],
            "reason": found.reason[:KEPT],
            "call": answered.call,
        }
    )
