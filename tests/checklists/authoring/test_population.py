"""Where an entity stands is what leaving it out and reckoning anew gives; sharing a statement changes nothing."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checklists.authoring.asking import Cell, Cells, ask, first, over_all
from checklists.authoring.population import Population
from checklists.authoring.template import Template
from tests.checklists.authoring.bazaar import (
    MONTH,
    SUBJECT,
    TOP_WARE,
    WARE,
    bazaar,
    distinct,
    share,
    template,
)

VALUES = st.dictionaries(
    st.sampled_from("abcdefghij"), st.integers(-50, 50).map(float), min_size=1, max_size=10
)


def population(values: Mapping[str, float], one: Template | None = None) -> Population:
    table: dict[str, Cells] = {entity: {None: Cell(value, 100)} for entity, value in values.items()}
    return Population(one or template(), table)


@given(values=VALUES)
def test_the_standing_is_that_among_the_others(values: dict[str, float]) -> None:
    whole = population(values)
    for entity, value in values.items():
        others = [found for other, found in values.items() if other != entity]
        standing = whole.standing(entity, None, value)
        if len(others) < 3 or statistics.stdev(others) == 0:
            assert standing == 0
        else:
            expected = (value - statistics.fmean(others)) / statistics.stdev(others)
            assert standing == pytest.approx(expected, abs=1e-9)


@given(values=VALUES, reach=st.floats(0, 20))
def test_those_whose_figure_would_pass_are_found(values: dict[str, float], reach: float) -> None:
    whole = population(values)
    for entity, value in values.items():
        near = sorted(o for o, v in values.items() if o != entity and abs(v - value) <= reach)
        found = whole.passers(entity, None, reach)
        # A sum and a difference of floating-point numbers may differ by their last digit.
        assert [o for o in found if abs(abs(values[o] - value) - reach) > 1e-9] == [
            o for o in near if abs(abs(values[o] - value) - reach) > 1e-9
        ]


def test_sizes_are_compared_by_their_logarithms_where_all_have_one() -> None:
    size = template(figure=share("count(*)"))
    logged = template(figure=size.figure.__class__(**{**size.figure.__dict__, "log": True}))
    values = {entity: 10.0**power for power, entity in enumerate("abcdef")}
    others = [math.log(value) for entity, value in values.items() if entity != "f"]
    expected = (math.log(1e5) - statistics.fmean(others)) / statistics.stdev(others)
    assert population(values, logged).standing("f", None, 1e5) == pytest.approx(expected)
    values["a"] = 0.0
    plain = population(values, size).standing("f", None, 1e5)
    assert population(values, logged).standing("f", None, 1e5) == pytest.approx(plain)


def test_an_entity_without_a_group_has_none_of_its_share() -> None:
    table: dict[str, Cells] = {
        entity: {"x": Cell(float(10 + number), 50)} if number < 3 else {"y": Cell(90.0, 50)}
        for number, entity in enumerate("abcdef")
    }
    grouped = template(figure=share("s"), per=WARE)
    whole = Population(grouped, table)
    others = [11.0, 12.0, 0.0, 0.0, 0.0]
    expected = (10 - statistics.fmean(others)) / statistics.stdev(others)
    assert whole.standing("a", "x", 10.0) == pytest.approx(expected)
    assert whole.passers("a", "x", 10.0) == ("b", "c", "d", "e", "f")
    assert whole.passers("a", "x", 1.5) == ("b",)


def test_templates_that_read_the_same_rows_share_a_statement_and_say_the_same() -> None:
    kinds = [
        template(),
        template(name="wares", figure=distinct("trades.ware")),
        TOP_WARE,
        template(name="by-ware", per=WARE),
        template(name="by-month", per=MONTH),
        template(name="dear", where="trades.price > 30"),
    ]
    together = ask(kinds, SUBJECT, bazaar())
    alone = {kind.name: ask([kind], SUBJECT, bazaar())[kind.name] for kind in kinds}
    assert together == alone
    market = over_all(kinds, SUBJECT, bazaar())
    assert market == {k.name: over_all([k], SUBJECT, bazaar())[k.name] for k in kinds}


def test_the_first_group_is_the_highest_or_lowest_of_those_large_enough() -> None:
    cells: Cells = {
        "a": Cell(5.0, 100),
        "b": Cell(9.0, 3),
        "c": Cell(5.0, 100),
        "d": Cell(1.0, 100),
    }
    highest = template(per=WARE)
    assert first(highest, cells, 1) == "b"
    assert first(highest, cells, 50) == "a"
    assert first(template(per=WARE, pick="min"), cells, 1) == "d"
    assert first(highest, cells, 500) is None
    assert first(template(), {None: Cell(1.0, 1)}, 0) is None
