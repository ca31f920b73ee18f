"""Calibrations come out of the store as they went in."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from core.calibration import Calibration, Canary, Stability
from core.errors import StoreError
from server.store import Repository
from server.store.calibrations import Calibrations
from tests.server.support import START


def made(name: str, hours: int = 0, **changes: Any) -> Calibration:
    values: dict[str, Any] = {
        "id": name,
        "judge": "openai/gpt-x",
        "parameters": {"sampling": {"temperature": 0}},
        "criteria": "strict",
        "prompt_hash": "p",
        "set_hash": "s",
        "n": 30,
        "of": 324,
        "unscored": 1,
        "confusion": {"supported": {"supported": 9, "unscored": 1}},
        "macro_f1": 0.9,
        "kappa": None,
        "recalls": {"supported": 0.9},
        "by_kind": {"plain": (9, 10)},
        "created_at": START + timedelta(hours=hours),
    }
    return Calibration.model_validate({**values, **changes})


def test_all_are_kept_in_the_order_of_their_time(store: Repository) -> None:
    kept = Calibrations(store)
    steady = Stability(
        k=2, n=3, shares=(0.5, 0.5), mean=0.5, sigma=0.0, cv=0.0, flip_rate=0, icc=1, unscored=0
    )
    canary = Canary(n=30, changed=1, obeyed=1, low=0.0, high=0.1, by_kind={"plea": 1})
    late, early = made("b", 2, canary=canary, stability=steady), made("a", 1)
    kept.add(late)
    kept.add(early)
    assert Calibrations(store).all() == [early, late]
    with pytest.raises(StoreError, match="stored already"):
        kept.add(early)


def test_an_empty_store_has_none(store: Repository) -> None:
    assert Calibrations(store).all() == []
