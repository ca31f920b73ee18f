"""Scores without forced reports leave out what rests on them, and nothing else."""

from __future__ import annotations

from typing import Any

from core.evaluation import Verdict
from evaluator.forced import WITHOUT, without_forced
from tests.server.support import draft, spec, verdict


def _verdict(trajectory_id: str, level: str, **more: Any) -> Verdict:
    return verdict(trajectory_id, level=level, evidence="It flies.", **more)


def test_only_verdicts_on_a_forced_report_become_insufficient() -> None:
    run = spec()
    trajectories = [
        draft(run, "01", report_forced=True).model_copy(update={"id": "forced"}),
        draft(run, "02").model_copy(update={"id": "own"}),
    ]
    unscored = _verdict("forced", "trajectory", label=None, unscored_reason="judge failed")
    kept = [_verdict("forced", "message"), _verdict("own", "trajectory"), unscored]
    resting = _verdict("forced", "trajectory")
    found = without_forced(trajectories, [*kept, resting])
    assert found[:3] == kept
    last = found[3]
    assert (last.label, last.evidence, last.found_at_turn) == ("insufficient", None, None)
    assert last.reason == WITHOUT
    assert (last.item_id, last.level) == (resting.item_id, resting.level)
