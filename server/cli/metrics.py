"""`ddr metrics`: the figures of InsightBench and InsightEval of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.hints import typed
from core.wording import counted
from server.cli import judge_options as ask
from server.cli.options import ChecklistName, Json, Quiet, example
from server.cli.runs import RunName

if TYPE_CHECKING:
    from evaluator.metrics.averages import Averages, Figure
    from evaluator.metrics.measures import Measure
    from server.asking import JudgeOptions
    from server.cli.output import Output
    from server.metrics import Measuring
    from server.metrics_asked import Asked
    from server.metrics_taken import Metrics


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr metrics last",
        "ddr metrics last --judge openai/gpt-x --json",
        "ddr metrics last --suite insighteval --judge openai/gpt-x --judge gemini/x",
    )
    app.command("metrics", epilog=shown)(ask.asks_judges(metrics))


def metrics(
    run: RunName,
    *,
    suite: Annotated[
        str,
        typer.Option(
            help="insightbench: recall and summary; insighteval: precision, F1, novelty, redundancy too.",
            metavar="SUITE",
        ),
    ] = "insightbench",
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="rouge1, g-eval or l3-eval; may be given again. Without: rouge1, and g-eval with a "
            "judge.",
            metavar="METRIC",
        ),
    ] = None,
    judging: JudgeOptions,
    novelty_judge: Annotated[
        list[str] | None,
        typer.Option(
            help="A model that says what is novel; given three times, of which two must agree.",
            metavar="MODEL",
        ),
    ] = None,
    matching: Annotated[
        str,
        typer.Option(
            help="one-to-many: each ground truth by its best insight; many-to-many: by the one that "
            "the first judge matches.",
            metavar="WAY",
        ),
    ] = "one-to-many",
    error_sets: Annotated[
        bool,
        typer.Option("--error-sets", help="Keep sets whose ground truth is the text of an error."),
    ] = False,
    checklist: ChecklistName = None,
    estimate: ask.Estimate = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Hold a run's insights against the ground truth of its data sets.

    What a judge said is remembered: the same again costs nothing, and what was broken off goes on.
    """
    from checklists.loader import checklist_for
    from databases.catalog import open_scenario
    from server import settings as places
    from server.cli.output import Output
    from server.metrics import Measuring
    from server.metrics_asked import asked_for
    from server.store import open_store

    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    with open_store(settings.store_path) as store:
        spec = store.run(run)
        installed = open_scenario(spec.scenario_id, settings.home)
        asked = asked_for(
            suite=suite,
            metrics=metric or (),
            matching=matching,
            options=judging,
            novelty_judges=novelty_judge or (),
            scenario=installed.scenario,
            store=store,
        )
        measuring = Measuring(
            spec,
            store.trajectories(spec.id),
            checklist_for(spec.scenario_id, settings.checklists, named=checklist),
            installed,
            asked,
            error_sets=error_sets,
        )
        if estimate:
            _estimate(measuring, asked, out, run_id=spec.id)
            return
        found = _carry_out(measuring, asked, out, run_id=spec.id)
    _show(found, out)
    if not asked.raters:
        by = typed(f"metrics {spec.id} --suite {asked.suite} --judge PROVIDER/MODEL")
        out.hint(f"\nwords alone were compared; by a model: {by}")
    out.result(found.as_json())


def _carry_out(measuring: Measuring, asked: Asked, out: Output, *, run_id: str) -> Metrics:
    """Ask with progress; after Ctrl-C say that what was said is kept."""
    from server.cli import asking_judges
    from server.models import refuse_keyless

    refuse_keyless(asked.judges.specs)
    return asking_judges.asked(
        lambda telling: measuring.measure(telling.watch),
        asked.judges,
        out,
        doing="measuring",
        kept="The answers so far are kept",
        told={"run": run_id},
    )


def _estimate(measuring: Measuring, asked: Asked, out: Output, *, run_id: str) -> None:
    """What is not remembered would take at most; nothing is asked."""
    from core.errors import UsageError
    from server.cli.estimating import say_calls
    from server.metrics_estimate import estimates

    if not asked.judges.specs:
        raise UsageError(
            "rouge1 asks no model, so it costs nothing; what a rating would take: add --judge MODEL"
        )
    found = estimates(measuring, asked)
    for name, each in found.items():
        say_calls(name, each, "judge", out)
    if asked.novelty or asked.matching == "many-to-many":
        out.say("at most: which insights are matched or correct is known only then")
    told = {name: each.model_dump(mode="json") for name, each in found.items()}
    out.result({"run": run_id, "estimate": told})


def _show(found: Metrics, out: Output) -> None:
    sets, missing = found.sets, [each for each in found.sets if each.missing]
    out.say(
        f"{found.asked.suite} of run {found.run_id}: {counted(len(sets), 'set')} in "
        f"{counted(found.clusters, 'cluster')}, {sum(len(s.predictions) for s in sets)} insights "
        f"against {sum(len(s.truths) for s in sets)} (checklist {found.checklist.id} "
        f"{found.checklist.version})"
    )
    if found.left_out:
        out.say(
            f"left out, since their ground truth is the text of an error (--error-sets keeps them): "
            f"{', '.join(found.left_out)}"
        )
    for each in missing:
        out.say(f"unscored: {each.entity_id}, trial {each.trial}: {each.missing}")
    rows = [row for measure in found.measures for row in _rows(measure, found.asked.suite)]
    heads = ["measure", "figure", ">strict", ">95 %", ">scored only", ">coverage", ">sets"]
    out.table(heads, rows)
    for measure in found.measures:
        _show_groups(measure, found.asked.suite, out)
    _show_rest(found, out)
    for rater in found.raters:
        failed = "; ".join(f"{n} {reason}" for reason, n in rater.failed.items())
        out.say(
            f"{rater.judge}: {counted(rater.rated, 'rating')}, {rater.with_chances} of them means "
            "over what it might have said" + (f"; unscored: {failed}" if failed else "")
        )
    if found.matching_failed:
        out.say(f"{counted(found.matching_failed, 'set')} without readable matches: unscored")
    if found.spending.calls:
        out.say(
            f"{counted(found.spending.calls, 'call')}, {found.spending.tokens} tokens in / out, "
            f"cost {found.spending.cost}"
        )


def _rows(measure: Measure, suite: str) -> list[list[str]]:
    overall, name = measure.overall, measure.name
    rows = [_row(name, "recall" if suite == "insighteval" else "insights", overall.recall)]
    if suite == "insighteval" and overall.precision and overall.f1:
        rows.append(_row(name, "precision", overall.precision))
        rows.append(_row(name, "F1, mean of the sets'", overall.f1))
        rows.append([name, "F1 of both means", _share(overall.f1_of_means), "", "", "", ""])
    if overall.summary:
        rows.append(_row(name, "summary", overall.summary))
    return rows


def _show_groups(measure: Measure, suite: str, out: Output) -> None:
    """By category, difficulty and type, where there is more than one."""
    is_eval = suite == "insighteval"
    rows = []
    for what, groups in (
        ("category", measure.by_category),
        ("difficulty", measure.by_difficulty),
    ):
        rows += [_group(what, n, g, is_eval) for n, g in groups.items() if len(groups) > 1]
    if len(measure.by_type) > 1:
        rows += [
            ["type", name, str(each.sets), _share(each.strict), "", ""]
            for name, each in measure.by_type.items()
        ]
    if rows:
        out.say(f"\n{measure.name} by")
        out.table(["by", "group", ">sets", ">recall", ">precision", ">F1"], rows)


def _group(what: str, name: str, each: Averages, is_eval: bool) -> list[str]:
    more = (each.precision, each.f1) if is_eval else (None, None)
    shown = ["" if figure is None else _share(figure.strict) for figure in more]
    return [what, name, str(each.recall.sets), _share(each.recall.strict), *shown]


def _show_rest(found: Metrics, out: Output) -> None:
    from server.cli.checklist_auditing import figures

    if same := found.redundancy:
        out.say("\nredundancy of the insights inside each set")
        row = [str(same.sets), str(same.texts), *figures(same)]
        out.table([">sets", ">texts", ">TF-IDF cosine", ">Self-BLEU", ">Distinct-2"], [row])
    if novel := found.novelty:
        out.say(
            f"\nnovelty: {novel.correct} insights agree with the ground truth, {novel.novel} of "
            f"{novel.others} others are novel ({novel.unscored} unscored)"
        )
        rows = [
            _row("original (delta 0)", "novelty", novel.original),
            _row("new (delta 1)", "novelty", novel.new),
        ]
        out.table(["score", "", ">strict", ">95 %", ">scored only", ">coverage", ">sets"], rows)


def _row(name: str, what: str, figure: Figure) -> list[str]:
    low, high = figure.low, figure.high
    return [
        name,
        what,
        _share(figure.strict),
        "" if low is None or high is None else f"{low:.3f}-{high:.3f}",
        _share(figure.scored_only),
        f"{figure.coverage:.2f}",
        str(figure.sets),
    ]


def _share(value: Any) -> str:
    return "-" if value is None else f"{value:.3f}"
