"""`ddr evaluate` with several judges, criteria of one's own, protocol ddr, batches, calibration, files."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from server.store import open_store
from tests.evaluator.calibration import readers
from tests.server.cli.conftest import RUN, Ddr
from tests.support.endpoint import Request, ScriptedEndpoint, Status, Step, say

pytestmark = pytest.mark.real  # whole runs, judged

NO = {"label": "insufficient", "supporting_turns": [], "contradicting_turns": [], "quote": ""}
YES = {**NO, "label": "supported", "supporting_turns": [1], "quote": "exists."}


def script(folder: Path, name: str, *replies: Any) -> str:
    """A scripted judge that says these, the last one again and again."""
    lines = [{"text": json.dumps({**each, "reason": "so"})} for each in replies]
    lines[-1]["repeat"] = True  # type: ignore[assignment]
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    return f"scripted:{path}"


@contextmanager
def endpoint(answer: Callable[[str], str]) -> Iterator[tuple[tuple[str, ...], ScriptedEndpoint]]:
    """The options of a judge behind a server on this machine that answers prompts so."""

    def step(request: Request) -> Step:
        return say(answer(request.text))

    with ScriptedEndpoint(step) as served:
        yield ("--judge", "openai/local", "--base-url", served.openai_url), served


def flights_or(reader: Callable[[str], str], reply: dict[str, Any]) -> Callable[[str], str]:
    """Of the calibration set what the reader says, of flights always the same."""

    def answer(prompt: str) -> str:
        if re.search(r"\bT\d{3}\b", prompt):
            return reader(prompt)
        count = len(re.findall(r"^Question number \d+$", prompt, re.MULTILINE))
        if not count:
            return json.dumps({**reply, "reason": "so"})
        return json.dumps({"verdicts": [{"item": n, **reply} for n in range(1, count + 1)]})

    return answer


def test_three_judges_decide_by_majority_and_their_agreement_is_told(
    ddr: Ddr, explored: Path, tmp_path: Path
) -> None:
    judges = [script(tmp_path, "a", YES), script(tmp_path, "b", NO), script(tmp_path, "c", NO)]
    asked = [part for name in judges for part in ("--judge", name)]
    done = ddr("evaluate", "last", *asked, "--json")
    assert done.code == 0, done.err
    panel = done.json["panel"]
    assert panel["supported_by_judge"] == {judges[0]: 1.0, judges[1]: 0.0, judges[2]: 0.0}
    assert [pair["agreement"] for pair in panel["pairs"]] == [0.0, 0.0, 1.0]
    assert panel["mean_support"] == pytest.approx(1 / 3)
    with open_store(explored / "store.sqlite3") as store:
        own = store.evaluations(RUN)[0]
        voted = [v for v in store.verdicts(own.id) if v.votes]
    assert own.judges_asked == tuple(judges)
    assert {v.label for v in voted} == {"insufficient"}
    assert done.json["calls"] == 3 * len(voted)
    assert own.parameters["uncalibrated"] == judges
    shown = ddr("evaluate", "last", *asked)
    assert "the judges agree in 0.333 of the verdicts" in shown.out
    assert "not calibrated: scripted:" in shown.out


def test_a_panel_is_estimated_judge_by_judge(ddr: Ddr, explored: Path, tmp_path: Path) -> None:
    names = [script(tmp_path, "a", YES), script(tmp_path, "b", NO)]
    asked = ("--judge", names[0], "--judge", names[1], "--json")
    told = ddr("evaluate", "last", *asked, "--estimate").json
    assert told["estimate"] is None
    calls = [told["judges"][name]["calls"] for name in names]
    assert calls[0] == calls[1] > 10
    assert ddr("evaluate", "last", *asked).json["calls"] == sum(calls)


def test_criteria_of_ones_own_are_kept_by_name_hash_and_words(
    ddr: Ddr, explored: Path, tmp_path: Path
) -> None:
    own = tmp_path / "house.txt"
    own.write_text("Only what is said of a carrier counts.\n", "utf-8")
    name = script(tmp_path, "a", NO)
    asked = ("evaluate", "last", "--judge", name, "--json", "--criteria")
    told = [ddr(*asked, each).json for each in ("strict", "lenient", str(own))]
    with open_store(explored / "store.sqlite3") as store:
        kept = {each.id: each for each in store.evaluations(RUN)}
    mine = [kept[each["evaluation"]] for each in told]
    assert len({each.prompt_hash for each in mine}) == 3
    digest = hashlib.sha256(own.read_text().strip().encode()).hexdigest()[:12]
    assert [each.criteria for each in mine] == ["strict", "lenient", f"house.txt#{digest}"]
    assert mine[2].parameters["criteria_text"] == "Only what is said of a carrier counts."
    own.write_text(" \n", "utf-8")
    for each, said in ((str(own), "the file is empty"), (str(tmp_path / "no.txt"), "No such file")):
        refused = ddr(*asked[:-2], "--criteria", each)
        assert refused.code == 2
        assert said in refused.err


def test_protocol_ddr_is_kept_shown_and_another_evaluation(
    ddr: Ddr, explored: Path, tmp_path: Path
) -> None:
    name = script(tmp_path, "a", NO)
    first = ddr("evaluate", "last", "--judge", name, "--json").json
    second = ddr("evaluate", "last", "--judge", name, "--protocol", "ddr", "--json").json
    assert (first["protocol"], second["protocol"]) == ("default", "ddr")
    assert first["evaluation"] != second["evaluation"]
    with open_store(explored / "store.sqlite3") as store:
        kept = {each.id: each for each in store.evaluations(RUN)}
        assert store.run(RUN).protocol == "default"
    assert kept[second["evaluation"]].protocol == "ddr"
    assert kept[second["evaluation"]].parameters["closed"] == "forced"
    assert "protocol ddr" in ddr("evaluate", "last", "--judge", name, "--protocol", "ddr").out
    both = ddr("evaluate", "last", "--judge", name, "--protocol", "ddr", "--batch", "4")
    assert (both.code, "leave --batch out" in both.err) == (2, True)
    refused = ddr("evaluate", "last", "--judge", name, "--protocol", "dr")
    assert (refused.code, "did you mean 'ddr'?" in refused.err) == (2, True)


def test_a_judge_that_cannot_read_may_not_score_unless_that_is_said(
    ddr: Ddr, explored: Path
) -> None:
    with endpoint(flights_or(readers.agreeable, YES)) as (judge, _):
        refused = ddr("evaluate", "last", *judge)
        assert refused.code == 2
        assert "may not score" in refused.err
        assert "--uncalibrated" in refused.err
        with open_store(explored / "store.sqlite3") as store:
            assert store.evaluations(RUN) == []
        scored = ddr("evaluate", "last", *judge, "--uncalibrated", "--json")
    assert scored.code == 0, scored.err
    assert scored.json["uncalibrated"] == ["openai/local"]


def test_a_judge_that_reads_the_set_rightly_scores_and_its_calibration_is_kept(
    ddr: Ddr, explored: Path
) -> None:
    with endpoint(flights_or(readers.truthful, NO)) as (judge, served):
        before = ddr("evaluate", "last", *judge, "--estimate", "--json").json
        assert before["estimate"]["calibration_calls"] == 30
        told = ddr("evaluate", "last", *judge, "--json")
        assert told.code == 0, told.err
        assert "reads 30 cases" in told.err
        assert told.json["calls"] == before["estimate"]["calls"]
        after = ddr("evaluate", "last", *judge, "--estimate", "--json").json["estimate"]
        assert (after["calls"], after["calibration_calls"]) == (0, 0), "all is remembered"
        asked = len(served.requests)
        again = ddr("evaluate", "last", *judge, "--json").json
        assert len(served.requests) == asked, "what was asked once is remembered"
        assert again["calls"] == 0
        fresh = ddr("evaluate", "last", *judge, "--afresh", "--json").json
        assert fresh["calls"] == told.json["calls"]
    assert told.json["uncalibrated"] == []
    assert len(told.json["calibrations"]) == 1
    assert told.json["calibrations"] == again["calibrations"]


def test_a_batch_is_for_a_judge_that_has_shown_that_it_may(ddr: Ddr, explored: Path) -> None:
    with endpoint(flights_or(readers.truthful, NO)) as (judge, served):
        refused = ddr("evaluate", "last", *judge, "--batch", "4")
        assert refused.code == 2
        assert re.search(r"ddr calibrate --judge openai/local .*--batch 4", refused.err)
        single = ddr("evaluate", "last", *judge, "--json").json
        before = len(served.requests)
        done = ddr("evaluate", "last", *judge, "--batch", "4", "--uncalibrated", "--json")
        made = len(served.requests) - before
    assert done.code == 0, done.err
    assert done.json["evaluation"] != single["evaluation"]
    assert (done.json["batch"], single["batch"]) == (4, 1)
    assert made == done.json["calls"] <= single["calls"] / 3
    assert [s["insufficient"] for s in done.json["scores"]] == [
        s["insufficient"] for s in single["scores"]
    ]


def test_a_judge_is_held_to_a_form_where_that_is_asked_for(ddr: Ddr, explored: Path) -> None:
    def refusing(request: Request) -> Step:
        return Status(400) if "response_format" in request.body else say(json.dumps(NO))

    with ScriptedEndpoint(refusing) as served:
        judge = ("--judge", "openai/local", "--base-url", served.openai_url, "--uncalibrated")
        told = ddr("evaluate", "last", *judge, "--structured", "--concurrency", "1", "--json")
        assert told.code == 0, told.err
        with_form = [r for r in served.requests if "response_format" in r.body]
    assert told.json["structured"] == ["openai/local"]
    assert len(with_form) == 1, "an endpoint that refuses it is asked once"
    assert all(s["unscored"] == 0 for s in told.json["scores"] if s["level"] == "message")


def test_a_file_of_another_program_is_scored_like_a_run(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    log = tmp_path / "theirs.jsonl"
    log.write_text(json.dumps({"entity": "01", "insights": ["Carrier 01 exists."]}), "utf-8")
    bare = ddr("evaluate", str(log))
    assert (bare.code, "--scenario" in bare.err) == (2, True)
    asked = ("evaluate", str(log), "--scenario", "flights", "--agent", "theirs", "--json")
    first, second = ddr(*asked).json, ddr(*asked).json
    assert first["run"] == second["run"]
    assert first["evaluation"] != second["evaluation"], "old ones are kept beside new ones"
    assert {s["competitor"] for s in first["scores"]} >= {"theirs", "blank"}
    refused = ddr("evaluate", "last", "--scenario", "flights")
    assert (refused.code, "are for a file" in refused.err) == (2, True)
