"""`--estimate`: what runs or judgements like these took, told for those to come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import typer

from core.errors import UsageError
from core.wording import counted
from server.estimate import Amount, Estimate, estimate
from server.runs import competitor

if TYPE_CHECKING:
    from core.checklist import Checklist
    from core.run import RunSpec
    from providers.pricing import PriceTable
    from server.calls_estimate import CallsEstimate
    from server.cli.output import Output
    from server.config import RunOptions
    from server.evaluation_asked import Asked
    from server.settings import Settings
    from server.store import Repository


def pilot_options(options: RunOptions, count: int, settings: Settings) -> RunOptions:
    """The same run over `count` of its entities, drawn by its seed, each explored once.

    Raises UsageError where there are not so many.
    """
    from databases.catalog import open_scenario
    from server.selection import pick

    installed = open_scenario(options.scenario, settings.home)
    installed.check()
    known = [entity.id for entity in installed.entities()]
    noun = installed.scenario.entity_noun
    wanted = pick(options.entities, known, noun=noun, seed=options.seed)
    drawn = pick(f"sample:{count}", wanted, noun=noun, seed=options.seed)
    return options.model_copy(update={"entities": drawn, "trials": 1})


def tell(
    specs: Sequence[RunSpec],
    store: Repository,
    prices: PriceTable | None,
    out: Output,
    *,
    pilots: Sequence[RunSpec] = (),
) -> None:
    """Each run's estimate, from its pilot where there was one; exit 1 where it cannot be given."""
    answers: list[dict[str, Any]] = []
    found: list[Estimate] = []
    for number, spec in enumerate(specs):
        own = [pilots[number].id] if pilots else None
        made = estimate(spec, store, prices, runs=own)
        why = None if made else _lacking(spec, own)
        answers.append(
            {
                "model": competitor(spec),
                "estimate": made.model_dump(mode="json") if made else None,
                "reason": why,
            }
        )
        found += [made] if made else []
        _say(competitor(spec), made, why, out)
    if len(found) == len(specs) > 1:
        out.say(f"all of them: {_total(found)}")
    out.result({"estimates": answers, "pilots": [pilot.id for pilot in pilots]})
    if len(found) < len(specs):
        raise typer.Exit(1)


def tell_judging(
    asked: Asked,
    spec: RunSpec,
    checklist: Checklist,
    *,
    store: Repository,
    settings: Settings,
    out: Output,
) -> None:
    """What each judge would take for what has no verdict yet; nothing is asked or stored."""
    from databases.catalog import open_scenario
    from providers.catalog import model_name
    from server.evaluation_asked import calibration_calls, prepare
    from server.judge_estimate import estimate_judging

    installed = open_scenario(spec.scenario_id, settings.home)
    made = prepare(asked, spec, checklist, store, installed)
    if not made.judges.specs:
        raise UsageError(f"the checker {asked.checker} asks no judge, so it costs nothing")
    enquiries = made.judging.enquiries(installed.entities())
    alike = made.judging.calls_alike()
    told: dict[str, Any] = {}
    for judge in made.judges.specs:
        name = model_name(judge)
        found = estimate_judging(
            [each.messages for each in enquiries if each.judge == name],
            [call for call in alike if call.model_asked == name],
            judge=name,
            prices=made.judges.prices(judge),
            concurrency=made.judges.concurrency,
        )
        say_calls(name, found, "judge", out)
        first = calibration_calls(asked, made, judge)
        if first:
            out.say(f"  before it scores it reads {counted(first, 'case')} with known labels")
        told[name] = {**found.model_dump(mode="json"), "calibration_calls": first}
    only = next(iter(told.values())) if len(told) == 1 else None
    out.result({"run": spec.id, "estimate": only, "judges": told})


def say_calls(who: str, found: CallsEstimate, what: str, out: Output) -> None:
    """What so many calls of one model would take, in a line; `what` it is to us: judge, model."""
    basis = "assumed from the length of the prompts"
    if found.from_calls:
        basis = f"by {counted(found.from_calls, 'stored call')} of this {what}"
    cost = f"- ({found.cost_reason})" if found.cost_usd is None else _dollars(found.cost_usd)
    time = "unknown" if found.seconds is None else _time(found.seconds)
    out.say(
        f"{who}: {counted(found.calls, 'call')}, about "
        f"{_count(found.input_tokens)} tokens in, {_count(found.output_tokens)} out, cost {cost}, "
        f"time {time} ({basis})"
    )


def _lacking(spec: RunSpec, pilot: Sequence[str] | None) -> str:
    if pilot:
        return f"no trajectory of the pilot {pilot[0]} came to an end that counts"
    return (
        f"no stored run of {competitor(spec)} on {spec.scenario_id} that differs in nothing but its "
        "entities, concurrency and budget has ended"
    )


def _say(who: str, made: Estimate | None, why: str | None, out: Output) -> None:
    if made is None:
        out.say(f"{who}: {why}")
        out.hint("  explore a few first, which costs what they cost: the same with --pilot 2")
        return
    told = counted(made.from_trajectories, "trajectory")
    out.say(
        f"{who}: {counted(made.trajectories, 'trajectory')}, by {told} of "
        f"{', '.join(made.from_runs)}"
    )
    rows = [_row("calls", made.calls, _count)]
    for role, each in made.roles.items():
        rows.append(_row(f"{role} tokens in", each.input_tokens, _count))
        rows.append(_row(f"{role} tokens out", each.output_tokens, _count))
    if made.roles:
        cost = _row("cost", made.cost_usd, _dollars)
        rows.append(cost if made.cost_usd else ["cost", f"- ({made.cost_reason})", "", ""])
    rows.append(_row("time", made.seconds, _time))
    out.table(["", ">about", ">least", ">most"], rows if made.roles else rows[1:])
    pace = f", {made.seconds_per_call:.1f} s a call" if made.seconds_per_call else ""
    out.say(f"time: {made.concurrency} under way at a time{pace}")
    if made.from_trajectories == 1:
        out.say("from a single trajectory: no spread can be told")


def _row(what: str, amount: Amount | None, shown: Callable[[float], str]) -> list[str]:
    if amount is None:
        return [what, "unknown", "", ""]
    ends = [amount.low, amount.high]
    return [what, shown(amount.mean), *("" if end is None else shown(end) for end in ends)]


def _total(found: Sequence[Estimate]) -> str:
    """All models side by side share the slots, so their times add up as their costs do."""
    costs = [made.cost_usd.mean for made in found if made.cost_usd is not None]
    least = "" if len(costs) == len(found) else "at least "
    cost = f"cost {least}{_dollars(sum(costs))}" if costs else "cost unknown"
    return f"{cost}, time {_time(sum(made.seconds.mean for made in found))}"


def _count(number: float) -> str:
    return f"{number:,.0f}"


def _dollars(amount: float) -> str:
    return f"${amount:,.2f}" if amount >= 1 else f"${amount:.4f}"


def _time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
