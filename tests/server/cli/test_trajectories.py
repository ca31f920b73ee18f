"""`ddr trajectories import`: logs become a run that is shown and scored like any other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from checklists.loader import load
from core.trajectory import StopReason
from server.store import open_store
from tests.server.cli.conftest import Ddr
from tests.server.ddr_bench_logs.written import Log, usual


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Carrier 01 twice, 02 by mistake, and a folder of nobody's."""
    folder = tmp_path / "logs"
    early = Log().call("I look.", "SELECT 1", {})
    early.write(folder / "company_01", "20260130_000000")
    said = load("flights").of("01")[0].answer
    late = Log(totals={"total_prompt_tokens": 900, "total_completion_tokens": 30})
    late.call("I look.", "SELECT 1", {"rows": []}).call("On.", "SELECT 2", {"rows": []}, said)
    late.finish("FINISH: It is late.").write(folder / "company_01", "20260131_000000")
    Log().finish("Let me finish this.").write(folder / "company_2")
    usual().write(folder / "company_none")
    return folder


def imported(ddr: Ddr, logs: Path, *more: str) -> str:
    command = ("trajectories", "import", "ddr-bench", str(logs), "--scenario", "flights")
    done = ddr(*command, *more, "--json", "--quiet")
    assert done.code == 0, done.err
    return str(done.json["run"])


def test_what_was_imported_is_told(ddr: Ddr, built_home: Path, logs: Path) -> None:
    done = ddr("trajectories", "import", "ddr-bench", str(logs), "--scenario", "flights")
    assert done.code == 0, done.err
    assert "2 carriers, 3 sessions, 3 turns, 1 insight (2 turns had none)" in done.out
    assert "ended: abandoned 1, finished 1" in done.out
    assert "14 carriers of the scenario have no log and are left out" in done.out
    assert "1 folder: company_none" in done.out
    assert "took the word 'finish' in a sentence for the marker" in done.out


def test_the_run_is_stored_whole(ddr: Ddr, built_home: Path, logs: Path) -> None:
    run = imported(ddr, logs, "--model", "openai/gpt-x")
    with open_store(built_home / "store.sqlite3") as store:
        spec = store.run(run)
        first, second = store.trajectories(run)
        attempts = store.all_attempts(run)
    assert (spec.agent, spec.protocol, spec.tools) == ("ddr-bench", "ddr", "sql")
    assert spec.entity_ids == ("01", "02")
    assert [(each.entity_id, each.attempt) for each in attempts] == [
        ("01", 1),
        ("01", 2),
        ("02", 1),
    ]
    assert (first.stop_reason, first.report) == (StopReason.FINISHED, "It is late.")
    assert (first.model, first.client and first.client.version) == (
        "openai/gpt-x",
        "20260131_000000",
    )
    assert [(i.turn, i.text is None) for i in first.message_insights] == [(1, True), (2, False)]
    assert first.usage("agent").input_tokens == 100 + 300 + 500
    assert first.usage("agent").cost_usd is None
    assert first.reported_usage is not None
    assert first.reported_usage.input_tokens == 900
    assert first.preamble is not None
    assert first.preamble.start_prompt == "Analyze it"
    assert second.stop_reason is StopReason.ABANDONED


def test_an_imported_run_is_shown_and_scored_after_the_fact(
    ddr: Ddr, built_home: Path, logs: Path
) -> None:
    run = imported(ddr, logs)
    assert "finished" in ddr("show", run).out
    assert "It is late." in ddr("show", run, "01").out
    told = ddr("evaluate", run, "--baselines", "none", "--json", "--quiet").json
    message = told["scores"][0]
    assert (message["competitor"], message["level"], message["entities"]) == (
        "ddr-bench",
        "message",
        2,
    )
    assert message["supported"] >= 1
    assert message["unscored"] == 0
    assert ddr("report", run, "--quiet").code == 0


def test_entities_without_a_log_can_be_kept_in_the_denominator(
    ddr: Ddr, built_home: Path, logs: Path
) -> None:
    run = imported(ddr, logs, "--entities", "all")
    told = ddr("evaluate", run, "--baselines", "none", "--json", "--quiet").json
    message = told["scores"][0]
    assert message["entities"] == 16
    assert message["headline"] is None
    assert "never run" in message["headline_reason"]


def test_nothing_is_kept_of_logs_that_cannot_be_read(
    ddr: Ddr, built_home: Path, logs: Path
) -> None:
    (broken,) = (logs / "company_2").glob("chat_messages_*")
    broken.write_text("role\nagent\n", encoding="utf-8")
    done = ddr("trajectories", "import", "ddr-bench", str(logs), "--scenario", "flights")
    assert (done.code, "the column 'content' is missing" in done.err) == (1, True)
    assert ddr("runs", "--json").json["runs"] == []


@pytest.mark.parametrize(
    ("arguments", "code", "fault"),
    [
        (("other", "x", "--scenario", "flights"), 2, "unknown form of logs 'other'"),
        (("ddr-bench", "/nowhere", "--scenario", "flights"), 1, "/nowhere cannot be read"),
        (("ddr-bench", "x", "--scenario", "flihgts"), 2, "did you mean 'flights'?"),
        (
            ("ddr-bench", "x", "--scenario", "flights", "--entities", "some"),
            2,
            "known: all, logged",
        ),
    ],
)
def test_what_cannot_be_imported_says_why(
    ddr: Ddr, built_home: Path, arguments: tuple[str, ...], code: int, fault: str
) -> None:
    done = ddr("trajectories", "import", *arguments)
    assert (done.code, fault in done.err) == (code, True), done.err


def test_an_imported_run_cannot_be_gone_on_with(ddr: Ddr, built_home: Path, logs: Path) -> None:
    run = imported(ddr, logs, "--entities", "all")
    done = ddr("run", "--resume", run)
    assert done.code != 0
    assert "ddr-bench" in done.err


def test_a_file_of_lines_is_kept_told_and_scored(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    path = tmp_path / "mine.jsonl"
    found = {"entity": 1, "insights": ["The carrier flies."], "report": "It flies."}
    path.write_text(json.dumps(found) + '\n{"entity": "nobody", "report": "x"}\n', "utf-8")
    command = ("trajectories", "import", "jsonl", str(path), "--scenario", "flights")
    done = ddr(*command, "--agent", "mine")
    assert done.code == 0, done.err
    assert "1 carrier, 1 trajectory, 0 turns, 1 insight, 1 without a turn, 1 report" in done.out
    assert "no carrier of the scenario: 1 name: nobody" in done.out
    again = ddr(*command, "--agent", "mine", "--json").json
    assert again["was_kept_before"]
    assert ddr("runs", "--json").json["runs"][0]["class"] == "undeclared"
    assert ddr("evaluate", "last", "--json").json["scores"][0]["competitor"] == "mine"


def test_an_agents_name_is_no_matter_for_the_papers_logs(ddr: Ddr, built_home: Path) -> None:
    command = ("trajectories", "import", "ddr-bench", "x", "--scenario", "flights")
    done = ddr(*command, "--agent", "mine")
    assert done.code == 2
    assert "leave --agent out, give --model" in done.err


def test_what_a_strangers_file_says_is_spelt_out_in_an_error(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps({"entity": "\x1b[2J\u202e\x07", "insights": ["a"]}), "utf-8")
    done = ddr("trajectories", "import", "jsonl", str(path), "--scenario", "flights")
    assert done.code == 1
    assert "\\x1b[2J" in done.err
    assert not set("\x1b\u202e\x07") & set(done.err)
