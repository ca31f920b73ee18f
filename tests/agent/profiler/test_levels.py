"""Levels, gaps, extremes and the entity's own row: what is said, and what is left unsaid."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.profiler.discovery import discover
from agent.profiler.metrics import Metric
from agent.profiler.probe import Probe, Scene, Theme
from agent.profiler.probes import anchor, deeper, extremes, market
from agent.profiler.reply import Ask, Conversation
from agent.profiler.sentences import Voice
from tests.agent.profiler.exploring import converse, task
from tests.agent.profiler.putting import about, put, said, scene_of, table
from tests.agent.profiler.worlds import build

SHOP = "'s' || (i % 6) AS shop"


def test_a_mean_is_set_against_the_rest_and_ranked(tmp_path: Path) -> None:
    path = table(tmp_path, f"{SHOP}, (10.5 * (i % 6) + i % 7 - 3)::DOUBLE AS cost_eur")
    found = said(path, "s5", market.probes)
    assert "Shop s5's mean cost (EUR) is the highest of 6 shops." in found
    assert len(list(about(found, "For shop s5 the mean of cost (EUR) is", "against"))) == 1


def test_a_tied_rank_is_not_said(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        f"{SHOP}, (CASE WHEN i % 6 < 2 THEN 50 ELSE i % 6 END + 0.5 * (i // 6 % 2))::DOUBLE AS cost",
    )
    assert list(about(said(path, "s1", market.probes), "mean cost is the")) == []


def test_of_two_entities_no_rank_is_said(tmp_path: Path) -> None:
    path = table(tmp_path, "'s' || (i % 2) AS shop, (i % 17 + i % 2)::DOUBLE / 3 AS cost")
    found = said(path, "s1", market.probes)
    assert list(about(found, "the mean of cost"))
    assert list(about(found, "mean cost is the")) == []


def test_an_only_entity_is_set_against_nothing(tmp_path: Path) -> None:
    path = table(tmp_path, "'s1' AS shop, 'x' || i % 5 AS kind, (i % 17)::DOUBLE / 3 AS cost")
    found = said(path, "s1", market.probes)
    assert found
    assert not list(about(found, "against"))


def test_rows_without_an_entity_count_as_the_rest_but_not_as_an_entity(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        "CASE WHEN i % 7 < 6 THEN 's' || (i % 7) END AS shop, (i % 7 * 10 + i % 3)::DOUBLE / 2 AS cost",
        700,
    )
    found = said(path, "s5", market.probes)
    assert "Shop s5's mean cost is the highest of 6 shops." in found
    (line,) = about(found, "the mean of cost")
    rest = [(i % 7 * 10 + i % 3) / 2 for i in range(700) if i % 7 != 5]
    assert f"against {sum(rest) / len(rest):.1f} for the rest" in line


def test_what_is_missing_in_no_row_at_all_is_not_mentioned(tmp_path: Path) -> None:
    path = table(tmp_path, f"{SHOP}, (i % 17)::DOUBLE / 3 AS cost")
    assert not list(about(said(path, "s1", market.probes), "missing"))


def test_a_gap_of_the_entity_is_set_against_the_rests(tmp_path: Path) -> None:
    path = table(
        tmp_path, f"{SHOP}, CASE WHEN i % 6 <> 1 OR i % 4 = 1 THEN (i % 17)::DOUBLE / 3 END AS cost"
    )
    found = said(path, "s1", market.probes)
    assert "Cost is missing in 50.0% of shop s1's rows, against 0% for the rest." in found
    assert "Shop s1's share of missing cost is the highest of 6 shops." in found


def test_a_share_counts_values_where_some_are_missing_and_rows_where_none_is(
    tmp_path: Path,
) -> None:
    path = table(
        tmp_path,
        f"{SHOP}, hash(i) % 400 / 3.0 AS a, CASE WHEN i % 9 > 0 THEN hash(i + 7) % 400 / 3.0 END AS b",
        3000,
    )
    found = said(path, "s1", market.probes)
    assert list(about(found, "A is above", "shop s1's rows"))
    assert not list(about(found, "A is above", "values"))
    assert list(about(found, "B is above", "shop s1's values"))


def test_a_flag_is_said_to_hold(tmp_path: Path) -> None:
    path = table(tmp_path, f"{SHOP}, (i % 6 = 2 OR i % 5 = 0) AS is_late")
    found = said(path, "s2", market.probes)
    assert "Is late holds in 100% of shop s2's rows, against 20.0% for the rest." in found


def test_a_year_is_written_without_a_comma(tmp_path: Path) -> None:
    path = table(tmp_path, f"{SHOP}, (1960 + hash(i) % 60)::INTEGER AS built")
    (line,) = about(said(path, "s2", market.probes), "the mean of built")
    assert "," not in line.partition(", against")[0]


def test_a_tiny_difference_between_close_entities_is_no_surprise(tmp_path: Path) -> None:
    # The entities' means differ by a hair, but the values themselves by a hundred.
    path = table(
        tmp_path, f"{SHOP}, (hash(i // 6) % 100000) / 1000.0 + 0.01 * (i % 6) AS cost", 60000
    )
    (finding,) = [f for f in put(path, "s5", market.probes) if "the mean of cost" in f.text]
    assert finding.surprise < 0.5


def test_what_stands_out_is_looked_at_group_by_group(tmp_path: Path) -> None:
    columns = (
        f"{SHOP}, DATE '2021-01-01' + (i // 60)::INTEGER AS sold, (hash(i) % 100) / 3.0 "
        "+ CASE WHEN i % 6 = 4 THEN 30 + i // 600 ELSE 0 END AS cost"
    )
    path = table(tmp_path, columns, 9000)
    shallow = said(path, "s4", market.probes)
    deep = said(path, "s4", market.probes, deeper=True)
    assert not list(about(shallow, "for the rest there"))
    assert list(about(deep, "In May 2021 shop s4's mean cost is", "for the rest there"))


def test_a_group_of_few_rows_is_not_set_against_the_rest(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        f"{SHOP}, CASE WHEN i < 60 THEN 'rare' ELSE 'often' END AS kind, (hash(i) % 100) / 3.0 + 10 * (i % 6) AS cost",
        6000,
    )

    def gaps(scene: Scene) -> list[Probe]:
        cost = next(c for c in scene.relation.columns if c.words == "cost")
        return deeper.probes(scene, Metric(cost), 9.0)

    found = said(path, "s5", gaps)
    assert list(about(found, "At kind often"))
    assert not list(about(found, "At kind rare"))


def test_an_extreme_has_its_day_and_place(tmp_path: Path) -> None:
    columns = (
        f"{SHOP}, DATE '2021-01-01' + (i % 90)::INTEGER AS sold, 'p' || i % 11 AS place, "
        "CASE WHEN i = 302 THEN 999.5 ELSE (hash(i) % 90) / 7 END AS cost"
    )
    found = said(table(tmp_path, columns, 3000), "s2", extremes.probes)
    assert "The highest cost of shop s2 is 999.5." in found
    assert "The highest cost of shop s2 occurs on 2021-02-02 at place p5." in found
    assert "The highest cost of all shops is shop s2's." in found


def test_an_extreme_that_is_reached_twice_has_no_place(tmp_path: Path) -> None:
    columns = f"{SHOP}, 'p' || i % 11 AS place, CASE WHEN i IN (302, 308) THEN 999.5 ELSE (hash(i) % 90) / 7 END AS cost"
    found = said(table(tmp_path, columns, 3000), "s2", extremes.probes)
    assert "The highest cost of shop s2 is 999.5." in found
    assert not list(about(found, "highest", "occurs"))


def test_an_extreme_that_another_reaches_too_is_not_of_all(tmp_path: Path) -> None:
    columns = f"{SHOP}, CASE WHEN i IN (302, 303) THEN 999.5 ELSE (hash(i) % 90) / 7 END AS cost"
    found = said(table(tmp_path, columns, 3000), "s2", extremes.probes)
    assert not list(about(found, "highest", "of all shops"))


def test_a_highest_value_below_the_usual_tail_hardly_surprises(tmp_path: Path) -> None:
    columns = f"{SHOP}, (hash(i) % CASE WHEN i % 6 = 2 THEN 10 ELSE 1000 END) / 7.0 AS cost"
    findings = put(table(tmp_path, columns, 3000), "s2", extremes.probes)
    (low,) = [f for f in findings if f.text.startswith("The highest cost of shop s2 is")]
    assert low.surprise == 0.5


@pytest.fixture
def anchored(tmp_path: Path) -> Path:
    return build(
        tmp_path / "world.duckdb",
        "CREATE TABLE shops AS SELECT 's' || i AS id, 10 * i + 5.5 AS floor_m, 'z' || i % 2 AS zone, i > 7 AS old FROM range(9) r(i)",
        "CREATE TABLE t AS SELECT 's' || (i % 9) AS shop, hash(i) % 90 / 7 AS cost FROM range(900) r(i)",
    )


def own_row(path: Path, entity: str) -> list[str]:
    def talk() -> Conversation[list[str]]:
        world = yield from discover(task(entity))
        assert world.anchor is not None
        found: list[str] = []
        for probe in anchor.probes(Scene(world.anchor, Voice("shop", entity))):
            reply = yield Ask("execute_query", {"query": probe.query}, probe.why)
            findings, _ = probe.read(reply)
            assert all(f.theme is Theme.VOLUME for f in findings)
            found += [f.text for f in findings]
        return found

    return converse(path, talk())


def test_the_row_about_the_entity_is_read(anchored: Path) -> None:
    found = own_row(anchored, "s8")
    assert "The floor (m) of shop s8 is 85.5." in found
    assert "Shop s8's floor (m) is the highest of 9 shops." in found
    assert "The zone of shop s8 is z0." in found
    assert "55.6% of all 9 shops have the zone of shop s8." in found


def test_a_share_of_all_entities_counts_those_without_a_value_too(tmp_path: Path) -> None:
    path = build(
        tmp_path / "world.duckdb",
        "CREATE TABLE shops AS SELECT 's' || i AS id, CASE WHEN i < 4 THEN 'z' WHEN i < 6 THEN 'y' END AS zone FROM range(8) r(i)",
        "CREATE TABLE t AS SELECT 's' || (i % 8) AS shop, hash(i) % 90 / 7 AS cost FROM range(800) r(i)",
    )
    assert "50.0% of all 8 shops have the zone of shop s1." in own_row(path, "s1")


def test_a_middling_figure_of_its_own_surprises_least(anchored: Path) -> None:
    def scene() -> Conversation[Scene]:
        return (yield from scene_of("s4"))

    assert converse(anchored, scene()).relation.table.name == "t"
    assert "Shop s4's floor (m) is the 5th highest of 9 shops." in own_row(anchored, "s4")
