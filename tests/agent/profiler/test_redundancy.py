"""An entity's own keys are not compared, and a number that only counts its rows is not averaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.profiler.discovery import discover
from agent.profiler.probes import extremes, groups, market, mix
from agent.profiler.redundancy import Redundant, find_redundant
from agent.profiler.reply import Conversation
from agent.profiler.roles import Role
from tests.agent.profiler.exploring import converse, explore, task
from tests.agent.profiler.putting import about, put, said, table
from tests.agent.profiler.worlds import build

SHOP = "'s' || (i % 6) AS shop"
COST = "10 + hash(i) % 1000 / 50.0 AS cost"


def redundant(path: Path, entity: str = "s1") -> Redundant:
    def talk() -> Conversation[Redundant]:
        world = yield from discover(task(entity, "shop"))
        relation = world.relations[0]
        found = yield from find_redundant(relation)
        left = found.left(relation)
        for column in left.columns:
            assert (column.role is Role.UNIQUE) or column.key not in found.counters
        return found

    return converse(path, talk())


@pytest.mark.parametrize(
    "number",
    [
        "1 + i // 6",  # each row of a shop has the next one
        "i // 6",
        "1 + i // 12",  # two rows share one
        "1 + 2 * (i // 6) + hash(i) % 2",  # the numbers between are those of another table's rows
    ],
)
def test_what_counts_up_within_each_entity_is_not_averaged(tmp_path: Path, number: str) -> None:
    path = table(tmp_path, f"{SHOP}, ({number})::INTEGER AS line_no, {COST}", 1200)
    assert redundant(path).counters == {"t.line_no"}
    for family in (market.probes, extremes.probes, groups.probes, mix.probes):
        assert not list(about(said(path, "s1", family), "line no"))
    report = explore(path, "s1", "shop").report
    assert "line no" not in report
    assert "share of cost above" in report


@pytest.mark.parametrize(
    "number",
    [
        "hash(i) % 200",  # a measure: some values twice, others never
        "1 + (i // 6 * 37) % 500",  # spread out: it does not count, but goes round
        "1 + hash(i) % 100000",
    ],
)
def test_a_measure_of_whole_numbers_is_averaged(tmp_path: Path, number: str) -> None:
    path = table(
        tmp_path,
        f"{SHOP}, ({number})::INTEGER AS pieces, {COST}",
        300,
        "INSERT INTO t VALUES ('s0', 1, 12)",
    )
    assert redundant(path).counters == frozenset()
    assert list(about(said(path, "s1", market.probes), "mean of pieces"))


def test_a_number_up_to_the_largest_does_no_harm_to_the_other_tests(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        f"{SHOP}, CASE WHEN i = 7 THEN 9223372036854775807 ELSE i // 6 END AS big, "
        f"'k' || (i % 6) || '-' || (i // 6 % 9) AS visit, {COST}",
        600,
    )
    assert redundant(path) == Redundant(nested=frozenset({"t.visit"}))


VISIT = "'v' || (i % 6) || '-' || (i // 6 % 4) AS visit"


def test_an_entitys_own_keys_are_counted_and_not_compared(tmp_path: Path) -> None:
    kind = "'k' || (hash(i) % 4) AS kind"
    path = table(tmp_path, f"{SHOP}, {VISIT}, {kind}, {COST}", 600)
    assert redundant(path).nested == {"t.visit"}
    sentences = list(about(said(path, "s1", mix.probes), "visit"))
    assert sentences
    for each in sentences:
        assert "for the rest" not in each
        assert "occur with no other" not in each
        assert "pair" not in each
    assert "Shop s1 has 4 different values of visit." in sentences
    assert list(about(said(path, "s1", mix.probes), "Kind k", "for the rest"))


@pytest.mark.parametrize(
    ("visit", "least", "most"),
    [
        ("(i // 6) % 4", 0.0, 0.5),  # even parts but for a few rows
        ("least((i // 6) % 12, 3)", 1.0, 5.0),  # one has three in four
    ],
)
def test_an_own_key_is_told_the_earlier_the_less_even_the_parts_are(
    tmp_path: Path, visit: str, least: float, most: float
) -> None:
    path = table(tmp_path, f"{SHOP}, 'v' || (i % 6) || '-' || ({visit}) AS visit, {COST}", 604)
    assert redundant(path).nested == {"t.visit"}
    told = [f for f in put(path, "s1", mix.probes) if f.text.startswith("The most frequent visit")]
    assert len(told) == 1
    assert least <= told[0].surprise <= most


@pytest.mark.parametrize(
    "visit",
    [
        "'v' || (i // 6 % 4)",  # every shop has them
        "CASE WHEN i < 2 THEN 'both' ELSE 'v' || (i % 6) || '-' || (i // 6 % 4) END",
        "'v' || (i % 6)",  # one for each shop: its name
    ],
)
def test_what_others_may_have_is_compared(tmp_path: Path, visit: str) -> None:
    path = table(tmp_path, f"{SHOP}, {visit} AS visit, {COST}", 600)
    assert redundant(path).nested == frozenset()


def test_whose_rows_are_all_there_are_has_nobody_to_compare_with(tmp_path: Path) -> None:
    path = build(
        tmp_path / "alone.duckdb",
        f"CREATE TABLE t AS SELECT 's1' AS shop, {VISIT}, (1 + i)::INTEGER % 90 AS n, {COST} FROM range(300) r(i)",
    )
    assert redundant(path).nested == frozenset()
