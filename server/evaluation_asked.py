"""What `ddr evaluate` is asked for, and the judging that comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from core.checklist import Checklist
from core.errors import UsageError
from core.protocols import Checker
from core.run import ModelSpec, RunSpec
from databases.catalog import InstalledScenario
from evaluator.asking import Criteria, Protocol
from evaluator.calibration.sitting import Watch
from providers.catalog import model_name
from server import calibrating
from server.asking import JudgeOptions, Judges, judges_for
from server.build import LLM, make_checker
from server.candidates import QUICK
from server.evaluate import Judging
from server.judges import criteria_of, make_judge
from server.store import Repository


@dataclass(frozen=True)
class Asked:
    """The options."""

    checker: str = "matching"
    judging: JudgeOptions = field(default_factory=JudgeOptions)
    criteria: str | Criteria = "strict"
    """strict, lenient or a file; or what was read from one before."""
    protocol: Protocol | None = None
    """None = that of the run."""
    batch: int = 1
    """Items in one call of a judge."""
    baselines: str | None = None
    uncalibrated: bool = False
    """Let judges score of which nobody knows whether they can, or of which it is known."""


@dataclass(frozen=True)
class Prepared:
    """A judging that is not begun."""

    judging: Judging
    judges: Judges
    """None of them where no model is asked."""
    criteria: Criteria | None = None
    """By which they judge."""


def prepare(
    asked: Asked,
    spec: RunSpec,
    checklist: Checklist,
    store: Repository,
    installed: InstalledScenario,
) -> Prepared:
    """The judging. Raises UsageError, UnknownNameError, ConfigError before anything is spent."""
    protocol = asked.protocol or spec.protocol
    judges = judges_for(asked.judging, installed.scenario, store)
    parameters: dict[str, Any] = {}
    criteria: Criteria | None = None
    checker: Checker
    if asked.checker == LLM and judges.specs:
        if protocol == "ddr" and asked.batch > 1:
            raise UsageError(
                "protocol ddr asks each item by itself: leave --batch out, or judge under "
                "--protocol default"
            )
        given = asked.criteria
        criteria = given if isinstance(given, Criteria) else criteria_of(given)
        checker = make_judge(judges, criteria=criteria, protocol=protocol, batch=asked.batch)
        parameters |= judges.parameters
        if criteria.name != asked.criteria:
            parameters["criteria_text"] = criteria.text
    else:
        if judges.specs and asked.checker != LLM:
            raise UsageError(f"the checker {asked.checker} asks no judge: leave --judge out")
        if asked.batch > 1:
            raise UsageError(f"the checker {asked.checker} asks no judge: leave --batch out")
        checker = make_checker(asked.checker, installed.entities())
    judging = Judging(
        spec,
        store,
        checklist,
        checker,
        baselines=asked.baselines,
        parameters=parameters,
        protocol=protocol,
    )
    return Prepared(judging, judges, criteria)


def calibration_calls(asked: Asked, made: Prepared, judge: ModelSpec) -> int:
    """What one of the judges would be asked before it scores; second asks left out."""
    if asked.uncalibrated or made.criteria is None or judge.provider == "scripted":
        return 0
    alone = replace(made.judges, specs=(judge,))
    known = calibrating.is_calibrated(alone, criteria=made.criteria)
    return 0 if known else QUICK


async def admit(
    asked: Asked, made: Prepared, *, tell: Callable[[str], None], watch: Watch = lambda *_: None
) -> None:
    """Let those judges score that read the calibration set rightly, and keep by what (F40).

    A script is no model: it says what it says, and is kept as not calibrated. Raises UsageError for
    a judge that may not score, or not so many items at a time; CheckerError where its endpoint fails.
    """
    judges, criteria = made.judges, made.criteria
    if criteria is None:
        return
    if asked.uncalibrated:
        made.judging.note(uncalibrated=[model_name(spec) for spec in judges.specs])
        return
    calibrating.may_batch(judges, asked.batch, criteria=criteria)
    scripts = tuple(spec for spec in judges.specs if spec.provider == "scripted")
    models = tuple(spec for spec in judges.specs if spec not in scripts)
    if scripts:
        made.judging.note(uncalibrated=[model_name(spec) for spec in scripts])
    if models:
        found = await calibrating.admit(
            replace(judges, specs=models), criteria=criteria, tell=tell, watch=watch
        )
        made.judging.note(calibrations=[each.id for each in found])
