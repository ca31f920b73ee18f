"""Ask judges, for `ddr failures`, what is open; or say what it would take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from core.hints import typed

if TYPE_CHECKING:
    from databases.installed import InstalledScenario
    from evaluator.derivable import Case
    from evaluator.missed import Missed
    from server.asking import JudgeOptions
    from server.calls_estimate import CallsEstimate
    from server.cli.output import Output
    from server.cli.ticking import Telling
    from server.failures import Basis
    from server.settings import Settings
    from server.store import Repository


@dataclass(frozen=True)
class Place:
    """One run, and what a command needs to work on it."""

    basis: Basis
    installed: InstalledScenario
    store: Repository
    settings: Settings
    out: Output


def ask(options: JudgeOptions, place: Place, *, hallucination: bool, sample: int | None) -> None:
    """Ask each judge about what is open. Raises UsageError where there is nothing to ask about."""
    from server.asking import judges_for
    from server.cli.asking_judges import asked
    from server.failure_judging import ask_derivations, ask_failures
    from server.models import refuse_keyless
    from server.store import RunLock

    insights = _insights(place, sample) if hallucination else []
    cases = [] if hallucination else _cases(place, sample)
    judges = judges_for(options, place.installed.scenario, place.store)
    refuse_keyless(judges.specs)

    async def work(telling: Telling) -> None:
        if hallucination:
            await ask_derivations(judges, insights, place.basis, place.store, telling.watch)
        else:
            await ask_failures(judges, cases, place.basis, place.store, telling.watch)

    run = place.basis.spec.id
    asked(
        work,
        judges,
        place.out,
        doing="judging",
        kept="What was said so far is kept",
        told={"run": run},
        lock=RunLock(place.settings.locks, run),
    )


def estimate(
    options: JudgeOptions, place: Place, *, hallucination: bool, sample: int | None
) -> list[dict[str, Any]]:
    """What the judges would take; nothing is asked."""
    from server.asking import judges_for
    from server.cli.estimating import say_calls
    from server.failure_judging import estimates

    judges = judges_for(options, place.installed.scenario, place.store)
    made: list[tuple[str, CallsEstimate]]
    if hallucination:
        insights = _insights(place, sample)
        made = estimates(judges, "hallucination", insights, place.basis, place.store)
    else:
        made = estimates(judges, "failure", _cases(place, sample), place.basis, place.store)
    for name, each in made:
        say_calls(name, each, "judge", place.out)
    return [{"judge": name, **each.model_dump(mode="json")} for name, each in made]


def _insights(place: Place, sample: int | None) -> list[Case]:
    from evaluator.derivable import cases
    from server.failure_judging import drawn

    basis = place.basis
    every = cases(basis.trajectories, basis.items, basis.verdicts, basis.noun)
    if not every:
        run = basis.spec.id
        raise UsageError(
            f"run {run} has no message-wise insights; to have them written: "
            f"{typed(f'insights {run} --model PROVIDER/MODEL')}"
        )
    return drawn(every, sample)


def _cases(place: Place, sample: int | None) -> list[Missed]:
    from server.failure_judging import drawn
    from server.failures import tallied

    run = place.basis.spec.id
    if place.basis.evaluation is None:
        raise UsageError(
            f"run {run} is not judged by this checklist, so that nobody knows what it missed: "
            f"{typed(f'evaluate {run}')}"
        )
    every = [each.case for each in tallied(place.basis, place.store, place.installed)]
    return drawn(every, sample)
