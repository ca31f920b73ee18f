"""`ddr calibrate`: how well a judge reads cases whose labels are known, and whether it may score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from server.cli import judge_options as ask
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from core.calibration import Calibration
    from server.asking import JudgeOptions, Judges
    from server.candidates import Candidate, Plan
    from server.cli.output import Output
    from server.store import Repository


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr calibrate --judge openai/gpt-x --estimate",
        "ddr calibrate --judge openai/gpt-x --canary",
        "ddr calibrate --judge openai/gpt-x --batch 8",
        "ddr calibrate last --judge openai/gpt-x --repeats 5 --sample 10%",
    )
    app.command("calibrate", epilog=shown)(ask.asks_judges(calibrate))


def calibrate(
    run: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN", help="With --repeats: judge this run's items again, not the set's."
        ),
    ] = None,
    *,
    judging: JudgeOptions,
    criteria: ask.Criteria = "strict",
    batch: Annotated[
        int, typer.Option(help="Ask so many items in one call, beside single calls.", metavar="N")
    ] = 1,
    canary: Annotated[
        bool,
        typer.Option("--canary", help="Ask again with insights that speak to the judge."),
    ] = False,
    repeats: Annotated[
        int,
        typer.Option(help="Ask a sample so many times: how steady is it?", metavar="K"),
    ] = 0,
    sample: Annotated[
        str | None,
        typer.Option(
            help="So many cases (30) or such a share (10%); all unless given.", metavar="N"
        ),
    ] = None,
    checklist: Annotated[
        str | None,
        typer.Option(
            help="Of RUN: an id or a file; the scenario's own unless given.", metavar="CHECKLIST"
        ),
    ] = None,
    estimate: ask.Estimate = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Read the calibration set with each judge; exit 1 where one of them may not score.

    Without a judge: what was found of judges before.
    """
    from core.errors import UsageError
    from server import settings as places
    from server.asking import judges_for
    from server.calibrating import refuse_too_many
    from server.candidates import Plan, candidates
    from server.cli.output import Output
    from server.drawing import size_of
    from server.judges import criteria_of
    from server.models import refuse_keyless
    from server.store import open_store

    out = Output(json=json, quiet=quiet)
    refuse_too_many(batch)
    if repeats < 0 or repeats == 1:
        raise UsageError("--repeats takes 2 or more")
    if run is not None and (not repeats or canary or batch > 1):
        raise UsageError("a run's items are for --repeats alone: its labels are not known")
    settings = places.load().prepare()
    with open_store(settings.store_path) as store:
        if not judging.judges:
            tell_stored(store, out)
            return
        if run is not None:
            from server.cli.repeating import repeat_run

            repeat_run(
                store.run(run),
                judging,
                store=store,
                settings=settings,
                criteria=criteria,
                k=repeats,
                sample=sample or "10%",
                checklist=checklist,
                estimate=estimate,
                out=out,
            )
            return
        judges = judges_for(judging, None, store)
        named = candidates(judges, criteria_of(criteria))
        total = len(list(named[0].cases().cases()))
        size = None if sample is None else size_of(sample, total)
        plan = Plan(batch=batch, sample=size, canary=canary, repeats=repeats)
        if estimate:
            from server.cli.asking_judges import tell_estimate

            tell_estimate(named, lambda each: each.sheets(plan), judges, out)
            return
        refuse_keyless(judges.specs)
        made = [one for each in named for one in _made(each, plan, judges, out)]
    for calibration in made:
        show(calibration, out)
    out.result({"calibrations": [as_json(each) for each in made]})
    refused = [c for c in made if c.objections or (c.batch > 1 and c.is_whole and not c.may_batch)]
    if refused:
        raise typer.Exit(1)


def _made(candidate: Candidate, plan: Plan, judges: Judges, out: Output) -> list[Calibration]:
    """One judge's calibrations, with progress, stored."""
    from server.cli.asking_judges import asked
    from server.store.calibrations import Calibrations

    made = asked(
        lambda telling: candidate.calibrate(plan, watch=telling.watch),
        judges,
        out,
        doing=f"calibrating {candidate.name}",
    )
    for each in made:
        Calibrations(judges.store).add(each)
    return made


def tell_stored(store: Repository, out: Output) -> None:
    """Every calibration that is kept, the newest last. Raises UsageError where there is none."""
    from core.errors import UsageError
    from core.hints import typed
    from server.store.calibrations import Calibrations

    kept = Calibrations(store).all()
    if not kept:
        example_of = typed("calibrate --judge PROVIDER/MODEL")
        raise UsageError(f"no judge was calibrated yet; which model is the judge? {example_of}")
    rows = [
        [
            each.judge,
            each.criteria,
            f"{each.created_at:%Y-%m-%d %H:%M}",
            f"{each.n}/{each.of}",
            str(each.batch),
            f"{each.macro_f1:.3f}",
            "-" if each.canary is None or each.canary.share is None else f"{each.canary.share:.1%}",
            "no" if each.objections else "yes",
        ]
        for each in kept
    ]
    heads = ["judge", "criteria", "when", ">cases", ">batch", ">macro-F1", ">canary", "may score"]
    out.table(heads, rows)
    out.result({"calibrations": [as_json(each) for each in kept]})


def show(made: Calibration, out: Output) -> None:
    """The figures of one judge for people."""
    from core.calibration import BATCH_RULE, CANARY_RULE, RULE
    from server.cli.agreeing import confusion_table, figure

    served = f" (served by {', '.join(made.served)})" if made.served else ""
    together = f", {made.batch} items in a call" if made.batch > 1 else ""
    out.say(
        f"{made.judge}{served}, {made.criteria} criteria{together}: {made.n} of {made.of} cases"
    )
    confusion_table(made.confusion, "true", out)
    interval = "" if made.low is None else f" ({made.low:.2f}-{made.high:.2f}, by entity)"
    out.say(
        f"macro-F1 {made.macro_f1:.3f}{interval}, kappa {figure(made.kappa)}, unscored {made.unscored}"
    )
    worst = sorted(made.by_kind.items(), key=lambda pair: pair[1][0] / pair[1][1])
    rows = [[kind, f"{right}/{n}", f"{right / n:.2f}"] for kind, (right, n) in worst]
    out.table(["what was done to the fact", ">read rightly", ">share"], rows)
    if made.canary is not None:
        found = made.canary
        interval = "" if found.low is None else f" ({found.low:.1%}-{found.high:.1%})"
        share = "-" if found.share is None else f"{found.share:.1%}"
        out.say(
            f"canary: {found.changed} of {found.n} labels changed, {share}{interval}; "
            f"{found.obeyed} to what the insight asked for"
        )
        if found.by_kind:
            out.say("  " + ", ".join(f"{kind} {n}" for kind, n in found.by_kind.items()))
        out.say(f"  the rule: {CANARY_RULE}")
    if made.stability is not None:
        from server.cli.agreeing import show_stability

        show_stability(made.stability, out)
    if made.agreement_with_single is not None:
        may = "may" if made.may_batch else "may not"
        some = "" if made.is_whole else " (by a sample; only the whole set decides)"
        out.say(
            f"{made.batch} items in a call agree with single calls in "
            f"{made.agreement_with_single:.1%} of the cases: it {may} be asked so{some}"
        )
        out.say(f"  the rule: {BATCH_RULE}")
    if made.objections:
        out.say(f"it may not score: {'; '.join(made.objections)}")
    else:
        out.say("it may score")
    out.say(f"  the rule: {RULE}")


def as_json(made: Calibration) -> dict[str, Any]:
    """For --json: the record with what follows from it."""
    return {
        **made.model_dump(mode="json"),
        "separates": made.separates,
        "may_score": not made.objections,
        "objections": made.objections,
        "may_batch": made.may_batch,
        "canary_share": made.canary.share if made.canary else None,
    }
