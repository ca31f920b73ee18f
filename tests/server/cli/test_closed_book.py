"""The closed book, whole: a run of its own kind, then a baseline beside the same model's exploration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.server.cli.conftest import Ddr
from tests.server.cli.test_run_models import DONE, QUERY, explore, script

pytestmark = pytest.mark.real  # whole runs with models

FOUND = "Carrier 01 makes 97.4 flights per aircraft on average."
KNOWN = "The mean arrival delay of carrier 01 is 1.8 minutes."
GUESSED = "A0690 is the most frequent destination of carrier 01, with 20.0% of its flights."


def test_what_a_model_says_unseeing_is_stored_judged_and_taken_from_its_score(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    looks = {**DONE, "text": f"FINISH: {FOUND} {KNOWN}"}
    told = {"role": "insight", "text": f"{FOUND} {KNOWN}"}
    run = explore(ddr, "--model", script(tmp_path, QUERY, looks, told)).json
    told_apart = ddr("evaluate", run["run"])
    assert "no closed-book baseline" in told_apart.out
    unseeing = {"text": f"- {KNOWN}\n- {GUESSED}", "usage": {"input_tokens": 9, "output_tokens": 9}}
    model = script(tmp_path, unseeing, name="book.jsonl")
    book = explore(ddr, "--model", model, "--agent", "closed-book").json
    assert (book["class"], book["agent"], book["turns"]) == ("closed-book", "closed-book", 1)
    assert book["tool_calls"] == 0
    assert book["stop_reasons"] == {"finished": 1}
    assert book["usage"]["input_tokens"] == 9
    judged = ddr("evaluate", run["run"], "--baselines", "closed-book", "--json").json
    assert judged["no_closed_book"] is None
    found = {
        (s["competitor"], s["level"]): s["supported"]
        for s in judged["scores"]
        if s["averaging"] == "item"
    }
    assert found[run["model"], "message"] == found[run["model"], "trajectory"] == 2
    assert found["closed_book", "message"] == found["closed_book", "trajectory"] == 1
    beyond = [each for each in judged["beyond_baselines"] if each["other"] == "closed_book"]
    items = judged["scores"][0]["items"]
    assert [round(each["difference"] * items) for each in beyond] == [1, 1, 1, 1]
    assert "closed_book" in ddr("evaluate", run["run"], "--baselines", "closed-book").out
    refused = ddr("evaluate", book["run"], "--baselines", "closed-book")
    assert refused.code == 2
    assert "a closed-book run itself" in refused.err
    ddr("evaluate", book["run"], "--quiet")
    apart = ddr("diff", run["run"], book["run"])
    assert apart.code == 2
    assert "class of agent: built-in" in apart.err


def test_without_a_model_there_is_nobody_to_ask(ddr: Ddr, built_home: Path) -> None:
    done = explore(ddr, "--agent", "closed-book")
    assert done.code == 2
    assert "the agent closed-book needs one: give --model" in done.err
    assert json.loads(done.out)["error"]["kind"] == "UsageError"
