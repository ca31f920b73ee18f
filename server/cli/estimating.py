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
    from server.asked import Asked
    from server.cli.output import Output
    from server.config import RunOptions
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
    """What the judge would take for what has no verdict yet; nothing is asked or stored."""
    from databases.catalog import open_scenario
    from providers.catalog import model_name
    from server.asked import prepare
    from server.judge_estimate import estimate_judging
    from server.judges import CONCURRENCY

    installed = open_scenario(spec.scenario_id, settings.home)
    made = prepare(asked, spec, checklist, store, installed)
    if made.judge is None:
        raise UsageError(f"the checker {asked.checker} asks no judge, so it costs nothing")
    found = estimate_judging(
        made.judging.enquiries(installed.entities()),
        made.judging.calls_alike(),
        judge=model_name(made.judge),
        prices=made.prices,
        concurrency=asked.concurrency or CONCURRENCY,
    )
    basis = "assumed from the length of the prompts"
    if found.from_calls:
        basis = f"by {counted(found.from_calls, 'stored call')} of this judge"
    cost = f"- ({found.cost_reason})" if found.cost_usd is None else _dollars(found.cost_usd)
    time = "unknown" if found.seconds is None else _time(found.seconds)
    out.say(
        f"{model_name(made.judge)}: {counted(found.calls, 'call')}, about "
        f"{_count(found.input_tokens)} tokens in, {_count(found.output_tokens)} out, cost {cost}, "
        f"time {time} ({basis})"
    )
    out.result({"run": spec.id, "estimate": found.model_dump(mode="json")})


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
