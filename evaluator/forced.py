"""What verdicts come to without the reports that a limit's end was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from core.evaluation import Verdict
from core.trajectory import Trajectory

WITHOUT = "the report was forced, and is left out"


def without_forced(
    trajectories: Sequence[Trajectory], verdicts: Sequence[Verdict]
) -> list[Verdict]:
    """The same verdicts, as if no report had been asked for: what rests on one is insufficient."""
    forced = {t.id for t in trajectories if t.report_forced}
    return [
        v.model_copy(
            update={
                "label": "insufficient",
                "supporting_turns": (),
                "contradicting_turns": (),
                "evidence": None,
                "reason": WITHOUT,
            }
        )
        if v.level == "trajectory" and v.trajectory_id in forced and v.label is not None
        else v
        for v in verdicts
    ]
