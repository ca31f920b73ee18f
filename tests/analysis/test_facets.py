"""Scores by what models are: groups, contrasts and slopes with answers worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping
from math import log10
from typing import Any

import numpy as np
import pytest

from analysis.facets import Found, Scored, facets
from analysis.models import ModelFacts
from analysis.statistics import clustered_mean


def scored(name: str, values: Mapping[str, float], **facts: Any) -> Scored:
    """Items are called entity-number."""
    known = {"family": "Qwen", "generation": "2.5", "context_tokens": 131_072, **facts}
    return Scored(
        name,
        ModelFacts(name=name, **known),
        {
            item: Found(value, entity := item.partition("-")[0], entity)
            for item, value in values.items()
        },
    )


ITEMS = ("a-1", "a-2", "b-1", "c-1")


def row(*values: float) -> dict[str, float]:
    return dict(zip(ITEMS, values, strict=True))


def test_tenfold_the_size_brings_what_least_squares_say() -> None:
    models = [
        scored("s", row(0, 0, 0, 1), total_b=1.0),
        scored("m", row(0, 1, 0, 1), total_b=10.0),
        scored("l", row(1, 1, 0, 1), total_b=100.0),
    ]
    slope = facets(models, "total_b").slope
    assert slope is not None
    # Means .25, .5, .75 at log10 sizes 0, 1, 2.
    assert slope.per_tenfold.value == pytest.approx(0.25)
    assert (slope.models, slope.strata, slope.per_tenfold.clusters) == (("s", "m", "l"), 1, 3)
    # Item slopes .5, .5, 0, 0; deviations summed over a, b, c: .5, -.25, -.25.
    by_hand = (3 / 2 * (0.25 + 0.0625 + 0.0625)) ** 0.5 / 4
    assert slope.per_tenfold.error == pytest.approx(by_hand)


def test_sizes_are_compared_inside_what_is_alike_and_never_across_families() -> None:
    models = [
        scored("q1", row(0, 0, 0, 0), total_b=1.0),
        scored("q2", row(1, 0, 0, 0), total_b=10.0),
        scored("x1", row(1, 1, 1, 1), family="X", total_b=2.0),
        scored("x2", row(1, 1, 1, 1), family="X", total_b=20.0),
        scored("lone", row(1, 1, 1, 1), family="Y", total_b=500.0),
    ]
    found = facets(models, "total_b")
    assert found.slope is not None
    # A quarter per tenfold in one stratum, nothing in the other, each a tenfold wide.
    assert found.slope.per_tenfold.value == pytest.approx(0.125)
    assert found.slope.strata == 2
    assert {(each.one, each.other) for each in found.contrasts} == {("q2", "q1"), ("x2", "x1")}
    assert found.is_matched


def test_a_slope_over_uneven_sizes_is_that_of_a_regression() -> None:
    generator = np.random.default_rng(7)
    sizes = (1.0, 3.0, 9.0, 70.0)
    table = generator.integers(0, 2, (4, 40)).astype(float)
    items = [f"{number % 10}-{number}" for number in range(40)]
    models = [
        scored(f"m{place}", dict(zip(items, table[place], strict=True)), total_b=size)
        for place, size in enumerate(sizes)
    ]
    slope = facets(models, "total_b").slope
    assert slope is not None
    expected = np.polyfit([log10(size) for size in sizes], table.mean(axis=1), 1)[0]
    assert slope.per_tenfold.value == pytest.approx(expected)


def test_a_longer_context_is_compared_with_the_same_model_without_it() -> None:
    models = [
        scored("7b", row(0, 0, 1, 0), total_b=7.0),
        scored("7b-1m", row(1, 0, 1, 0), total_b=7.0, context_tokens=1_000_000),
        scored("14b", row(1, 1, 1, 1), total_b=14.0),
    ]
    (only,) = facets(models, "context_tokens").contrasts
    assert (only.one, only.other) == ("7b-1m", "7b")
    assert only.difference is not None and only.difference.value == pytest.approx(0.25)
    assert only.matched == {"family": "Qwen", "generation": "2.5", "total_b": 7.0}


def test_generations_are_compared_the_later_minus_the_earlier_at_about_one_size() -> None:
    models = [
        scored("new", row(1, 1, 0, 0), generation="3", total_b=30.0, released="2025-04"),
        scored("old", row(1, 0, 0, 0), total_b=32.0, released="2024-09"),
        scored("old small", row(0, 0, 0, 0), total_b=7.0, released="2024-09"),
    ]
    found = facets(models, "generation")
    (only,) = found.contrasts
    assert (only.one, only.other) == ("new", "old")
    assert [(each.value, each.models) for each in found.groups] == [
        ("Qwen 2.5", ("old", "old small")),
        ("Qwen 3", ("new",)),
    ]


def test_models_whose_sizes_nobody_tells_are_compared_inside_their_family() -> None:
    models = [
        scored("5.1", row(0, 0, 0, 0), family="GPT", generation="5.1", released="2025-11"),
        scored("5.2", row(1, 0, 0, 0), family="GPT", generation="5.2", released="2025-12"),
        scored("q", row(1, 0, 0, 0), family=None, generation="5.2", released="2025-12"),
    ]
    found = facets(models, "generation")
    assert [(each.one, each.other) for each in found.contrasts] == [("5.2", "5.1")]


def test_groups_of_any_other_attribute_are_compared_by_their_mean_over_models() -> None:
    def one(name: str, tuning: str, *values: float) -> Scored:
        return scored(name, row(*values), attributes={"tuning": tuning})

    models = [
        one("a", "rl", 1, 1, 0, 0),
        one("b", "rl", 1, 0, 0, 0),
        one("c", "sft", 0, 0, 0, 0),
    ]
    found = facets(models, "tuning")
    assert not found.is_matched and found.slope is None
    rl, sft = found.groups
    assert rl.mean is not None and rl.mean.value == pytest.approx((1 + 0.5) / 4)
    assert sft.mean is not None and sft.mean.value == 0
    (only,) = found.contrasts
    assert (only.one, only.other) == ("sft", "rl")
    assert only.difference is not None and only.difference.value == pytest.approx(-0.375)


def test_contrasts_are_paired_by_item_clustered_by_entity_and_corrected_together() -> None:
    models = [
        scored("1", row(0, 0, 0, 0), total_b=1.0),
        scored("2", {"a-1": 1.0, "a-2": 0.0, "b-1": 1.0}, total_b=2.0),
        scored("3", row(1, 1, 1, 0), total_b=3.0),
    ]
    found = facets(models, "total_b")
    first = next(each for each in found.contrasts if (each.one, each.other) == ("2", "1"))
    # c-1 was scored for one of them alone.
    assert first.left_out == 1
    assert first.difference == clustered_mean([1.0, 0.0, 1.0], ["a", "a", "b"])
    for each in found.contrasts:
        assert each.difference is not None
        assert each.difference.p is not None and each.p_holm is not None
        assert each.p_holm >= each.difference.p
    assert max(each.p_holm or 0 for each in found.contrasts) <= 1.0


def test_models_of_which_it_is_not_known_are_named_and_in_no_group() -> None:
    models = [
        scored("known", row(1, 0, 0, 0), total_b=1.0),
        scored("secret", row(1, 0, 0, 0)),
        Scored("profiler", None, {}),
    ]
    found = facets(models, "total_b")
    assert found.unknown == ("secret", "profiler")
    assert [each.models for each in found.groups] == [("known",)]
    assert found.slope is None and found.contrasts == ()


def test_nothing_in_common_gives_no_difference() -> None:
    models = [
        scored("1", {"a-1": 1.0}, total_b=1.0),
        scored("2", {"b-1": 1.0}, total_b=2.0),
    ]
    found = facets(models, "total_b")
    assert found.contrasts[0].difference is None
    assert found.contrasts[0].p_holm is None and not found.contrasts[0].differs
    assert found.slope is None
