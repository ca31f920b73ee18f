"""Say in what two scores differ besides their insights, and so why they do not share a column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from core.errors import UsageError
from core.evaluation import Evaluation
from core.run import ModelSpec, RunSpec

OVERRIDE: Final = "--although-different"
JUDGES: Final = "judges asked"
"""What they are called among the things that scores rest on."""

_APART: Final = frozenset(
    {
        "trajectories",
        "of",
        "baseline",
        "derangement",
        "seed",
        "endpoint_allowed",
        "base_url",
        "calibrations",
        "criteria_text",
        "uncalibrated",
    }
)
"""Parameters of an evaluation that say what was judged, how the judge was reached, or are told by
another field."""

_SHOWN: Final = 12
"""Characters of a hash that are shown."""


@dataclass(frozen=True)
class Basis:
    """What one run's scores rest on besides its insights, each in words."""

    who: str
    """Names it where a difference is told."""
    ruling: Mapping[str, str]
    """What must be the same in one column, or in one ranking."""
    remarkable: Mapping[str, str] = field(default_factory=dict)
    """What may differ there, and is remarked then."""


@dataclass(frozen=True)
class Difference:
    """One thing in which some bases differ."""

    what: str
    groups: Mapping[str, tuple[str, ...]]
    """Each value, with those whose it is; two at least."""

    def __str__(self) -> str:
        told = (f"{value} ({', '.join(whose)})" for value, whose in self.groups.items())
        return f"{self.what}: {' against '.join(told)}"


@dataclass(frozen=True)
class Differences:
    """Of several bases."""

    forbidding: tuple[Difference, ...]
    """Each of them keeps the scores out of one column and out of one ranking."""
    remarks: tuple[Difference, ...]
    """These deserve to be told beside it."""

    def refuse(self, what: str, *, although_different: bool = False) -> None:
        """Raise UsageError for what forbids it, unless it is wanted all the same. `what`: of what they
        cannot be put, as in 'one ranking'."""
        if self.forbidding and not although_different:
            told = "; ".join(str(each) for each in self.forbidding)
            raise UsageError(
                f"not comparable, so not put in {what}: {told}. To have it all the same, with the "
                f"difference named: {OVERRIDE}"
            )

    def as_json(self) -> dict[str, Any]:
        """For --json."""
        return {
            "forbidding": [_told(each) for each in self.forbidding],
            "remarks": [_told(each) for each in self.remarks],
        }


def basis(who: str, spec: RunSpec, evaluation: Evaluation | None) -> Basis:
    """What a run's scores rest on; without an evaluation, what its insights rest on."""
    ruling = {
        "scenario": spec.scenario_id,
        "data (fingerprint)": _short(spec.scenario_fingerprint),
        "protocol of exploration": spec.protocol,
        "class of agent": spec.agent_class,
        "goal": spec.goal,
        "tools": spec.tools,
        "told what is left of its budget": "yes" if spec.announced_budget else "no",
        "goes on from another run": spec.continues.run_id if spec.continues else "no",
    }
    if evaluation is not None:
        ruling |= _judged_by(evaluation)
    remarkable = _remarkable(spec)
    if evaluation is not None:
        trusted = "no" if evaluation.parameters.get("uncalibrated") else "as far as it is asked"
        remarkable["judge was calibrated"] = trusted
    return Basis(who, ruling, remarkable)


def differences(bases: Sequence[Basis]) -> Differences:
    """What keeps them apart and what is to be remarked, in the order of the bases' own fields."""
    return Differences(
        forbidding=_differing([(each.who, each.ruling) for each in bases]),
        remarks=_differing([(each.who, each.remarkable) for each in bases]),
    )


def _judged_by(evaluation: Evaluation) -> dict[str, str]:
    told = {
        "checker": evaluation.checker,
        JUDGES: listed(evaluation.judges_asked),
        "judges served": listed(evaluation.judges_served),
        "criteria": evaluation.criteria,
        "prompts of the judge": _short(evaluation.prompt_hash),
        "protocol of judging": evaluation.protocol,
        "checklist": f"{evaluation.checklist_id} {evaluation.checklist_version} "
        f"{_short(evaluation.checklist_hash)}",
    }
    others = {
        f"judge's {name.replace('_', ' ')}": _worded(value)
        for name, value in sorted(evaluation.parameters.items())
        if name not in _APART
    }
    return told | others


def _remarkable(spec: RunSpec) -> dict[str, str]:
    limits = spec.limits.model_dump(exclude_none=True)
    return {
        "entities": f"{len(spec.entity_ids)}",
        "trials": str(spec.trials),
        "prompts of the agent": _short(spec.prompts_hash),
        "limits": ", ".join(f"{name} {value}" for name, value in limits.items()),
        "message-wise insights": _insights_of(spec),
        "final report": spec.final_report,
        "sandbox": spec.sandbox,
        "explored": _where(spec),
    }


def _where(spec: RunSpec) -> str:
    if spec.is_bundled:
        return "in another home, by its bundle's word"
    return (
        "here" if spec.origin is None else f"by another program, by its logs ({spec.origin.form})"
    )


def _insights_of(spec: RunSpec) -> str:
    """When they were asked for, and of whom where it is not the agent's own model."""
    other = spec.insight_model
    return spec.insights if other is None else f"{spec.insights}, by {_named(other)}"


def _named(model: ModelSpec) -> str:
    return f"{model.provider}/{model.name}"


def _differing(told: Sequence[tuple[str, Mapping[str, str]]]) -> tuple[Difference, ...]:
    names = dict.fromkeys(name for _, values in told for name in values)
    found = []
    for name in names:
        groups: dict[str, list[str]] = {}
        for who, values in told:
            groups.setdefault(values.get(name, "none"), []).append(who)
        if len(groups) > 1:
            found.append(Difference(name, {value: tuple(who) for value, who in groups.items()}))
    return tuple(found)


def _told(difference: Difference) -> dict[str, Any]:
    return {
        "what": difference.what,
        "values": {value: list(whose) for value, whose in difference.groups.items()},
        "text": str(difference),
    }


def listed(names: Iterable[str]) -> str:
    """Names in one text, their order aside; one that has a comma in it stays one name."""
    return ", ".join(_one(name) for name in sorted(names)) or "none"


def _one(name: str) -> str:
    return f'"{name}"' if "," in name else name


def _short(digest: str | None) -> str:
    return (digest or "none")[:_SHOWN]


def _worded(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={each}" for key, each in sorted(value.items())) or "none"
    if isinstance(value, (list, tuple)):
        return ", ".join(_one(str(each)) for each in value) or "none"
    return str(value)
