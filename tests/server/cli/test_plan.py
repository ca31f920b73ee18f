"""`ddr plan`: what a budget buys, by what is stored or by what is assumed, and it says which."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.run import ModelSpec
from core.trajectory import ModelCall, StopReason, Usage
from databases.catalog import InstalledScenario
from server.store import open_store
from tests.server.cli.conftest import Ddr
from tests.server.support import START, draft, spec, turn

PRICES = """
[models."openai/a"]
input = 1.0
output = 10.0

[models."openai/b"]
input = 2.0
output = 20.0
"""


@pytest.fixture
def prices(tmp_path: Path) -> str:
    path = tmp_path / "prices.toml"
    path.write_text(PRICES, "utf-8")
    return str(path)


def test_without_stored_runs_everything_is_assumed_and_said_to_be(
    ddr: Ddr, built_home: Path, prices: str
) -> None:
    done = ddr(
        "plan", "--scenario", "flights", "--models", "openai/a,openai/b", "--budget-usd", "20",
        "--prices", prices,
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "openai/a: $0.4800 a trajectory (assumed" in done.out
    assert "openai/b: $0.9600 a trajectory (assumed" in done.out
    assert "icc 0.15 (assumed)" in done.out
    told = ddr(
        "plan", "--scenario", "flights", "--models", "openai/a,openai/b", "--budget-usd", "20",
        "--judge", "openai/a", "--prices", prices, "--json",
    ).json  # fmt: skip
    one = told["choices"][0]
    # 16 carriers with 11.6 items: $1.44 for both, and 2 x 23.25 questions at $0.0033.
    unit = 0.48 + 0.96 + 2 * 2 * told["items_per_entity"] * (1800 * 1.0 + 150 * 10.0) / 1e6
    assert one["trials"] == 1
    assert one["entities"] == int(20 / unit)
    assert one["cost_usd"] == pytest.approx(one["entities"] * unit)
    assert 0 < one["precision"]["detectable"] < one["precision"]["unpaired"]
    assert told["choices"][told["best"]]["precision"]["detectable"] == min(
        c["precision"]["detectable"] for c in told["choices"] if c["precision"]["detectable"]
    )
    assert all(c["cost_usd"] <= 20 for c in told["choices"])


def test_stored_trajectories_of_a_model_say_what_it_takes(
    ddr: Ddr, built_home: Path, flights: InstalledScenario, prices: str
) -> None:
    call = ModelCall(
        role="agent",
        model_asked="openai/a",
        usage=Usage(input_tokens=100_000, output_tokens=1_000),
        started_at=START,
        duration_s=1.0,
    )
    with open_store(built_home / "store.sqlite3") as store:
        run = spec(
            scenario_id="flights",
            scenario_fingerprint=flights.scenario.fingerprint,
            agent="react",
            model=ModelSpec(provider="openai", name="a"),
        )
        store.add_run(run)
        for entity_id in run.entity_ids:
            mine = store.start_trajectory(draft(run, entity_id))
            store.add_turn(mine.id, turn(1).model_copy(update={"call": call}))
            store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    told = ddr(
        "plan", "--scenario", "flights", "--models", "openai/a,openai/b", "--budget-usd", "5",
        "--prices", prices, "--json",
    ).json  # fmt: skip
    one, other = told["models"]
    assert one["usd"] == pytest.approx(0.11)
    assert "2 of its own trajectories" in one["basis"]
    assert other["usd"] == pytest.approx(0.22)
    assert "tokens of 2 trajectories of others" in other["basis"]


def test_a_budget_that_buys_nothing_and_a_missing_price_say_so(
    ddr: Ddr, built_home: Path, prices: str
) -> None:
    poor = ddr(
        "plan", "--scenario", "flights", "--models", "openai/a", "--budget-usd", "0.1",
        "--prices", prices,
    )  # fmt: skip
    assert poor.code == 1
    assert "buys not one entity" in poor.out
    unknown = ddr(
        "plan", "--scenario", "flights", "--models", "openai/zzz", "--budget-usd", "10",
        "--prices", prices,
    )  # fmt: skip
    assert unknown.code == 1
    assert "no price for openai/zzz" in unknown.out
    assert (
        ddr("plan", "--scenario", "flights", "--models", "openai/a", "--budget-usd", "0").code == 2
    )
    assert ddr("plan", "--scenario", "flights", "--models", ",", "--budget-usd", "1").code == 2
