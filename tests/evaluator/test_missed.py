"""What the records alone say of why an item was missed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from core.evaluation import Verdict
from core.trajectory import Trajectory, Turn
from evaluator.missed import Missed, computed, loops, missed
from tests.evaluator import records
from tests.evaluator.records import item, verdict
from tests.evaluator.tracing.records import turn

NEEDED = frozenset({"flights.dep_delay", "weather.wind"})


def went(*turns: Turn, report: str | None = "So it is.") -> Trajectory:
    return records.trajectory(report=report).model_copy(update={"turns": tuple(turns)})


def why(*turns: Turn, needed: frozenset[str] | None = NEEDED) -> tuple[str | None, str]:
    found = computed(Missed(item("a"), went(*turns), noted=False), needed)
    return found.failure, found.reason


def test_what_was_never_read_is_breadth_and_what_never_met_is_depth() -> None:
    one, two = turn(1, "1", fields=["flights.dep_delay"]), turn(2, "2", fields=["weather.wind"])
    assert why(one) == ("exploration breadth", "never read: weather.wind")
    assert why(one, two)[0] == "exploration depth"
    both = turn(3, "3", fields=["flights.dep_delay", "flights.x", "weather.wind"])
    assert why(one, two, both) == (None, "all it needs was read together")


def test_unknown_stays_unknown() -> None:
    one = turn(1, "1", fields=["flights.dep_delay"])
    assert why(one, needed=None)[0] is None
    assert why(one, needed=frozenset())[1] == "which fields it needs is not known"
    assert why(one, needed=frozenset({"?"}))[0] is None
    assert why(turn(1, "1"))[1] == "where the agent looked is not recorded"
    assert why(one, turn(2, "2", fields=["?"]))[0] is None
    code = turn(1, "1", fields=["flights.dep_delay"])
    called = [r.model_copy(update={"name": "execute_code"}) for r in code.tool_results]
    more = turn(2, "2", fields=["weather.wind"])
    again = [r.model_copy(update={"name": "execute_code"}) for r in more.tool_results]
    python = [
        code.model_copy(update={"tool_results": tuple(called)}),
        more.model_copy(update={"tool_results": tuple(again)}),
    ]
    assert why(*python) == (None, "it may have been brought together in Python")


def test_what_was_asked_for_in_failing_calls_only_is_a_debug_loop() -> None:
    one = turn(1, "1", fields=["flights.dep_delay"])
    bad = [turn(k, "no", sql=f"SELECT wind FROM weather {k}", error="sql") for k in (2, 3, 4)]
    assert why(one, *bad) == ("debug loop", "asked for in failing calls only: weather.wind")
    assert why(one, *bad[:2])[0] == "exploration breadth", "two failures are no loop"
    other = [turn(k, "no", sql="SELECT x FROM y", error="sql") for k in (2, 3, 4)]
    assert why(one, *other)[0] == "exploration breadth"


@pytest.mark.parametrize("field", ["sky.weather.wind", "weather.Wind", "sky.weather.wind speed"])
def test_a_loop_is_known_by_the_table_without_its_schema(field: str) -> None:
    one = turn(1, "1", fields=["flights.dep_delay"])
    sql = 'SELECT "wind" + "wind speed" FROM weather'
    bad = [turn(k, "no", sql=f"{sql} LIMIT {k}", error="sql") for k in (2, 3, 4)]
    needed = frozenset({"flights.dep_delay", field})
    assert why(one, *bad, needed=needed)[0] == "debug loop"


def test_a_call_that_fails_again_and_again_is_a_loop_though_others_come_between() -> None:
    turns = [
        turn(k, "no" if k % 2 else "1", sql="SELECT a", error="sql" if k % 2 else None)
        for k in range(1, 6)
    ]
    assert len(loops(went(*turns))) == 1
    assert loops(went(*turns[:3])) == []


def labelled(message: str | None, report: str | None) -> list[Verdict]:
    return [
        verdict("a", message, level="message"),  # type: ignore[arg-type]
        verdict("a", report, level="trajectory"),  # type: ignore[arg-type]
    ]


@pytest.mark.parametrize(
    ("message", "report", "expected"),
    [
        ("supported", "supported", []),
        ("insufficient", "supported", []),
        ("insufficient", "insufficient", [False]),
        ("contradicted", None, [False]),
        ("supported", "insufficient", [True]),
        ("supported", None, []),
        (None, None, []),
    ],
)
def test_an_item_is_missed_where_it_was_judged_and_the_report_lacks_it(
    message: str | None, report: str | None, expected: Sequence[bool]
) -> None:
    found = missed([item("a"), item("b", "04")], [went()], labelled(message, report))
    assert [case.noted for case in found] == expected


def test_what_was_noted_and_is_not_in_the_report_is_a_summarisation_miss() -> None:
    case = Missed(item("a"), went(), noted=True)
    assert computed(case, None).failure == "summarisation miss"
    without = Missed(item("a"), went(report=None), noted=True)
    assert computed(without, None).reason == "there is no report"
