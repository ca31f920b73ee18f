"""What scores come to by what models are, as it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from core.evaluation import Level
from core.hints import typed
from core.wording import counted

if TYPE_CHECKING:
    from analysis.facets import Facets
    from analysis.statistics import Mean
    from server.cli.output import Output

LEVEL: Final[dict[Level, str]] = {"message": "turn by turn", "trajectory": "final report"}
ByScenario = Mapping[str, Mapping[Level, "Facets"]]


def show_facets(found: ByScenario, by: str, out: Output) -> None:
    """Groups, contrasts and slopes, level by level."""
    for scenario, levels in found.items():
        for level, facets in levels.items():
            out.say()
            out.say(f"{scenario}, {LEVEL[level]}, by {by}")
            if facets.unknown:
                out.say(
                    f"  not known of {', '.join(facets.unknown)}: {typed('leaderboard --models FILE')}"
                )
            if facets.groups:
                _facets(facets, out)


def _facets(facets: Facets, out: Output) -> None:
    out.table(
        [facets.attribute, ">models", ">mean %", ">95 %", "which"],
        [
            [
                _value(each.value),
                str(len(each.models)),
                percent(each.mean.value if each.mean else None),
                _between(each.mean),
                ", ".join(each.models),
            ]
            for each in facets.groups
        ],
    )
    if facets.contrasts:
        what = "models that are alike in the rest" if facets.is_matched else "groups"
        out.say(
            f"  {what}, paired by item, clustered by entity, p by Holm over {len(facets.contrasts)}"
        )
        out.table(
            ["contrast", ">from", ">to", ">difference", ">95 %", ">p", ">items", ">left out"],
            [
                [
                    f"{each.one} - {each.other}",
                    _value(each.other_value),
                    _value(each.one_value),
                    _points(each.difference.value if each.difference else None),
                    _range(each.difference),
                    "-" if each.p_holm is None else f"{each.p_holm:.3f}",
                    str(each.difference.n if each.difference else 0),
                    str(each.left_out),
                ]
                for each in facets.contrasts
            ],
        )
    if (slope := facets.slope) is not None:
        out.say(
            f"  tenfold {facets.attribute}: {_points(slope.per_tenfold.value)} points "
            f"({_range(slope.per_tenfold)}), over {counted(len(slope.models), 'model')} in "
            f"{counted(slope.strata, 'set')} alike in the rest"
        )


def percent(value: float | None) -> str:
    """One decimal; a dash where there is none."""
    return "-" if value is None else f"{100 * value:.1f}"


def _points(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:+.1f}"


def _between(mean: Mean | None) -> str:
    if mean is None or mean.low is None or mean.high is None:
        return ""
    return f"{100 * max(0.0, mean.low):.0f}-{100 * min(1.0, mean.high):.0f}"


def _range(mean: Mean | None) -> str:
    if mean is None or mean.low is None or mean.high is None:
        return ""
    return f"{100 * mean.low:+.1f} to {100 * mean.high:+.1f}"


def _value(value: object) -> str:
    return f"{value:,g}" if isinstance(value, (int, float)) else str(value)
