"""A bazaar of eight stalls whose figures are known by counting, and templates about them."""

from __future__ import annotations

import dataclasses
from typing import Any

import duckdb

from checklists.authoring.author import Brief, alike
from checklists.authoring.candidates import Candidate
from checklists.authoring.template import Figure, Key, Subject, Template
from core.scenario import License

SUBJECT = Subject(scenario_id="bazaar", column="trades.stall", noun="stall")

WARE = Key(
    sql="trades.ware",
    words=lambda key: key,
    aliases=lambda key: (key, f"@trades.ware {key}"),
    slot="scope",
)
MONTH = Key(
    sql="strftime(trades.day, '%Y-%m')",
    words=lambda key: f"month {key}",
    aliases=lambda key: (key,),
    slot="period",
)


def mean(column: str, unit: str = "", *, digits: int = 1, exact: bool = False) -> Figure:
    """The mean of a column."""
    return Figure(
        value=f"avg({column})",
        support=f"count({column})",
        statistic="mean",
        unit=unit,
        digits=digits,
        exact=exact,
    )


def share(value: str, *, digits: int = 1) -> Figure:
    """A share in percent."""
    return Figure(value=value, kind="share", statistic="share", unit="%", digits=digits)


def distinct(column: str, *, exact: bool = False) -> Figure:
    """How many different values a column has."""
    return Figure(
        value=f"count(DISTINCT {column})",
        kind="count",
        statistic="distinct",
        digits=0,
        exact=exact,
    )


def bazaar() -> duckdb.DuckDBPyConnection:
    """Stall k (1 to 8) trades 100 k times at a mean price of 10 k, mostly in ware k modulo 3."""
    connection = duckdb.connect(":memory:")
    connection.execute(
        """
        CREATE TABLE trades AS
        SELECT 's' || k AS stall,
            10.0 * k + n % 3 - 1 AS price,
            'w' || CASE WHEN n % 10 < 6 THEN k % 3 ELSE n % 3 END AS ware,
            DATE '2020-01-01' + (n % 100)::INTEGER AS day
        FROM range(1, 9) AS stalls(k), range(800) AS rows(n)
        WHERE n < 100 * k;
        CREATE MACRO content_fingerprint() AS 'f00d';
        """
    )
    return connection


def template(**changes: Any) -> Template:
    """The mean price of a stall, changed at will."""
    fields: dict[str, Any] = {
        "name": "mean-price",
        "theme": "price",
        "category": "prices",
        "difficulty": "easy",
        "plain": True,
        "figure": mean("trades.price", "min"),
        "question": "What does a trade of {entity} cost on average?",
        "answer": "The mean price of {entity} is {value}, against {market} over all stalls.",
        "metric": ("@trades.price",),
        "disorder": "outcome: trades(price)",
    }
    return Template(**{**fields, **changes})


TOP_WARE = template(
    name="top-ware",
    theme="ware",
    category="wares",
    difficulty="medium",
    figure=share("100.0 * count(*) / sum(count(*)) OVER ({whole})"),
    per=WARE,
    question="Which ware does {entity} trade most, and with what share of its trades?",
    answer="{entity} trades {group} most, with {value} of its trades.",
    metric=("@trades.ware",),
    disorder="entities: trades(stall)",
)
VACUOUS = template(
    name="size",
    theme="size",
    figure=dataclasses.replace(mean("trades.price"), value="count(*)", kind="count", digits=0),
    question="How many trades does {entity} make?",
    answer="{entity} makes {value} trades.",
)
"""Its disorder leaves counts as they are: it can never be proved."""


def candidate(**changes: Any) -> Candidate:
    """A sound candidate, changed at will."""
    fields: dict[str, Any] = {
        "template": template(),
        "entity_id": "s1",
        "group": None,
        "value": 10.0,
        "market": 60.0,
        "standing": -1.5,
        "passers": (),
        "fault": None,
    }
    return Candidate(**{**fields, **changes})


def brief(*templates: Template, wanted: int = 2) -> Brief:
    """A brief that wants so many items of each stall."""
    return Brief(
        subject=SUBJECT,
        templates=templates,
        wanted=alike(wanted),
        version="1",
        license=License(name="CC0-1.0"),
    )
