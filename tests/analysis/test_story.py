"""A trajectory is told turn by turn, with nothing invented and nothing lost."""

from __future__ import annotations

from datetime import timedelta

from analysis.calls import Budget
from analysis.joined import join
from analysis.story import Story, tell
from core.evaluation import Verdict
from core.trajectory import StopReason, Trajectory
from tests.analysis.factory import START, entity, insight, item, trajectory, turn, verdict
from tests.analysis.page import parse


def _plain(html: str) -> str:
    return parse(str(html)).text


def _tell(run: Trajectory, *verdicts: Verdict, budget: Budget | None = None) -> Story:
    rows = join([item("a")], [run], verdicts)
    return tell(run, entity("01", "Amber Air"), rows, "carrier-01", budget or Budget())


def test_each_turn_tells_its_own_insights_and_a_turn_without_one_tells_none() -> None:
    run = trajectory(
        insights=(insight("t1", "One.", 1), insight("t1", None, 2), insight("t1", "Three.", 3))
    )
    told = [[_plain(i.text) for i in t.insights] for t in _tell(run).turns]
    assert told == [["One."], [], ["Three."]]


def test_the_turn_that_first_supports_an_item_names_it_and_its_words_are_marked() -> None:
    run = trajectory(insights=(insight("t1", "Mean 12.5.", 2),))
    story = _tell(run, verdict("a", turns=(2,), evidence="Mean 12.5"))
    assert [[i.number for i in t.first] for t in story.turns] == [[], [1], []]
    assert 'id="carrier-01/turn-2/item-a"' in story.turns[1].insights[0].text
    assert "items first found at turns 2" in story.strip


def test_insights_that_name_no_stored_turn_are_kept_apart() -> None:
    run = trajectory(insights=(insight("t1", "Late.", 9),))
    story = _tell(run)
    assert [_plain(i.text) for i in story.undated] == ["Late."]
    assert all(not t.insights for t in story.turns)


def test_what_the_agent_thought_and_wrote_is_told_and_cut_at_the_budget() -> None:
    made = turn(1).model_copy(update={"text": "x" * 50, "reasoning": "why"})
    first = _tell(trajectory(turns=[made]), budget=Budget(prose=20)).turns[0]
    assert parse(str(first.text)).text == "x" * 20 + "… (30 more characters)"
    assert parse(str(first.reasoning)).text == "why"


def test_errors_attempts_duration_and_end_are_counted() -> None:
    made = turn(1)
    bad = made.tool_results[0].model_copy(update={"is_error": True, "violations": ("v", "w")})
    run = trajectory(
        turns=[made.model_copy(update={"tool_results": (bad,)})],
        ended_at=START + timedelta(seconds=7),
        stop_reason=StopReason.MAX_TURNS,
    )
    story = _tell(run)
    assert (story.errors, story.violations, story.seconds) == (1, 2, 7.0)
    assert story.stop == "max turns"
    assert 'class="error"' in story.strip


def test_a_trajectory_that_broke_off_has_no_end() -> None:
    story = _tell(trajectory(stop_reason=None, ended_at=None))
    assert (story.stop, story.seconds) == ("not ended", None)


def test_found_items_are_counted_at_both_levels() -> None:
    run = trajectory(insights=(insight("t1", "x", 1), insight("t1", "y")))
    story = _tell(run, verdict("a", turns=(1,)), verdict("a", "insufficient", level="trajectory"))
    assert (story.message.found, story.report.found, story.report.of) == (1, 0, 1)
    assert [_plain(r.text) for r in story.reports] == ["y"]


def test_a_page_goes_on_with_a_long_story_and_keeps_the_turns_that_items_link_to() -> None:
    run = trajectory(turns=40, insights=(insight("t1", "The figure is 12.5.", 3),))
    said = verdict("a", turns=(3,), evidence="The figure is 12.5.")
    told = _tell(run, said, budget=Budget(turns=10, skipped=20))
    assert [turn.index for turn in told.turns] == [3, *range(21, 31)]
    assert told.left_out == 29
