"""Show an evaluation: scores beside baselines, what lies beyond them, and what stands in no column with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.agent_class import APART, BUILT_IN
from core.wording import counted

if TYPE_CHECKING:
    from core.evaluation import Score
    from evaluator.paired import Paired
    from evaluator.trials import Components
    from server.cli.output import Output
    from server.judged import Judged

_CLOSED_BOOK = "closed_book"


def show_scores(judged: Judged, out: Output) -> None:
    """The four accuracies with the baselines beside them, and all that has to be said of them."""
    from server.cli.judges_shown import show_judges
    from server.cli.meeting import show_other_authors

    own = judged.evaluation
    is_ddr = own.protocol == "ddr"
    out.say(
        f"evaluation {own.id}: {own.checker} against {own.checklist_id} {own.checklist_version}"
        + (" (protocol ddr)" if is_ddr else "")
    )
    _show_table(judged, out, is_ddr=is_ddr)
    _show_beyond(judged, out)
    _show_overall(judged, out)
    if judged.agent_class != BUILT_IN:
        out.say(f"class: {judged.agent_class}; {APART}")
    show_other_authors(judged.scores[0].competitor, judged.others, out)
    for reason in dict.fromkeys(s.headline_reason for s in judged.scores if s.headline_reason):
        out.say(f"no headline: {reason}")
    if judged.no_shuffle:
        out.say(f"no shuffled baseline: {judged.no_shuffle}")
    elif not own.judges_asked:
        gated = judged.gated.get("shuffled_entity", 0)
        out.say(f"shuffled insights that passed the checker's gate: {gated}")
    if judged.no_closed_book:
        out.say(f"no closed-book baseline: {judged.no_closed_book}")
    _show_trials(judged, out)
    for name, different in judged.apart.items():
        out.say(f"not to be compared with {name}: {'; '.join(map(str, different))}")
    if judged.spending.calls:
        out.say(
            f"judged by {', '.join(own.judges_served or own.judges_asked)}: "
            f"{counted(judged.spending.calls, 'call')}, {judged.spending.tokens} tokens in / out, "
            f"cost {judged.spending.cost}"
        )
    show_judges(judged, out)


def as_json(judged: Judged) -> dict[str, Any]:
    """The evaluation for --json."""
    from server.cli.judges_shown import judges_json

    return {
        "evaluation": judged.evaluation.id,
        "run": judged.evaluation.run_id,
        "checker": judged.evaluation.checker,
        "class": judged.agent_class,
        "scores": _dumped(judged.scores),
        "gated": judged.gated,
        "no_shuffle": judged.no_shuffle,
        "no_closed_book": judged.no_closed_book,
        "beyond_baselines": [each.model_dump(mode="json") for each in judged.beyond],
        "chance": [each.model_dump(mode="json") for each in judged.chance],
        "overall": judged.overall.model_dump(mode="json") if judged.overall else None,
        "by": {
            facet: {name: _dumped(scores) for name, scores in groups.items()}
            for facet, groups in judged.groups.items()
        },
        "trials": [each.model_dump(mode="json") for each in judged.trials],
        "variance": {level: each.model_dump(mode="json") for level, each in judged.varies.items()},
        "not_comparable_with": {
            name: [str(each) for each in different] for name, different in judged.apart.items()
        },
        "without_forced_reports": _dumped(judged.unforced),
        "insights_by_others": judged.others,
        "in_own_words": _dumped(judged.in_own_words),
        "reachable": None if judged.reachable is None else _dumped(judged.reachable),
        "judges_asked": judged.evaluation.judges_asked,
        "judges_served": judged.evaluation.judges_served,
        **judges_json(judged),
        **judged.spending.as_json(),
    }


def _show_table(judged: Judged, out: Output, *, is_ddr: bool) -> None:
    shown = [(score, "") for score in judged.scores]
    shown += [(score, " without forced reports") for score in judged.unforced]
    shown += [(score, " in its own words") for score in judged.in_own_words]
    # Where every item can be reached, the second rows would be the first ones.
    if (some := judged.reachable) and some[0].items < judged.scores[0].items:
        shown += [(score, " over reachable items") for score in some]
    heads = ["whose", "level", "mean over", ">strict", ">scored only"]
    heads += [">answered only"] if is_ddr else []
    heads += [">coverage", ">95 %", ">found"]
    out.table(heads, [_row(score, beside, is_ddr=is_ddr) for score, beside in shown])


def _row(score: Score, beside: str, *, is_ddr: bool) -> list[str]:
    low, high = score.low, score.high
    return [
        score.competitor + beside,
        score.level,
        score.averaging,
        share(score.strict),
        share(score.scored_only),
        *([share(score.answered_only)] if is_ddr else []),
        f"{score.coverage:.2f}",
        "" if low is None or high is None else f"{low:.2f}-{high:.2f}",
        f"{score.supported}/{score.items}",
    ]


def _show_beyond(judged: Judged, out: Output) -> None:
    """What the agent scores beyond each baseline; beyond its own model's knowledge for all four."""
    told = [
        each
        for each in judged.beyond
        if each.difference is not None and (each.averaging == "item" or each.other == _CLOSED_BOOK)
    ]
    if told:
        heads = ["beyond", "level", "mean over", ">difference", ">95 %", ">p"]
        out.table(heads, [paired_row(each, each.other) for each in told])


def paired_row(each: Paired, name: str) -> list[str]:
    """A paired difference: name, level, averaging, difference, interval, p (Holm's where there is one)."""
    p = each.p if each.p_holm is None else each.p_holm
    low, high = each.low, each.high
    return [
        name,
        each.level,
        each.averaging,
        "-" if each.difference is None else f"{each.difference:+.3f}",
        "" if low is None or high is None else f"{low:+.2f} to {high:+.2f}",
        "-" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}",
    ]


def _show_overall(judged: Judged, out: Output) -> None:
    found = judged.overall
    if found is not None and found.value is not None:
        weights = "each weighing " + f"{next(iter(found.weights.values())):g}"
        out.say(f"overall: {found.value:.3f}, the mean of {len(found.weights)} scores, {weights}")
        if found.remark:
            out.say(
                f"  {found.remark}. Without these: {share(found.without_chance)}; "
                f"corrected for chance: {share(found.corrected)}"
            )
    for each in judged.chance:
        construct = ""
        if each.by_construct is not None:
            construct = (
                f", the most frequent answer to the same question {each.by_construct:.3f} "
                f"(beyond it {share(each.corrected_by_construct)})"
            )
        out.say(
            f"closed items, {each.level}: {each.accuracy:.3f} of {each.items}; a constant answer scores "
            f"{each.constant:.3f} (beyond it {share(each.corrected)}){construct}; "
            f"kappa {share(each.kappa)}; cannot tell {each.cannot_tell}"
        )


def _show_trials(judged: Judged, out: Output) -> None:
    for each in judged.trials:
        last = each.at[-1] if each.at else None
        if last is None:
            continue
        out.say(
            f"trials, {each.level}: found in any of {last.k} {last.any_of:.3f}, in all of them "
            f"{last.all_of:.3f}, in one {each.at[0].any_of:.3f}"
            + (f"; {counted(each.short, 'item')} scored in fewer" if each.short else "")
        )
    for level, found in judged.varies.items():
        out.say(f"an entity's share varies, {level}: {_parts(found)}")


def _parts(found: Components) -> str:
    """Standard deviations, in words."""
    parts = {"entity": found.entity, "trial": found.trial, "judge": found.judge}
    told = (
        f"by {name} " + ("unknown" if part is None else f"{part**0.5:.3f}")
        for name, part in parts.items()
    )
    return ", ".join(told)


def share(value: float | None) -> str:
    """Three decimals; a dash where there is none."""
    return "-" if value is None else f"{value:.3f}"


def _dumped(scores: list[Score]) -> list[dict[str, Any]]:
    return [score.model_dump(mode="json") for score in scores]
