"""Novelty by two of three models (InsightEval Eq. 16 and 17)."""

from __future__ import annotations

import asyncio

import pytest

from evaluator.interviewing import Interviewer
from evaluator.metrics.novelty import Candidate, candidates, novelty, novelty_of
from evaluator.metrics.scores import one_to_many
from evaluator.replying import Fault
from providers.scripted import ScriptedModel
from tests.evaluator.metrics.sets import by_table, insight_set

SET = insight_set(truths=("a",), predictions=("p", "q", "r", "s"))
SCORE = one_to_many(
    SET, by_table({("a", "p"): 0.9, ("a", "q"): 0.5, ("a", "r"): 0.1, ("a", "s"): 0.2})
)
"""p agrees; q, at 5 of 10, does not exceed it; r and s do not."""
Q, R, S = (Candidate(SET.key, place) for place in (1, 2, 3))


def test_only_what_agrees_with_nothing_is_asked_about() -> None:
    assert list(candidates([SET], [SCORE])) == [Q, R, S]


def test_two_of_three_make_an_insight_novel() -> None:
    """M = 1, N = 3, C = 1: 1/4 and 2/4."""
    votes = {
        Q: [True, True, False],
        R: [True, False, False],
        S: [False, False, False],
    }
    found = novelty([SET], [SCORE], votes)
    assert (found.correct, found.others, found.novel, found.unscored) == (1, 3, 1, 0)
    assert found.original.strict == 0.25
    assert found.new.strict == 0.5
    assert found.new.coverage == 1.0


@pytest.mark.parametrize(
    ("votes", "novel", "unscored"),
    [
        ([True, True, None], 1, 0),
        ([False, False, None], 0, 0),
        ([True, False, None], 0, 1),
        ([None, None, True], 0, 1),
        ([None, None, False], 0, 1),
        ([False, False, False], 0, 0),
        ([None, None, None], 0, 1),
    ],
)
def test_a_missing_vote_counts_only_where_it_could_decide(
    votes: list[bool | None], novel: int, unscored: int
) -> None:
    no = [False, False, False]
    found = novelty([SET], [SCORE], {Q: votes, R: no, S: no})
    assert (found.novel, found.unscored) == (novel, unscored)
    assert found.new.coverage == (0.75 if unscored else 1.0)


def test_a_prediction_with_an_unscored_pair_is_unscored_unless_it_is_surely_correct() -> None:
    two = insight_set(truths=("a", "b"), predictions=("p", "q"))
    score = one_to_many(two, by_table({("a", "p"): 0.9, ("a", "q"): 0.1}))
    mine = Candidate(two.key, 1)
    found = novelty([two], [score], {mine: [False] * 3})
    assert found.original.strict == 0.5
    assert found.original.coverage == 0.5
    assert found.original.scored_only == 1.0


def test_sets_without_predictions_and_missing_ones_are_told_apart() -> None:
    silent = insight_set("x", predictions=())
    gone = insight_set("y", predictions=(), missing="provider_error")
    sets = [silent, gone]
    found = novelty(sets, [one_to_many(s, by_table({})) for s in sets], {})
    assert (found.original.strict, found.original.scored_only) == (0.0, 0.0)
    assert found.original.coverage == 0.5
    assert (found.correct, found.others) == (0, 0)


def test_the_question_has_goal_tables_and_what_was_found_before_but_nothing_later() -> None:
    found = insight_set(predictions=("first one", "second one", "third one"))
    user = novelty_of(found, 1, "records: number (VARCHAR)").messages[1]["content"]
    for part in ("Find what is wrong", "records: number (VARCHAR)", "[1] first one", "second one"):
        assert part in user
    assert "third one" not in user
    # The ground truth is no part of it.
    assert "\na\n" not in user


@pytest.mark.parametrize(
    ("reply", "novel"),
    [
        ('{"reason": "sound", "novel": "yes"}', True),
        ('Thinking. {"reason": "not derivable", "novel": "No"}', False),
        ('{"novel": "maybe"}', None),
        ('{"novel": "yes"} {"novel": "no"}', None),
    ],
)
def test_a_vote_is_read_strictly(reply: str, novel: bool | None) -> None:
    model = ScriptedModel([{"text": reply, "repeat": True}])
    interviewer = Interviewer(model, role="judge")
    found = asyncio.run(interviewer.ask(novelty_of(SET, 1, "t: c (INTEGER)"))).found
    assert (None if isinstance(found, Fault) else found) is novel
