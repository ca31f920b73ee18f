"""Show who judged and how far that can be trusted: criteria, calibration, a panel's agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.wording import counted
from evaluator.panel import figures

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.evaluation import Level
    from evaluator.correction import Corrected
    from server.cli.output import Output
    from server.judged import Judged


def show_judges(judged: Judged, out: Output) -> None:
    """What stands beside the scores of an evaluation that asked models; nothing for one by rules."""
    own = judged.evaluation
    if not own.judges_asked:
        return
    told = [f"criteria {own.criteria}", f"protocol {own.protocol}"]
    if batch := own.parameters.get("batch"):
        told.append(f"{batch} items in one call")
    out.say(f"judged under {', '.join(told)}")
    if names := own.parameters.get("uncalibrated"):
        out.say(f"not calibrated: {', '.join(names)}; nobody knows how well it reads")
    if cannot := sum(verdict.cannot_tell for verdict in judged.verdicts):
        out.say(f"closed items of which the insights do not tell: {counted(cannot, 'verdict')}")
    if (panel := figures(judged.verdicts)) is None:
        return
    rows = [[name, _share(share)] for name, share in panel.shares.items()]
    out.table(["judge", ">supported"], [*rows, ["mean of votes", _share(panel.mean)]])
    out.say(
        f"the judges agree in {_share(panel.agreement)} of the verdicts (mean over pairs), "
        f"Krippendorff's alpha {_share(panel.alpha)}; without a majority: {panel.undecided} of "
        f"{panel.verdicts}"
    )
    if len(panel.pairwise) > 1:
        pairs = (f"{a} and {b} {_share(share)}" for (a, b), share in panel.pairwise.items())
        out.say(f"by pair: {'; '.join(pairs)}")


def show_corrected(by_people: Mapping[Level, Corrected], out: Output) -> None:
    """What people's labels make of the accuracy; nothing where nobody labelled."""
    for level, each in by_people.items():
        low, high = each.powered_interval or (None, None)
        between = "" if low is None else f" (95 % {_share(low)}-{_share(high)})"
        out.say(
            f"{level}: {_share(each.judged)} as judged, {_share(each.powered)} corrected by "
            f"{counted(each.labelled, 'label')} of people{between}"
        )


def judges_json(judged: Judged) -> dict[str, Any]:
    """The same for --json."""
    own, panel = judged.evaluation, figures(judged.verdicts)
    return {
        "criteria": own.criteria,
        "protocol": own.protocol,
        "batch": own.parameters.get("batch", 1),
        "calibrations": own.parameters.get("calibrations", []),
        "uncalibrated": own.parameters.get("uncalibrated", []),
        "structured": own.parameters.get("structured", []),
        "cannot_tell": sum(verdict.cannot_tell for verdict in judged.verdicts),
        "panel": None if panel is None else panel.as_json(),
    }


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
