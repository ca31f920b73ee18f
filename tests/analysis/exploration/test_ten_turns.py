"""One exploration of ten turns, every figure of it worked out on paper."""

from __future__ import annotations

import json
from math import log2

import pytest

from analysis.exploration.course import course
from analysis.exploration.explored import Exploration, Explored, Group, Point, explore
from analysis.exploration.fields import available
from analysis.exploration.thirds import Change
from core.trajectory import Nudge, StopReason, Trajectory
from databases.schema import Key
from tests.analysis.exploration.making import model_call, python, schema, sql, turn
from tests.analysis.factory import trajectory

HERE = available(
    schema(
        [Key(kind="primary key", columns=("number",))],
        orders="number customer_id amount placed_on",
        customers="customer_id region",
        notes="text",
    ),
    entity_columns=["customer_id"],
)
"""Seven fields in three tables; number and customer_id, twice, are keys."""

AMOUNT, PLACED = "orders.amount", "orders.placed_on"
NUMBER, WHO = "orders.number", "orders.customer_id"
CUSTOMER, REGION = "customers.customer_id", "customers.region"

PLAIN = "SELECT amount FROM orders"
JOINED = "SELECT region, avg(amount) FROM orders JOIN customers USING (customer_id) GROUP BY region"
NESTED = (
    "WITH m AS (SELECT region, sum(amount) AS s FROM orders JOIN customers USING (customer_id) "
    "GROUP BY region) SELECT rank() OVER (ORDER BY s) FROM m WHERE s > (SELECT avg(s) FROM m)"
)


def rows(count: int) -> str:
    """A result of so many rows; each has five characters and a comma between."""
    return json.dumps({"rows": [[111]] * count}, separators=(",", ":"))


def explored() -> Trajectory:
    """1 looks at the schema. 2 to 4 read widely, with long answers. 5 thinks aloud in a query that fails.
    6 and 7 come back to orders in Python. 8 and 9 ask one deep question each, with short answers.
    10 says that it is done. A nudge lies between 7 and 8."""
    failing = turn(
        5, sql(text="SELECT amnt FROM orders"), answers=["no such column"], usage=(3300, 60)
    )
    error = failing.tool_results[0].model_copy(update={"is_error": True})
    turns = [
        turn(1, ("get_database_info", "", ()), answers=["{}"], usage=(1000, 20)),
        turn(2, sql(NUMBER, WHO, AMOUNT, PLACED, text=PLAIN), answers=[rows(20)], usage=(1120, 30)),
        turn(3, sql(CUSTOMER, REGION), sql(REGION), answers=[rows(10)] * 2, usage=(1950, 40)),
        turn(
            4, sql(AMOUNT, WHO, CUSTOMER, REGION, text=JOINED), answers=[rows(8)], usage=(2690, 50)
        ),
        failing.model_copy(update={"tool_results": (error,)}),
        turn(
            6,
            python(AMOUNT, PLACED, text=f"x = query('{PLAIN}')"),
            answers=["{}"],
            usage=(3400, 80),
        ),
        turn(7, python(AMOUNT, text="print(x.mean())"), answers=["{}"], usage=(3580, 90)),
        turn(
            8, sql(AMOUNT, WHO, CUSTOMER, REGION, text=NESTED), answers=[rows(1)], usage=(3825, 200)
        ),
        turn(9, sql(AMOUNT, text=NESTED), answers=[rows(1)], usage=(4065, 210)),
        turn(10, usage=(4315, 300)),
    ]
    nudge = Nudge(after_turn=7, text="Let me think.", call=model_call(7.5, 3770, 15))
    return trajectory(
        turns=turns, nudges=(nudge,), stop_reason=StopReason.FINISHED, model="openai/m"
    )


@pytest.fixture(scope="module")
def found() -> Exploration:
    group = Group("openai/m", [explored()], {"t1": 0.625})
    return explore([group], HERE, dialect="duckdb", clusters={"01": "01"})


@pytest.fixture(scope="module")
def group(found: Exploration) -> Explored:
    return found.groups[0]


@pytest.fixture(scope="module")
def point(found: Exploration) -> Point:
    return found.points[0]


def test_coverage_and_entropy(point: Point) -> None:
    """amount 6 times, who 3, customer 3, region 4, number 1, placed 2: 19 accesses of 6 of 7 fields."""
    assert point.use.counts == {NUMBER: 1, WHO: 3, AMOUNT: 6, PLACED: 2, CUSTOMER: 3, REGION: 4}
    assert point.use.coverage == 6 / 7
    shares = [1 / 19, 3 / 19, 6 / 19, 2 / 19, 3 / 19, 4 / 19]
    expected = -sum(p * log2(p) for p in shares) / log2(6)
    assert point.use.entropy == pytest.approx(expected)
    assert expected == pytest.approx(0.9303, abs=0.0001)
    assert (point.use.by_source, point.tables, point.unparsed) == ({"sql": 16, "python": 3}, 2, 0)


def test_without_keys_three_fields_of_four_are_left() -> None:
    """amount 6, placed 2, region 4; notes.text is never read."""
    group = Group("m", [explored()])
    (point,) = explore([group], HERE, dialect="duckdb", clusters={}, without_keys=True).points
    assert (point.use.available, point.use.coverage) == (4, 3 / 4)
    shares = [6 / 12, 2 / 12, 4 / 12]
    assert point.use.entropy == pytest.approx(-sum(p * log2(p) for p in shares) / log2(3))


def test_breadth_and_depth(group: Explored) -> None:
    looks = [step.look for step in group.steps["t1"]]
    assert [look.new_fields for look in looks] == [0, 4, 2, 0, 0, 0, 0, 0, 0, 0]
    assert [look.fields_so_far for look in looks] == [0, 4, 6, 6, 6, 6, 6, 6, 6, 6]
    assert [look.new_tables for look in looks] == [0, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    # 4 reads customers as 3 did and comes back to orders; 6 and 7 stay with orders; 8 returns to customers.
    assert [look.stayed for look in looks] == [0, 0, 0, 1, 0, 1, 1, 1, 1, 0]
    assert [look.returned for look in looks] == [0, 0, 0, 1, 0, 0, 0, 1, 0, 0]


def test_queries(group: Explored) -> None:
    steps = group.steps["t1"]
    assert [step.queries for step in steps] == [0, 1, 2, 1, 1, 1, 1, 1, 1, 0]
    assert [step.python for step in steps] == [0, 0, 0, 0, 0, 1, 1, 0, 0, 0]
    assert [step.errors for step in steps] == [0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
    (joined,), (nested,) = steps[3].complexities, steps[7].complexities
    assert (joined.joins, joined.aggregates, joined.ctes, joined.windows) == (1, 1, 0, 0)
    assert (nested.joins, nested.subqueries, nested.ctes) == (1, 1, 1)
    assert (nested.aggregates, nested.windows) == (2, 1)
    # 6 holds a text that query() is given; 7 holds none.
    assert [len(step.complexities) for step in steps] == [0, 1, 2, 1, 1, 1, 0, 1, 1, 0]


def test_answers(group: Explored) -> None:
    steps = group.steps["t1"]
    assert [step.rows for step in steps] == [(), (20,), (10, 10), (8,), (), (), (), (1,), (1,), ()]
    # {"rows":[]} has eleven characters; [111] five, and a comma between two of them.
    long = [11 + 6 * n - 1 for n in (20, 10, 8, 1)]
    assert [step.characters for step in steps] == [
        (),
        (long[0],),
        (long[1], long[1]),
        (long[2],),
        (),
        (2,),
        (2,),
        (long[3],),
        (long[3],),
        (),
    ]


def test_new_tokens(group: Explored) -> None:
    tokens = [step.tokens for step in group.steps["t1"]]
    assert [t.own for t in tokens] == [20, 30, 40, 50, 60, 80, 90, 200 + 15, 210, 300]
    # 1120 - 1000 - 20, 1950 - 1120 - 30, ...; of 7: 3770 - 3580 - 90.
    assert [t.tools for t in tokens] == [100, 800, 700, 560, 40, 100, 100, 40, 40, 0]
    # The first prompt, and the nudge: 3825 - 3770 - 15.
    assert [t.prompts for t in tokens] == [1000, 0, 0, 0, 0, 0, 0, 40, 0, 0]


def change(group: Explored, name: str) -> Change:
    return next(each for each in group.changes if each.quantity == name)


def test_thirds(group: Explored) -> None:
    """The tenth turn makes no call, so that nine are left: 1 to 3, 4 to 6, 7 to 9."""
    queries = change(group, "queries_per_turn")
    assert (queries.first, queries.middle, queries.last) == (1, 1, 1)
    assert (queries.change, queries.fell, queries.rose) == (0, 0, 0)
    answers = change(group, "characters_per_answer")
    assert answers.first == pytest.approx((130 + 70 + 70) / 3)
    assert answers.last == pytest.approx((2 + 16 + 16) / 3)
    assert answers.change == pytest.approx((2 + 16 + 16) / (130 + 70 + 70))
    tokens = change(group, "tool_tokens_per_turn")
    assert tokens.first == pytest.approx((100 + 800 + 700) / 3)
    assert tokens.last == pytest.approx((100 + 40 + 40) / 3)
    windows = change(group, "windows_per_query")
    assert (windows.first, windows.last, windows.change) == (0, 1, 1)
    # One trajectory is one cluster: nothing can be tested.
    assert {each.p for each in group.changes} == {None}
    assert group.ending.all is None


def test_the_course_of_ten_turns_is_the_turns(group: Explored) -> None:
    told = {
        name: [p.value for p in course(group.steps) if p.quantity == name]
        for name in ("fields_so_far", "queries", "tool_tokens")
    }
    assert told["fields_so_far"] == [0, 4, 6, 6, 6, 6, 6, 6, 6, 6]
    assert told["queries"] == [0, 1, 2, 1, 1, 1, 1, 1, 1, 0]
    assert told["tool_tokens"] == [100, 800, 700, 560, 40, 100, 100, 40, 40, 0]


def test_the_map(found: Exploration) -> None:
    assert found.heat.unread_tables == ("notes",)
    assert found.heat.unread_columns == ()
    orders = found.heat.tables[0]
    assert [(c.name, c.is_key, c.accesses) for c in orders.columns] == [
        ("number", True, 1),
        ("customer_id", True, 3),
        ("amount", False, 6),
        ("placed_on", False, 2),
    ]
