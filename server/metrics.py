"""Take the figures of InsightBench and InsightEval of a stored run; what models said is remembered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from checklists.audit.redundancy import Redundancy, redundancy
from core.checklist import Checklist
from core.errors import UsageError
from core.hints import typed
from core.run import ModelSpec, RunSpec
from core.trajectory import ModelCall, Trajectory
from databases.connection import open_readonly
from databases.insightbench.mistaken import error_texts
from databases.installed import InstalledScenario
from databases.schema import Schema, read_schema
from evaluator.interviewing import Interviewer, Question
from evaluator.metrics.asking import Replies, ask_each
from evaluator.metrics.matching import Matches, matching_of
from evaluator.metrics.measures import ROUGE, Measure, mean_rating, measure, rouge_value
from evaluator.metrics.novelty import Novelty, candidates, novelty, novelty_of
from evaluator.metrics.rating import Pair, Rated, rating_of
from evaluator.metrics.sets import InsightSet, insight_sets
from server.metrics_asked import Asked, name_of
from server.metrics_taken import Metrics, rater
from server.spending import spent

Tell = Callable[[float, float, str], None]
SetKey = tuple[str, int]


class Measuring:
    """A run's figures, not taken yet."""

    def __init__(
        self,
        spec: RunSpec,
        trajectories: Sequence[Trajectory],
        checklist: Checklist,
        installed: InstalledScenario,
        asked: Asked,
        *,
        error_sets: bool = False,
    ) -> None:
        """Raises UsageError where there is no ground truth. `error_sets`: keep sets whose ground truth
        is error text."""
        self._spec, self._checklist, self._installed = spec, checklist, installed
        self._asked = asked
        self._schemas: dict[str, Schema] = {}
        entities = [each for each in installed.entities() if each.id in spec.entity_ids]
        found = insight_sets(checklist, trajectories, entities)
        if not found:
            raise UsageError(
                f"no entity of run {spec.id} has an open item in checklist {checklist.id}: its "
                "insights can be held against nothing"
            )
        wrong = [] if error_sets or installed.base != "insightbench" else self._error_sets(found)
        self.left_out = tuple(dict.fromkeys(each.entity_id for each in wrong))
        self.sets = tuple(each for each in found if each.entity_id not in self.left_out)
        if not self.sets:
            raise UsageError(
                "the ground truth of every set is the text of an error; --error-sets keeps them"
            )

    async def measure(self, tell: Tell) -> Metrics:
        """Ask what is not remembered, and take the figures. Raises CheckerError, BudgetSpentError."""
        step = _Steps(tell)
        calls: list[ModelCall] = []
        matches, matching_failed = None, 0
        if self._asked.matching == "many-to-many":
            matcher = self._asked.other(self._asked.raters[0])
            (matched,) = await self._ask([matcher], self._matchings(), step, "matching")
            calls += matched.calls
            empty = {s.key: (None,) * len(s.truths) for s in self.sets if not s.predictions}
            matches = {**dict.fromkeys(matched.failed), **empty, **matched.found}
            matching_failed = len(matched.failed)
        specs = self._rating_specs()
        ratings = await self._ask(
            [self._asked.rater(spec) for spec in specs],
            {pair: rating_of(pair) for pair in self._pairs(matches)},
            step,
            "rating",
        )
        rated = {name_of(spec): mine for spec, mine in zip(specs, ratings, strict=True)}
        calls += [call for mine in ratings for call in mine.calls]
        measures = tuple(self._measure(name, rated, matches) for name in self._asked.metrics)
        found = None
        if self._asked.novelty:
            rating = next(each for each in measures if each.name == "g-eval")
            found = await self._novelty(rating, step, calls)
        served = dict.fromkeys(name for call in calls for name in call.served)
        return Metrics(
            run_id=self._spec.id,
            checklist=self._checklist,
            asked=self._asked,
            sets=self.sets,
            left_out=self.left_out,
            measures=measures,
            redundancy=self._redundancy(),
            novelty=found,
            raters=tuple(rater(replies) for replies in rated.values()),
            matching_failed=matching_failed,
            served=tuple(served),
            spending=spent(calls),
        )

    def open_questions(self) -> Iterator[tuple[ModelSpec, Interviewer, list[Question[Any]]]]:
        """Each model with what it would be asked at most: matches are not known beforehand, nor which
        predictions are correct."""
        asked = self._asked
        if asked.matching == "many-to-many":
            spec = asked.raters[0]
            yield spec, asked.other(spec), list(self._matchings().values())
        pairs = [rating_of(pair) for pair in self._pairs(None)]
        if asked.matching == "many-to-many":
            most = sum(len(s.truths) for s in self.sets if s.predictions)
            most += sum(s.summaries is not None for s in self.sets)
            pairs = sorted(pairs, key=_length, reverse=True)[:most]
        for spec in self._rating_specs():
            yield spec, asked.rater(spec), list(pairs)
        for spec in asked.novelty:
            mine = [
                novelty_of(found, place, self._told_schema(found.entity_id))
                for found in self.sets
                for place in range(len(found.predictions))
            ]
            yield spec, asked.other(spec), list(mine)

    def _rating_specs(self) -> list[ModelSpec]:
        """The models whose ratings a metric needs."""
        metrics = [name for name in self._asked.metrics if name != ROUGE]
        return list({name_of(s): s for m in metrics for s in self._asked.raters_of(m)}.values())

    def _pairs(self, matches: Mapping[SetKey, Matches | None] | None) -> Iterator[Pair]:
        for each in self.sets:
            if each.missing:
                continue
            if each.summaries:
                yield each.summaries
            if matches is None:
                yield from each.pairs
                continue
            for truth, at in zip(each.truths, matches.get(each.key) or (), strict=False):
                if at is not None:
                    yield Pair(truth.text, each.predictions[at])

    def _matchings(self) -> dict[SetKey, Question[Matches]]:
        return {
            each.key: matching_of([truth.text for truth in each.truths], each.predictions)
            for each in self.sets
            if each.predictions
        }

    async def _novelty(self, rating: Measure, step: _Steps, calls: list[ModelCall]) -> Novelty:
        by_key = {each.key: each for each in self.sets}
        questions = {
            each: novelty_of(by_key[each.set_key], each.place, self._told_schema(each.set_key[0]))
            for each in candidates(self.sets, rating.sets)
        }
        judges = [self._asked.other(spec) for spec in self._asked.novelty]
        said = await self._ask(judges, questions, step, "novelty")
        calls += [call for mine in said for call in mine.calls]
        votes = {each: [mine.found.get(each) for mine in said] for each in questions}
        return novelty(self.sets, rating.sets, votes)

    async def _ask(
        self,
        interviewers: Sequence[Interviewer],
        questions: Mapping[Any, Question[Any]],
        step: _Steps,
        what: str,
    ) -> list[Replies[Any, Any]]:
        if interviewers:
            step.begin(len(questions) * len(interviewers), what)
        return await ask_each(
            interviewers,
            questions,
            concurrency=self._asked.judges.concurrency,
            tell=step.done,
        )

    def _redundancy(self) -> Redundancy | None:
        if self._asked.suite == "insightbench":
            return None
        return redundancy([each.predictions for each in self.sets])

    def _measure(
        self,
        name: str,
        rated: Mapping[str, Replies[Pair, Rated]],
        matches: Mapping[SetKey, Matches | None] | None,
    ) -> Measure:
        if name == ROUGE:
            return measure(name, self.sets, rouge_value, matches=matches)
        judges = [name_of(spec) for spec in self._asked.raters_of(name)]
        value = mean_rating([rated[judge].found for judge in judges])
        return measure(name, self.sets, value, judges=judges, matches=matches)

    def _error_sets(self, found: Sequence[InsightSet]) -> list[InsightSet]:
        return [
            each
            for each in found
            if error_texts([truth.text for truth in each.truths], self._columns(each.entity_id))
        ]

    def _columns(self, entity_id: str) -> list[str]:
        return [c.name for table in self._schema(entity_id).tables for c in table.columns]

    def _told_schema(self, entity_id: str) -> str:
        return "\n".join(
            f"{table.name}: " + ", ".join(f"{c.name} ({c.type})" for c in table.columns)
            for table in self._schema(entity_id).tables
        )

    def _schema(self, entity_id: str) -> Schema:
        if not self._installed.is_built() or not self._installed.manifest.is_filled_here:
            raise UsageError(
                f"the tables of {self._installed.scenario.id} are not at hand: "
                f"{typed(f'scenarios build {self._installed.scenario.id}')}"
            )
        place = self._installed.target_for(entity_id).location
        if place not in self._schemas:
            with open_readonly(Path(place)) as connection:
                self._schemas[place] = read_schema(connection)
        return self._schemas[place]


class _Steps:
    """How far the questions of one kind are."""

    def __init__(self, tell: Tell) -> None:
        self._tell, self._done, self._total, self._what = tell, 0, 0, ""

    def begin(self, total: int, what: str) -> None:
        self._done, self._total, self._what = 0, total, what
        self._tell(0, total, what)

    def done(self) -> None:
        self._done += 1
        self._tell(self._done, self._total, self._what)


def _length(question: Question[Any]) -> int:
    return sum(len(message["content"]) for message in question.messages)
