"""Contrasts, groups and slopes of models, against slow readings of their definitions."""

from __future__ import annotations

import statistics as standard
from math import log10

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.facets import Facets, Scored, facets
from tests.analysis.test_facets import scored

ITEMS = ("a-1", "a-2", "b-1", "c-1", "c-2")


@st.composite
def models(draw: st.DrawFn) -> list[Scored]:
    """With sizes, families and generations, some of them not known; each scored on some items."""
    found = []
    for number in range(draw(st.integers(0, 6))):
        values = {
            name: draw(st.integers(0, 2)) / 2 for name in ITEMS if draw(st.integers(0, 4)) != 0
        }
        facts = {
            "family": draw(st.sampled_from(["Q", "L", None])),
            "generation": draw(st.sampled_from(["1", "2", None])),
            "total_b": draw(st.sampled_from([1.0, 10.0, 100.0, None])),
            "context_tokens": draw(st.sampled_from([1000, 100_000, None])),
            "attributes": draw(st.sampled_from([{}, {"tuning": "sft"}, {"tuning": "rl"}])),
        }
        found.append(scored(f"m{number}", values, **facts))
    return found


def value(each: Scored, attribute: str) -> object:
    assert each.facts is not None
    return each.facts.value(attribute)


def by_name(made: list[Scored]) -> dict[str, Scored]:
    return {each.name: each for each in made}


@pytest.mark.parametrize(
    "attribute", ["total_b", "context_tokens", "generation", "family", "tuning"]
)
@settings(max_examples=40)
@given(models())
def test_each_model_is_in_one_group_or_named_as_unknown(attribute: str, made: list[Scored]) -> None:
    found = facets(made, attribute)
    grouped = [name for group in found.groups for name in group.models]
    assert sorted([*grouped, *found.unknown]) == sorted(each.name for each in made)
    assert set(found.unknown) == {each.name for each in made if value(each, attribute) is None}
    assert len({group.value for group in found.groups}) == len(found.groups)


@pytest.mark.parametrize("attribute", ["total_b", "family", "tuning"])
@settings(max_examples=40)
@given(models())
def test_a_groups_mean_is_over_items_that_all_its_models_were_scored_on(
    attribute: str, made: list[Scored]
) -> None:
    known = by_name(made)
    for group in facets(made, attribute).groups:
        own = [known[name] for name in group.models]
        common = [name for name in ITEMS if all(name in each.items for each in own)]
        if not common:
            assert group.mean is None
            continue
        means = [standard.fmean(each.items[name].value for each in own) for name in common]
        assert group.mean is not None
        assert group.mean.value == pytest.approx(standard.fmean(means))
        assert group.mean.n == len(common)


@pytest.mark.parametrize("attribute", ["total_b", "context_tokens", "generation"])
@settings(max_examples=60)
@given(models())
def test_a_contrast_is_between_models_alike_in_the_rest(attribute: str, made: list[Scored]) -> None:
    known = by_name(made)
    found = facets(made, attribute)
    assert found.is_matched
    seen = set()
    for each in found.contrasts:
        one, other = known[each.one], known[each.other]
        seen.add(frozenset((each.one, each.other)))
        assert value(one, attribute) != value(other, attribute)
        for name, held in each.matched.items():
            assert value(one, name) == value(other, name) == held
        both = [name for name in one.items if name in other.items]
        assert each.left_out == len(one.items) + len(other.items) - 2 * len(both)
        if not both:
            assert each.difference is None and each.p_holm is None
            continue
        apart = [one.items[name].value - other.items[name].value for name in both]
        assert each.difference is not None
        assert each.difference.value == pytest.approx(standard.fmean(apart), abs=1e-12)
        if attribute != "generation":
            assert float(each.one_value) > float(each.other_value)
    assert len(seen) == len(found.contrasts), "each pair once"


@settings(max_examples=60)
@given(models())
def test_corrected_chances_are_never_smaller_and_say_what_differs(made: list[Scored]) -> None:
    for attribute in ("total_b", "tuning"):
        for each in facets(made, attribute).contrasts:
            p = each.difference.p if each.difference else None
            assert (p is None) == (each.p_holm is None)
            if p is not None and each.p_holm is not None:
                assert p <= each.p_holm <= 1
                assert each.differs == (each.p_holm <= 0.05)
            else:
                assert not each.differs


def slope_by_hand(made: Facets, known: dict[str, Scored]) -> float | None:
    """Least squares with a level of its own for each stratum, on the items common to all."""
    if made.slope is None:
        return None
    own = [known[name] for name in made.slope.models]
    common = [name for name in ITEMS if all(name in each.items for each in own)]
    strata = {
        each.name: (value(each, "family"), value(each, "generation"), value(each, "context_tokens"))
        for each in own
    }
    levels = sorted(set(strata.values()), key=str)
    design = np.array(
        [
            [log10(float(str(value(each, "total_b"))))]
            + [float(strata[each.name] == level) for level in levels]
            for each in own
        ]
    )
    heights = np.array([standard.fmean(each.items[name].value for name in common) for each in own])
    assert made.slope.strata == len(levels)
    return float(np.linalg.lstsq(design, heights, rcond=None)[0][0])


@settings(max_examples=100)
@given(models())
def test_a_slope_is_the_regression_with_a_level_for_each_stratum(made: list[Scored]) -> None:
    found = facets(made, "total_b")
    expected = slope_by_hand(found, by_name(made))
    if expected is None:
        return
    assert found.slope is not None
    assert found.slope.per_tenfold.value == pytest.approx(expected, abs=1e-9)


def test_the_slope_of_two_families_is_compared_with_the_regression_by_hand() -> None:
    made = [
        scored("q1", dict.fromkeys(ITEMS, 0.0), family="Q", total_b=1.0),
        scored("q2", dict.fromkeys(ITEMS, 0.5), family="Q", total_b=10.0),
        scored("l1", dict.fromkeys(ITEMS, 0.5), family="L", total_b=10.0),
        scored("l2", dict.fromkeys(ITEMS, 1.0), family="L", total_b=1000.0),
    ]
    found = facets(made, "total_b")
    assert found.slope is not None
    # Deviations of log10 from each family's middle: -.5, .5 and -1, 1: (.25 + .5) / 2.5.
    assert found.slope.per_tenfold.value == pytest.approx(0.3)
    assert found.slope.per_tenfold.value == pytest.approx(slope_by_hand(found, by_name(made)))


def test_nobody_and_one_alone_have_nothing_to_be_compared_with() -> None:
    none = facets([], "total_b")
    assert (none.groups, none.contrasts, none.slope, none.unknown) == ((), (), None, ())
    alone = facets([scored("m", {"a-1": 1.0}, total_b=7.0)], "total_b")
    assert (alone.contrasts, alone.slope) == ((), None)
    (group,) = alone.groups
    assert group.mean is not None
    assert (group.value, group.mean.value, group.mean.error) == (7.0, 1.0, None)
    nameless = facets([Scored("x", None, {})], "total_b")
    assert nameless.unknown == ("x",) and nameless.groups == ()


def test_the_order_in_which_models_come_changes_nothing() -> None:
    made = [
        scored("m1", {"a-1": 0.0, "b-1": 1.0}, total_b=1.0),
        scored("m2", {"a-1": 1.0, "b-1": 1.0}, total_b=10.0),
        scored("m3", {"a-1": 1.0, "b-1": 0.0}, total_b=100.0),
    ]
    one, other = facets(made, "total_b"), facets(made[::-1], "total_b")
    assert one.groups == other.groups
    assert one.contrasts == other.contrasts
    assert one.slope is not None and other.slope is not None
    assert one.slope.per_tenfold == other.slope.per_tenfold
