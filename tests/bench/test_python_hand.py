"""The Python figures: the same code on both sides, the costs of real sessions, no figure without walls."""

from __future__ import annotations

import pytest

from bench import hands, old_ways, python_hand, side_by_side
from bench.figures import Bench, take
from bench.python_hand import GROUPBY, PRINT
from bench.tools import PROBES
from tests.bench.labs import bench, lab
from tests.support.needs import needs

__all__ = ["bench", "lab"]


def test_the_same_code_gives_another_output_for_each_number() -> None:
    for code in (PRINT, GROUPBY):
        first, second = (old_ways.run_python(code.format(number=number)) for number in (1, 2))
        assert first != second
        assert first.strip()


def test_the_groupby_is_of_a_hundred_means() -> None:
    # The mean of 0.5 * steps over each residue class of 100, plus the number, summed over 100.
    expected = sum(0.5 * (key + 49_950) + 3 for key in range(100))
    assert float(old_ways.run_python(GROUPBY.format(number=3))) == pytest.approx(expected)


@pytest.mark.real
def test_without_a_sandbox_the_figures_are_missing_and_say_why(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hands, "SANDBOX", None)
    for probe in PROBES:
        if not any(goal.name.startswith(("python", "session")) for goal in probe.goals):
            continue
        for figure in take(probe, bench):
            told = figure.as_dict()
            assert told["value"] is None
            assert not told["met"]
            assert told["reason"] == "SandboxError: no sandbox was chosen for this run"


@pytest.mark.real
@needs("user namespaces")
def test_the_ratios_are_taken_of_the_real_tools(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(side_by_side, "ROUNDS", 1)
    monkeypatch.setattr(python_hand, "OURS_PER_ROUND", 2)
    seen = python_hand.python_ratios(bench)
    assert list(seen) == ["python_print_ratio", "python_groupby_ratio"]
    assert all(figure.value > 0 for figure in seen.values())


@pytest.mark.real
@needs("user namespaces")
def test_calls_are_counted_over_all_sessions_side_by_side(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(python_hand, "SIDE_BY_SIDE", 3)
    monkeypatch.setattr(python_hand, "CALLS_EACH", 2)
    seen = python_hand.calls_ratio(bench)["python_calls_ratio_32"]
    ours, _, old, *_ = seen.detail.split()
    assert seen.value == pytest.approx(float(ours) / float(old), rel=0.01)


@pytest.mark.real
@needs("user namespaces", "root")
def test_what_a_session_costs_is_measured_on_real_ones(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(python_hand, "SIDE_BY_SIDE", 2)
    monkeypatch.setattr(python_hand, "STARTS", 2)
    seen = python_hand.session_costs(bench)
    assert seen["session_start_ms"].value > 0
    assert 1 < seen["session_pss_mb"].value < 500, "in MB, per session"
