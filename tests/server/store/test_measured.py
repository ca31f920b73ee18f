"""What an endpoint told is found again under what it was asked, and under nothing else."""

from __future__ import annotations

from pathlib import Path

from server.store import open_store
from server.store.measured import Measurements, Told


def told(*logprobs: float) -> Told:
    return Told(tokens=tuple("FINISH:"[: len(logprobs)]), logprobs=logprobs, form="token ids")


def test_it_outlives_the_process_and_the_newer_word_takes_the_place_of_the_older(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.sqlite3"
    with open_store(path) as store:
        kept = Measurements(store)
        assert kept.recall("a" * 64) is None
        kept.keep("a" * 64, told(-1.5, -0.25))
        kept.keep("b" * 64, told(-9.0))
    with open_store(path) as store:
        kept = Measurements(store)
        assert kept.recall("a" * 64) == told(-1.5, -0.25)
        kept.keep("a" * 64, told(-2.0))
        assert kept.recall("a" * 64) == told(-2.0)
        assert kept.recall("b" * 64) == told(-9.0)
