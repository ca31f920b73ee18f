"""Word what an agent is told of a column: what it is, how much is missing, and nobody's own value."""

from __future__ import annotations

from typing import Final

from databases.own.anonymise import ColumnRule
from databases.own.profile import ColumnProfile

_KINDS: Final = {
    "BOOLEAN": "True or false",
    "DATE": "Date",
    "TIMESTAMP": "Date and time",
    "VARCHAR": "Text",
    "DOUBLE": "Number",
    "FLOAT": "Number",
}


def described(column: ColumnProfile, rule: ColumnRule) -> str:
    """A sentence or two in figures. Values are told of columns alone that stay as they are."""
    parts = [_what(column, rule), _missing(column)]
    if rule.change == "keep":
        if column.codes is not None:
            parts.append(f"values: {', '.join(column.codes)}")
        else:
            parts.append(f"{column.distinct:,} different values")
        if column.usual is not None and column.codes is None:
            low, high = column.usual
            parts.append(f"mostly from {low:g} to {high:g}")
    return "; ".join(parts) + "."


def _what(column: ColumnProfile, rule: ColumnRule) -> str:
    if rule.change == "id" and rule.kind is not None:
        return f"Id of a {rule.kind.replace('_', ' ')}, replaced"
    kind = _KINDS.get(rule.type)
    if kind is None:
        kind = "Whole number" if "INT" in rule.type and rule.type != "INTERVAL" else None
        kind = kind or ("Number" if column.is_number else rule.type.capitalize())
    return f"{kind}, moved by whole weeks" if rule.change == "shift" else kind


def _missing(column: ColumnProfile) -> str:
    if column.filled == column.rows:
        return "never NULL"
    share = 100 * (1 - column.filled / column.rows)
    return f"NULL in {share:.1f} % of rows"
