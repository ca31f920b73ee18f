"""A lab of a few thousand rows for the tests of the tools' benchmark."""

from __future__ import annotations

import pytest

from bench import lab as labs
from bench.figures import Bench
from bench.lab import Lab

ROWS = 8000


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """Made once; its files are only read."""
    return labs.prepare(tmp_path_factory.mktemp("bench"), lambda what: None, ROWS)


@pytest.fixture
def bench(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """What a probe is handed where the lab is that small."""
    monkeypatch.setenv(labs.ROWS_VARIABLE, str(ROWS))
    return Bench(lab.folder.parent, lambda what: None)


def silent(_what: str) -> None:
    """Nobody listens."""
