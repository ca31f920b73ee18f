"""`ddr label` and `ddr calibrate RUN`: from questions to the figures, through the front door."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from server.store import open_store
from server.store.judgements import Judgements
from tests.server.cli.conftest import RUN, Ddr
from tests.support.endpoint import Request, Say, ScriptedEndpoint

pytestmark = pytest.mark.real  # a built scenario


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_people_label_what_the_judge_then_is_held_against(
    ddr: Ddr, explored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ddr("evaluate", "last", "--baselines", "none").code == 0
    nobody = ddr("label", "last", "--agreement")
    assert nobody.code == 2
    assert "nobody has answered yet" in nobody.err

    typed(monkeypatch, "i nothing of it", "i", "quit")
    first = ddr("label", "last", "--by", "ann", "--sample", "6", "--json")
    assert first.code == 0, first.err
    assert first.json == {"run": RUN, "kind": "label", "by": "ann", "kept": 2, "of": 6}
    typed(monkeypatch, *["i"] * 10)
    rest = ddr("label", "last", "--by", "ann", "--sample", "6")
    assert "--- 3 of 6 ---" in rest.out
    assert "--- 2 of 6 ---" not in rest.out, "what was answered is asked no more"
    assert "4 answers kept" in rest.out
    assert "the judge says" not in rest.out

    path = tmp_path / "labels.csv"
    assert ddr("label", "last", "--sample", "6", "--export", str(path)).code == 0
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6
    assert "shown: question" in rows[0]
    for n, row in enumerate(rows):
        row["answer_here"] = "s" if n == 0 else "insufficient"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    brought = ddr("label", "last", "--import", str(path), "--by", "bob", "--json")
    assert brought.json["kept"] == 6, brought.err

    told = ddr("label", "last", "--agreement", "--json")
    assert told.code == 0, told.err
    # Of six, people are divided on one; on five they and the rules find nothing of it.
    assert told.json["divided"] == 1
    assert told.json["n"] + told.json["unscored"] == 5
    assert [p["name"] for p in told.json["people"]] == ["ann", "bob"]
    assert told.json["corrected"]["message"]["labelled"] >= 1
    shown = ddr("label", "last", "--agreement").out
    assert "Krippendorff's alpha" in shown
    assert "Rogan-Gladen" in shown
    open_one = ddr("label", "last", "--no-blind", "--by", "eve", "--sample", "1")
    assert "the judge says" in open_one.out


def test_a_bad_file_keeps_nothing(ddr: Ddr, explored: Path, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    assert ddr("label", "last", "--sample", "3", "--export", str(path)).code == 0
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    rows[0]["answer_here"], rows[1]["answer_here"] = "s", "perhaps"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    done = ddr("label", "last", "--import", str(path), "--by", "ann")
    assert done.code == 2
    assert "row 2" in done.err
    from core.labels import PersonLabel

    with open_store(explored / "store.sqlite3") as store:
        assert Judgements(store, "label").of_run(RUN, PersonLabel) == []


def test_ratings_and_forms_have_their_own_figures(
    ddr: Ddr, explored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ddr("evaluate", "last", "--baselines", "none").code == 0
    typed(monkeypatch, "3", "0.5 fair")
    assert ddr("label", "last", "--ratings", "--by", "ann").code == 0
    told = ddr("label", "last", "--ratings", "--agreement", "--json")
    assert told.code == 0, told.err
    assert told.json["rated"] == 2
    assert "ROUGE-1 F1" in {m["metric"] for m in told.json["metrics"]}
    assert "Spearman" in ddr("label", "last", "--ratings", "--agreement").out

    typed(monkeypatch, "4 unclear goal", "5", "quit")
    assert ddr("label", "last", "--form", "--by", "ann").code == 0
    told = ddr("label", "last", "--form", "--agreement", "--json")
    assert [m["mean"] for m in told.json["means"] if m["question"] == "all"] == [4.5, 4.5]
    assert told.json["notes"][0]["note"] == "unclear goal"


def test_a_runs_items_are_judged_again_and_again(
    ddr: Ddr, explored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    no = {"supporting_turns": [], "contradicting_turns": [], "quote": "", "reason": "no"}

    def script(request: Request) -> Say:
        label = "supported" if request.number % 5 == 1 else "insufficient"
        return Say(json.dumps({"label": label, **no}))

    with ScriptedEndpoint(script) as endpoint:
        asked = ("calibrate", "last", "--judge", "openai/x", "--base-url", endpoint.openai_url)
        some = (*asked, "--repeats", "3", "--sample", "7", "--concurrency", "1", "--json")
        estimated = ddr(*some, "--estimate")
        assert estimated.json["estimate"]["openai/x"]["calls"] == 21
        assert not endpoint.requests
        done = ddr(*some)
        assert done.code == 0, done.err
        assert len(endpoint.requests) == 21
        assert ddr(*some).json == done.json
        assert len(endpoint.requests) == 21, "repeats are remembered as such"
    found = done.json["stability"]["openai/x"]
    assert (found["k"], found["n"]) == (3, 7)
    # Requests 1, 6, 11, 16 and 21 say supported: 2 of the first seven, 1, and 2.
    assert found["shares"] == pytest.approx([2 / 7, 1 / 7, 2 / 7])
    assert found["flip_rate"] > 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--ratings", "--form"), "two things"),
        (("--export", "x", "--agreement"), "one at a time"),
        (("--sample", "none"), "--sample none"),
        (("--by", " "), "who labels"),
        (("--import", "/nowhere/x.csv"), "cannot be read"),
        (("--no-blind",), "is not evaluated"),
        (("--export", "/nowhere/x.csv"), "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said(
    ddr: Ddr, explored: Path, arguments: tuple[str, ...], why: str
) -> None:
    done = ddr("label", "last", *arguments)
    assert done.code == 2
    assert why in done.err
