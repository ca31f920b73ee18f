"""Rewrite a SELECT of DuckDB for SQLite, or say what in it cannot be said there.

Only what is known to mean the same is let through: a function that SQLite understands otherwise would
call a true fact false.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from checklists.second.functions import PARTS, PREFIX, UNITS
from core.errors import ChecklistError

if TYPE_CHECKING:
    from sqlglot import exp

Types = Mapping[str, Mapping[str, str]]
"""The type of each column in DuckDB's words, by table."""

_AS_IT_IS = {
    "Sum", "Count", "Avg", "Min", "Max", "Coalesce", "Case", "If", "Nullif", "Abs", "Upper", "Lower",
    "Length", "Substring", "RowNumber", "Rank", "DenseRank", "Lag", "Lead", "And", "Or", "Exists",
    "LogicalOr", "LogicalAnd", "CountIf", "Ntile",
}  # fmt: skip
"""Functions that both engines take alike, or that sqlglot says in SQLite's own words."""
_NUMBERS = {
    "Median": "median", "PercentileCont": "quantile_cont", "PercentileDisc": "quantile_disc",
    "Mode": "mode", "Variance": "var_samp", "VariancePop": "var_pop", "Stddev": "stddev_samp",
    "StddevSamp": "stddev_samp", "StddevPop": "stddev_pop", "Corr": "corr", "RegrSlope": "regr_slope",
    "RegrR2": "regr_r2", "CovarSamp": "covar_samp", "CovarPop": "covar_pop", "ArgMax": "arg_max",
    "ArgMin": "arg_min", "Floor": "floor", "Ceil": "ceil", "Sqrt": "sqrt", "Ln": "ln", "Exp": "exp",
    "Pow": "pow",
}  # fmt: skip
"""Functions of numbers that are added to SQLite."""
_PARTS = {
    "Year": "year", "Quarter": "quarter", "Month": "month", "Week": "week", "Day": "day",
    "Hour": "hour", "Minute": "minute", "DayOfWeek": "dow", "DayOfWeekIso": "isodow",
    "DayOfYear": "doy",
}  # fmt: skip
_WHOLE = {
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "BOOLEAN",
    "UTINYINT",
    "USMALLINT",
    "UINT",
    "UBIGINT",
}
_MOMENTS = {"TIMESTAMP", "TIMESTAMPNTZ"}


def rewritten(sql: str, types: Types) -> str:
    """The same question to SQLite. Raises ChecklistError with what it has no words for."""
    import sqlglot
    from sqlglot.errors import SqlglotError
    from sqlglot.optimizer.annotate_types import annotate_types
    from sqlglot.optimizer.qualify import qualify

    schema: dict[str, object] = {table: dict(columns) for table, columns in types.items()}
    try:
        tree = qualify(sqlglot.parse_one(sql, dialect="duckdb"), schema=schema, dialect="duckdb")
        tree = annotate_types(tree, schema=schema, dialect="duckdb")
        # From the leaves up: what stands inside a node has its new form already, and its old type.
        for node in reversed(list(tree.bfs())):
            _rewrite(node)
        return tree.sql(dialect="sqlite", unsupported_level=sqlglot.ErrorLevel.RAISE)
    except SqlglotError as exc:
        raise ChecklistError(str(exc).strip().splitlines()[0]) from exc


def _rewrite(node: exp.Expr) -> None:
    from sqlglot import exp

    kind = type(node).__name__
    if isinstance(node, exp.Interval):
        raise ChecklistError("intervals")
    if isinstance(node, (exp.Add, exp.Sub)):
        _arithmetic(node)
    elif isinstance(node, (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)):
        _comparison(node, [node.this, node.expression])
    elif isinstance(node, exp.Between):
        _comparison(node, [node.this, node.args["low"], node.args["high"]])
    elif isinstance(node, exp.IgnoreNulls):
        if not isinstance(node.this, exp.AnyValue):
            raise ChecklistError("IGNORE NULLS")
        _put(node, exp.Max(this=node.this.this))
    elif isinstance(node, (exp.Cast, exp.TryCast)):
        _cast(node)
    elif isinstance(node, exp.Table) and not isinstance(node.this, exp.Identifier):
        raise ChecklistError("a table function")
    elif isinstance(node, (exp.ILike, exp.SimilarTo, exp.Lambda, exp.Lateral, exp.Unnest)):
        raise ChecklistError(kind)
    elif isinstance(node, exp.IntDiv):
        node.type = exp.DType.INT
    elif isinstance(node, (exp.Paren, exp.Neg)):
        node.type = node.this.type
    elif isinstance(node, exp.Func) and not isinstance(node, exp.AnyValue):
        _function(node, kind)


def _function(node: exp.Func, kind: str) -> None:
    from sqlglot import exp

    text, whole, real = exp.DType.VARCHAR, exp.DType.INT, exp.DType.DOUBLE
    if isinstance(node, (exp.Max, exp.Min)) and node.expressions:
        raise ChecklistError(f"{kind} of several")
    if kind in _AS_IT_IS:
        return
    if kind in _PARTS:
        _call(node, "part", exp.Literal.string(_PARTS[kind]), node.this, of=whole)
    elif isinstance(node, exp.Extract):
        _part(node, node.name, node.expression)
    elif isinstance(node, exp.Anonymous) and node.name.lower() == "date_part":
        _part(node, node.expressions[0].name, node.expressions[1])
    elif isinstance(node, exp.TimeToStr):
        _call(node, "strftime", node.this, node.args["format"], of=text)
    elif kind in {"Dayname", "Monthname"}:
        _call(node, kind.lower(), node.this, of=text)
    elif isinstance(node, exp.DateDiff):
        unit = node.text("unit").lower()
        if unit not in UNITS:
            raise ChecklistError(f"date_diff in {unit}")
        _call(node, "date_diff", exp.Literal.string(unit), node.expression, node.this, of=whole)
    elif isinstance(node, exp.Round):
        _call(node, "round", node.this, node.args.get("decimals") or exp.Literal.number(0), of=real)
    elif isinstance(node, exp.Mode):
        ordered = node.this
        inner = ordered.this if isinstance(ordered, exp.Order) else None
        if inner is None or [o.this for o in ordered.expressions] != [inner]:
            raise ChecklistError("mode() without ORDER BY of the same: ties hang on the engine")
        _call(node, "mode", inner, of=node.type)
    elif kind in _NUMBERS:
        arguments = [node.this, node.args.get("expression")]
        _call(node, _NUMBERS[kind], *(a for a in arguments if a is not None), of=node.type or real)
    else:
        name = node.name if isinstance(node, exp.Anonymous) else node.sql_name()
        raise ChecklistError(f"the function {name.lower()}")


def _part(node: exp.Func, part: str, moment: exp.Expr) -> None:
    from sqlglot import exp

    if part.lower() not in PARTS:
        raise ChecklistError(f"the part {part.lower()} of a date")
    _call(node, "part", exp.Literal.string(part.lower()), moment, of=exp.DType.INT)


def _cast(node: exp.Cast) -> None:
    from sqlglot import exp

    wanted, has, inner = _type(node.to), _type(node.this.type), node.this
    if wanted in _WHOLE:
        if has == "DECIMAL":
            # Halves go away from 0, and those of floating-point numbers to the even one.
            _call(node, "round", inner, exp.Literal.number(0), of=node.to)
        elif has in {"DOUBLE", "FLOAT"}:
            _call(node, "whole", inner, of=node.to)
        elif has not in _WHOLE:
            raise ChecklistError(f"a {has.lower()} as a whole number")
    elif wanted in {"DOUBLE", "FLOAT"} or wanted == has:
        return
    elif wanted in {"TEXT", "VARCHAR"}:
        if has in {"TEXT", "VARCHAR", "DATE", *_MOMENTS}:
            _put(node, inner, of=exp.DType.VARCHAR)
        elif has not in _WHOLE - {"BOOLEAN"}:
            raise ChecklistError(f"a {has.lower()} as text")
    elif wanted == "DATE" and isinstance(inner, exp.Literal):
        _put(node, exp.Literal.string(_moment(inner).date().isoformat()), of=node.to)
    elif wanted == "DATE" and has in _MOMENTS:
        _call(node, "date", inner, of=node.to)
    elif wanted in _MOMENTS and isinstance(inner, exp.Literal):
        _put(node, exp.Literal.string(str(_moment(inner))), of=node.to)
    else:
        raise ChecklistError(f"a cast to {wanted.lower()}")


def _arithmetic(node: exp.Add | exp.Sub) -> None:
    """Dates are texts in SQLite, which would be added as numbers without a word."""
    from sqlglot import exp

    left, right = _type(node.this.type), _type(node.expression.type)
    if not {left, right} & {"DATE", "TIME", "INTERVAL", *_MOMENTS}:
        if {left, right} <= _WHOLE:
            node.type = exp.DType.INT
        return
    if left == right == "DATE" and isinstance(node, exp.Sub):
        _call(node, "days_between", node.this, node.expression, of=exp.DType.INT)
    elif left == "DATE" and right in _WHOLE:
        days = node.expression if isinstance(node, exp.Add) else exp.Neg(this=node.expression)
        _call(node, "after", node.this, days, of=exp.DType.DATE)
    else:
        raise ChecklistError(f"{left.lower()} and {right.lower()} in one sum")


def _comparison(node: exp.Expr, sides: list[Any]) -> None:
    from sqlglot import exp

    kinds = {_type(side.type) for side in sides}
    if "DATE" in kinds and kinds & _MOMENTS:
        raise ChecklistError("a date beside a moment")
    if kinds & _MOMENTS:
        for side in sides:
            if isinstance(side, exp.Literal) and side.is_string:
                side.set("this", str(_moment(side)))


def _moment(literal: exp.Expr) -> dt.datetime:
    try:
        return dt.datetime.fromisoformat(literal.name)
    except ValueError as exc:
        raise ChecklistError(f"the date {literal.name!r}") from exc


def _type(of: Any) -> str:
    return of.this.name if of is not None else "UNKNOWN"


def _call(node: exp.Expr, name: str, *arguments: exp.Expr, of: Any) -> None:
    from sqlglot import exp

    _put(node, exp.Anonymous(this=PREFIX + name, expressions=list(arguments)), of=of)


def _put(node: exp.Expr, fresh: exp.Expr, of: Any = None) -> None:
    fresh.type = of if of is not None else node.type
    node.replace(fresh)
