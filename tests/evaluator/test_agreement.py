"""Agreement statistics against values that are known."""

from __future__ import annotations

import random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import agreement as of

LABELS = st.sampled_from(["supported", "contradicted", "insufficient", None])


def table(*cells: tuple[str, str, int]) -> tuple[list[str], list[str]]:
    """The cases of a confusion table."""
    pairs = [(true, said) for true, said, n in cells for _ in range(n)]
    return [true for true, _ in pairs], [said for _, said in pairs]


@pytest.mark.parametrize(
    ("prevalence", "f1", "kappa"), [(0.5, 0.92, 0.84), (0.3, 0.90, 0.81), (0.1, 0.84, 0.67)]
)
def test_the_same_agreement_is_worth_less_where_one_label_is_rare(
    prevalence: float, f1: float, kappa: float
) -> None:
    # EVALUATION 4.3, where the figures are of one simulated sample: hence the tolerance.
    n = 10_000
    yes = round(prevalence * n)
    miss, alarm = round(0.08 * yes), round(0.08 * (n - yes))
    truth, said = table(
        ("y", "y", yes - miss), ("y", "n", miss), ("n", "y", alarm), ("n", "n", n - yes - alarm)
    )
    assert of.agreement(truth, said) == pytest.approx(0.92)
    assert of.macro_f1(truth, said) == pytest.approx(f1, abs=0.02)
    assert of.cohen_kappa(truth, said) == pytest.approx(kappa, abs=0.02)
    rows = list(zip(truth, said, strict=True))
    alpha, cohen = of.krippendorff(rows), of.cohen_kappa(truth, said)
    assert alpha is not None
    assert cohen is not None
    assert abs(alpha - cohen) < 0.005


def test_cohens_own_kind_of_example() -> None:
    # 50 grants, two readers: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: kappa is .4.
    one, other = table(("y", "y", 20), ("y", "n", 5), ("n", "y", 10), ("n", "n", 15))
    assert of.cohen_kappa(one, other) == pytest.approx(0.4)


def test_krippendorffs_example_with_missing_labels() -> None:
    # Krippendorff (2011): four observers, twelve units, nominal alpha .743.
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    units = list(zip(*observers, strict=True))
    assert of.krippendorff(units) == pytest.approx(0.743, abs=0.0005)


def test_shrout_and_fleiss_example_of_icc_1() -> None:
    rows = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    assert of.icc(rows) == pytest.approx(0.17, abs=0.005)
    assert of.icc([[1, 1], [0, 0]]) == 1
    assert of.icc([[1, 1], [1, 1]]) is None
    assert of.icc([[1, 0]]) is None


def test_repeats_flip_and_vary() -> None:
    assert of.flip_rate([["s", "s", "s"], ["s", "c", "s"]]) == pytest.approx((0 + 2 / 3) / 2)
    assert of.flip_rate([["s"], []]) is None
    assert of.flip_rate([[None, None], [None, "s"]]) == 0.5
    # DDR-31: mean 50, sigma 2 (n - 1) is a CV of 4 %.
    assert of.variation([48, 50, 52]) == pytest.approx(0.04)
    assert of.variation([3.0]) is None
    assert of.variation([-1.0, 1.0]) is None


def test_an_unscored_case_is_a_miss_and_no_false_alarm() -> None:
    truth, said = ["s", "s", "c"], ["s", None, "c"]
    assert of.macro_f1(truth, said) == pytest.approx((2 / 3 + 1) / 2)
    assert of.confusion(truth, said) == {"c": {"c": 1}, "s": {"s": 1, "unscored": 1}}
    assert of.recalls(truth, said) == {"c": 1.0, "s": 0.5}
    assert of.agreement(truth, said) == 1.0


def test_what_is_not_defined_is_none() -> None:
    assert of.macro_f1([], []) is None
    assert of.cohen_kappa([], []) is None
    assert of.cohen_kappa(["s", "s"], ["s", "s"]) is None
    assert of.krippendorff([["s", None], [None, "c"]]) is None
    assert of.krippendorff([["s", "s"], ["s", "s"]]) is None
    assert of.bootstrap([1.0], ["a"], sum, seed=1) is None


def test_the_bootstrap_draws_whole_entities() -> None:
    # Ten items of each of 40 entities are all alike: only 40 independent values.
    draw = random.Random(7)
    values = [draw.gauss(0.5, 0.2) for _ in range(40)]
    rows = [value for value in values for _ in range(10)]
    names = [n for n in range(40) for _ in range(10)]

    clustered = of.bootstrap(rows, names, fmean, seed=1)
    single = of.bootstrap(rows, range(400), fmean, seed=1)
    assert clustered is not None
    assert single is not None
    ratio = (clustered[1] - clustered[0]) / (single[1] - single[0])
    assert ratio == pytest.approx(10**0.5, rel=0.15)
    assert clustered == of.bootstrap(rows, names, fmean, seed=1)


@given(st.lists(st.tuples(LABELS, LABELS), max_size=40), st.randoms())
def test_the_order_of_cases_and_the_names_of_labels_do_not_matter(
    pairs: list[tuple[str | None, str | None]], chance: random.Random
) -> None:
    renamed = {"supported": "x", "contradicted": "y", "insufficient": "z", None: None}
    other = [(renamed[a], renamed[b]) for a, b in pairs]
    chance.shuffle(other)
    for statistic in (of.macro_f1, of.cohen_kappa, of.agreement):
        before = statistic([a for a, _ in pairs], [b for _, b in pairs])
        after = statistic([a for a, _ in other], [b for _, b in other])
        assert (before is None) == (after is None)
        assert before == pytest.approx(after)
    alpha = of.krippendorff(pairs)
    assert alpha == pytest.approx(of.krippendorff([(b, a) for a, b in other]))
