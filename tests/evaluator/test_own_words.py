"""Scores in an agent's own words rest on nothing that a model wrote for it."""

from __future__ import annotations

import pytest

from core.evaluation import Label, Verdict
from core.trajectory import Insight, Trajectory
from evaluator.own_words import WITHOUT, in_own_words
from tests.server.support import draft, spec, verdict


def trajectory(own: set[int], others: set[int], *, model: str | None = None) -> Trajectory:
    insights = [
        Insight(
            id=f"i{turn}{asked}",
            trajectory_id="t",
            level="message",
            turn=turn,
            text="It is so.",
            author="x",
            prompt_hash="c0de" if asked else None,
        )
        for asked, turns in ((False, own), (True, others))
        for turn in turns
    ]
    return draft(spec()).model_copy(update={"id": "t", "insights": tuple(insights), "model": model})


def said(label: Label, supporting: tuple[int, ...] = (), against: tuple[int, ...] = ()) -> Verdict:
    return verdict(
        "t", label=label, supporting_turns=supporting, contradicting_turns=against, evidence="so"
    )


@pytest.mark.parametrize(
    ("before", "label", "supporting", "against"),
    [
        (said("supported", (1,)), "supported", (1,), ()),
        (said("supported", (1, 2)), "supported", (1,), ()),
        (said("supported", (2,)), "insufficient", (), ()),
        (said("supported"), "insufficient", (), ()),
        (said("contradicted", (), (1, 2)), "contradicted", (), (1,)),
        (said("contradicted", (1,), (2,)), "supported", (1,), ()),
        (said("contradicted", (2,), (2,)), "insufficient", (), ()),
        (said("insufficient"), "insufficient", (), ()),
    ],
)
def test_a_label_stands_on_own_turns_alone(
    before: Verdict, label: Label, supporting: tuple[int, ...], against: tuple[int, ...]
) -> None:
    (after,) = in_own_words([trajectory({1}, {2})], [before])
    assert (after.label, after.supporting_turns, after.contradicting_turns) == (
        label,
        supporting,
        against,
    )
    assert (after.reason == WITHOUT) == (label != before.label)


def test_reports_unscored_items_and_agents_with_none_but_their_own_words_are_left_alone() -> None:
    report = verdict("t", level="trajectory", supporting_turns=(2,))
    unscored = verdict("t", label=None, unscored_reason="no signals", supporting_turns=())
    assert in_own_words([trajectory({1}, {2})], [report, unscored]) == [report, unscored]
    undated = [said("supported")]
    assert in_own_words([trajectory({1}, set())], undated) == undated
    assert in_own_words([trajectory(set(), {2}, model="openai/x")], undated) == undated
