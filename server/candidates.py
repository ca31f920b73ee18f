"""A judge that is put to the test: what is asked of it, and the calibration that comes of it."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from core.calibration import Calibration
from core.evaluation import Label, Verdict
from core.hints import typed
from core.run import ModelSpec
from evaluator.asking import Criteria
from evaluator.calibration import measuring
from evaluator.calibration.cases import CalibrationSet, shipped
from evaluator.calibration.sitting import (
    Key,
    Sheet,
    Watch,
    canary_sheets,
    heard,
    repeated,
    sheets_of,
)
from evaluator.interviewing import Interviewer
from evaluator.llm import LLMChecker
from providers.catalog import model_name
from server.asking import Judges
from server.runner import utc_now
from server.store import Repository
from server.store.calibrations import Calibrations

QUICK: Final = 30
"""Cases that a judge reads before it may score, where it was never calibrated."""
REPEATED: Final = 0.1
"""The share of the cases that are asked several times, unless told (DDR-31)."""
SEED: Final = 20260131


@dataclass(frozen=True)
class Plan:
    """What is to be found out of a judge."""

    batch: int = 1
    sample: int | None = None
    """So many cases; None = all."""
    canary: bool = False
    repeats: int = 0


@dataclass(frozen=True)
class Candidate:
    """A judge under the criteria by which it would judge."""

    spec: ModelSpec
    interviewer: Interviewer
    criteria: Criteria | str
    concurrency: int

    @property
    def name(self) -> str:
        """As it is typed."""
        return model_name(self.spec)

    @property
    def parameters(self) -> dict[str, Any]:
        """What else its labels depend on, for Calibration.parameters."""
        told = {"sampling": dict(self.spec.sampling) or None, "base_url": self.spec.base_url}
        return {key: value for key, value in told.items() if value is not None}

    @property
    def command(self) -> str:
        """What calibrates it, as it can be typed."""
        criteria = self.criteria if isinstance(self.criteria, str) else self.criteria.name
        under = "" if criteria == "strict" else f" --criteria {criteria}"
        at = f" --base-url {self.spec.base_url}" if self.spec.base_url else ""
        return typed(f"calibrate --judge {self.name}{at}{under}")

    def checker(self, *, batch: int = 1, repeat: int = 0) -> LLMChecker:
        """The checker with it alone."""
        return LLMChecker(
            [self.interviewer],
            criteria=self.criteria,
            concurrency=self.concurrency,
            batch=batch,
            repeat=repeat,
        )

    def cases(self) -> CalibrationSet:
        """The cases whose labels are certain under its criteria."""
        return shipped().under(self.checker().criteria)

    def stored(self, store: Repository, *, batch: int = 1) -> list[Calibration]:
        """Its calibrations by QUICK cases or more, the oldest first.

        A change of prompts, criteria, set, sampling or address makes new ones due.
        """
        checker, cases = self.checker(batch=batch), self.cases()
        wanted = (self.name, self.parameters, checker.prompt_hash, cases.hash, batch)
        return [
            each
            for each in Calibrations(store).all()
            if (each.judge, each.parameters, each.prompt_hash, each.set_hash, each.batch) == wanted
            and each.n >= min(QUICK, each.of)
        ]

    def sheets(self, plan: Plan) -> list[tuple[LLMChecker, list[Sheet]]]:
        """All that a plan would ask, for an estimate; the repeats of a question count each."""
        cases = self._chosen(plan)
        asked = [(self.checker(), sheets_of(cases))]
        if plan.batch > 1:
            asked.append((self.checker(batch=plan.batch), sheets_of(cases)))
        if plan.canary:
            asked.append((self.checker(), canary_sheets(cases)))
        some = sheets_of(_some(cases, plan))
        asked += [(self.checker(repeat=n), some) for n in range(1, plan.repeats)]
        return asked

    async def calibrate(self, plan: Plan, *, watch: Watch = lambda *_: None) -> list[Calibration]:
        """Ask it, and measure: by single calls, and where a batch is planned by that too.

        Nothing is stored. Raises CheckerError where its endpoint fails: what it answered is remembered.
        """
        cases = self._chosen(plan)
        single = await heard(self.checker(), sheets_of(cases), watch=watch)
        labels = _by_case(single)
        canary = stability = None
        if plan.canary:
            spoken_to = await heard(self.checker(), canary_sheets(cases), watch=watch)
            by_case = {case_id: verdict for (_, case_id, _), verdict in spoken_to.items()}
            canary = measuring.canary(cases, labels, by_case)
        if plan.repeats:
            checkers = [self.checker(repeat=n) for n in range(plan.repeats)]
            rows = await repeated(checkers, sheets_of(_some(cases, plan)), watch=watch)
            stability = measuring.stability([[v.label for v in row] for row in rows.values()])
        made = [self._made(cases, single, canary=canary, stability=stability)]
        if plan.batch > 1:
            checker = self.checker(batch=plan.batch)
            several = await heard(checker, sheets_of(cases), watch=watch)
            told = _by_case(several)
            agreed = sum(told[case_id] == labels[case_id] for case_id in labels) / len(labels)
            made.append(self._made(cases, several, batch=plan.batch, agreement_with_single=agreed))
        return made

    def _made(
        self, cases: CalibrationSet, found: Mapping[Key, Verdict], *, batch: int = 1, **more: Any
    ) -> Calibration:
        checker, whole, now = self.checker(batch=batch), self.cases(), utc_now()
        return Calibration(
            id=_id(now),
            judge=self.name,
            served=_served(found.values()),
            parameters=self.parameters,
            criteria=checker.criteria,
            prompt_hash=checker.prompt_hash,
            set_hash=whole.hash,
            batch=batch,
            of=len(list(whole.cases())),
            created_at=now,
            **measuring.measured(cases, _by_case(found)),
            **more,
        )

    def _chosen(self, plan: Plan) -> CalibrationSet:
        cases = self.cases()
        return cases if plan.sample is None else cases.sample(plan.sample, seed=SEED)


def candidates(judges: Judges, criteria: Criteria | str) -> list[Candidate]:
    """Each of the judges by itself."""
    return [
        Candidate(spec, interviewer, criteria, judges.concurrency)
        for spec, interviewer in zip(judges.specs, judges.interviewers("checker"), strict=True)
    ]


def _by_case(found: Mapping[Key, Verdict]) -> dict[str, Label | None]:
    return {case_id: verdict.label for (_, case_id, _), verdict in found.items()}


def _some(cases: CalibrationSet, plan: Plan) -> CalibrationSet:
    """Those that are asked several times."""
    if plan.sample is not None:
        return cases
    return cases.sample(max(QUICK, round(REPEATED * len(list(cases.cases())))), seed=SEED)


def _served(verdicts: Iterable[Verdict]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for v in verdicts if v.call for name in v.call.served))


def _id(now: datetime) -> str:
    return f"{now:%Y%m%d}-calibration-{secrets.token_hex(3)}"
