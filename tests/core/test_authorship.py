"""Whose words an insight is does not go by a name that anybody may choose."""

from __future__ import annotations

from core.authorship import other_author, other_authors, own_turns
from core.trajectory import Insight, Trajectory
from tests.server.support import draft, spec


def said(
    turn: int, *, by: str = "me", asked: bool = False, text: str | None = "It is so."
) -> Insight:
    return Insight(
        id=f"i{turn}{by}",
        trajectory_id="t",
        level="message",
        turn=turn,
        text=text,
        author=by,
        prompt_hash="c0de" if asked else None,
    )


def trajectory(*insights: Insight, model: str | None = None) -> Trajectory:
    return draft(spec(agent="me")).model_copy(update={"insights": insights, "model": model})


def test_what_an_agent_handed_in_unasked_is_its_own() -> None:
    mine = said(1)
    assert other_author(trajectory(mine), mine) is None


def test_what_a_model_wrote_when_asked_is_the_models_even_under_the_agents_name() -> None:
    theirs = said(1, by="me", asked=True)
    assert other_author(trajectory(theirs), theirs) == "me"


def test_an_agents_own_words_stay_its_own_under_a_models_name() -> None:
    mine = said(1, by="openai/gpt-x")
    assert other_author(trajectory(mine), mine) is None


def test_a_model_that_explores_is_asked_for_its_own_insights() -> None:
    mine = said(1, by="openai/gpt-x", asked=True)
    assert other_author(trajectory(mine, model="openai/gpt-x"), mine) is None


def test_turns_and_counts_go_by_insights_that_say_something() -> None:
    found = trajectory(
        said(1),
        said(1, by="a", asked=True),
        said(2, by="a", asked=True),
        said(3, text=None),
        said(4, by="b", asked=True, text=None),
    )
    assert own_turns(found) == {1}
    assert other_authors([found, found]) == {"a": 4}
