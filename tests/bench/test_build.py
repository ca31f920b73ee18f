"""The benchmark of builds: the promised goals, and figures that are of whole, equal builds only."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import build, registry
from bench.figures import Bench

GOALS = {
    "rows_per_s": (100_000, "higher"),
    "build_s": (480, "lower"),
    "peak_memory_gb": (4, "lower"),
    "import_rows_per_s": (100_000, "higher"),
    "import_memory_gb": (1.5, "lower"),
    "import_memory_growth_gb": (0.25, "lower"),
}


def bench(folder: Path, rows: int | None = None) -> Bench:
    return Bench(folder, lambda what: None, rows)


def test_the_goals_are_those_that_were_promised() -> None:
    goals = [goal for probe in registry.probes("build") for goal in probe.goals]
    assert {goal.name: (goal.goal, goal.better) for goal in goals} == GOALS
    assert (build.ROWS, build.ROWS // 50, build.ROWS // 10) == (50_000_000, 1_000_000, 5_000_000)


def test_a_trial_measures_a_whole_build_and_leaves_nothing(tmp_path: Path) -> None:
    found = build.generated(bench(tmp_path, 10_000))
    assert set(found) == {"rows_per_s", "build_s", "peak_memory_gb"}
    assert found["rows_per_s"].value * found["build_s"].value == pytest.approx(10_000, rel=0.02)
    assert 0.05 < found["peak_memory_gb"].value < 1.5
    assert list(tmp_path.iterdir()) == []


def test_an_import_of_other_content_gives_no_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = iter(build.Made(2.0, 300_000_000, 1_000, letter) for letter in "ab")
    monkeypatch.setattr(build, "make", lambda options, home: next(made))
    with pytest.raises(RuntimeError, match="is not what was written"):
        build.imported(bench(tmp_path, 10_000))


def test_import_figures_are_of_the_larger_one_and_their_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = iter([(1.0, 9), (1.0, 200_000_000), (1.0, 9), (10.0, 300_000_000)])
    monkeypatch.setattr(
        build, "make", lambda options, home: build.Made(*next(sizes), 5_000_000, "same")
    )
    found = build.imported(bench(tmp_path))
    assert found["import_rows_per_s"].value == 500_000
    assert found["import_memory_gb"].value == pytest.approx(0.3)
    assert found["import_memory_growth_gb"].value == pytest.approx(0.1)


def test_a_build_that_fails_says_why(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="--rows is at least 200 per patient"):
        build.make({"synthetic": True, "entities": "5", "rows": 10}, tmp_path)
