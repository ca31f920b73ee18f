"""`ddr run --model`: scripts, several models, money, prompts, replays and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.trajectory import StopReason
from server.store import open_store
from tests.server.cli.conftest import Ddr, Done
from tests.support.needs import needs

pytestmark = pytest.mark.real  # whole runs with models

COUNT = "SELECT count(*) AS n FROM flights WHERE carrier_id = '01'"
TOKENS = {"input_tokens": 1000, "output_tokens": 100}
QUERY = {
    "text": "I count.",
    "tool_calls": [{"name": "execute_query", "arguments": {"query": COUNT}}],
    "usage": TOKENS,
}
DONE = {"text": "FINISH: Carrier 01 flies.", "usage": TOKENS}
PRICES = '[models."scripted/*"]\ninput = 2.0\noutput = 10.0\n'


def script(folder: Path, *replies: Any, name: str = "model.jsonl") -> str:
    path = folder / name
    path.write_text("\n".join(json.dumps(reply) for reply in replies), "utf-8")
    return f"scripted:{path}"


def explore(ddr: Ddr, *options: str, entities: str = "01") -> Done:
    shared = ("--scenario", "flights", "--tools", "sql", "--entities", entities, "--json")
    return ddr("run", *shared, *options)


@pytest.fixture
def priced(tmp_path: Path) -> str:
    path = tmp_path / "prices.toml"
    path.write_text(PRICES, "utf-8")
    return str(path)


def test_with_a_model_the_agent_is_react_and_its_trajectory_is_whole(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    model = script(tmp_path, QUERY, DONE, {"role": "insight", "text": "It has many."})
    done = explore(ddr, "--model", model)
    assert done.code == 0, done.err
    told = done.json
    assert (told["agent"], told["model"]) == ("react", model)
    assert told["stop_reasons"] == {"finished": 1}
    assert told["usage"]["cost_usd"] is None
    assert told["usage"]["cost_reason"] == "no price"
    with open_store(built_home / "store.sqlite3") as store:
        spec = store.run("last")
        (only,) = store.trajectories(spec.id)
    assert spec.prompts_hash
    assert only.preamble is not None and "- flights" in only.preamble.start_prompt
    assert only.turns[0].tool_results[0].is_error is False
    assert [(i.level, i.text) for i in only.insights] == [
        ("message", "It has many."),
        ("trajectory", "Carrier 01 flies."),
    ]


def test_prices_give_a_cost_to_the_last_digit(
    ddr: Ddr, built_home: Path, tmp_path: Path, priced: str
) -> None:
    model = script(tmp_path, QUERY, DONE)
    done = explore(ddr, "--model", model, "--prices", priced, "--insights", "none")
    by_hand = 2 * (1000 * 2.0 + 100 * 10.0) / 1e6
    assert done.json["usage"]["cost_usd"] == pytest.approx(by_hand, abs=1e-9)
    shown = ddr("show", "last").out
    assert "$0.0060" in shown
    assert "$0.0060" in ddr("runs").out


def test_each_model_has_a_run_of_its_own(ddr: Ddr, built_home: Path, tmp_path: Path) -> None:
    one = script(tmp_path, QUERY, DONE, name="one.jsonl")
    two = script(tmp_path, DONE, name="two.jsonl")
    done = explore(ddr, "--model", one, "--model", two)
    assert done.code == 0, done.err
    assert [run["model"] for run in done.json["runs"]] == [one, two]
    assert [run["turns"] for run in done.json["runs"]] == [1, 0]


def test_a_spent_budget_stops_all_models_and_leaves_the_rest_not_begun(
    ddr: Ddr, built_home: Path, tmp_path: Path, priced: str
) -> None:
    one = script(tmp_path, QUERY, DONE, name="one.jsonl")
    two = script(tmp_path, DONE, name="two.jsonl")
    asked = ("--model", one, "--model", two, "--prices", priced, "--insights", "none")
    done = explore(ddr, *asked, "--budget-usd", "0.007", entities="01,02")
    assert done.code == 1
    assert "the budget of $0.007 is spent" in done.err
    first, other = done.json["runs"]
    assert first["stop_reasons"] == {"finished": 1, "cancelled": 1}
    assert [each["entity"] for each in other["trajectories"]] == ["01"], "they take turns"
    assert "the budget" in done.json["stopped"]
    for run in (first, other):
        assert run["resume"] == f"DDR_HOME={built_home} ddr run --resume {run['run']}"
        assert run["resume"] in done.err
    again = ddr("run", "--resume", first["run"], "--json")
    assert again.code == 1, "the budget of the run is still spent"
    more = ddr("run", "--resume", first["run"], "--budget-usd", "1", "--json")
    assert more.code == 0, more.err
    assert more.json["stop_reasons"] == {"finished": 2}
    assert more.json["usage"]["cost_usd"] is not None, "a resumed run keeps its prices"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--budget-usd", "1"), "there is no price for scripted:"),
        (("--limits", "max_cost_usd=1"), "there is no price for scripted:"),
        (("--agent", "profiler"), "the agent profiler asks no model"),
        (("--base-url", "http://127.0.0.1:1/v1"), "has no endpoint"),
        (("--prompts", "nowhere"), "there is no such folder"),
        (("--prices", "nowhere.toml"), "nowhere.toml cannot be read"),
        (("--insights", "never"), "--insights: "),
        (("--protocol", "dr"), "--protocol: "),
        (("--model", "opnai/x"), "did you mean 'openai'?"),
        (("--model", "replay:last"), "there are no runs here yet"),
        (("--model", "scripted:nowhere"), "nowhere cannot be read"),
    ],
)
def test_what_cannot_be_done_with_a_model_is_refused_at_the_start(
    ddr: Ddr, built_home: Path, tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    done = explore(ddr, "--model", script(tmp_path, DONE), *more)
    assert done.code == 2, done.err
    assert said in done.err
    with open_store(built_home / "store.sqlite3") as store:
        assert store.runs() == []


def test_an_unpriced_endpoint_refuses_a_dollar_budget(ddr: Ddr, built_home: Path) -> None:
    """F33."""
    done = explore(ddr, "--model", "hosted_vllm/foo", "--budget-usd", "1")
    assert done.code == 2
    assert "there is no price for hosted_vllm/foo" in done.err


def test_a_replay_says_what_was_said_and_spends_nothing(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    insight = {"role": "insight", "text": "It has many."}
    first = explore(ddr, "--model", script(tmp_path, QUERY, "Hm.", DONE, insight))
    second = explore(ddr, "--model", f"replay:{first.json['run']}")
    assert second.code == 0, second.err
    assert second.json["usage"]["cost_reason"] == "replayed: nothing was spent"
    with open_store(built_home / "store.sqlite3") as store:
        (one,), (two,) = (store.trajectories(run.id) for run in store.runs())
    assert [t.tool_results[0].text for t in one.turns] == [
        t.tool_results[0].text for t in two.turns
    ]
    assert [n.text for n in one.nudges] == [n.text for n in two.nudges] == ["Hm."]
    assert [i.text for i in one.insights] == [i.text for i in two.insights]


def test_prompts_are_replaced_and_kept_for_a_resume(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "system.txt").write_text("Say FINISH: when {entity_id} is done.", "utf-8")
    failing = {"error": {"kind": "server", "status_code": 500}}
    options = ("--model", script(tmp_path, failing), "--prompts", str(folder))
    failed = explore(ddr, *options)
    assert failed.code == 1
    assert failed.json["stop_reasons"] == {"provider_error": 1}
    script(tmp_path, QUERY, DONE)
    (folder / "system.txt").write_text("Something else. FINISH:", "utf-8")
    again = ddr("run", "--resume", "last", "--retry-errors", "--json")
    assert again.code == 0, again.err
    with open_store(built_home / "store.sqlite3") as store:
        (only,) = store.trajectories(store.run("last").id)
    assert only.preamble is not None
    assert only.preamble.system_prompt == "Say FINISH: when 01 is done."


def test_protocol_ddr_is_stored_with_its_limits_and_its_one_hand(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    twice = {**QUERY, "tool_calls": [*QUERY["tool_calls"], *QUERY["tool_calls"]]}
    model = script(tmp_path, twice, "Hm.", "Hm.", "Hm.", "A forced report.")
    done = ddr(
        "run", "--scenario", "flights", "--entities", "01", "--model", model, "--protocol", "ddr"
    )
    assert done.code == 0, done.err
    with open_store(built_home / "store.sqlite3") as store:
        spec = store.run("last")
        (only,) = store.trajectories(spec.id)
    assert (spec.protocol, spec.tools, spec.limits.max_turns) == ("ddr", "sql", 100)
    assert [r.error_kind for r in only.turns[0].tool_results] == [None, "parallel_call"]
    assert (only.stop_reason, only.report_forced) == (StopReason.IDLE, True)
    assert only.preamble is not None
    query = next(s for s in only.preamble.tool_schemas if s["name"] == "execute_query")
    assert "1 to 100" in json.dumps(query)
    assert "ddr" in ddr("runs").out.splitlines()[1].split()


@needs("user namespaces")
def test_under_protocol_ddr_python_forgets_its_variables_after_each_call(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    cells = [
        {"tool_calls": [{"name": "execute_code", "arguments": {"code": code}}]}
        for code in ("x = 41", "print(x + 1)")
    ]
    common = ("run", "--scenario", "flights", "--entities", "01", "--tools", "python", "--json")
    model = ("--model", script(tmp_path, *cells, DONE), "--insights", "none")
    seen = []
    for protocol in ("default", "ddr"):
        assert ddr(*common, *model, "--protocol", protocol).code == 0
        with open_store(built_home / "store.sqlite3") as store:
            (only,) = store.trajectories(store.run("last").id)
        seen.append(only.turns[1].tool_results[0].text)
    assert "42" in seen[0]
    assert "NameError" in seen[1]


def test_a_file_says_the_same_as_the_options(ddr: Ddr, built_home: Path, tmp_path: Path) -> None:
    model = script(tmp_path, QUERY, QUERY, "Forced.")
    config = tmp_path / "bench.toml"
    config.write_text(
        f'scenario = "flights"\nmodel = "{model}"\nentities = "02"\ninsights = "none"\n'
        'tools = "sql"\nfinal_report = "none"\n[limits]\nmax_turns = 2\n',
        "utf-8",
    )
    done = ddr("run", "--config", str(config), "--json")
    assert done.code == 0, done.err
    assert done.json["stop_reasons"] == {"max_turns": 1}
    assert done.json["trajectories"][0]["report"] is False


def test_a_missing_key_is_told_before_anything_is_stored(
    ddr: Ddr, built_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = script(tmp_path, QUERY, DONE)
    monkeypatch.setattr("server.models.missing_keys", lambda _model: ("ONE_KEY", "OTHER_KEY"))
    done = explore(ddr, "--model", model)
    assert done.code == 2
    assert "wants a key: set ONE_KEY or OTHER_KEY in the environment" in done.err
    with open_store(built_home / "store.sqlite3") as store:
        assert store.runs() == []
