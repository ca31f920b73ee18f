"""What verdicts come to without the insights that a model wrote for an agent afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from core.authorship import other_authors, own_turns
from core.evaluation import Label, Verdict
from core.trajectory import Trajectory

WITHOUT: Final = (
    "only insights that the agent did not write itself speak of it, and they are left out"
)


def in_own_words(trajectories: Sequence[Trajectory], verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The same verdicts, as if nobody had written insights for the agent.

    A message-wise label stands where a turn that it rests on holds words of the agent's own. One
    that rests on turns of others alone, or on none, falls: contradicted to supported where own turns
    support it, else to insufficient. Reports and unscored items stay as they are.
    """
    own = {t.id: own_turns(t) for t in trajectories if other_authors([t])}
    return [
        _without_others(verdict, own[verdict.trajectory_id])
        if verdict.level == "message" and verdict.label is not None and verdict.trajectory_id in own
        else verdict
        for verdict in verdicts
    ]


def _without_others(verdict: Verdict, own: frozenset[int]) -> Verdict:
    supporting = tuple(turn for turn in verdict.supporting_turns if turn in own)
    contradicting = tuple(turn for turn in verdict.contradicting_turns if turn in own)
    label: Label = "insufficient"
    if verdict.label == "contradicted" and contradicting:
        label = "contradicted"
    elif verdict.label in ("supported", "contradicted") and supporting:
        label = "supported"
    if label == verdict.label:
        kept = {"supporting_turns": supporting, "contradicting_turns": contradicting}
        return verdict.model_copy(update=kept)
    if label == "insufficient":
        supporting = contradicting = ()
    return verdict.model_copy(
        update={
            "label": label,
            "supporting_turns": supporting,
            "contradicting_turns": contradicting,
            "evidence": None,
            "reason": WITHOUT,
        }
    )
