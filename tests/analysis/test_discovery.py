"""Discovery among runs still active: Kaplan and Meier by hand, and the as-run curve without stops."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.discovery import WARNING, among_active
from analysis.growth import Growth
from analysis.scaling import as_run, value_at
from tests.analysis.grown import entity, grown, run


def test_items_at_risk_leave_with_the_run_that_stops() -> None:
    """Two entities of two items: one finds at 1 and stops at 2, the other finds at 1 and at 4.

    At 1 half of four is found; at 4 one is left at risk, and found: 1 - (1 - 2/4)(1 - 1/1) = 1.
    As run it is three of four.
    """
    made = grown(entity("a", 2, run(1, end=2)), entity("b", 2, run(1, 4, end=5)))
    points = among_active(made, [1, 2, 3, 4, 5])
    assert [p.found for p in points] == pytest.approx([0.5, 0.5, 0.5, 1.0, 1.0])
    assert [p.active for p in points] == [2, 2, 1, 1, 1]
    assert [p.hazard for p in points] == pytest.approx([0.5, 0, 0, 1.0, 0])
    assert value_at(as_run(made), 5) == 0.75


def test_a_textbook_table_is_reproduced() -> None:
    """Six items of one run each: found at 1, 3, 3, 6; stopped without at 2 and 5.

    1 - S: 1/6; 1 - 5/6 * (1 - 2/4) = 7/12; the last at risk is found at 6: 1.
    """
    runs = [run(1, end=9), run(end=2), run(3, end=9), run(3, end=9), run(end=5), run(6, end=9)]
    made = grown(*(entity(str(n), 1, each) for n, each in enumerate(runs)))
    found = [p.found for p in among_active(made, [1, 2, 3, 5, 6])]
    assert found == pytest.approx([1 / 6, 1 / 6, 7 / 12, 7 / 12, 1.0])


def test_nothing_is_said_beyond_the_last_active_run() -> None:
    made = grown(entity("a", 2, run(1, end=3)), entity("b", 2, run(2, end=3)))
    beyond = among_active(made, [3, 4])[1]
    assert (beyond.active, beyond.hazard, beyond.found, beyond.low) == (0, None, None, None)


def test_entities_weigh_alike_however_many_items_and_trials_they_have() -> None:
    made = grown(
        entity("a", 1, run(1, end=5), run(1, end=5)), entity("b", 10, run(end=5), cluster="b")
    )
    assert among_active(made, [5])[0].found == 0.5


def test_bands_resample_clusters_and_one_cluster_has_none() -> None:
    half = [entity(str(n), 1, run(*([1] if n % 2 else []), end=2)) for n in range(10)]
    point = among_active(grown(*half), [2], draws=20_000)[0]
    # Ten draws of a fair coin: their mean's central 95 % is 0.2 to 0.8.
    assert (point.low, point.found, point.high) == pytest.approx((0.2, 0.5, 0.8))
    alone = among_active(grown(half[1]), [2])[0]
    assert (alone.low, alone.high) == (None, None)


def test_a_reported_total_has_no_such_curve_and_the_warning_says_what_stopping_means() -> None:
    told = Growth("m", "billed_tokens", (entity("a", 1, run(5, end=5)),), source="reported")
    assert among_active(told, [5]) == ()
    assert "stopping is informative" in WARNING


_PLACES = st.lists(st.integers(1, 8), max_size=4)


@given(st.lists(_PLACES, min_size=1, max_size=6))
def test_without_stops_it_is_the_as_run_curve(found: list[list[int]]) -> None:
    made = grown(*(entity(str(n), 5, run(*places, end=9)) for n, places in enumerate(found)))
    xs = [float(x) for x in range(1, 10)]
    shown = [point.found for point in among_active(made, xs, draws=0)]
    assert shown == pytest.approx([point.value for point in as_run(made, xs, draws=0).points])
