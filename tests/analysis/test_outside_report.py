"""The report of an agent from outside tells its class, its contact, and whose words are whose."""

from __future__ import annotations

import pytest

from analysis import report
from analysis.calls import Budget
from analysis.joined import join
from analysis.report import render_report
from analysis.scaling import POINTS, accuracy_by_turn, ends, value_at
from analysis.story import tell
from core.outside import Outside
from core.trajectory import Client, Usage
from tests.analysis.factory import data, entity, item, trajectory, turn, verdict
from tests.analysis.outside import QUOTE, WRITER, first, overlapping, report_data
from tests.analysis.page import Element, parse

EVIL = "</script><img src=x onerror='window.pwned=1'>\x1b[2J"


@pytest.fixture(scope="module")
def page() -> Element:
    return parse(render_report(report_data()))


def test_its_class_is_told_in_the_head_and_that_classes_are_not_ranked_together(
    page: Element,
) -> None:
    note = page.by_id("class").words
    assert "Its class is “outside with shell”, as it was declared" in note
    assert "runs of different classes are not compared in one ranking" in note
    assert "by claude-code (outside with shell)" in page.one("p", "colophon").words
    assert "no language model" not in page.words


def test_an_agent_of_ours_has_no_such_note_and_no_contact() -> None:
    plain = parse(render_report(data([item("a")], [trajectory()])))
    ids = {e.get("id") for e in plain.walk()}
    assert not ids & {"class", "contact", "own-words", "contact-table"}
    assert "built-in" in plain.by_id("about").words


def test_contact_is_told_for_each_with_what_it_reports_of_itself_apart(page: Element) -> None:
    rows = page.by_id("contact-table").all("tr")[1:]
    assert [row.all("td")[0].words for row in rows] == ["calls", "no contact"]
    assert [cell.words for cell in rows[0].all("td")[1:5]] == ["9", "1", "2", "1"]
    assert rows[0].all("td")[5].words == "sql 1"
    assert rows[0].all("td")[6].words == "claude-code 2.1 (2026-07-28)"
    assert rows[0].all("td")[7].words == (
        "claude-code 2.1, model claude-x, 1,200 / 30 tokens in / out, $0.2500"
    )
    assert rows[1].all("td")[7].words == ""
    story = page.by_id("carrier-01").words
    assert "Contact: calls; 9 calls (execute_query 5, get_task 1, " in story
    assert "It says of itself, unmeasured: claude-code 2.1, model claude-x" in story


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"reported_agent": None}, "model claude-x, 1,200 / 30 tokens in / out, $0.2500"),
        (
            {
                "reported_agent": None,
                "reported_model": None,
                "reported_usage": Usage(input_tokens=5),
            },
            "5 / – tokens in / out",
        ),
        ({"reported_model": None, "reported_usage": None}, "claude-code 2.1"),
    ],
)
def test_what_it_does_not_report_is_not_invented(changes: dict[str, object], told: str) -> None:
    made = report_data()
    runs = [first(**changes), *made.trajectories[1:]]
    page = parse(render_report(report_data(trajectories=runs)))
    assert page.by_id("contact-table").all("tr")[1].all("td")[7].words == told


def test_calls_that_overlapped_stand_in_one_turn_each_with_its_own_answer(page: Element) -> None:
    calls = page.by_id("carrier-01/turn-2").all("details", "call")
    assert [call.one("pre", "source").words for call in calls] == [
        "SELECT 1",
        "SELECT 2",
        "SELECT 3",
    ]
    assert "n: 1" in calls[0].words
    assert "n: 2" in calls[1].words
    assert "error: unanswered" in calls[2].words


def test_every_insight_of_a_turn_is_told_with_its_evidence_and_whose_words_it_is(
    page: Element,
) -> None:
    second, third = (page.by_id(f"carrier-01/turn-{n}") for n in (2, 3))
    assert [i.words for i in second.all("div", "insight")] == [
        "Nothing to see.",
        f"So it is: {QUOTE}.",
    ]
    assert [p.words for p in second.all("p", "by")] == ["shown by SELECT avg(x) FROM t"]
    assert second.one("mark").words == QUOTE
    assert [i.words for i in third.all("div", "of-another")] == ["It flies."]
    assert third.one("p", "by").words == (
        f"the words of {WRITER}, which was asked about this turn later"
    )


def test_beside_the_scores_stands_what_is_left_in_its_own_words(page: Element) -> None:
    scores = page.by_id("scores").words
    assert f"1 insight turn by turn is by {WRITER}, which was asked for it later" in scores
    assert "In its own words. Without insights of others 1 of 3 items are found" in scores


def test_the_curve_of_an_agent_from_outside_is_along_its_calls(page: Element) -> None:
    section = page.by_id("by-turn")
    assert "Accuracy by call" in section.words
    # Turn 2 ends with call 4, turn 3 with call 5.
    assert section.all("desc")[0].text == "claude-code: 50.0% by call 5"
    assert "calls that overlapped are one turn" in section.words


def test_by_calls_an_item_counts_from_the_last_call_of_its_turn() -> None:
    run = trajectory(turns=[turn(1), overlapping(2, *[("SELECT 1", "{}")] * 4), turn(3)])
    items = [item("a"), item("b")]
    said = [verdict("a", turns=(2,)), verdict("b", turns=(3,))]
    by_calls = accuracy_by_turn(items, [run], said, axis="calls")
    assert by_calls.axis == "calls"
    assert [value_at(by_calls, x) for x in (4, 5, 6)] == [0.0, 0.5, 1.0]
    assert (ends([run]), ends([run], "calls")) == ([3], [6])
    by_turn = accuracy_by_turn(items, [run], said)
    assert [value_at(by_turn, x) for x in (1, 2, 3)] == [0.0, 0.5, 1.0]


def test_a_curve_of_very_many_turns_is_read_at_so_many_places_that_a_page_can_bear() -> None:
    run = trajectory(turns=[turn(k) for k in range(1, 3 * POINTS + 1)])
    said = [verdict("a", turns=(2 * POINTS + 1,))]
    curve = accuracy_by_turn([item("a")], [run], said)
    assert len(curve.points) == POINTS
    assert curve.points[-1].x == 3 * POINTS
    assert value_at(curve, 2 * POINTS) == 0
    assert value_at(curve, 2 * POINTS + 3) == 1


def test_of_very_many_turns_the_first_are_told_and_those_that_an_item_leads_to() -> None:
    run = trajectory(turns=[turn(k) for k in range(1, 31)])
    rows = join([item("a")], [run], [verdict("a", turns=(20, 28))])
    story = tell(run, entity("01", "Amber"), rows, "carrier-01", Budget(turns=5))
    assert [t.index for t in story.turns] == [1, 2, 3, 4, 5, 20, 28]
    assert story.left_out == 23


def test_what_is_left_out_is_said_and_every_link_still_leads_somewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(report, "_TURNS", 20)
    runs = [
        trajectory("t1", turns=[turn(k) for k in range(1, 101)]),
        trajectory("t2", "02", turns=4),
    ]
    said = [verdict("a", turns=(90,))]
    page = parse(render_report(data([item("a"), item("b", "02")], runs, said)))
    assert len(page.by_id("carrier-01").all("article", "turn")) == 17
    assert "83 turns that this page leaves out; the store has all of them" in page.words
    assert "100 turns, finished" in page.words
    ids = {e.get("id") for e in page.walk()}
    links = {a.get("href") for a in page.all("a") if (a.get("href") or "").startswith("#carrier")}
    assert {link.removeprefix("#") for link in links if link} <= ids


def test_what_an_agent_says_of_itself_is_text_and_nothing_else() -> None:
    evil = Client(name=EVIL, version=EVIL, protocol=EVIL)
    made = report_data()
    met = made.contacts["t1"].model_copy(
        update={"clients": (evil,), "tools": {EVIL: 1}, "errors": {EVIL: 2}}
    )
    told = first(reported_agent=EVIL, reported_model=EVIL)
    insights = tuple(
        i.model_copy(update={"author": EVIL, "evidence": (EVIL,)}) for i in told.insights
    )
    runs = [told.model_copy(update={"insights": insights}), *made.trajectories[1:]]
    spec = made.run.model_copy(update={"agent": EVIL})
    html = render_report(
        report_data(
            trajectories=runs,
            run=spec,
            others={EVIL: 1},
            contacts={**made.contacts, "t1": met},
        )
    )
    page = parse(html)
    assert page.all("img") == []
    assert len(page.all("script")) == 1
    assert EVIL.split("\x1b", maxsplit=1)[0] in page.by_id("contact-table").text


def test_an_undeclared_agent_is_a_class_of_its_own_too() -> None:
    made = report_data()
    spec = made.run.model_copy(update={"outside": Outside()})
    page = parse(render_report(report_data(run=spec)))
    assert "Its class is “undeclared”" in page.by_id("class").words


def test_without_a_checklist_what_was_done_can_be_read_and_nothing_is_called_a_score() -> None:
    made = report_data()
    none = made.checklist.model_copy(update={"items": (), "id": "none", "hash": ""})
    page = parse(
        render_report(
            report_data(checklist=none, evaluation=None, verdicts=(), scores=(), own_words=())
        )
    )
    assert "so that nothing can be scored" in page.one("p", "lead").words
    assert "ddr evaluate" not in page.words
    assert "No checklist." in page.one("p", "colophon").words
    assert "There is no fact to be found." in page.by_id("by-kind").words
    assert "There is no item for this carrier." in page.by_id("carrier-01").words
    told = page.by_id("carrier-01/turn-2").all("div", "insight")
    assert told[0].words == "Nothing to see."
