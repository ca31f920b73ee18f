"""`ddr label --agreement`: the judge beside people, metrics beside ratings, the form's means."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.checklist import Checklist
    from core.run import RunSpec
    from evaluator.correction import Corrected
    from server.cli.output import Output
    from server.labelling import Kind
    from server.settings import Settings
    from server.store import Repository


def tell(
    kind: Kind,
    spec: RunSpec,
    facts: Checklist,
    *,
    store: Repository,
    settings: Settings,
    out: Output,
    evaluation: str | None,
    metric: Path | None,
) -> None:
    """What people's answers of this kind say. Raises UsageError where there are none."""
    if kind == "label":
        _labels(spec, facts, store, settings=settings, out=out, evaluation=evaluation)
    elif kind == "rating":
        _ratings(spec, facts, store, out, metric)
    else:
        _forms(spec, store, out)


def _labels(
    spec: RunSpec,
    facts: Checklist,
    store: Repository,
    *,
    settings: Settings,
    out: Output,
    evaluation: str | None,
) -> None:
    from databases.catalog import open_scenario
    from server.cli.agreeing import confusion_table, figure
    from server.cli.label import verdicts_of
    from server.cli.output import one_line
    from server.judge_agreement import labelled

    entities = open_scenario(spec.scenario_id, settings.home).entities()
    chosen, _ = verdicts_of(spec, store, evaluation)
    beside = labelled(spec, store, facts, entities, chosen)
    _refuse_none(len(beside.labels), spec, "")
    found, accuracy = beside.agreement(), beside.corrected()

    people = one_line(", ".join(each.name for each in found.people))
    out.say(f"evaluation {chosen} beside {people}: {found.n} items")
    confusion_table(found.confusion, "people", out)
    for name, value, interval in (
        ("agreement", found.agreement, found.agreement_interval),
        ("macro-F1", found.macro_f1, found.macro_f1_interval),
        ("kappa", found.kappa, found.kappa_interval),
    ):
        reach = "" if interval is None else f" ({interval[0]:.3f} to {interval[1]:.3f}, by entity)"
        out.say(f"{name} {figure(value)}{reach}")
    out.say(
        f"Krippendorff's alpha of people {figure(found.alpha)}, with the judge as one more "
        f"{figure(found.alpha_with_judge)}"
    )
    if found.unscored or found.divided:
        out.say(
            f"left out: {found.unscored} that the judge left unscored, {found.divided} on which "
            "people are divided"
        )
    if len(found.people) > 1:
        rows = [
            [p.name, str(p.n), figure(p.agreement), figure(p.macro_f1), figure(p.kappa)]
            for p in found.people
        ]
        out.table(["who", ">items", ">agreement", ">macro-F1", ">kappa"], rows)
    rows = [_corrected_row(level, each) for level, each in accuracy.items()]
    heads = ["level", ">items", ">labelled", ">as judged", ">corrected", ">95 %", ">Rogan-Gladen"]
    out.table(heads, rows, title="share supported of what was judged, corrected for its errors")
    out.result(
        {
            "run": spec.id,
            **found.model_dump(mode="json"),
            "corrected": {level: _as_json(each) for level, each in accuracy.items()},
        }
    )


def _corrected_row(level: str, each: Corrected) -> list[str]:
    from server.cli.agreeing import figure

    low_high = each.powered_interval
    return [
        level,
        str(each.n),
        str(each.labelled),
        figure(each.judged),
        figure(each.powered),
        "-" if low_high is None else f"{low_high[0]:.2f}-{low_high[1]:.2f}",
        figure(each.rogan_gladen),
    ]


def _as_json(each: Corrected) -> dict[str, Any]:
    from dataclasses import asdict

    return asdict(each)


def _ratings(
    spec: RunSpec, facts: Checklist, store: Repository, out: Output, metric: Path | None
) -> None:
    from core.labels import PersonRating
    from server.cli.agreeing import figure
    from server.cli.output import one_line
    from server.judged import own_evaluations
    from server.metric_files import merged
    from server.rating_agreement import agree, columns_of
    from server.store.judgements import Judgements

    said = Judgements(store, "rating").of_run(spec.id, PersonRating)
    _refuse_none(len(said), spec, " --ratings")
    trajectories = store.trajectories(spec.id)
    own = own_evaluations(store.evaluations(spec.id))
    columns = columns_of(
        trajectories, facts, {each.id: store.verdicts(each.id) for each in own[-1:]}
    )
    if metric is not None:
        columns = merged(columns, metric, trajectories)
    found = agree(said, columns)
    people = one_line(", ".join(found.people))
    out.say(f"{found.rated} explorations scored by {people}; ICC(1) of people {figure(found.icc)}")
    rows = [
        [
            m.metric,
            str(m.n),
            figure(m.mean),
            figure(m.people),
            figure(m.gap),
            figure(m.pearson),
            figure(m.spearman),
        ]
        for m in found.metrics
    ]
    heads = ["metric", ">n", ">mean", ">people", ">mean gap", ">Pearson", ">Spearman"]
    out.table(heads, rows)
    out.result({"run": spec.id, **found.model_dump(mode="json")})


def _forms(spec: RunSpec, store: Repository, out: Output) -> None:
    from core.labels import FormAnswer
    from server.cli.output import one_line
    from server.quality_form import means
    from server.store.judgements import Judgements

    said = Judgements(store, "form").of_run(spec.id, FormAnswer)
    _refuse_none(len(said), spec, " --form")
    found = means(said)
    rows = [[m.section, m.question, str(m.n), f"{m.mean:.2f}", str(m.people)] for m in found]
    out.table(["section", "question", ">answers", ">mean of 1 to 5", ">people"], rows)
    notes = [(subject, who, a.note) for subject, who, a in said if a.note]
    for subject, who, note in notes:
        out.say(one_line(f"{subject} ({who}): {note}"))
    out.result(
        {
            "run": spec.id,
            "means": [m.model_dump(mode="json") for m in found],
            "notes": [{"subject": s, "by": w, "note": n} for s, w, n in notes],
        }
    )


def _refuse_none(n: int, spec: RunSpec, flag: str) -> None:
    from core.errors import UsageError
    from core.hints import typed

    if not n:
        raise UsageError(f"nobody has answered yet: {typed(f'label {spec.id}{flag} --by NAME')}")
