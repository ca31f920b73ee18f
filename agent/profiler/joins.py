"""Infer which tables can be joined, by values and types alone."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, islice, product

from agent.profiler import quoting
from agent.profiler.columns import Figures, value_of
from agent.profiler.relation import Join
from agent.profiler.reply import Ask, Conversation, whole
from agent.profiler.roles import Role
from agent.profiler.schema import Field, Kind, Table

_PAIRS = 100
_BATCH = 20
_SUBSETS = 24
_MAPPINGS = 12

Roles = Mapping[str, Role]
Known = Mapping[str, Figures]


def single_joins(
    tables: Sequence[Table], known: Known, near: Collection[str]
) -> Conversation[list[Join]]:
    """Joins on one column: values that are found in another table's unique column.

    Where there is more to try than can be tried, joins from and to the tables `near` come first.
    """
    tried = list(_candidates(tables, known))
    tried.sort(key=lambda pair: _unlikely(pair[0], pair[1], known, near))
    pairs = tried[:_PAIRS]
    found: list[Join] = []
    by_name = {table.name: table for table in tables}
    for start in range(0, len(pairs), _BATCH):
        batch = pairs[start : start + _BATCH]
        query = "\nUNION ALL ".join(_overlap_sql(i, *pair) for i, pair in enumerate(batch))
        reply = yield Ask(
            "execute_query",
            {"query": query, "limit": 200},
            "See which columns hold keys of another table.",
        )
        for row in reply.rows:
            here, there = batch[whole(row.get("i"))]
            distinct, inside = whole(row.get("d")), whole(row.get("inside"))
            rows, rows_inside = whole(row.get("n")), whole(row.get("rows_inside"))
            if distinct and inside >= max(1, _needed(here) * distinct):
                coverage = rows_inside / rows if rows else 0.0
                pair, exact = ((here, there),), whole(row.get("twice")) == 0
                found.append(Join(here.table, by_name[there.table], pair, exact, coverage))
    return found


def _needed(here: Field) -> float:
    """Share of the different values that must be keys: numbers meet by chance, texts hardly do."""
    return 0.98 if here.kind is Kind.WHOLE else 0.3


def _unlikely(here: Field, there: Field, known: Known, near: Collection[str]) -> tuple[bool, float]:
    mine, keys = known[here.key].distinct, known[there.key].distinct
    return here.table not in near and there.table not in near, -min(mine, keys) / max(mine, keys)


def _candidates(tables: Sequence[Table], known: Known) -> Iterator[tuple[Field, Field]]:
    for target in tables:
        if len(target.fields) < 2:
            continue
        for there in target.fields:
            keys = known.get(there.key)
            if keys is None or not keys.unique or keys.distinct < 2:
                continue
            for origin in tables:
                for here in origin.fields:
                    mine = known.get(here.key)
                    if origin.name != target.name and mine and _may_meet(here, mine, there, keys):
                        yield here, there


def _may_meet(here: Field, mine: Figures, there: Field, keys: Figures) -> bool:
    # Counts of large tables are rough, so that a tenth is granted.
    enough = keys.distinct >= 0.9 * _needed(here) * mine.distinct
    if here.kind is not there.kind or mine.distinct < 2 or not enough:
        return False
    if here.kind is Kind.WHOLE:
        # Any small number is inside the range of some running number: the ranges must agree.
        slack = 0.05 * (keys.most - keys.least)
        low, high = mine.least - keys.least, keys.most - mine.most
        return 0 <= low <= slack and 0 <= high <= slack and mine.distinct >= 0.2 * keys.distinct
    if here.kind not in (Kind.TEXT, Kind.DATE):
        return False
    return (mine.low or "") <= (keys.high or "") and (mine.high or "") >= (keys.low or "")


def _overlap_sql(place: int, here: Field, there: Field) -> str:
    domain = f"SELECT {value_of(there)} FROM {quoting.name(there.table)}"
    return (
        f"SELECT {place} AS i, (SELECT count({value_of(there)}) - count(DISTINCT {value_of(there)}) "
        f"FROM {quoting.name(there.table)}) AS twice, "
        f"count(*) AS d, sum(n) AS n, count(*) FILTER (WHERE met) AS inside, "
        f"sum(n) FILTER (WHERE met) AS rows_inside FROM (SELECT v, n, v IN ({domain}) AS met FROM "
        f"(SELECT {value_of(here)} AS v, count(*) AS n FROM {quoting.name(here.table)} "
        f"WHERE {value_of(here)} IS NOT NULL GROUP BY 1))"
    )


def composite_joins(
    origin: Table, targets: Iterable[Table], known: Known, roles: Roles
) -> Conversation[list[Join]]:
    """Joins on two or three columns (a place, a date, an hour), at most one per target."""
    found = []
    for target in targets:
        partners = _partners(origin, target, known, roles)
        keys = yield from _unique_sets(target, list(partners), known)
        if keys:
            best = yield from _best_mapping(origin, target, keys, partners)
            if best:
                found.append(best)
    return found


def _partners(origin: Table, target: Table, known: Known, roles: Roles) -> dict[Field, list[Field]]:
    """For each column of the target that could be part of a key, its possible partners."""
    found: dict[Field, list[Field]] = {}
    for there in target.fields:
        if not _key_like(there, roles):
            continue
        alike = [
            here
            for here in origin.fields
            if _key_like(here, roles) and _overlap(here, there, known)
        ]
        if alike:
            found[there] = alike
    return found


def _key_like(field: Field, roles: Roles) -> bool:
    role = roles.get(field.key)
    if field.kind in (Kind.TEXT, Kind.DATE, Kind.MOMENT):
        return role in (Role.CATEGORY, Role.UNIQUE, Role.TIME)
    named = (Role.CATEGORY, Role.CODE, Role.UNIQUE, Role.STEP, Role.FLAG)
    return field.kind is Kind.WHOLE and role in named


def _overlap(here: Field, there: Field, known: Known) -> bool:
    mine, keys = known[here.key], known[there.key]
    to_day = here.kind is Kind.MOMENT and there.kind is Kind.DATE
    if here.kind is not there.kind and not to_day:
        return False
    if here.kind is Kind.WHOLE:
        span = min(mine.most, keys.most) - max(mine.least, keys.least)
        return span >= 0.5 * (mine.most - mine.least) and span >= 0.5 * (keys.most - keys.least)
    return (mine.low or "") <= (keys.high or "") and (mine.high or "")[:10] >= (keys.low or "")[:10]


def _unique_sets(
    target: Table, columns: Sequence[Field], known: Known
) -> Conversation[list[tuple[tuple[Field, ...], bool]]]:
    """Smallest sets of columns that tell the target's rows apart: (columns, exactly)."""
    sets = [
        subset
        for size in (2, 3)
        for subset in combinations(columns, size)
        if _could_tell_apart(subset, target, known)
    ][:_SUBSETS]
    if not sets:
        return []
    query = "\nUNION ALL ".join(
        f"SELECT {i} AS i, count(*) AS n, count(DISTINCT ({', '.join(map(value_of, subset))})) AS d "
        f"FROM {quoting.name(target.name)}"
        for i, subset in enumerate(sets)
    )
    reply = yield Ask(
        "execute_query",
        {"query": query, "limit": 50},
        f"See which columns together tell the rows of {target.name} apart.",
    )
    unique: list[tuple[tuple[Field, ...], bool]] = []
    for row in sorted(reply.rows, key=lambda r: whole(r.get("i"))):
        subset = sets[whole(row.get("i"))]
        rows, distinct = whole(row.get("n")), whole(row.get("d"))
        wider = any(set(known_set) < set(subset) and exact for known_set, exact in unique)
        if rows and distinct >= 0.98 * rows and not wider:
            unique.append((subset, distinct == rows))
    return unique


def _could_tell_apart(subset: Sequence[Field], target: Table, known: Known) -> bool:
    cells = 1
    for column in subset:
        cells *= known[column.key].distinct
    # A unique column makes any set unique and is a key by itself.
    alone = any(known[column.key].unique for column in subset)
    return not alone and cells >= 0.98 * target.rows


def _best_mapping(
    origin: Table,
    target: Table,
    keys: Sequence[tuple[tuple[Field, ...], bool]],
    partners: Mapping[Field, Sequence[Field]],
) -> Conversation[Join | None]:
    options = [
        Join(origin.name, target, tuple(zip(mapping, subset, strict=True)), exact)
        for subset, exact in keys
        for mapping in islice(product(*(partners[c] for c in subset)), _MAPPINGS)
        if len(set(mapping)) == len(mapping)
    ][: 2 * _MAPPINGS]
    if not options:
        return None
    query = "\nUNION ALL ".join(
        f"SELECT {i} AS i, count(*) AS n, count(*) FILTER (WHERE {join.found('d')}) AS met "
        f"FROM {quoting.name(origin.name)} AS f {join.clause('d')}"
        for i, join in enumerate(options)
    )
    reply = yield Ask(
        "execute_query",
        {"query": query, "limit": 50},
        f"See how many rows of {origin.name} find their row in {target.name}.",
    )
    best: tuple[float, int, Join] | None = None
    for row in reply.rows:
        join = options[whole(row.get("i"))]
        rows, met = whole(row.get("n")), whole(row.get("met"))
        coverage = met / rows if rows else 0.0
        # One percent more is no reason for a longer key.
        worth = (round(coverage, 2), -len(join.pairs))
        if coverage >= 0.3 and (best is None or worth > best[:2]):
            shared = frozenset(column.key for column in partners)
            best = (*worth, replace(join, coverage=coverage, shared=shared))
    return best[2] if best else None
