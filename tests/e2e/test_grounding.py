"""What the profiler says of flights comes from what it was shown, and from nobody else's data."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from core.trajectory import Trajectory
from evaluator.grounding import (
    by_altered_figures,
    by_another,
    grounded_share,
    grounding_of,
    untraced_share,
)
from server.store import open_store
from tests.server.cli.conftest import Ddr, built_home, ddr, home

__all__ = ["built_home", "ddr", "home"]

pytestmark = pytest.mark.real  # whole runs


@pytest.fixture
def explored(ddr: Ddr, built_home: Path) -> list[Trajectory]:
    done = ddr(
        "run", "--scenario", "flights", "--agent", "profiler", "--entities", "03,06,11", "--json"
    )
    assert done.code == 0, done.err
    with open_store(built_home / "store.sqlite3") as store:
        return store.trajectories(store.run("last").id)


def test_real_figures_are_well_apart_from_anothers_and_from_altered_ones(
    explored: list[Trajectory],
) -> None:
    own = [grounding_of(each) for each in explored]
    others = itertools.islice(itertools.cycle(explored), 1, len(explored) + 1)
    another = [by_another(one, other) for one, other in zip(explored, others, strict=True)]
    altered = [by_altered_figures(each) for each in explored]
    real = grounded_share(own, {}, "message")
    assert real.out_of > 500
    assert real.value is not None
    assert real.value >= 0.97
    for false in (another, altered):
        found = grounded_share(false, {}, "message")
        assert found.value is not None
        assert found.value <= 0.85
        assert found.high is not None
        assert real.low is not None
        assert found.high < real.low, "the intervals do not touch"
    sure = [
        grounded_share(each, {}, "message", sure=True).value for each in (own, another, altered)
    ]
    assert sure[0] is not None
    assert sure[0] >= 0.6
    assert sure[1] is not None
    assert sure[1] <= 0.35
    assert sure[2] is not None
    assert sure[2] <= 0.12
    proxy = [untraced_share(each, {}).value for each in (own, altered)]
    assert proxy[0] is not None
    assert proxy[1] is not None
    assert proxy[0] <= 0.06
    assert proxy[1] >= 0.35
