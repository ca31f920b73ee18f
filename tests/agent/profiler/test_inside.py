"""Groups, time, mixes, joins, conditions and correlations: what is said, and what is left unsaid."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.profiler.probe import Probe, Scene
from agent.profiler.probes import conditions, days, groups, mix, related, together
from tests.agent.profiler.putting import about, put, said, table
from tests.agent.profiler.worlds import build

SHOP = "'s' || (i % 6) AS shop"
KIND = "'k' || (i // 6 % 4) AS kind"


def test_the_highest_and_lowest_group_are_named(tmp_path: Path) -> None:
    path = table(
        tmp_path, f"{SHOP}, {KIND}, (10 * (i // 6 % 4) + hash(i) % 3)::DOUBLE / 4 AS cost", 2400
    )
    (line,) = about(said(path, "s1", groups.probes), "mean cost", "at kind")
    assert "highest at kind k3" in line
    assert "lowest at kind k0" in line


def test_where_two_groups_are_equal_neither_is_the_highest(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        f"{SHOP}, {KIND}, CASE i // 6 % 4 WHEN 0 THEN 1.5 WHEN 1 THEN 2.5 ELSE 7.5 END AS cost",
        2400,
    )
    found = list(about(said(path, "s1", groups.probes), "mean cost", "kind"))
    assert found == ["Shop s1's mean cost is lowest at kind k0 (1.50)."]


def test_a_small_group_is_left_out_and_that_is_said(tmp_path: Path) -> None:
    columns = f"{SHOP}, CASE WHEN i < 12 THEN 'tiny' ELSE 'k' || (i // 6 % 4) END AS kind, CASE WHEN i < 12 THEN 999.5 ELSE 10 * (i // 6 % 4) + hash(i) % 3 / 4 END AS cost"
    path = table(tmp_path, columns, 2400)
    (line,) = about(said(path, "s1", groups.probes), "mean cost", "kind")
    assert line.startswith("Leaving small groups out, shop s1's mean cost is highest at kind k3")


def test_a_small_group_in_the_middle_changes_nothing(tmp_path: Path) -> None:
    columns = f"{SHOP}, CASE WHEN i < 12 THEN 'tiny' ELSE 'k' || (i // 6 % 4) END AS kind, CASE WHEN i < 12 THEN 12.5 ELSE 10 * (i // 6 % 4) + hash(i) % 3 / 4 END AS cost"
    (line,) = about(said(table(tmp_path, columns, 2400), "s1", groups.probes), "mean cost", "kind")
    assert line.startswith("Shop s1's mean cost is highest at kind k3")


def test_where_all_groups_are_small_the_average_group_is_the_measure(tmp_path: Path) -> None:
    path = table(
        tmp_path, f"{SHOP}, {KIND}, (10 * (i // 6 % 4) + hash(i) % 3)::DOUBLE / 4 AS cost", 96
    )
    assert list(about(said(path, "s1", groups.probes), "mean cost", "highest at kind k3"))


def test_a_bound_in_the_figure_makes_one_sentence_for_each_end(tmp_path: Path) -> None:
    columns = f"{SHOP}, {KIND}, (hash(i) % 80)::INTEGER - 20 + 5 * (i // 6 % 4) AS wait"
    found = list(
        about(
            said(table(tmp_path, columns, 9600), "s1", groups.probes), "share of wait above", "kind"
        )
    )
    assert len(found) == 2
    assert not any("and lowest" in line for line in found)


def test_a_category_that_fixes_a_value_hardly_surprises(tmp_path: Path) -> None:
    fixed = f"{SHOP}, {KIND}, (100 * (i // 6 % 4) + hash(i) % 3)::DOUBLE / 4 AS length, hash(i + 1) % 100 / 3.0 + 10 * (i // 6 % 4) AS cost"
    findings = put(table(tmp_path, fixed, 9600), "s1", groups.probes)
    (trivial,) = [f for f in findings if "mean length" in f.text and "at kind" in f.text]
    (telling,) = [f for f in findings if "mean cost" in f.text and "at kind" in f.text]
    assert trivial.surprise < telling.surprise


DATED = f"{SHOP}, DATE '2021-01-01' + (i // 6 % 200)::INTEGER AS sold"


def test_months_weekdays_and_days_are_groups_of_a_date(tmp_path: Path) -> None:
    path = table(tmp_path, f"{DATED}, hash(i) % 100 / 3.0 + i // 6 % 200 AS cost", 12000)
    found = said(path, "s1", groups.probes)
    assert list(about(found, "mean cost is highest in July 2021", "lowest in January 2021"))
    assert list(about(found, "mean cost is highest on", "day ("))
    assert list(about(found, "2021-07", "mean cost was", "its highest day"))


def test_years_are_groups_where_there_are_several(tmp_path: Path) -> None:
    dated = f"{SHOP}, DATE '2015-01-01' + (i % 2100)::INTEGER AS sold"
    path = table(tmp_path, f"{dated}, hash(i) % 100 / 3.0 + i % 2100 AS cost", 12600)
    assert list(about(said(path, "s1", groups.probes), "highest in 2020", "lowest in 2015"))


def test_dates_in_text_are_dates(tmp_path: Path) -> None:
    columns = f"{SHOP}, (DATE '2021-01-01' + (i // 6 % 200)::INTEGER)::VARCHAR AS sold, hash(i) % 100 / 3.0 + i // 6 % 200 AS cost"
    found = said(table(tmp_path, columns, 12000), "s1", groups.probes)
    assert list(about(found, "mean cost is highest in July 2021"))


def test_a_second_date_is_named_where_it_tells_something_else(tmp_path: Path) -> None:
    columns = (
        f"{DATED}, DATE '2021-03-01' + (i * 7 % 200)::INTEGER AS paid, hash(i) % 100 / 3.0 AS cost"
    )
    found = said(table(tmp_path, columns, 12000), "s1", groups.probes)
    assert list(about(found, "in", "2021 of paid"))


def test_a_second_date_of_the_same_days_is_passed_over(tmp_path: Path) -> None:
    columns = f"{DATED}, TIMESTAMP '2021-01-01 05:00:00' + to_days((i // 6 % 200)::INTEGER) + to_hours(i % 24) AS seen_at, hash(i) % 100 / 3.0 AS cost"
    found = said(table(tmp_path, columns, 12000), "s1", groups.probes)
    assert not list(about(found, "of seen at"))


def test_counts_of_groups_are_said_with_the_most_and_the_fewest(tmp_path: Path) -> None:
    columns = f"{SHOP}, (8 + least(i // 6 % 12, 5))::INTEGER AS hour, hash(i) % 100 / 3.0 AS cost"
    found = said(table(tmp_path, columns, 7200), "s1", groups.probes)
    assert "Shop s1 has the most rows at hour 13 (700)." in found
    assert "Shop s1's share of rows is highest at hour 13 (58.3%)." in found


def test_equal_counts_are_not_mentioned(tmp_path: Path) -> None:
    columns = f"{SHOP}, (8 + i // 6 % 4)::INTEGER AS hour, hash(i) % 100 / 3.0 AS cost"
    assert not list(
        about(said(table(tmp_path, columns, 2400), "s1", groups.probes), "rows", "hour")
    )


def test_volume_and_rank(tmp_path: Path) -> None:
    path = table(tmp_path, "'s' || least(i % 8, 5) AS shop, hash(i) % 100 / 3.0 AS cost", 800)
    found = said(path, "s5", lambda scene: mix.volumes([scene]))
    assert found == [
        "Shop s5 has 300 rows in t, 37.5% of all 800.",
        "Shop s5 has the most rows in t of 6 shops.",
    ]
    tied = said(path, "s1", lambda scene: mix.volumes([scene]))
    assert tied == ["Shop s1 has 100 rows in t, 12.5% of all 800."]


def test_one_question_counts_three_tables(tmp_path: Path) -> None:
    path = table(tmp_path, f"{SHOP}, hash(i) % 100 / 3.0 AS cost", 1200)

    def four(scene: Scene) -> Iterator[Probe]:
        probes = list(mix.volumes([scene] * 4))
        assert len(probes) == 2
        return iter(probes)

    assert said(path, "s1", four) == ["Shop s1 has 200 rows in t, 16.7% of all 1,200."] * 4


def test_a_top_value_that_is_shared_is_not_the_top(tmp_path: Path) -> None:
    path = table(tmp_path, f"{SHOP}, 'k' || (i // 6 % 2) AS kind, hash(i) % 100 / 3.0 AS cost")
    assert not list(about(said(path, "s1", mix.probes), "most frequent kind"))


def test_what_the_rest_has_and_the_entity_has_not_is_said(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        f"{SHOP}, CASE WHEN i % 6 = 1 THEN 'own' ELSE 'k' || (i % 2) END AS kind, hash(i) % 9 / 3.0 AS cost",
    )
    found = said(path, "s1", mix.probes)
    assert "Kind k0 makes up 0% of shop s1's rows, against 60.0% for the rest." in found
    assert "Of shop s1's 1 different value of kind 1 occurs with no other shop." in found


def test_rows_without_an_entity_take_nothing_away_from_what_only_it_has(tmp_path: Path) -> None:
    columns = "CASE WHEN i % 7 < 6 THEN 's' || (i % 7) END AS shop, CASE WHEN i % 7 IN (1, 6) THEN 'own' ELSE 'k' || (i % 2) END AS kind, hash(i) % 9 / 3.0 AS cost"
    found = said(table(tmp_path, columns, 1400), "s1", mix.probes)
    assert "Of shop s1's 1 different value of kind 1 occurs with no other shop." in found
    assert "At kind own shop s1 has 50.0% of all rows." in found


def test_pairs_of_categories(tmp_path: Path) -> None:
    columns = f"{SHOP}, 'a' || (i // 6 % 3) AS one, 'b' || CASE WHEN i % 5 = 0 THEN 1 ELSE i // 6 % 3 END AS two, hash(i) % 9 / 3.0 AS cost"
    found = said(table(tmp_path, columns, 1800), "s1", mix.probes)
    assert list(about(found, "different pairs of one and two"))
    assert list(about(found, "The most frequent pair of one and two of shop s1 is a1 and b1"))


def test_the_period_and_its_ends(tmp_path: Path) -> None:
    columns = f"{SHOP}, DATE '2021-01-10' + (i % 6 * 3 + i // 60)::INTEGER AS sold, hash(i) % 100 / 3.0 AS cost"
    found = said(table(tmp_path, columns, 2400), "s1", days.probes)
    assert "Shop s1's rows run from 2021-01-13 to 2021-02-21." in found
    assert "Shop s1 has rows on 40 different days, of 55 on which anybody has any." in found
    assert "On average shop s1 has 10 rows a day that has any." in found


def test_the_halves_of_the_period_are_compared(tmp_path: Path) -> None:
    columns = (
        f"{DATED}, hash(i) % 100 / 3.0 + CASE WHEN i // 6 % 200 >= 100 THEN 40 ELSE 0 END AS cost"
    )
    (line,) = about(
        said(table(tmp_path, columns, 12000), "s1", days.probes), "mean cost", "first half"
    )
    first, second = (float(word) for word in line.replace(".", " .").split() if word.isdigit())
    assert second > first + 30


def test_weekends_are_compared_with_other_days(tmp_path: Path) -> None:
    columns = f"{DATED}, hash(i) % 100 / 3.0 + CASE WHEN isodow(DATE '2021-01-01' + (i // 6 % 200)::INTEGER) > 5 THEN 40 ELSE 0 END AS cost"
    found = said(table(tmp_path, columns, 12000), "s1", days.probes)
    assert list(about(found, "mean cost is", "at weekends, against", "on other days"))


PRODUCTS = "CREATE TABLE goods AS SELECT 'p' || i AS code, 2.5 * i AS price_eur, 'f' || i % 3 AS family FROM range(40) r(i)"


def sold(tmp_path: Path, product: str, rows: int = 2400) -> Path:
    return table(
        tmp_path, f"{SHOP}, {product} AS product, hash(i) % 100 / 3.0 AS cost", rows, PRODUCTS
    )


def test_a_join_that_reaches_all_rows_is_not_mentioned(tmp_path: Path) -> None:
    path = sold(tmp_path, "'p' || (hash(i) % 40)")
    assert not list(about(said(path, "s1", related.probes), "find a row"))


def test_a_join_that_reaches_few_rows_is_said_to(tmp_path: Path) -> None:
    path = sold(tmp_path, "'p' || (hash(i) % CASE WHEN i % 6 = 1 THEN 100 ELSE 50 END)")
    (line,) = about(said(path, "s1", related.probes), "find a row")
    assert line.startswith("Only 3") or line.startswith("Only 4")
    assert "what is said of it through goods is true of those alone" in line


def test_joined_numbers_are_averaged_over_rows_and_over_things(tmp_path: Path) -> None:
    path = sold(tmp_path, "'p' || CASE WHEN i % 6 = 1 AND i % 5 > 0 THEN 39 ELSE hash(i) % 40 END")
    found = said(path, "s1", related.probes)
    (by_row,) = about(found, "The mean price (EUR) of goods over shop s1's rows is")
    (by_thing,) = about(
        found, "different rows of goods behind shop s1's rows the mean price (EUR) is"
    )
    assert float(by_row.split(" is ")[1].split(",")[0]) > 75
    assert float(by_thing.split(" is ")[1].rstrip(".")) < 55


def test_joined_categories_are_shares_of_all_its_rows(tmp_path: Path) -> None:
    path = sold(tmp_path, "'p' || CASE WHEN i % 6 = 1 AND i % 5 > 0 THEN 39 ELSE hash(i) % 40 END")
    found = said(path, "s1", related.probes)
    assert list(about(found, "Of shop s1's rows", "have family f0 in goods, against"))


def test_a_condition_sets_inside_against_outside(tmp_path: Path) -> None:
    columns = f"{SHOP}, {KIND}, (i // 6 % 24)::INTEGER AS hour, hash(i) % 100 / 3.0 + CASE WHEN i // 6 % 24 > 17 THEN 40 ELSE 0 END AS cost"
    found = said(table(tmp_path, columns, 12000), "s1", conditions.probes)
    assert list(about(found, "where hour is above 17, the mean cost is", "otherwise"))


def test_bounds_that_part_the_rows_alike_are_told_once(tmp_path: Path) -> None:
    columns = f"{SHOP}, 'k' || (i % 20 = 7) AS kind, CASE WHEN i % 20 = 7 THEN 900.5 ELSE 0.0 END AS weight, hash(i) % 100 / 3.0 + CASE WHEN i % 20 = 7 THEN 30 ELSE 0 END AS cost"
    found = list(
        about(said(table(tmp_path, columns, 6000), "s1", conditions.probes), "where weight", "cost")
    )
    assert len(found) == 1


def test_a_condition_that_few_rows_meet_is_not_told(tmp_path: Path) -> None:
    columns = f"{SHOP}, CASE WHEN i < 60 THEN 5.5 ELSE 0 END AS rain, hash(i) % 100 / 3.0 AS cost"
    assert not list(about(said(table(tmp_path, columns, 6000), "s1", conditions.probes), "rain"))


def test_what_rises_and_what_falls_together(tmp_path: Path) -> None:
    columns = f"{SHOP}, hash(i) % 1000 / 7.0 AS a, 100 - hash(i) % 1000 / 9.0 + hash(i + 3) % 40 AS b, hash(i + 9) % 1000 / 3.0 AS c"
    found = said(table(tmp_path, columns, 6000), "s1", together.probes)
    (line,) = about(found, "a falls with b")
    assert "(r = -0.9" in line
    assert not list(about(found, " c "))


@pytest.mark.parametrize(("shift", "word"), [(8, "higher"), (-8, "lower")])
def test_close_measures_are_subtracted(tmp_path: Path, shift: int, word: str) -> None:
    columns = (
        f"{SHOP}, hash(i) % 1000 / 7.0 + {shift} AS a, hash(i) % 1000 / 7.0 + hash(i + 3) % 3 AS b"
    )
    found = said(table(tmp_path, columns, 6000), "s1", together.probes, deeper=True)
    (line,) = about(found, "on average", word)
    assert line.startswith("For shop s1 a is on average")


def test_measures_of_different_size_have_a_ratio_and_no_difference(tmp_path: Path) -> None:
    columns = f"{SHOP}, 50 + hash(i) % 1000 / 7.0 AS a, 900 + 20 * (hash(i) % 1000) + hash(i + 3) % 300 AS b"
    found = said(table(tmp_path, columns, 6000), "s1", together.probes, deeper=True)
    assert list(about(found, "the ratio of total a to total b"))
    assert not list(about(found, "on average"))


def test_the_numbers_of_a_joined_table_that_matter_are_looked_into(tmp_path: Path) -> None:
    path = build(
        tmp_path / "world.duckdb",
        "CREATE TABLE sky AS SELECT 'p' || p AS place, DATE '2021-01-01' + d::INTEGER AS day, "
        "CASE WHEN hash(p, d) % 5 = 0 THEN hash(p, d, 1) % 30 / 10.0 ELSE 0 END AS rain, hash(p, d, 2) % 300 / 10.0 AS heat FROM range(5) a(p), range(200) b(d)",
        f"CREATE TABLE t AS SELECT {SHOP}, 'p' || i // 6 % 5 AS place, DATE '2021-01-01' + (i // 6 % 200)::INTEGER AS sold, "
        "hash(i) % 100 / 3.0 + CASE WHEN hash(i // 6 % 5, i // 6 % 200) % 5 = 0 THEN 40 ELSE 0 END AS cost FROM range(12000) r(i)",
    )
    shallow = said(path, "s1", together.probes)
    deep = said(path, "s1", together.probes, deeper=True)
    assert list(about(shallow, "cost rises with rain of sky (r = 0."))
    assert list(about(deep, "where rain of sky is above 0, the mean cost is", "otherwise"))
