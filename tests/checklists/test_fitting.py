"""A disorder fits a fact where it takes away what the fact rests on."""

from __future__ import annotations

import pytest

from checklists.fitting import unfit, why_it_does_not_fit
from checklists.statement import columns_read
from checklists.validate import schema_of
from core.checklist import Signals
from core.errors import ChecklistError
from tests.checklists.small import item, small

SCHEMA = schema_of(small())


def signals(kind: str, **changes: object) -> Signals:
    return Signals.model_validate({"metric": ("@sales.price",), "kind": kind, **changes})


@pytest.mark.parametrize(
    ("sql", "reads"),
    [
        ("SELECT avg(price) FROM sales WHERE shop = 'north'", {"sales": {"price", "shop"}}),
        ("SELECT count(*) FROM Sales", {"sales": set()}),
        (
            "SELECT avg(weight) FROM sales JOIN goods USING (good)",
            {"sales": {"good"}, "goods": {"good", "weight"}},
        ),
        (
            "WITH own AS (SELECT shop, avg(price) AS mean FROM sales GROUP BY shop) "
            "SELECT max(mean) FROM own",
            {"sales": {"shop", "price"}},
        ),
        (
            "SELECT avg(price) FROM sales WHERE good IN (SELECT good FROM goods WHERE maker = 'Ax')",
            {"sales": {"price", "good"}, "goods": {"good", "maker"}},
        ),
        ("SELECT 1", {}),
    ],
)
def test_the_columns_that_a_statement_reads_are_known_by_table(
    sql: str, reads: dict[str, set[str]]
) -> None:
    assert columns_read(sql, SCHEMA) == reads


@pytest.mark.parametrize("sql", ["SELECT FROM WHERE", "SELECT avg(cost) FROM sales"])
def test_what_cannot_be_understood_is_said(sql: str) -> None:
    with pytest.raises(ChecklistError, match="the evidence cannot be understood"):
        columns_read(sql, SCHEMA)


@pytest.mark.parametrize(
    ("perturbation", "told"),
    [
        ("outcome: sales(price)", None),
        ("entities: sales(shop)", None),
        ("outcome: sales(late, price)", None),
        ("outcome: sales(late)", "it disorders late of sales, and the evidence reads price, shop"),
        ("join: goods(good)", "it disorders goods, and the evidence reads sales"),
        ("time: sales(day)", "it disorders day of sales"),
        ("shuffle: sales(price)", "unknown kind of perturbation"),
        (None, "no perturbation"),
    ],
)
def test_what_the_evidence_does_not_read_breaks_it_by_accident_alone(
    perturbation: str | None, told: str | None
) -> None:
    reason = why_it_does_not_fit(item(perturbation=perturbation), SCHEMA)
    assert reason is None if told is None else told in (reason or "")


@pytest.mark.parametrize(
    ("about", "told"),
    [
        (signals("level"), None),
        (signals("count"), None),
        (signals("level", period=("May 2020",)), "rests on time"),
        (signals("change", comparator="time"), "rests on time"),
        (signals("correlation"), "a correlation rests on what goes with what"),
    ],
)
def test_exchanged_entities_say_nothing_of_time_and_of_correlations(
    about: Signals, told: str | None
) -> None:
    fact = item(perturbation="entities: sales(shop)", signals=about)
    reason = why_it_does_not_fit(fact, SCHEMA)
    assert reason is None if told is None else told in (reason or "")


def test_items_are_told_apart_by_what_they_are_about() -> None:
    level = item(perturbation="entities: sales(shop)")
    timed = level.model_copy(
        update={"id": "timed", "signals": signals("level", period=("May 2020",))}
    )
    assert set(unfit([level, timed], SCHEMA).failed) == {"timed"}
