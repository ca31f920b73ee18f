"""Coverage and normalised entropy, computed by hand."""

from __future__ import annotations

import pytest

from analysis.exploration.entropy import bits, normalised, use_of
from analysis.exploration.fields import readings
from tests.analysis.exploration.making import fields, python, reading, sql

FIELDS = fields(t="a b c", u="d e")


def test_a_trajectory_by_hand() -> None:
    """a is read three times and b once: H = -(3/4 log2 3/4 + 1/4 log2 1/4) = 0.811278 bits over log2 2."""
    mine = reading([sql("t.a")], [sql("t.a", "t.b")], [python("t.a")])
    use = use_of(readings(mine, FIELDS), len(FIELDS))
    assert use.counts == {"t.a": 3, "t.b": 1}
    assert use.coverage == 2 / 5
    assert use.entropy == pytest.approx(0.8112781245)
    assert (use.accesses, use.by_source, use.python_share) == (4, {"sql": 3, "python": 1}, 0.25)
    assert (use.calls, use.unfollowed) == (3, 0)


def test_a_call_of_python_is_one_access_of_each_field() -> None:
    mine = reading([python("t.a", "u.d")])
    use = use_of(readings(mine, FIELDS), len(FIELDS))
    assert (use.accesses, use.python_share) == (2, 1.0)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [([], None), ([0, 0], None), ([7], 0.0), ([7, 0], 0.0), ([5, 5], 1.0), ([1] * 7, 1.0)],
)
def test_the_ends_of_the_scale(counts: list[int], expected: float | None) -> None:
    assert normalised(counts) == pytest.approx(expected)


def test_entropy_in_bits_by_hand() -> None:
    assert bits([2, 1, 1]) == pytest.approx(1.5)  # 1/2 * 1 + 2 * 1/4 * 2
    assert normalised([2, 1, 1]) == pytest.approx(1.5 / 1.584962500721156)
    assert bits([9]) == 0.0


def test_nothing_read_is_no_coverage_and_no_entropy_and_without_fields_neither_is_known() -> None:
    use = use_of(readings(reading([sql()]), FIELDS), len(FIELDS))
    assert (use.coverage, use.entropy, use.python_share) == (0.0, None, None)
    assert use_of([], 0).coverage is None
