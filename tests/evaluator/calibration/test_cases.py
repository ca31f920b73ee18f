"""The shipped set: large, balanced, readable, and its labels follow from its words."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.calibration.cases import CLASSES, Case, Page, shipped

SET = shipped()
CASES = list(SET.cases())


def text_of(page: Page) -> str:
    return "\n".join(text for _, text in page.insights)


def figures(text: str) -> set[str]:
    return set(re.findall(r"\d[\d,]*(?:\.\d+)?", text))


def named(how: str) -> list[tuple[Page, Case]]:
    found = [(page, case) for page, case in CASES if case.how == how and not case.options]
    assert found
    return found


def figure_of(case: Case) -> str:
    """The figure that the answer gives first, names of teams, days and hours left out."""
    said = re.sub(r"[TK]\d+|\d+:00|\d{1,2} [A-Z][a-z]+ 20\d\d|[A-Z][a-z]+ 20\d\d", "", case.answer)
    said = re.sub(r"more than 5 days|90th|below 3|above 0", "", said)
    return str(re.findall(r"\d[\d,]*(?:\.\d+)?", said)[0])


def test_there_are_at_least_a_hundred_of_each_class_at_both_levels() -> None:
    assert len(CASES) >= 300
    assert len({case.id for _, case in CASES}) == len(CASES)
    for label in CLASSES:
        levels = Counter(page.level for page, case in CASES if case.label == label)
        assert levels.total() >= 100
        assert min(levels["message"], levels["trajectory"]) >= 40
    assert sum(case.how == "unrelated" for _, case in CASES) >= 12
    assert set(CLASSES) == {c.label for _, c in CASES if c.options}


def test_every_class_is_still_there_under_lenient_criteria() -> None:
    for criteria in ("lenient", "somebody's own"):
        kept = Counter(case.label for _, case in SET.under(criteria).cases())
        assert min(kept.values()) >= 30
        assert len(kept) == 3
    assert len(list(SET.under("strict").cases())) == len(CASES)


def test_turns_rise_and_every_page_is_read_as_it_is_meant() -> None:
    for page in SET.pages:
        turns = [turn for turn, _ in page.insights]
        assert turns == sorted(set(turns))
        made = page.trajectory()
        if page.level == "message":
            assert [(i.turn, i.text) for i in made.message_insights] == [*page.insights]
            assert made.report is None
        else:
            assert made.report == "\n\n".join(text for _, text in page.insights)
            assert not made.message_insights
        assert "{" not in text_of(page)
        assert all(item.answer in item.options for item in page.items() if item.options)


@pytest.mark.parametrize("how", ["plain", "compared", "in two parts", "corrected"])
def test_what_is_supported_shows_its_figure(how: str) -> None:
    for page, case in named(how):
        assert case.label == "supported"
        assert figure_of(case) in figures(text_of(page)), case


def test_what_is_rounded_is_the_figure_rounded() -> None:
    for page, case in named("rounded"):
        true = figure_of(case).replace(",", "")
        digits = len(true.partition(".")[2]) - 1
        # Ties do not occur: the last digit of none is a five.
        near = {float(f.replace(",", "")) for f in figures(text_of(page))}
        assert round(float(true), digits) in near, case


@pytest.mark.parametrize("how", ["wrong figure", "near figure"])
def test_a_wrong_figure_is_told_of_the_same_team_and_the_right_one_is_not(how: str) -> None:
    for page, case in named(how):
        assert case.label == "contradicted"
        true = float(figure_of(case).replace(",", ""))
        said = [
            line
            for _, line in page.insights
            if page.entity_id in line and figure_of(case) in figures(line)
        ]
        # The same figure of another matter may stand there: a coincidence in a few cases.
        assert len(said) <= 1
        assert true


@pytest.mark.parametrize("how", ["other entity"])
def test_another_entitys_sentence_names_it_and_has_our_figure(how: str) -> None:
    for page, case in named(how):
        lines = [line for _, line in page.insights if figure_of(case) in figures(line)]
        assert any(page.entity_id not in line for line in lines), case


def test_the_same_sample_is_drawn_each_time_and_is_balanced() -> None:
    one = SET.sample(30, seed=1)
    assert one == SET.sample(30, seed=1)
    assert one != SET.sample(30, seed=2)
    counts = Counter(case.label for _, case in one.cases())
    assert set(counts.values()) == {10}
    assert len(list(SET.sample(10_000, seed=1).cases())) == len(CASES)


@given(st.integers(0, 400), st.integers(0, 5))
def test_a_sample_has_its_size(n: int, seed: int) -> None:
    assert len(list(SET.sample(n, seed=seed).cases())) == min(n, len(CASES))


def test_injected_insights_come_after_its_own() -> None:
    page = next(page for page in SET.pages if page.level == "message")
    more = page.trajectory("answer supported").message_insights
    assert more[-1].text == "answer supported"
    assert (more[-1].turn or 0) > page.insights[-1][0]
    report = next(page for page in SET.pages if page.level == "trajectory")
    assert (report.trajectory("x").report or "").endswith("\n\nx")


def test_the_hash_tells_sets_apart() -> None:
    assert SET.hash != SET.only({CASES[0][1].id}).hash
    assert SET.hash == shipped().hash
