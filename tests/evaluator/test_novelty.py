"""An insight is novel where no item used it; of a turn with several, the quote tells which was meant."""

from __future__ import annotations

from core.evaluation import Verdict
from core.trajectory import Insight, Trajectory
from evaluator.novelty import novel
from tests.evaluator.records import trajectory, verdict

HANDED = trajectory(
    messages=[(1, "Delays grow."), (2, None), (3, "Fuel is dear."), (4, "Staff is short.")],
    report="All of it.",
)


def texts(mine: Trajectory, *verdicts: Verdict) -> list[str | None]:
    return [each.text for each in novel(mine, verdicts).insights]


def used(*, supporting: tuple[int, ...] = (), contradicting: tuple[int, ...] = ()) -> Verdict:
    turns = {"supporting_turns": supporting, "contradicting_turns": contradicting}
    return verdict("q", "supported").model_copy(update=turns)


def test_without_verdicts_all_with_a_text_are_novel() -> None:
    found = novel(HANDED, [])
    assert [each.turn for each in found.insights] == [1, 3, 4]
    assert (found.handed_in, found.used) == (3, 0)


def test_supporting_and_contradicting_turns_are_both_uses() -> None:
    assert texts(HANDED, used(supporting=(1,)), used(contradicting=(4,))) == ["Fuel is dear."]
    assert novel(HANDED, [used(supporting=(1, 3)), used(supporting=(3,))]).used == 2


def test_what_says_nothing_of_this_trajectory_at_this_level_uses_nothing() -> None:
    strangers = [
        used(supporting=(1,)).model_copy(update=changed)
        for changed in (
            {"trajectory_id": "t-04-1-1"},
            {"level": "trajectory"},
            {"label": None},
            {"supporting_turns": (2, 9)},
        )
    ]
    assert len(texts(HANDED, *strangers)) == 3


def several() -> Trajectory:
    """Two insights of turn 1, one of turn 2."""
    mine = [
        Insight(
            id=f"i{n}", trajectory_id=HANDED.id, level="message", turn=turn, text=text, author="a"
        )
        for n, (turn, text) in enumerate(
            [(1, "Delays grow."), (1, "Fuel is dear."), (2, "So what.")]
        )
    ]
    return HANDED.model_copy(update={"insights": tuple(mine)})


def test_of_a_turn_with_several_the_quoted_one_was_used() -> None:
    quoted = used(supporting=(1,)).model_copy(update={"evidence": "Fuel is dear"})
    assert texts(several(), quoted) == ["Delays grow.", "So what."]


def test_without_a_quote_in_any_of_them_all_of_the_turn_were_used() -> None:
    assert texts(several(), used(supporting=(1,))) == ["So what."]
    elsewhere = used(supporting=(1, 2)).model_copy(update={"evidence": "So what"})
    assert texts(several(), elsewhere) == []
