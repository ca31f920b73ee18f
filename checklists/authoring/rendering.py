"""Write a candidate as a checklist item: question, answer, evidence and signals."""

from __future__ import annotations

from typing import Literal

from checklists.authoring.candidates import REL_TOL, Candidate, tolerance
from checklists.authoring.template import Figure, Subject
from core.checklist import ChecklistItem, Expected, Magnitude, Signals, Slot

FIRST_YEAR, LAST_YEAR = 1900, 2100
"""A bare exact number between them is a year, printed without a comma."""
_NONE: tuple[str, ...] = ()
_UNIT_WORDS = {"": "", "%": "%", "min": " minutes", "h": " hours", "mi": " miles"}
"""How a unit is printed, where that is not a space and the unit."""


def item_of(candidate: Candidate, subject: Subject) -> ChecklistItem:
    """The item that asks for this fact."""
    template = candidate.template
    sql = subject.for_one(template, candidate.entity_id, candidate.group)
    return ChecklistItem(
        id=f"{subject.scenario_id}-{candidate.entity_id}-{template.name}",
        entity_id=candidate.entity_id,
        question=_filled(template.question, candidate, subject),
        answer=_filled(template.answer, candidate, subject),
        category=template.category,
        insight_type=template.insight_type,
        difficulty=template.difficulty,
        source=f"template:{template.name}",
        evidence_sql=sql,
        expected=Expected(
            value=round(candidate.value, 6),
            tolerance=round(max(tolerance(template.figure, candidate.value), 1e-6), 6),
        ),
        perturbation=template.disorder,
        signals=signals_of(candidate),
    )


def signals_of(candidate: Candidate) -> Signals:
    """What a claim must hold to be about this fact, and to be right."""
    template, group = candidate.template, candidate.group
    scope, period = template.scope, _NONE
    if template.per is not None and group is not None:
        aliases = template.per.aliases(group)
        if template.per.slot == "period":
            period = aliases
        else:
            scope = (*scope, aliases)
    required: list[Slot] = ["magnitude"]
    if template.figure.signed:
        required.append("direction")
    if period:
        required.append("period")
    if scope:
        required.append("scope")
    return Signals(
        metric=template.metric,
        kind=template.figure.kind,
        statistic=template.figure.statistic,
        scope=scope,
        comparator=template.figure.comparator,
        direction=_direction(candidate) if template.figure.signed else None,
        magnitude=_magnitude(candidate),
        period=period,
        required=tuple(required),
    )


def _magnitude(candidate: Candidate) -> Magnitude:
    template = candidate.template
    value = abs(candidate.value) if template.figure.signed else candidate.value
    counted = template.figure.digits == 0 and template.figure.kind in {"count", "extreme"}
    return Magnitude(
        value=round(value, 4),
        unit=template.figure.unit,
        rel_tol=0.0 if template.figure.exact else REL_TOL,
        abs_tol=0.0 if counted else 0.5 * 10.0**-template.figure.digits,
    )


def _direction(candidate: Candidate) -> Literal["up", "down"]:
    return "up" if candidate.value > 0 else "down"


def _filled(text: str, candidate: Candidate, subject: Subject) -> str:
    template, rises = candidate.template, candidate.value > 0
    value = abs(candidate.value) if template.figure.signed else candidate.value
    words = text.format(
        entity=f"{subject.noun} {candidate.entity_id}",
        value=printed(template.figure, value),
        market="" if candidate.market is None else printed(template.figure, candidate.market),
        group=template.per.words(candidate.group) if template.per and candidate.group else "",
        higher="higher" if rises else "lower",
    )
    return words[0].upper() + words[1:]


def printed(figure: Figure, value: float) -> str:
    """A figure as it stands in an answer: '20.0 minutes', '16.2%', '54,635'."""
    a_year = figure.exact and figure.unit == "" and FIRST_YEAR <= value <= LAST_YEAR
    form = f"{value:.{figure.digits}f}" if a_year else f"{value:,.{figure.digits}f}"
    if float(form.replace(",", "")) == 0:
        form = form.removeprefix("-")
    words = _UNIT_WORDS.get(figure.unit, f" {figure.unit}")
    return form + (words.removesuffix("s") if form in {"1", "-1"} else words)
