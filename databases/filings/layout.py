"""Find out of a SQLite file that holds reported facts which of its columns mean what."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from core.sql import quote

ROLES: Mapping[str, tuple[str, ...]] = {
    "cik": ("cik", "company_cik", "cik_number", "entity_cik"),
    "concept": ("fact_name", "concept", "concept_name", "tag", "fact", "metric", "account"),
    "value": ("fact_value", "value", "val", "numeric_value", "amount"),
    "unit": ("unit", "units", "unit_of_measure", "uom", "unit_ref"),
    "start": ("period_start", "start_date", "period_start_date", "start"),
    "end": (
        "period_end",
        "end_date",
        "period_end_date",
        "instant",
        "period_instant",
        "end",
        "ddate",
    ),
    "year": ("fiscal_year", "fy", "year"),
    "part": ("fiscal_period", "fp", "period"),
    "form": ("form", "form_type", "filing_type"),
    "filed": ("filed", "filed_date", "filing_date", "filed_on"),
    "accession": ("accession_number", "accn", "accession", "adsh"),
    "decimals": ("decimals",),
    "taxonomy": ("taxonomy", "namespace", "prefix"),
    "name": ("company_name", "entity_name", "registrant_name", "conformed_name", "name", "title"),
}
"""What a column may mean, to the names by which it is known; the first that is there is taken."""
NEEDED = ("cik", "concept", "value")
_OWN = ("concept", "value")
"""These tell which table holds the facts: they must stand in one."""

_REFERRED = {
    "cik": ("compan", "entit", "registrant"),
    "accession": ("filing", "submission", "report", "sub"),
}
"""Roles by which a table refers to another, and how the other's name begins."""


@dataclass(frozen=True)
class Layout:
    """Where the facts are, and how each role is read."""

    facts: str
    columns: Mapping[str, str]
    """Role to the SQL expression that gives it, over `joins`."""
    joins: str
    """The FROM clause."""


def tables_of(connection: sqlite3.Connection) -> dict[str, dict[str, str]]:
    """Each table to its columns: the name in small letters to the name as it is."""
    names = connection.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' "
        "ORDER BY name"
    ).fetchall()
    return {
        name: {
            column.lower(): column
            for (_, column, *_) in connection.execute(f"PRAGMA table_info({quote(name)})")
        }
        for (name,) in names
    }


def role_in(columns: Mapping[str, str], role: str) -> str | None:
    """The column that has a role, if one has."""
    return next((columns[known] for known in ROLES[role] if known in columns), None)


def find_companies(tables: Mapping[str, Mapping[str, str]]) -> tuple[str, str, str | None] | None:
    """The table with one row per company: its name, its CIK's column and its name's."""
    found = [
        (role_in(columns, "name") is None, len(columns), name)
        for name, columns in tables.items()
        if role_in(columns, "cik") and not all(role_in(columns, role) for role in _OWN)
    ]
    if not found:
        return None
    *_, name = min(found)
    return name, role_in(tables[name], "cik") or "", role_in(tables[name], "name")


def find_layout(tables: Mapping[str, Mapping[str, str]]) -> Layout | None:
    """The facts with what other tables say of them by a shared key; None where no table holds facts."""
    holders = [n for n, columns in tables.items() if all(role_in(columns, r) for r in _OWN)]
    if not holders:
        return None
    facts = max(holders, key=lambda n: (sum(bool(role_in(tables[n], r)) for r in ROLES), n))
    columns = {
        role: f"t0.{quote(column)}" for role in ROLES if (column := role_in(tables[facts], role))
    }
    joins = f"{quote(facts)} t0"
    reached = {facts: "t0"}
    # Twice, so that a company is found by way of the report that a fact stands in.
    for _ in range(2):
        for name, others in tables.items():
            if name in reached or name in holders:
                continue
            if (key := _key(tables, reached, name)) is None:
                continue
            alias, mine, theirs = key
            reached[name] = f"t{len(reached)}"
            joins += f" LEFT JOIN {quote(name)} {reached[name]}"
            joins += f" ON {reached[name]}.{quote(theirs)} = {alias}.{quote(mine)}"
            for role in ROLES:
                if role not in columns and (column := role_in(others, role)):
                    columns[role] = f"{reached[name]}.{quote(column)}"
    if any(role not in columns for role in NEEDED):
        return None
    return Layout(facts, columns, joins)


def _key(
    tables: Mapping[str, Mapping[str, str]], reached: Mapping[str, str], name: str
) -> tuple[str, str, str] | None:
    """A reached table's alias and column, and this table's column that it refers to."""
    others = tables[name]
    single = name.lower().removesuffix("s").removesuffix("ie") + ("y" * name.endswith("ies"))
    for known, alias in reached.items():
        for lower, column in tables[known].items():
            if lower == f"{single}_id" and "id" in others:
                return alias, column, others["id"]
            if lower == f"{single}_id" and lower in others:
                return alias, column, others[lower]
            for role, kinds in _REFERRED.items():
                their = role_in(others, role)
                if their and lower in ROLES[role] and single.startswith(kinds):
                    return alias, column, their
    return None
