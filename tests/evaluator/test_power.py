"""A plan's half-width covers and its smallest difference is found as often as it says, in simulation."""

from __future__ import annotations

import random
from statistics import fmean

import pytest

from evaluator.correlation import correlate
from evaluator.intervals import cluster_error
from evaluator.outcomes import Outcome
from evaluator.paired import paired
from evaluator.power import Assumed, icc, precision, scored, shared


def outcome(item: str, entity: str, hits: int, trials: int) -> Outcome:
    return Outcome(
        item_id=item,
        entity_id=entity,
        cluster=entity,
        trials=trials,
        scored=trials,
        supported=hits,
        bucket="supported" if hits else "insufficient",
    )


def explored(
    generator: random.Random, entities: int, trials: int, apart: float
) -> tuple[list[Outcome], list[Outcome]]:
    """Two models whose chances differ by `apart`: entities and items are hard or easy for both, and
    each model has entities that suit it. All chances stay inside (0, 1), so that nothing is cut."""
    one: list[Outcome] = []
    other: list[Outcome] = []
    for e in range(entities):
        ease = generator.choice((-0.15, 0.15))
        suits = [generator.choice((-0.05, 0.05)) for _ in range(2)]
        for i in range(generator.randint(5, 9)):
            chance = 0.5 + ease + generator.choice((-0.2, 0.2))
            for mine, sign, suit in ((one, 1, suits[0]), (other, -1, suits[1])):
                p = chance + suit + sign * apart / 2
                hits = sum(generator.random() < p for _ in range(trials))
                mine.append(outcome(f"{e}-{i}", str(e), hits, trials))
    return one, other


def known(generator: random.Random) -> Assumed:
    """What the simulation is like, from a large pilot of it without a difference."""
    one, other = explored(generator, 2000, 1, 0.0)
    # The same model twice: its second trial is another draw at the same chances.
    twice, _ = explored(generator, 2000, 2, 0.0)
    scores = [each.supported for each in twice]
    whole, twice_right = fmean(scores) / 2, fmean(s == 2 for s in scores)
    retest = (twice_right - whole**2) / (whole * (1 - whole))
    both = shared(one, other)
    found = correlate([a for _, a, _ in both], [b for _, _, b in both]).pearson
    spread, apart = icc(scored(one)), icc([(entity, a - b) for entity, a, b in both])
    assert found is not None and spread is not None and apart is not None
    return Assumed(
        accuracy=fmean(each.strict for each in one),
        icc=spread,
        correlation=found,
        icc_apart=apart,
        retest=retest,
    )


@pytest.mark.parametrize(("entities", "trials"), [(40, 1), (25, 3)])
def test_the_smallest_difference_is_shown_four_times_in_five(entities: int, trials: int) -> None:
    generator = random.Random(7)
    assumed = known(generator)
    planned = precision(entities, trials, [5, 6, 7, 8, 9], assumed)
    assert planned.detectable is not None
    runs, shown = 400, 0
    for _ in range(runs):
        one, other = explored(generator, entities, trials, planned.detectable)
        found = paired("a", "b", one, other, level="message", averaging="item")
        shown += found.p is not None and found.p <= 0.05
    assert 0.74 <= shown / runs <= 0.88


@pytest.mark.parametrize(("entities", "trials"), [(40, 1), (25, 3)])
def test_the_half_width_is_what_an_interval_comes_to(entities: int, trials: int) -> None:
    from scipy.special import stdtrit

    generator = random.Random(8)
    planned = precision(entities, trials, [5, 6, 7, 8, 9], known(generator))
    assert planned.half_width is not None
    widths = []
    for _ in range(200):
        one, _ = explored(generator, entities, trials, 0.0)
        error = cluster_error([each.strict for each in one], [each.cluster for each in one])
        widths.append(float(stdtrit(entities - 1, 0.975)) * (error or 0.0))
    assert fmean(widths) == pytest.approx(planned.half_width, rel=0.08)


def test_without_clustering_it_is_the_binomial() -> None:
    found = precision(10_000, 1, [1], Assumed(accuracy=0.5, icc=0.15, correlation=0.0))
    assert found.half_width == pytest.approx(1.96 * 0.005, rel=1e-3)
    assert found.detectable == found.unpaired == pytest.approx(2.8016 * 0.005 * 2**0.5, rel=1e-3)


@pytest.mark.parametrize(
    ("items", "entities", "accuracy", "half_width", "unpaired"),
    [(774, 100, 0.27, 4.4, 9.0), (435, 91, 0.38, 5.7, 11.5), (849, 100, 0.50, 4.9, 9.9)],
)
def test_the_published_checklists_are_as_precise_as_they_were_found_to_be(
    items: int, entities: int, accuracy: float, half_width: float, unpaired: float
) -> None:
    few, more = divmod(items, entities)
    sizes = [few + 1] * more + [few] * (entities - more)
    found = precision(entities, 1, sizes, Assumed(accuracy=accuracy, icc=0.15))
    assert found.half_width is not None and found.unpaired is not None
    assert 100 * found.half_width == pytest.approx(half_width, abs=0.2)
    assert 100 * found.unpaired == pytest.approx(unpaired, abs=0.4)


def test_more_of_anything_never_makes_it_worse() -> None:
    few = precision(10, 1, [8], Assumed())
    for more in (precision(20, 1, [8], Assumed()), precision(10, 3, [8], Assumed())):
        assert more.half_width is not None and few.half_width is not None
        assert more.detectable is not None and few.detectable is not None
        assert more.half_width < few.half_width
        assert more.detectable < few.detectable


def test_one_entity_shows_nothing_and_no_item_cannot_be_planned_for() -> None:
    assert precision(1, 5, [8], Assumed()).half_width is None
    with pytest.raises(ValueError, match="no items"):
        precision(5, 1, [0], Assumed())


def test_a_worked_icc_and_where_there_is_none() -> None:
    # Entities all right and all wrong: items of one go together entirely.
    apart = [outcome(f"{e}{i}", e, hit, 1) for e, hit in (("a", 1), ("b", 0)) for i in range(3)]
    assert icc(scored(apart)) == pytest.approx(1.0)
    assert icc(scored(apart[:3])) is None
    assert icc(scored([outcome("x", "a", 1, 1), outcome("y", "b", 1, 1)])) is None
    # Groups 0 1 and 1 1: between 1/4, within 1/4, so nothing goes together.
    assert icc([("a", 0.0), ("a", 1.0), ("b", 1.0), ("b", 1.0)]) == pytest.approx(0.0)
