"""Candidates are ranked by how far an entity stands out, and doubtful ones carry their fault."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checklists.authoring.candidates import Candidate, find, find_all, tolerance
from checklists.authoring.template import Figure, Template
from tests.checklists.authoring.bazaar import (
    MONTH,
    SUBJECT,
    TOP_WARE,
    bazaar,
    distinct,
    mean,
    share,
    template,
)


def found(one: Template) -> dict[str, Candidate]:
    return {c.entity_id: c for c in find(one, SUBJECT, bazaar())}


@pytest.mark.parametrize(
    ("figure", "value", "allowed"),
    [
        (mean("x"), 20.0, 0.4),
        (mean("x"), 1.0, 0.05),
        (mean("x"), -20.0, 0.4),
        (mean("x", digits=0), 1000.0, 20.0),
        (mean("x", exact=True), 2004.3, 0.05),
        (Figure("median(x)", statistic="median", digits=0), -5.0, 0.5),
        (share("x", digits=2), 0.4, 0.008),
        (distinct("x"), 620.0, 12.4),
        (distinct("x", exact=True), 47.0, 0.0),
        (Figure("max(x)", kind="extreme", digits=0, exact=True), 1301.0, 0.0),
        (Figure("corr(x, y)", kind="correlation", digits=2), 0.2, 0.005),
    ],
)
def test_a_claim_may_be_off_by_two_percent_or_half_the_printed_unit(
    figure: Figure, value: float, allowed: float
) -> None:
    assert tolerance(figure, value) == pytest.approx(allowed)


@given(st.floats(-1e6, 1e6), st.integers(0, 3))
def test_a_tolerance_lets_the_printed_figure_itself_pass(value: float, digits: int) -> None:
    figure = mean("x", digits=digits)
    assert abs(round(value, digits) - value) <= tolerance(figure, value) + 1e-9


def test_each_entity_is_compared_with_the_others_in_standard_deviations() -> None:
    candidates = found(template())
    standing = [candidates[f"s{k}"].standing for k in range(1, 9)]
    assert standing == sorted(standing)
    # Stall 1 against 20, 30, ... 80: mean 50, standard deviation 21.6.
    assert candidates["s1"].standing == pytest.approx((10 - 50) / 21.602, abs=0.01)
    assert candidates["s8"].standing > 1.5


def test_sizes_are_compared_on_a_log_scale() -> None:
    plain = dataclasses.replace(mean("trades.price"), value="count(*)", log=False)
    logged = dataclasses.replace(plain, log=True)
    assert (
        found(template(figure=logged))["s1"].standing < found(template(figure=plain))["s1"].standing
    )


def test_entities_whose_figure_would_pass_for_anothers_are_listed() -> None:
    assert all(c.passers == () for c in found(template()).values())
    coarse = dataclasses.replace(mean("trades.price"), value="floor(min(trades.price) / 25)")
    assert found(template(figure=coarse))["s1"].passers == ("s2",)


def test_a_group_is_compared_with_the_same_group_of_the_others() -> None:
    candidates = found(TOP_WARE)
    assert {e: c.group for e, c in candidates.items()} == {
        f"s{k}": f"w{k % 3}" for k in range(1, 9)
    }
    assert set(candidates["s1"].passers) <= {"s4", "s7"}


def test_a_fact_on_few_rows_is_a_fault() -> None:
    assert found(template(min_support=250))["s2"].fault == "only 200 rows"
    assert found(template(min_support=250))["s3"].fault is None


def test_a_figure_that_rounding_eats_is_next_to_nothing() -> None:
    tiny = mean("trades.price / 100")
    assert found(template(figure=tiny))["s2"].fault == "the figure is next to nothing"
    assert found(template(figure=tiny))["s8"].fault is None


def test_a_weak_correlation_is_next_to_nothing() -> None:
    weak = Figure("0.08", kind="correlation", digits=2)
    assert found(template(figure=weak))["s2"].fault == "the figure is next to nothing"


def test_a_gain_that_is_a_loss_is_left_out_where_the_text_speaks_of_a_gain() -> None:
    loss = mean("trades.price - 45")
    assert (
        found(template(figure=loss, positive=True))["s1"].fault == "the figure is next to nothing"
    )
    assert found(template(figure=loss, positive=True))["s8"].fault is None


def test_what_is_true_of_all_entities_together_is_a_fault_where_the_text_compares() -> None:
    same = dataclasses.replace(mean("trades.price"), value="avg(dayofmonth(trades.day))")
    assert found(template(figure=same))["s8"].fault == "it is true of all entities together"
    silent = template(figure=same, answer="{entity}: {value}")
    assert found(silent)["s8"].fault is None


def test_a_runner_up_within_two_tolerances_is_a_fault() -> None:
    level = template(per=MONTH, answer="{entity}: {value} in {group}")
    assert {c.fault for c in found(level).values()} == {"the runner-up is within two tolerances"}
    assert found(TOP_WARE)["s4"].fault is None


def test_a_group_that_stands_first_by_a_handful_of_rows_is_a_fault() -> None:
    connection = bazaar()
    connection.execute("INSERT INTO trades SELECT 's5', 900.0, 'w9', DATE '2021-05-01'")
    by_ware = template(per=dataclasses.replace(MONTH), answer="{entity}: {value} in {group}")
    (mine,) = [c for c in find(by_ware, SUBJECT, connection) if c.entity_id == "s5"]
    assert mine.group == "2021-05" and mine.fault == "only 1 rows"
    few = dataclasses.replace(by_ware, min_support=1)
    (mine,) = [c for c in find(few, SUBJECT, connection) if c.entity_id == "s5"]
    assert mine.fault is None
    connection.execute(
        "INSERT INTO trades SELECT 's5', 800.0, 'w9', DATE '2021-06-01' FROM range(9)"
    )
    connection.execute(
        "INSERT INTO trades SELECT 's5', 900.0, 'w9', DATE '2021-05-01' FROM range(5)"
    )
    (mine,) = [c for c in find(few, SUBJECT, connection) if c.entity_id == "s5"]
    assert mine.fault is None
    six = dataclasses.replace(by_ware, min_support=8)
    (mine,) = [c for c in find(six, SUBJECT, connection) if c.entity_id == "s5"]
    assert mine.fault == "only 6 rows"


def test_an_only_group_stands_first_of_nothing() -> None:
    one_ware = template(
        per=MONTH, where="trades.day < DATE '2020-02-01'", answer="{value} {group} {entity}"
    )
    assert {c.fault for c in found(one_ware).values()} == {"there is one group only"}


def test_entities_that_do_not_fulfil_a_need_have_no_candidate() -> None:
    needy = template(needs="large")
    sql = "SELECT stall FROM trades GROUP BY stall HAVING count(*) >= 600"
    candidates = find_all([needy, template()], SUBJECT, {"large": sql}, bazaar())
    assert [c.entity_id for c in candidates if c.template is needy] == ["s6", "s7", "s8"]
    assert len([c for c in candidates if c.template is not needy]) == 8


def test_an_entity_without_the_figure_has_no_candidate() -> None:
    connection = bazaar()
    connection.execute("UPDATE trades SET price = NULL WHERE stall = 's3'")
    assert "s3" not in {c.entity_id for c in find(template(), SUBJECT, connection)}
