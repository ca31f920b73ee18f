"""`ddr run` refuses what cannot be done before it stores anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.trajectory import Sandbox
from server.store import open_store
from tests.server.cli.conftest import Ddr

GO = ("run", "--scenario", "flights", "--agent", "profiler")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run",), "which scenario? give --scenario"),
        (("run", "--scenario", "flights"), "which agent? give --agent"),
        (("run", "--scenario", "flihgts", "--agent", "profiler"), "did you mean 'flights'?"),
        (("run", "--scenario", "flights", "--agent", "profilr"), "did you mean 'profiler'?"),
        ((*GO, "--entities", "01,99"), "unknown carrier '99'; known: 01, 02, 03"),
        ((*GO, "--entities", "sample:99"), "give a number from 1 to 16"),
        ((*GO, "--trials", "0"), "--trials: "),
        ((*GO, "--tools", "shell"), "--tools: "),
        ((*GO, "--limits", "max_turn=3"), "did you mean 'max_turns'?"),
        ((*GO, "--config", "nowhere.toml"), "nowhere.toml cannot be read"),
        ((*GO, "--retry-errors"), "--retry-errors goes with --resume"),
        (("run", "--resume", "last"), "no run 'last': there are no runs here yet"),
        (("run", "--resume", "last", "--agent", "profiler"), "leave --agent away"),
    ],
)
def test_a_wrong_request_is_refused_with_what_is_right(
    ddr: Ddr, built_home: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = ddr(*arguments)
    assert done.code == 2, done.err
    assert done.err.startswith("error: ")
    assert said in done.err
    with open_store(built_home / "store.sqlite3") as store:
        assert store.runs() == []


def test_an_unbuilt_scenario_says_how_to_build_it(ddr: Ddr, home: Path) -> None:
    done = ddr(*GO)
    assert done.code == 1
    assert "ddr scenarios build flights" in done.err


def test_a_run_of_a_plug_in_agent_is_told_in_a_table_and_as_json(
    ddr: Ddr, built_home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "gate").touch()
    monkeypatch.setenv("DDR_TEST_GATE", str(tmp_path / "gate"))
    agent = "tests.server.agents:GatedAgent"
    config = tmp_path / "bench.toml"
    config.write_text(f'scenario = "flights"\nagent = "{agent}"\nentities = ["02"]\n', "utf-8")
    done = ddr("run", "--config", str(config), "--tools", "sql", "--json")
    assert done.code == 0, done.err
    assert "exploring" in done.err
    told = done.json
    assert (told["agent"], told["entities"], told["done"]) == (agent, 1, 1)
    (only,) = told["trajectories"]
    assert (only["stop_reason"], only["turns"], only["insights"]) == ("finished", 6, 6)
    assert only["sandbox"] == "off"
    limited = ddr("run", "--config", str(config), "--limits", "max_turns=2", "--quiet")
    assert limited.code == 0
    assert "max_turns" in limited.out
    assert limited.err == ""
    assert len(ddr("runs", "--json").json["runs"]) == 2


def test_a_run_that_ended_by_a_fault_fails_and_says_how_to_try_again(
    ddr: Ddr, built_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DDR_TEST_GATE", raising=False)
    agent = "tests.server.agents:GatedAgent"
    done = ddr(
        "run", "--scenario", "flights", "--agent", agent, "--entities", "02", "--tools", "sql"
    )
    assert done.code == 1
    assert "the agent crashed: KeyError" in done.out
    assert "--retry-errors" in done.err


def test_without_python_the_other_tools_are_there_and_the_reason_is_kept(
    ddr: Ddr, built_home: Path
) -> None:
    agent = "tests.server.agents:GatedAgent"
    run = ("run", "--scenario", "flights", "--agent", agent, "--entities", "01", "--json")
    done = ddr(*run, "--tools", "sql")
    assert done.code == 0, done.err
    shown = ddr("show", "last", "01", "--json").json
    assert shown["sandbox"] == {"name": "off", "detail": "the tools of this run leave Python out"}
    names = [schema["name"] for schema in shown["preamble"]["tool_schemas"]]
    assert names == ["get_database_info", "describe_table", "execute_query"]


def test_python_as_the_only_hand_needs_a_sandbox(
    ddr: Ddr, built_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    off = Sandbox(name="off", detail="this kernel has no user namespaces")
    monkeypatch.setattr("tools.python.sandbox.sandbox_available", lambda: off)
    agent = "tests.server.agents:GatedAgent"
    run = ("run", "--scenario", "flights", "--agent", agent, "--entities", "01")
    refused = ddr(*run, "--tools", "python")
    assert refused.code == 2
    assert "there is none: this kernel has no user namespaces" in refused.err
