"""What a run would take, from stored runs of its kind or from a pilot."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.store import open_store
from tests.server.cli.conftest import Ddr
from tests.server.cli.test_run_models import DONE, PRICES, QUERY, explore, script
from tests.server.cli.test_run_several import REFUSED

pytestmark = pytest.mark.real  # whole runs with models

SHORT = ("--insights", "none")


@pytest.fixture
def priced(tmp_path: Path) -> str:
    path = tmp_path / "prices.toml"
    path.write_text(PRICES, "utf-8")
    return str(path)


def runs(ddr: Ddr) -> list[str]:
    return [run["run"] for run in ddr("runs", "--json").json["runs"]]


def test_without_a_run_of_its_kind_it_asks_for_a_pilot_and_explores_nothing(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    model = ("--model", script(tmp_path, QUERY, DONE), *SHORT)
    done = explore(ddr, *model, "--estimate")
    assert done.code == 1
    assert "no stored run of scripted:" in done.json["estimates"][0]["reason"]
    assert runs(ddr) == []
    told = ddr("run", "--scenario", "flights", *model, "--estimate")
    assert "--pilot 2" in told.out


def test_it_comes_from_stored_runs_that_differ_in_size_alone(
    ddr: Ddr, built_home: Path, tmp_path: Path, priced: str
) -> None:
    model = ("--model", script(tmp_path, QUERY, DONE), *SHORT)
    assert explore(ddr, *model, entities="01,02").code == 0
    (stored,) = runs(ddr)
    found = explore(ddr, *model, "--estimate", "--prices", priced, entities="sample:5")
    assert found.code == 0, found.err
    told = found.json["estimates"][0]["estimate"]
    assert told["from_runs"] == [stored]
    assert (told["from_trajectories"], told["trajectories"]) == (2, 5)
    assert told["calls"] == {"mean": 10.0, "low": 10.0, "high": 10.0}
    assert told["input_tokens"]["mean"] == 10_000
    assert told["roles"]["agent"]["output_tokens"]["mean"] == 1_000
    assert told["cost_usd"]["mean"] == pytest.approx(5 * 0.006, abs=1e-9)
    assert runs(ddr) == [stored], "an estimate stores nothing"
    other = explore(ddr, *model, "--estimate", "--limits", "max_turns=1")
    assert other.code == 1, "a run under other limits says nothing of this one"


def test_a_pilot_is_a_run_of_its_own_that_the_estimate_comes_from(
    ddr: Ddr, built_home: Path, tmp_path: Path, priced: str
) -> None:
    insight = {"role": "insight", "text": "Many.", "usage": {"input_tokens": 7, "output_tokens": 3}}
    model = ("--model", script(tmp_path, QUERY, DONE, insight), "--prices", priced)
    done = explore(ddr, *model, "--estimate", "--pilot", "2", "--trials", "3", entities="all")
    assert done.code == 0, done.err
    (pilot,) = runs(ddr)
    assert done.json["pilots"] == [pilot]
    told = done.json["estimates"][0]["estimate"]
    assert told["from_runs"] == [pilot]
    assert (told["from_trajectories"], told["trajectories"]) == (2, 48)
    assert set(told["roles"]) == {"agent", "insight"}
    assert told["roles"]["insight"]["input_tokens"]["mean"] == 48 * 7
    by_hand = 48 * (2 * (1000 * 2.0 + 100 * 10.0) + 7 * 2.0 + 3 * 10.0) / 1e6
    assert told["cost_usd"]["mean"] == pytest.approx(by_hand, abs=1e-9)
    assert 0 < told["seconds"]["low"] <= told["seconds"]["mean"] <= told["seconds"]["high"]
    with open_store(built_home / "store.sqlite3") as store:
        spec = store.run(pilot)
    assert len(spec.entity_ids) == 2
    assert spec.trials == 1


def test_the_same_seed_draws_the_same_pilot(ddr: Ddr, built_home: Path, tmp_path: Path) -> None:
    model = ("--model", script(tmp_path, DONE), *SHORT)
    for _ in range(2):
        assert explore(ddr, *model, "--estimate", "--pilot", "1", entities="02,05,07").code == 0
    with open_store(built_home / "store.sqlite3") as store:
        one, two = store.runs()
    assert one.entity_ids == two.entity_ids
    assert set(one.entity_ids) < {"02", "05", "07"}


def test_each_model_has_its_pilot_and_an_unknown_price_is_no_price(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    one = script(tmp_path, DONE, name="one.jsonl")
    two = script(tmp_path, QUERY, DONE, name="two.jsonl")
    asked = ("run", "--scenario", "flights", "--tools", "sql", "--model", one, "--model", two)
    done = ddr(*asked, *SHORT, "--estimate", "--pilot", "1")
    assert done.code == 0, done.err
    assert done.out.count("from a single trajectory: no spread can be told") == 2
    assert "- (no price)" in done.out
    assert "all of them: cost unknown, time " in done.out
    told = ddr(*asked, *SHORT, "--estimate", "--json").json["estimates"]
    assert [each["model"] for each in told] == [one, two]
    assert [each["estimate"]["calls"]["mean"] for each in told] == [16, 32]
    for each in told:
        assert each["estimate"]["cost_usd"] is None
        assert each["estimate"]["cost_reason"] == "no price"


def test_a_pilot_that_fails_gives_no_estimate(ddr: Ddr, built_home: Path, tmp_path: Path) -> None:
    done = explore(ddr, "--model", script(tmp_path, REFUSED), "--estimate", "--pilot", "1")
    assert done.code == 1
    assert "came to an end that counts" in done.json["estimates"][0]["reason"]


def test_an_agent_without_a_model_is_estimated_by_its_time(ddr: Ddr, built_home: Path) -> None:
    asked = ("run", "--scenario", "flights", "--agent", "profiler", "--limits", "max_turns=3")
    done = ddr(*asked, "--estimate", "--pilot", "1")
    assert done.code == 0, done.err
    assert "time" in done.out
    assert "cost" not in done.out
    (told,) = ddr(*asked, "--estimate", "--json").json["estimates"]
    assert (told["estimate"]["calls"]["mean"], told["estimate"]["cost_usd"]) == (0, None)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--pilot", "2"), "--pilot goes with --estimate"),
        (("--pilot", "0", "--estimate"), "give a number from 1 to 1"),
        (("--pilot", "2", "--estimate"), "give a number from 1 to 1"),
    ],
)
def test_a_pilot_that_cannot_be_is_refused_at_the_start(
    ddr: Ddr, built_home: Path, tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    done = explore(ddr, "--model", script(tmp_path, DONE), *more)
    assert done.code == 2
    assert said in done.err
    assert runs(ddr) == []
