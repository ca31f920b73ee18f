"""`ddr stopping --endpoint`: prefixes are rebuilt from what is stored, to the last character."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent.prompting import Prompts
from core.scenario import License
from core.trajectory import Trajectory
from databases import catalog
from server.store import open_store
from tests.server.cli.conftest import RUN, Ddr
from tests.server.cli.test_run_models import DONE, QUERY, explore, script
from tests.support.scoring_endpoint import logprobs, rendered, scoring

pytestmark = pytest.mark.real  # whole runs with models

THINKS = {**QUERY, "text": "Again.", "reasoning": "Hm."}
FINISH = "FINISH:"


@pytest.fixture
def run(ddr: Ddr, built_home: Path, tmp_path: Path) -> str:
    """Two turns with an idle reply between them."""
    model = script(tmp_path, QUERY, {"text": "Well."}, THINKS, DONE)
    return str(explore(ddr, "--model", model).json["run"])


def messages_of(home: Path, run: str) -> tuple[list[list[dict[str, Any]]], list[dict[str, Any]]]:
    """What the model had before it after 0, 1 and 2 turns, put together here; and the tools."""
    with open_store(home / "store.sqlite3") as store:
        (only,) = store.trajectories(run)
    assert only.preamble is not None
    first: list[dict[str, Any]] = [
        {"role": "system", "content": only.preamble.system_prompt},
        {"role": "user", "content": only.preamble.start_prompt},
    ]
    one, two = (_turn(only, at) for at in (0, 1))
    nudge = [
        {"role": "assistant", "content": "Well."},
        {"role": "user", "content": Prompts.builtin().nudge},
    ]
    tools = [
        {
            "type": "function",
            "function": {
                "name": each["name"],
                "description": each["description"],
                "parameters": each["input_schema"],
            },
        }
        for each in only.preamble.tool_schemas
    ]
    return [first, first + one, first + one + nudge + two], tools


def _turn(only: Trajectory, at: int) -> list[dict[str, Any]]:
    turn = only.turns[at]
    (call,), (result,) = turn.tool_calls, turn.tool_results
    function = {"name": call.name, "arguments": call.arguments}
    return [
        {
            "role": "assistant",
            "content": turn.text,
            "tool_calls": [{"type": "function", "id": call.call_id, "function": function}],
        },
        {"role": "tool", "tool_call_id": call.call_id, "content": result.text},
    ]


@pytest.mark.parametrize("served", ["vllm", "llama"])
def test_the_figure_after_each_turn_is_the_one_that_a_hand_would_compute(
    ddr: Ddr, built_home: Path, run: str, tmp_path: Path, served: str
) -> None:
    out = tmp_path / "finish.json"
    picture = tmp_path / "finish.svg"
    with scoring(served) as server:
        asked = ("--endpoint", server.url, "--model", "small", "--out", str(out))
        done = ddr("stopping", run, *asked, "--out", str(picture), "--json")
    assert done.code == 0, done.err
    prefixes, tools = messages_of(built_home, run)
    expected = [
        sum(logprobs(rendered(messages, tools), FINISH)) / len(FINISH) for messages in prefixes
    ]
    told = done.json["runs"][0]["finish_logprobs"]
    assert (told["model"], told["prefixes"], told["unscored"]) == ("small", 3, 0)
    assert [point["turn"] for point in told["by_turn"]] == [0, 1, 2]
    assert [point["logprob"]["mean"] for point in told["by_turn"]] == pytest.approx(expected)
    assert [point["logprob"]["mean"] for point in told["before_end"]] == pytest.approx(
        expected[::-1]
    )
    rows = json.loads(out.read_text())["finish_prefixes"]
    assert [row["finish_tokens"] for row in rows] == [7, 7, 7]
    assert "how likely the finish was" in picture.read_text()


def test_it_is_told_in_words_too(ddr: Ddr, run: str) -> None:
    with scoring("continued") as server:
        done = ddr("stopping", run, "--endpoint", server.url, "--model", "small")
    assert done.code == 0, done.err
    assert "by small (continued message): 3 prefixes measured" in done.out
    assert "before the end" in done.out


def test_what_was_told_once_is_not_asked_again_unless_that_is_wanted(ddr: Ddr, run: str) -> None:
    with scoring("vllm") as server:
        asked = ("stopping", run, "--endpoint", server.url, "--model", "small", "--json")
        server.refuse_after = 4
        assert ddr(*asked).code == 1, "it broke off behind the first prefix"
        server.refuse_after = None
        before = len(server.paths)
        done = ddr(*asked)
        assert "1 of 3 were told before" in done.err
        assert len(server.paths) - before == 2 * 3, "two prefixes, three requests each"
        again = ddr(*asked)
        assert again.json["runs"] == done.json["runs"]
        assert len(server.paths) - before == 2 * 3
        assert ddr(*asked, "--afresh").json["runs"] == done.json["runs"]
        assert len(server.paths) - before == 5 * 3
        other = ddr(*asked, "--template", "enable_thinking=false")
        assert "told before" not in other.err, "another question"


def test_a_prefix_that_is_too_long_is_counted_and_not_measured(ddr: Ddr, run: str) -> None:
    with scoring("vllm") as server:
        server.context = 100
        done = ddr("stopping", run, "--endpoint", server.url, "--model", "small", "--json")
    assert done.code == 0, done.err
    told = done.json["runs"][0]["finish_logprobs"]
    assert (told["prefixes"], told["unscored"], told["by_turn"]) == (3, 3, [])


def test_an_endpoint_that_scores_nothing_is_an_error_that_names_those_that_do(
    ddr: Ddr, run: str
) -> None:
    with scoring("chat") as server:
        done = ddr("stopping", run, "--endpoint", server.url, "--model", "small")
    assert done.code == 1
    assert "does not score a continuation" in done.err and "vllm serve" in done.err


def test_an_endpoint_that_fails_on_the_way_keeps_what_it_told(ddr: Ddr, run: str) -> None:
    with scoring("vllm") as server:
        server.refuse_after = 4
        done = ddr("stopping", run, "--endpoint", server.url, "--model", "small", "--json")
    told = done.json["runs"][0]["finish_logprobs"]
    assert done.code == 1
    assert told["prefixes"] == 1 and "401" in told["stopped"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--endpoint", "http://x/v1"), "wants --model NAME"),
        (("--endpoint", "x", "--model", "m"), "write http://"),
        (("--model", "m"), "name it by --endpoint URL"),
        (("--template", "a=1"), "name it by --endpoint URL"),
        (
            ("--endpoint", "http://127.0.0.1:9/v1", "--model", "m", "--template", "a"),
            "write it as enable_thinking=false",
        ),
        (("--endpoint", "http://127.0.0.1:9/v1", "--model", "m"), "take a run of the agent react"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_the_way_out(
    ddr: Ddr, explored: Path, options: tuple[str, ...], said: str
) -> None:
    done = ddr("stopping", RUN, *options)
    assert done.code == 2 and said in done.err


def test_restricted_data_goes_to_no_endpoint_off_this_machine(
    ddr: Ddr, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = catalog.open_scenario

    def restricted(*args: Any) -> Any:
        installed = found(*args)
        closed = License(name="PhysioNet", restricted=True)
        scenario = installed.scenario.model_copy(update={"license": closed})
        return replace(installed, scenario=scenario)

    monkeypatch.setattr("server.finish_scores.open_scenario", restricted)
    done = ddr("stopping", run, "--endpoint", "https://example.org/v1", "--model", "m")
    assert done.code == 2 and "is an endpoint off this machine" in done.err
