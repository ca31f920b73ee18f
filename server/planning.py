"""What a budget buys: entities, trials and a judge, and how precise that is, before a cent is spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from core.agent_class import CLOSED_BOOK
from core.checklist import Checklist
from core.record import Record
from core.run import ModelSpec, RunSpec
from core.scenario import Entity
from core.trajectory import ModelCall, Usage
from evaluator.correlation import correlate
from evaluator.outcomes import Outcome, outcomes
from evaluator.power import Assumed, Precision, icc, precision, scored, shared
from providers.catalog import model_name
from providers.price_list import table_for
from providers.pricing import PriceTable, priced
from server.judged import own_evaluations
from server.store import Repository

TRAJECTORY: Final = Usage(input_tokens=400_000, output_tokens=8_000)
"""Assumed of an exploration where none is stored: 25 turns whose history grows by 900 tokens each, and a
question for an insight after each."""
QUESTION: Final = Usage(input_tokens=1_800, output_tokens=150)
"""Assumed of one question to a judge where none is stored."""
LEVELS: Final = 2
MOST_TRIALS: Final = 5
_DEPENDABLE: Final = 20
"""Items below which a stored run tells nothing about accuracy and spread."""


class Cost(Record):
    """Of one trajectory of one model, or of the judging of one."""

    who: str
    usd: float | None
    """None = no price."""
    basis: str
    """In words: by how many stored trajectories, or what was assumed."""


class Choice(Record):
    """One way to spend the budget."""

    entities: int
    trials: int
    cost_usd: float
    precision: Precision


class Plan(Record):
    """What a budget buys."""

    scenario: str
    budget_usd: float
    models: tuple[Cost, ...]
    judge: Cost | None
    """Of one trajectory's items at both levels; None for the checker without a model."""
    items_per_entity: float
    known_entities: int
    assumed: Assumed
    sources: dict[str, str]
    """Where each of the assumed values comes from."""
    choices: tuple[Choice, ...]
    """By number of trials; empty where the budget buys not one entity, or a price is missing."""
    best: int | None
    """Which of the choices shows the smallest difference."""


@dataclass(frozen=True)
class Planner:
    """Reads what the store knows of models and judges on one scenario."""

    store: Repository
    scenario_id: str
    entities: Sequence[Entity]
    checklist: Checklist
    prices: PriceTable | None = None

    def plan(self, models: Sequence[ModelSpec], judge: ModelSpec | None, budget_usd: float) -> Plan:
        """Every number of trials that the budget can pay, with as many entities as it then can."""
        sizes = [n for each in self.entities if (n := len(self.checklist.of(each.id)))]
        assumed, sources = self._assumed(models)
        costs = tuple(self.cost(model) for model in models)
        judging = None if judge is None else self.judging(judge, fmean(sizes))
        parts = [each.usd for each in costs]
        parts += [] if judging is None else [judging.usd] * len(models)
        known = [part for part in parts if part is not None]
        unit = sum(known) if len(known) == len(parts) else None
        choices = _choices(unit, budget_usd, sizes, assumed)
        able = [n for n, c in enumerate(choices) if c.precision.detectable is not None]
        return Plan(
            scenario=self.scenario_id,
            budget_usd=budget_usd,
            models=costs,
            judge=judging,
            items_per_entity=fmean(sizes),
            known_entities=len(sizes),
            assumed=assumed,
            sources=sources,
            choices=tuple(choices),
            best=min(able, key=lambda n: choices[n].precision.detectable or 0.0) if able else None,
        )

    def cost(self, model: ModelSpec) -> Cost:
        """Of one trajectory: by its own stored ones, by others' tokens at its price, or assumed."""
        who = model_name(model)
        own = self._usages(
            [run for run in self._explored() if run.model and model_name(run.model) == who]
        )
        if own:
            return self._priced(model, own, f"by {len(own)} of its own trajectories here")
        others = self._usages(self._explored())
        if others:
            return self._priced(
                model, others, f"by the tokens of {len(others)} trajectories of others here"
            )
        told = f"assumed: {TRAJECTORY.input_tokens:,} tokens in, {TRAJECTORY.output_tokens:,} out"
        return self._priced(model, [TRAJECTORY], told)

    def judging(self, judge: ModelSpec, items: float) -> Cost:
        """Of the questions on one trajectory, by stored questions to this judge, or assumed."""
        who = model_name(judge)
        asked = [
            call.usage
            for run in self._explored()
            for each in self.store.evaluations(run.id)
            if who in each.judges_asked
            for verdict in self.store.verdicts(each.id)
            for call in verdict.calls
            if not call.is_recalled and call.usage.input_tokens is not None
        ]
        basis = (
            f"by {len(asked)} stored questions to it here"
            if asked
            else "assumed: 1,800 tokens a question"
        )
        one = self._priced(judge, asked or [QUESTION], basis)
        whole = None if one.usd is None else one.usd * items * LEVELS
        return one.model_copy(
            update={"usd": whole, "basis": f"{LEVELS * items:.1f} questions, {basis}"}
        )

    def _explored(self) -> list[RunSpec]:
        return [
            run
            for run in self.store.runs()
            if run.scenario_id == self.scenario_id
            and run.outside is None
            and run.agent != CLOSED_BOOK
        ]

    def _usages(self, runs: Sequence[RunSpec]) -> list[Usage]:
        found = [
            _sum(each.calls)
            for run in runs
            for each in self.store.trajectories(run.id)
            if each.stop_reason and each.stop_reason.scored and each.calls
        ]
        return [usage for usage in found if usage.input_tokens is not None]

    def _priced(self, model: ModelSpec, usages: Sequence[Usage], basis: str) -> Cost:
        table = table_for(model, self.prices)
        costs = [priced(usage, model_name(model), table).cost_usd for usage in usages]
        known = [cost for cost in costs if cost is not None]
        usd = fmean(known) if len(known) == len(costs) else None
        return Cost(who=model_name(model), usd=usd, basis=basis)

    def _assumed(self, models: Sequence[ModelSpec]) -> tuple[Assumed, dict[str, str]]:
        """By stored evaluations of these models, else as EVALUATION has it."""
        found = [
            (name, mine) for model in models if (mine := self._results(name := model_name(model)))
        ]
        values: dict[str, float] = {}
        sources = dict.fromkeys(Assumed.model_fields, "assumed")
        shares = [fmean(each.strict for each in mine) for _, mine in found]
        if shares and 0 < fmean(shares) < 1:
            values["accuracy"] = fmean(shares)
            sources["accuracy"] = f"stored: {', '.join(name for name, _ in found)}"
        spread = [each for _, mine in found if (each := icc(scored(mine))) is not None]
        if spread:
            values["icc"], sources["icc"] = fmean(spread), f"stored: {len(spread)} runs"
        both = shared(found[0][1], found[1][1]) if len(found) > 1 else []
        told = f"stored: {found[0][0]} and {found[1][0]}" if both else ""
        if (
            goes := correlate([a for _, a, _ in both], [b for _, _, b in both]).pearson
        ) is not None:
            values["correlation"], sources["correlation"] = min(max(goes, 0.0), 0.95), told
        if (apart := icc([(entity, a - b) for entity, a, b in both])) is not None:
            values["icc_apart"], sources["icc_apart"] = apart, told
        return Assumed(**values), sources

    def _results(self, who: str) -> list[Outcome]:
        """Message-wise outcomes of a model's newest evaluated run; empty where that tells too little."""
        for run in self._explored()[::-1]:
            if run.model is None or model_name(run.model) != who:
                continue
            judged = own_evaluations(self.store.evaluations(run.id))
            judged = [each for each in judged if each.checklist_hash == self.checklist.hash]
            if not judged:
                continue
            mine = [each for each in self.entities if each.id in run.entity_ids]
            runs, said = self.store.trajectories(run.id), self.store.verdicts(judged[-1].id)
            results = outcomes(self.checklist.items, runs, said, mine, "message")
            known = [each for each in results if each.scored]
            if len(known) >= _DEPENDABLE:
                return known
        return []


def _choices(
    unit: float | None, budget_usd: float, sizes: Sequence[int], assumed: Assumed
) -> list[Choice]:
    """`unit`: what one entity explored once by every model and judged costs; None = not known."""
    if unit is None:
        return []
    found = []
    for trials in range(1, MOST_TRIALS + 1):
        most = len(sizes) if unit == 0 else min(len(sizes), int(budget_usd / (unit * trials)))
        if most < 1:
            break
        found.append(
            Choice(
                entities=most,
                trials=trials,
                cost_usd=most * trials * unit,
                precision=precision(most, trials, sizes, assumed),
            )
        )
    return found


def _sum(calls: Sequence[ModelCall]) -> Usage:
    total = calls[0].usage
    for call in calls[1:]:
        total = total + call.usage
    return total.model_copy(update={"cost_usd": None, "cost_reason": None})
