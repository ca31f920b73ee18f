"""Where a number comes from, in words and as a place: known answers, and places that hold what they should."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.results import view
from core.trajectory import Insight, ToolCall, ToolResult, Trajectory, Turn
from server.dashboard.sources import Shown, Source, number_spans, sources
from tests.server.support import START, draft, spec

MINE = "t1"


def turn(index: int, *answers: Any, names: tuple[str, ...] = (), asked: str = "{}") -> Turn:
    """A turn whose calls answered these."""
    named = names or ("execute_query",) * len(answers)
    return Turn(
        index=index,
        tool_calls=tuple(
            ToolCall(call_id=f"{index}.{k}", name=name, arguments=asked)
            for k, name in enumerate(named)
        ),
        tool_results=tuple(
            ToolResult(
                call_id=f"{index}.{k}",
                name=name,
                text=answer if isinstance(answer, str) else json.dumps(answer),
                duration_s=0.0,
            )
            for k, (name, answer) in enumerate(zip(named, answers, strict=True))
        ),
        started_at=START,
        duration_s=0.0,
    )


def grid(*rows: list[Any], columns: tuple[str, ...] = ("name", "mean")) -> dict[str, Any]:
    return {"columns": list(columns), "rows": list(rows)}


def said(turn_: int | None, text: str) -> Insight:
    return Insight(
        id=f"{MINE}.{turn_}",
        trajectory_id=MINE,
        level="message" if turn_ else "trajectory",
        turn=turn_,
        text=text,
        author="a",
    )


def made(turns: list[Turn], *insights: Insight) -> Trajectory:
    return draft(spec(), id=MINE, turns=tuple(turns), insights=insights)


def only(run: Trajectory) -> Source:
    """Of its one number."""
    (found,) = sources(run).values()
    return found


def test_the_second_of_two_queries_is_named_as_such() -> None:
    run = made([turn(7, grid(["a", 1.5]), grid(["b", 42.25]))], said(7, "It is 42.25 on average."))
    found = only(run)
    assert found.said == "turn 7, result of query 2, column mean"
    assert found.places == (Shown(call=2, table=0, row=0, column=1),)
    assert found.href == "#turn-7"


def test_what_python_printed_is_spelt_out() -> None:
    answer = {"stdout": "the mean is 1,234.5 here", "value": None}
    run = made([turn(3, answer, names=("execute_code",))], said(3, "The mean is 1,234.5."))
    found = only(run)
    assert found.said == "turn 3, result of the Python cell"
    assert found.places == (Shown(call=1, literal="1,234.5"),)


def test_a_share_of_one_is_said_to_be_one() -> None:
    run = made([turn(1, grid(["a", 0.284]))], said(1, "It fails in 28.4% of cases."))
    assert only(run).said == "turn 1, result of the query, column mean: shown as a share"


def test_a_number_of_a_report_that_an_insight_noted_leads_to_its_turn() -> None:
    turns = [turn(1, grid(["a", 12.375])), turn(2, grid(["b", 99.125]))]
    run = made(turns, said(1, "It is 12.375."), said(None, "All in all it is 12.375."))
    found = sources(run)
    assert set(found) == {"turn-1/number-1", "report/number-1"}
    assert found["report/number-1"].turn == 1
    assert found["report/number-1"].places == found["turn-1/number-1"].places


def test_a_threshold_of_its_own_is_no_finding() -> None:
    asked = json.dumps({"query": "SELECT count(*) FROM t WHERE x > 777"})
    run = made([turn(1, grid(["a", 3.5]), asked=asked)], said(1, "Those above 777 are few."))
    found = only(run)
    assert found.state == "asked"
    assert found.said == "turn 1: stands in its own query; no result shows it"


def test_what_comes_later_is_no_source() -> None:
    turns = [turn(1, grid(["a", 3.5])), turn(2, grid(["b", 88.875]))]
    found = only(made(turns, said(1, "It is 88.875.")))
    assert (found.state, found.href, found.places) == ("not found", None, ())


def test_a_result_that_failed_is_no_source() -> None:
    failed = turn(1, "88.875 is no column")
    result = failed.tool_results[0].model_copy(update={"is_error": True})
    run = made([failed.model_copy(update={"tool_results": (result,)})], said(1, "It is 88.875."))
    assert only(run).state == "not found"


def test_numbers_of_one_turn_are_counted_over_its_insights() -> None:
    one, other = said(1, "It is 12.5 and 13.5."), said(1, "And 14.5.")
    run = made([turn(1, grid(["a", 12.5]))], one, other.model_copy(update={"id": "other"}))
    names = [span.id for spans in number_spans(run).values() for span in spans]
    assert names == ["turn-1/number-1", "turn-1/number-2", "turn-1/number-3"]
    assert set(sources(run)) == set(names)
    assert set(number_spans(run, "left")["other"][0].item.split("/")) >= {"left", "turn-1"}


def test_numbers_of_turns_that_are_not_shown_are_left_out() -> None:
    turns = [turn(index, grid(["a", 12.5])) for index in (1, 2)]
    run = made(turns, said(1, "It is 12.5."), said(2, "Still 12.5."), said(None, "So 12.5."))
    assert set(number_spans(run, "", {2, None})) == {f"{MINE}.2", f"{MINE}.None"}
    assert sum(map(len, number_spans(run).values())) == 3


CELLS = st.one_of(
    st.floats(0.5, 1e6).map(lambda x: round(x, 3)),
    st.integers(1, 10**6),
    st.sampled_from(["", "x", "a 7 b", "12.5"]),
    st.none(),
)


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=6), data=st.data()
)
def test_the_place_of_an_observed_number_holds_it(
    rows: list[list[Any]], data: st.DataObject
) -> None:
    numbers = [cell for row in rows for cell in row if isinstance(cell, (int, float))]
    if not numbers:
        return
    chosen = data.draw(st.sampled_from(numbers))
    answer = {"columns": ["p", "q", "r"], "rows": rows}
    run = made([turn(1, answer)], said(1, f"It comes to {chosen} there."))
    for found in sources(run).values():
        if found.state != "observed":
            continue
        shown = view(run.turns[0].tool_results[0], budget=10**6)
        for place in found.places:
            if place.table is None:
                continue
            cell = shown.tables[place.table].rows[place.row][place.column]
            assert cell is not None
            assert place.literal is not None or float(cell) == pytest.approx(
                float(chosen), rel=1e-5
            )


@settings(max_examples=60, deadline=None)
@given(text=st.text(max_size=200), answer=st.text(max_size=200))
def test_no_text_breaks_it(text: str, answer: str) -> None:
    run = made([turn(1, answer)], said(1, text), said(None, text))
    found = sources(run)
    spans = [span for each in number_spans(run).values() for span in each]
    assert {span.id for span in spans} == set(found)
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
