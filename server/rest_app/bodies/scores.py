"""Bodies about scores and verdicts."""

from __future__ import annotations

from typing import Final, Literal

from core.evaluation import Score
from server.rest_app.bodies.base import RUN_ID, Body, shown

_SCORE: Final = {
    "competitor": "my-agent 2",
    "level": "message",
    "averaging": "item",
    "headline": 0.25,
    "strict": 0.25,
    "scored_only": 0.25,
    "coverage": 1.0,
    "items": 24,
    "supported": 6,
    "contradicted": 1,
    "insufficient": 17,
    "unscored": 0,
    "entities": 2,
}


class Scores(Body):
    """The accuracies of an evaluation, each with what it is out of."""

    model_config = shown(
        {
            "run": RUN_ID,
            "evaluation": f"{RUN_ID}.e1",
            "checker": "matching",
            "checklist": "flights",
            "checklist_version": "1",
            "judged": 2,
            "still_open": 0,
            "scores": [_SCORE],
        }
    )

    run: str
    evaluation: str
    checker: str
    checklist: str
    checklist_version: str
    judged: int
    """Trajectories with verdicts."""
    still_open: int
    """Those that go on, whose items are unscored until they have ended."""
    scores: list[Score]
    """The agent's and the baselines'."""


class VerdictLine(Body):
    """What the checker says of one item."""

    item: str
    trajectory: str
    level: Literal["message", "trajectory"]
    label: str | None
    unscored_reason: str | None
    supporting_turns: list[int]
    evidence: str | None


class Verdicts(Body):
    """Of one evaluation."""

    model_config = shown(
        {
            "evaluation": f"{RUN_ID}.e1",
            "verdicts": [
                {
                    "item": "flights-03-1",
                    "trajectory": f"{RUN_ID}.03.1.1",
                    "level": "message",
                    "label": "supported",
                    "unscored_reason": None,
                    "supporting_turns": [4],
                    "evidence": "03 cancelled 1.9 % of its flights",
                }
            ],
            "next": None,
        }
    )

    evaluation: str
    verdicts: list[VerdictLine]
    next: int | None
