"""`ddr curves --min-sufficient`: by rules free of charge, by the evaluation's own judge, once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from databases.catalog import InstalledScenario
from server.store import open_store
from tests.server.cli.conftest import RUN, Ddr
from tests.server.cli.test_curves import LONG, another

NO = {"label": "insufficient", "supporting_turns": [], "contradicting_turns": [], "quote": ""}


@pytest.fixture
def long(explored: Path, flights: InstalledScenario) -> Path:
    another(explored, flights, LONG, 10)
    return explored


def judge(folder: Path, quote: str, name: str = "judge.jsonl") -> str:
    """Says yes once, by turn 4, and no ever after."""
    yes = {**NO, "label": "supported", "supporting_turns": [4], "quote": quote}
    lines: list[dict[str, object]] = [
        {
            "text": json.dumps({**said, "reason": "so"}),
            "usage": {"input_tokens": 9, "output_tokens": 1},
        }
        for said in (yes, NO)
    ]
    lines[-1]["repeat"] = True
    path = folder / name
    path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    return f"scripted:{path}"


def test_rules_judge_prefixes_again_without_a_judge(ddr: Ddr, long: Path) -> None:
    assert ddr("evaluate", LONG, "--baselines", "none", "--quiet").code == 0
    done = ddr("curves", LONG, "--min-sufficient", "--json")
    assert done.code == 0, done.err
    (told,) = done.json["runs"]
    assert told["dated_by"] == "first turn by which the insights suffice"
    said = done.json["sufficient"][LONG]
    assert said and all(each["turn"] is not None for each in said)
    # Each fact is stated once, in one insight: it suffices where it was discovered.
    assert all(each["turn"] == each["discovered_at"] for each in said)
    plain = ddr("curves", LONG, "--json").json["runs"][0]
    assert told["points"] == plain["points"]
    shown = ddr("curves", LONG, "--min-sufficient").out
    assert f"of {len(said)} supported items the insights suffice at the discovery for" in shown
    assert "free of charge" in ddr("curves", LONG, "--min-sufficient", "--estimate").out


def test_a_model_that_judged_is_asked_again_by_name_and_only_once(
    ddr: Ddr, long: Path, tmp_path: Path
) -> None:
    from checklists.loader import checklist_for

    name = judge(tmp_path, checklist_for("flights").of("01")[1].answer)
    by = ("--judge", name, "--concurrency", "1")
    asked = ddr("evaluate", LONG, *by, "--baselines", "none", "--uncalibrated", "--json")
    assert asked.code == 0, asked.err
    refused = ddr("curves", LONG, "--min-sufficient")
    assert refused.code == 2
    assert f"give --judge {name}" in refused.err
    other = judge(tmp_path, "x", "other.jsonl")
    refused = ddr("curves", LONG, "--min-sufficient", "--judge", other)
    assert refused.code == 2
    assert "these differ: judges" in refused.err
    estimate = ddr("curves", LONG, "--min-sufficient", *by, "--estimate", "--json").json
    assert estimate["estimates"][LONG][name]["calls"] == 2
    done = ddr("curves", LONG, "--min-sufficient", *by, "--json")
    assert done.code == 0, done.err
    (said,) = done.json["sufficient"][LONG]
    assert (said["turn"], said["discovered_at"], said["judged"]) == (4, 4, 2)
    again = ddr("curves", LONG, "--min-sufficient", *by, "--json")
    assert again.json["sufficient"][LONG] == [said], "what is kept is not asked again"
    with open_store(long / "store.sqlite3") as store:
        (own,) = store.evaluations(LONG)
        assert sum(v.label == "supported" for v in store.verdicts(own.id)) == 1


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (("--judge", "scripted:x"), "a judge is asked for --min-sufficient alone"),
        (("--estimate",), "--estimate is about --min-sufficient"),
        (("--min-sufficient", "--level", "trajectory"), "leave --level out"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    ddr: Ddr, explored: Path, given: tuple[str, ...], why: str
) -> None:
    done = ddr("curves", RUN, *given)
    assert done.code == 2
    assert why in done.err


def test_a_judge_for_what_rules_judged_is_refused(ddr: Ddr, long: Path, tmp_path: Path) -> None:
    assert ddr("evaluate", LONG, "--baselines", "none", "--quiet").code == 0
    done = ddr("curves", LONG, "--min-sufficient", "--judge", judge(tmp_path, "x"))
    assert done.code == 2
    assert "was judged by rules (matching), and so are its prefixes" in done.err
