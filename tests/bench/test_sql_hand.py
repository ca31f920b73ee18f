"""The SQL figures: honest questions, equal answers on both sides, figures by their definition."""

from __future__ import annotations

from typing import Any

import pytest

from bench import old_ways, side_by_side, sql_hand
from bench.figures import Bench
from bench.lab import Lab
from bench.sql_hand import AGGREGATE, DISTINCT, LOOKUP, PERCENTILE, QUESTIONS, Question, alike
from tests.bench.labs import ROWS, bench, lab

__all__ = ["bench", "lab"]


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked.name)
def test_no_two_numbers_ask_the_same_text(lab: Lab, asked: Question) -> None:
    texts = [asked.about(lab, number) for number in range(lab.entities)]
    assert len(set(texts)) == len(texts)


def test_the_lookup_gives_the_entitys_last_20_rows_by_time(lab: Lab) -> None:
    entity = lab.entity(3)
    found = old_ways.query(lab.old_database, LOOKUP.about(lab, 3))
    every = old_ways.query(
        lab.old_database, f"SELECT recorded_at FROM events WHERE entity_id = '{entity}'"
    )
    assert [row[1] for row in found] == sorted((time for (time,) in every), reverse=True)[:20]
    assert {row[0] for row in found} == {entity}


def test_the_aggregate_counts_every_row_of_the_entity_by_item(lab: Lab) -> None:
    found = old_ways.query(lab.old_database, AGGREGATE.about(lab, 3))
    ((expected,),) = old_ways.query(
        lab.old_database, f"SELECT count(*) FROM events WHERE entity_id = '{lab.entity(3)}'"
    )
    assert sum(row[1] for row in found) == expected
    assert all(least <= mean <= most for _, _, mean, least, most in found)


def test_the_percentile_is_of_the_entitys_mean_among_all(lab: Lab) -> None:
    means = dict(
        old_ways.query(lab.old_database, "SELECT entity_id, avg(value) FROM events GROUP BY 1")
    )
    for number in range(lab.entities):
        mine = means[lab.entity(number)]
        expected = 100 * sum(mean <= mine for mean in means.values()) / len(means)
        ((found,),) = old_ways.query(lab.old_database, PERCENTILE.about(lab, number))
        assert found == pytest.approx(expected)


def test_the_distinct_count_is_of_entities(lab: Lab) -> None:
    assert old_ways.query(lab.old_database, DISTINCT.about(lab, 1)) == [(lab.entities,)]


@pytest.mark.parametrize(
    ("old", "ours"),
    [
        ([(1, 0.1 + 0.2)], [[1, 0.3]]),
        ([("2031-01-01 08:00:00",)], [["2031-01-01T08:00:00"]]),
        ([(1,)], [[True]]),
        ([(2.0,)], [[2]]),
        ([(None, "a")], [[None, "a"]]),
        ([], []),
    ],
)
def test_results_are_alike_up_to_last_digits_and_the_dress_of_a_time(old: Any, ours: Any) -> None:
    assert alike(old, ours)


@pytest.mark.parametrize(
    ("old", "ours"),
    [
        ([(1, 0.3001)], [[1, 0.3]]),
        ([("2031-01-01 08:00:00",)], [["2031-01-01 08:00:01"]]),
        ([("a",)], [["b"]]),
        ([(1,)], [[2]]),
        ([(None,)], [[0]]),
        ([(1,)], []),
        ([(1, 2)], [[1]]),
        ([(1,), (2,)], [[2], [1]]),
    ],
)
def test_results_that_say_something_else_are_not_alike(old: Any, ours: Any) -> None:
    assert not alike(old, ours)


def test_the_file_ratio_is_of_bytes_on_the_disk(bench: Bench, lab: Lab) -> None:
    seen = sql_hand.file_ratio(bench)["file_ratio"]
    sizes = [path.stat().st_size for path in (lab.old_database, lab.database)]
    assert seen.value == pytest.approx(sizes[0] / sizes[1])
    assert f"{ROWS:,} rows, the goal is for 20,000,000" in seen.detail


@pytest.mark.real
def test_the_ratios_are_taken_of_the_real_tools(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(side_by_side, "ROUNDS", 2)
    seen = sql_hand.sql_ratios(bench)
    assert list(seen) == [asked.name for asked in QUESTIONS]
    assert all(figure.value > 0 for figure in seen.values())


@pytest.mark.real
def test_many_sessions_are_measured_against_one_of_the_same_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, fewer in (("MANY", 8), ("ALONE", 20), ("EACH", 4)):
        monkeypatch.setattr(sql_hand, name, fewer)
    seen = sql_hand.many_sessions(bench)
    assert set(seen) == {"sql_64_throughput_ratio", "sql_64_p95_over_p50"}
    assert seen["sql_64_throughput_ratio"].value > 0
    assert seen["sql_64_p95_over_p50"].value > 0
    rates = [float(word) for word in seen["sql_64_throughput_ratio"].detail.split()[:3:2]]
    assert seen["sql_64_throughput_ratio"].value == pytest.approx(rates[0] / rates[1], rel=0.01)
