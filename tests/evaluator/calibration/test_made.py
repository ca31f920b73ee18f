"""Sets made of a few facts: what is done to each, and that no page speaks of a matter twice."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.checklist import Checklist
from evaluator.calibration.building import as_text, build
from evaluator.calibration.cases import CalibrationSet, Case, Page

FACTS: tuple[tuple[str, str, str, float, dict[str, Any]], ...] = (
    (
        "mean-resolution",
        "resolution",
        "The mean time to resolution of team {t} is {v:.2f} days, against 6.80 days over all teams.",
        9.83,
        {},
    ),
    ("change-count", "changes", "Team {t} has {v:,.0f} changes in the database.", 1287.0, {}),
    (
        "busiest-weekday",
        "week and day",
        "Most of team {t}'s incidents are reported on Wednesdays: {v:.1f}% of them.",
        20.94,
        {"scope": (("Wednesday", "Wednesdays"),)},
    ),
    (
        "half-year-change",
        "trend and season",
        "In the second half of the period team {t}'s mean time to resolution is {v:.2f} days higher.",
        3.41,
        {},
    ),
    (
        "busiest-agent",
        "people",
        "Agent {t}-C handles most of team {t}'s incidents: {v:.1f}% of them.",
        41.7,
        {"scope": (("{t}-C",),)},
    ),
)


def checklist(teams: int, shift: float = 0.0) -> Checklist:
    """The facts of so many teams."""
    items = []
    for number in range(1, teams + 1):
        team = f"T{number:03}"
        for name, category, answer, value, slots in FACTS:
            mine = round(value + shift + number, 2)
            scope = tuple(tuple(w.format(t=team) for w in g) for g in slots.get("scope", ()))
            items.append(
                {
                    "id": f"{team}-{name}",
                    "entity_id": team,
                    "question": f"What of {name} of team {team}?",
                    "answer": answer.format(t=team, v=mine),
                    "category": category,
                    "source": f"template:{name}",
                    "expected": {"value": mine},
                    "signals": {"metric": ("x",), "kind": "level", "scope": scope},
                }
            )
    return Checklist.model_validate(
        {
            "id": "c",
            "version": "1",
            "scenario_id": "made",
            "hash": "0" * 64,
            "license": {"name": "CC0-1.0", "source": "test"},
            "items": items,
        }
    )


MADE = build(checklist(24))


def cases(how: str, label: str, *, closed: bool = False) -> list[tuple[Page, Case]]:
    found = [
        (page, case)
        for page, case in MADE.cases()
        if (case.how, case.label, bool(case.options)) == (how, label, closed)
    ]
    assert found, how
    return found


def text_of(page: Page) -> str:
    return "\n".join(text for _, text in page.insights)


def value_of(case: Case, page: Page) -> str:
    name = case.question.removeprefix("What of ").partition(" ")[0]
    number = int(page.entity_id[1:])
    value = next(value for each, _, _, value, _ in FACTS if each == name) + number
    decimals = {"change-count": 0, "busiest-weekday": 1, "busiest-agent": 1}.get(name, 2)
    return f"{value:,.{decimals}f}"


def test_a_set_comes_back_from_its_text() -> None:
    assert CalibrationSet.model_validate_json(as_text(MADE)) == MADE
    assert as_text(MADE).count("\n") == len(MADE.pages) + 2


def test_labels_are_balanced_and_all_ways_are_taken() -> None:
    counts = Counter(case.label for _, case in MADE.cases())
    assert max(counts.values()) - min(counts.values()) <= 1
    ways = {case.how for _, case in MADE.cases()}
    assert {
        "plain",
        "corrected",
        "wrong figure",
        "denied",
        "disputed",
        "wrong place",
        "unrelated",
        "announced",
        "other entity",
        "other statistic",
        "either",
    } <= ways


def test_swapped_figures_stand_in_each_others_place() -> None:
    for page, case in cases("swapped", "contradicted"):
        line = next(text for _, text in page.insights if "over all teams" in text)
        assert line.index("6.80") < line.index(value_of(case, page))


def test_a_correction_comes_after_what_it_corrects() -> None:
    for page, _ in cases("corrected", "supported"):
        *_, (turn, last) = [i for i in page.insights if "Correction" in i[1]]
        assert "The other figure was wrong." in last
        assert turn == max(t for t, text in page.insights if "Correction" in text)


@pytest.mark.parametrize("how", ["unrelated", "announced"])
def test_what_is_not_told_is_not_on_the_page(how: str) -> None:
    for page, case in cases(how, "insufficient"):
        assert value_of(case, page) not in text_of(page)


def test_an_agents_fact_is_never_told_of_another_team() -> None:
    for page, case in cases("other entity", "insufficient"):
        assert "busiest-agent" not in case.question
        assert any(page.entity_id not in text for _, text in page.insights if "eam T" in text)


def test_the_wrong_option_of_a_closed_question_is_among_its_options() -> None:
    closed = [(page, case) for page, case in MADE.cases() if case.options]
    assert {case.label for _, case in closed} == {"supported", "contradicted", "insufficient"}
    for page, case in closed:
        assert case.answer in case.options
        told = [option for option in case.options if option in text_of(page)]
        if case.label == "contradicted" and case.how == "wrong place":
            assert told == [option for option in told if option != case.answer]
            assert told
    for page, case in closed:
        if case.how == "wrong direction":
            assert case.answer == "rises"
            assert "goes down by" in text_of(page)


@given(st.integers(2, 6), st.floats(0, 30), st.integers(0, 3))
def test_any_facts_make_a_sound_set(teams: int, shift: float, seed: int) -> None:
    made = build(checklist(teams, round(shift, 2)), seed=seed)
    assert made == build(checklist(teams, round(shift, 2)), seed=seed)
    assert len(list(made.cases())) == teams * len(FACTS)
    for page in made.pages:
        turns = [turn for turn, _ in page.insights]
        assert turns == sorted(set(turns))
        assert turns[0] >= 1
        assert not any("{" in text for _, text in page.insights)
