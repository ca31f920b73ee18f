"""Generate the filings twin: companies that do not exist, in the tables of those that do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from databases.builder import Built
from databases.draws import Draws
from databases.filings import synthetic_texts as texts
from databases.filings.builder import create_tables
from databases.filings.synthetic_books import statements
from databases.filings.synthetic_concepts import (
    CONCEPTS,
    LINES,
    PLACES,
    REGION_MEMBERS,
    SEGMENT_MEMBERS,
    SEGMENTS,
)
from databases.filings.synthetic_facts import FIRST_LINE, FIRST_REGION, Columns, Writer
from databases.filings.synthetic_state import MODELS, SHOCKS, YEARS, Companies, Plan

if TYPE_CHECKING:
    import duckdb

    from databases.builder import BuildContext

_MB_PER_MILLION: Final = 90
"""Disk that a million rows take while they are written and hashed, MB."""

_FACTS = """
INSERT INTO facts SELECT fact, ids[company + 1], concepts[concept + 1],
    CASE WHEN instants[concept + 1] THEN 'instant' ELSE 'duration' END,
    CASE WHEN NOT instants[concept + 1] THEN starts[period + 1] END, ends[period + 1],
    first_year + year, CASE WHEN quarter = 0 THEN 'FY' ELSE 'Q' || quarter END,
    CASE WHEN units[concept + 1] IS NOT NULL THEN value * scale END, NULL, units[concept + 1],
    CASE WHEN units[concept + 1] IS NOT NULL THEN decimals END, (member > 0)::INTEGER + (other > 0)::INTEGER,
    ids[company + 1] || '-' || (first_year + year) ||
        CASE WHEN quarter IN (0, 4) THEN '-10-K' ELSE '-10-Q' || quarter END
FROM block, names
"""
_DIMENSIONS = """
INSERT INTO dimensions SELECT fact, ids[company + 1], axes[code + 1], members[code + 1]
FROM (
    SELECT fact, company, unnest([member, other]) AS code FROM block WHERE member > 0
), names
WHERE code > 0
"""


def generate(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Built:
    """Fill an empty database (databases.builder.Builder); the secrets are the hidden states."""
    plan = Plan.of(context.seed, context.options)
    context.progress("drawing the companies", 0.01)
    companies = Companies(plan)
    context.refuse_full_disk(20 + int(context.options["rows"]) * _MB_PER_MILLION // 1_000_000)
    create_tables(connection)
    book = statements(companies)
    writer = Writer(companies, book)
    _name(connection, companies, writer)
    written = 0
    for block in writer.blocks():
        written += _insert(connection, companies, block)
        told = int(block["company"][-1]) + 1
        share = 0.02 + 0.68 * told / companies.count
        context.progress(f"writing facts: {written:,}, company {told} of {companies.count}", share)
    _write_companies(connection, companies)
    _write_texts(connection, companies, context)
    context.documents.add_all(texts.documents(companies, book))
    connection.execute("DROP TABLE names")
    return Built(secrets=secrets(companies))


def secrets(companies: Companies) -> dict[str, Any]:
    """The hidden state of each company, by its cik."""
    return {
        cik: {
            "model": MODELS[int(companies.model[place])].name,
            "shock": SHOCKS[int(companies.shock[place])],
            "shock_year": companies.first_year + int(companies.shock_year[place]),
            "shock_strength": int(companies.shock_pm[place]) / 1000,
            "growth": int(companies.growth_pm[place]) / 1000,
            "margin": int(companies.margin_pm[place]) / 1000,
            "rising_segment": SEGMENT_MEMBERS[MODELS[int(companies.model[place])].name][
                int(companies.rising_segment[place])
            ],
        }
        for place, cik in enumerate(companies.ids)
    }


def _insert(connection: duckdb.DuckDBPyConnection, companies: Companies, block: Columns) -> int:
    import numpy as np
    import pandas as pd

    names = list(CONCEPTS)
    decimals = companies.decimals[block["company"]]
    is_eps = block["concept"] == names.index("eps")
    block["decimals"] = np.where(is_eps, 2, decimals)
    block["scale"] = np.where(is_eps, 0.01, np.where(decimals == -6, 1e6, 1e3))
    month = companies.year_end_month[block["company"]]
    block["period"] = (month * YEARS + block["year"]) * 5 + block["quarter"]
    connection.register("block", pd.DataFrame(block, copy=False))
    connection.execute(_FACTS)
    connection.execute(_DIMENSIONS)
    connection.unregister("block")
    return len(block["fact"])


def _name(connection: duckdb.DuckDBPyConnection, companies: Companies, writer: Writer) -> None:
    """One row of lists: what the codes of the blocks stand for. Temporary, so that no file holds it."""
    units = {"money": "USD", "money per share": "USD/shares", "shares": "shares"}
    members = ["", *(member for model in MODELS for member in SEGMENT_MEMBERS[model.name])]
    members += REGION_MEMBERS
    members += [
        f"own:ProductLine{line:02d}Member" for line in range(1, int(companies.lines.max()) + 1)
    ]
    axes = [SEGMENTS] * FIRST_REGION + [PLACES] * (FIRST_LINE - FIRST_REGION)
    axes += [LINES] * (len(members) - len(axes))
    periods = [period for quarters in writer.periods for period in quarters]
    connection.execute(
        "CREATE TEMP TABLE names AS SELECT ?::VARCHAR[] AS ids, ?::VARCHAR[] AS concepts, "
        "?::BOOLEAN[] AS instants, ?::VARCHAR[] AS units, ?::VARCHAR[] AS axes, "
        "?::VARCHAR[] AS members, ?::DATE[] AS starts, ?::DATE[] AS ends, ?::INTEGER AS first_year",
        [
            companies.ids,
            [concept.name for concept in CONCEPTS.values()],
            [concept.is_instant for concept in CONCEPTS.values()],
            [units.get(concept.unit_kind) for concept in CONCEPTS.values()],
            axes,
            members,
            [start for start, _ in periods],
            [end for _, end in periods],
            companies.first_year,
        ],
    )


def _write_companies(connection: duckdb.DuckDBPyConnection, companies: Companies) -> None:
    draws, every = Draws(f"{companies.plan.seed}|names"), range(companies.count)
    names = texts.company_names(companies)
    states = draws.whole("state", every, len(texts.STATES)).tolist()
    rows = []
    for place, cik in enumerate(companies.ids):
        model = MODELS[int(companies.model[place])]
        month = int(companies.year_end_month[place])
        is_large = int(companies.decimals[place]) == -6
        last = {6: "06-30", 9: "09-30", 1: "01-31"}.get(month, "12-31")
        rows.append(
            (cik, names[place], last, model.sic, model.industry, texts.STATES[states[place]],
             "Large accelerated filer" if is_large else "Accelerated filer",
             "Nasdaq" if place % 2 else "NYSE", texts.ticker(names[place], place))
        )  # fmt: skip
    _fill(connection, "companies", rows)
    connection.execute(
        "INSERT INTO filings SELECT filing_id, any_value(cik), "
        "CASE WHEN filing_id LIKE '%-10-K' THEN '10-K' ELSE '10-Q' END, any_value(fiscal_year), "
        "CASE WHEN filing_id LIKE '%-10-K' THEN 'FY' ELSE 'Q' || right(filing_id, 1) END, "
        "max(period_end), max(period_end) + 40, NULL FROM facts GROUP BY filing_id "
        "ORDER BY any_value(cik), max(period_end)"
    )
    concepts = [
        (
            c.name,
            c.taxonomy,
            c.label,
            c.description,
            "instant" if c.is_instant else "duration",
            c.unit_kind,
        )
        for c in sorted(CONCEPTS.values(), key=lambda c: c.name)
    ]
    _fill(connection, "concepts", concepts)


def _write_texts(
    connection: duckdb.DuckDBPyConnection, companies: Companies, context: BuildContext
) -> None:
    """The facts that are texts: one a year, which the hostile twin has something planted in."""
    rows, planted = texts.policies(companies)
    _fill(connection, "policies", rows, "cik, year, said", temporary=True)
    connection.execute(
        "UPDATE facts SET value_text = said FROM policies "
        "WHERE facts.concept = $1 AND facts.cik = policies.cik AND facts.fiscal_year = policies.year",
        [CONCEPTS["policy"].name],
    )
    connection.execute("DROP TABLE policies")
    context.documents.add_all(planted)


def _fill(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    rows: list[tuple[Any, ...]],
    columns: str = "",
    *,
    temporary: bool = False,
) -> None:
    """One statement with a list per column: row by row takes seconds."""
    asked = ", ".join(["unnest(?)"] * len(rows[0]))
    values = [list(column) for column in zip(*rows, strict=True)]
    if temporary:
        connection.execute(f"CREATE TEMP TABLE {table}({columns}) AS SELECT {asked}", values)
    else:
        connection.execute(f"INSERT INTO {table} SELECT {asked}", values)
