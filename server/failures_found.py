"""What `ddr failures` found of a run, as one object for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from core.evaluation import LEVELS
from evaluator.correlation import correlate
from evaluator.failing import SOURCES, Source, Tallied, by_category, tally
from evaluator.grounding import Grounding, Share, grounded_share, states
from server.failures import claim_share
from server.runs import competitor

if TYPE_CHECKING:
    from evaluator.attached import Claim
    from evaluator.missed import FailureClass
    from server.failures import Basis, Grounded, Rate


@dataclass(frozen=True)
class Found:
    """One run, and what was found."""

    basis: Basis
    grounded: Grounded | None = None
    claims: Sequence[Claim] = ()
    cases: Sequence[Tallied] = ()
    rates: Sequence[Rate] = ()
    accuracy: float | None = None
    """The mean of the four accuracies, where the run was evaluated."""
    estimates: Sequence[Mapping[str, Any]] = field(default=())

    def as_json(self) -> dict[str, Any]:
        """For --json."""
        run = {"run": self.basis.spec.id, "whose": competitor(self.basis.spec)}
        if self.grounded is None:
            return {**run, "estimates": list(self.estimates)}
        evaluation = self.basis.evaluation
        return {
            **run,
            "evaluation": evaluation.id if evaluation else None,
            "accuracy": self.accuracy,
            "grounding": _grounding_json(self.grounded),
            "contradicted_insights": _share_json(self.grounded.contradicted),
            "claims": _claims_json(self.claims, self.grounded.clusters),
            "hallucination": {
                "untraced": _share_json(self.grounded.untraced),
                "untraced_among_right": _share_json(self.grounded.untraced_right),
                "judged": [
                    {
                        "judge": rate.judge,
                        "rate": asdict(rate.rate),
                        "not_derivable": asdict(rate.not_derivable),
                        "unknown": rate.unknown,
                    }
                    for rate in self.rates
                ],
            },
            "missed": None if evaluation is None else _missed_json(self.cases),
        }


def correlations(found: Sequence[Found]) -> dict[str, dict[str, Any]]:
    """Rates of hallucination against accuracy over runs (App. G); {} below three runs with both."""
    columns: dict[str, list[tuple[float, float]]] = {}
    for each in found:
        if each.accuracy is None or each.grounded is None:
            continue
        rates = {"untraced insights": each.grounded.untraced.value}
        rates |= {f"hallucination by {rate.judge}": rate.rate.value for rate in each.rates}
        for name, value in rates.items():
            if value is not None:
                columns.setdefault(name, []).append((value, each.accuracy))
    return {
        name: asdict(correlate([x for x, _ in pairs], [y for _, y in pairs]))
        for name, pairs in columns.items()
        if len(pairs) > 2
    }


def spoken_of(cases: Sequence[Tallied], source: Source) -> list[Tallied]:
    """Those of which a source has spoken; the records speak of all."""
    return [each for each in cases if source == "computed" or getattr(each, source)]


def untraced(found: Sequence[Grounding]) -> list[tuple[str, str]]:
    """(insight id, text) of every number that was not found."""
    return [
        (insight.insight_id, number.number.text)
        for each in found
        for insight in each.insights
        for number in insight.numbers
        if number.state == "not found"
    ]


def _missed_json(cases: Sequence[Tallied]) -> dict[str, Any]:
    def named(counts: Mapping[FailureClass | None, int]) -> dict[str, int]:
        return {name or "not known": count for name, count in counts.items()}

    sources: dict[str, Any] = {}
    for source in SOURCES:
        mine = spoken_of(cases, source)
        counts = named(tally(mine, source))
        sources[source] = {
            "out_of": len(mine),
            "counts": counts,
            "shares": {n: c / len(mine) for n, c in counts.items()} if mine else None,
            "per_category": {n: named(c) for n, c in by_category(mine, source).items()},
        }
    return {
        "items": len(cases),
        **sources,
        "cases": [
            {
                "subject": each.case.subject,
                "entity": each.case.item.entity_id,
                "item": each.case.item.id,
                "category": each.case.item.category,
                "computed": {"class": each.computed.failure, "reason": each.computed.reason},
                "proposed": _said_json(each.proposed),
                "confirmed": _said_json(each.confirmed),
            }
            for each in cases
        ],
    }


def _said_json(said: Sequence[tuple[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "by": who,
            "class": each.failure,
            "turn": each.turn,
            "quote": each.quote,
            "reason": each.reason,
            "unscored_reason": each.unscored_reason,
        }
        for who, each in said
    ]


def _grounding_json(found: Grounded) -> dict[str, Any]:
    def shares(of: Sequence[Grounding], *, sure: bool) -> dict[str, Any]:
        return {
            level: asdict(grounded_share(of, found.clusters, level, sure=sure)) for level in LEVELS
        }

    whose: dict[str, Sequence[Grounding]] = {
        "own": found.own,
        "another": found.another,
        "altered": found.altered,
    }
    return {
        "grounded": {name: shares(of, sure=False) for name, of in whose.items()},
        "beyond_chance": {name: shares(of, sure=True) for name, of in whose.items()},
        "states": states(found.own),
        "not_found": [
            {"insight": insight, "number": text} for insight, text in untraced(found.own)
        ],
    }


def _claims_json(claims: Sequence[Claim], clusters: Mapping[str, str]) -> dict[str, Any] | None:
    if not claims:
        return None
    return {
        **{
            state: asdict(claim_share(claims, clusters, state))
            for state in ("grounded", "wrong", "unsupported")
        },
        "insights": [
            {"insight": claim.insight_id, "state": claim.state, "reason": claim.reason}
            for claim in claims
        ],
    }


def _share_json(found: Share | None) -> dict[str, Any] | None:
    return None if found is None else asdict(found)
