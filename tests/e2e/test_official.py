"""The official checklists score runs on the scenarios that the published files give."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.processes import Home, last_line
from tests.support.endpoint import Request, Say, ScriptedEndpoint, say
from tests.support.needs import needs

pytestmark = [pytest.mark.real, needs("test data")]

COMPANIES = {"320187": "nke", "1108524": "crm"}
"""Of the official list, with the shortest reports."""
PARTICIPANTS = ("INS-W_004",)
_TURN = re.compile(r"^\[Turn (\d+)\] (.{10,60}?)(?:[.\n]|$)", re.MULTILINE)


def judge(request: Request) -> Say:
    """Supported by the first turn that is shown; nothing of a report, nor of closed items."""
    asked = request.text
    if "The possible answers:" in asked:
        reply = {"answer": "cannot tell", "quote": ""}
    elif shown := _TURN.search(asked):
        turns = [int(shown[1])]
        reply = {"label": "supported", "supporting_turns": turns, "quote": shown[2]}  # type: ignore[dict-item]
    else:
        reply = {"label": "insufficient", "quote": ""}
    whole = {"supporting_turns": [], "contradicting_turns": [], "reason": "so", **reply}
    return say(json.dumps(whole))


@dataclass(frozen=True)
class Official:
    """One scenario, explored by the profiler and judged twice by the official list."""

    imported: dict[str, Any]
    matched: dict[str, Any]
    judged: dict[str, Any]
    requests: int
    items: int
    """Of the entities that were explored, counted in the file itself."""


def _data() -> Path:
    return Path(os.environ["DDR_TEST_DATA"])


def _done(home: Home, *arguments: str) -> dict[str, Any]:
    done = home.ddr(*arguments, "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = last_line(done.stdout)
    return found


def _official(
    folder: Path, scenario: str, name: str, source: Path, ids: list[str], *, turns: int
) -> Official:
    """`turns`: enough for the profiler to be past its first looks and to say something."""
    (folder / "built" / "scenarios").mkdir(parents=True)
    home = Home(folder, folder / "built")
    home.environment["OPENAI_API_KEY"] = "none"
    _done(home, "scenarios", "build", scenario, "--from", str(source))
    qa = _data() / "ddr-bench" / name / "qa.json"
    imported = _done(home, "checklists", "import", "ddr-bench", str(qa), "--scenario", scenario)
    entities = ("--entities", ",".join(ids), "--limits", f"max_turns={turns}")
    _done(home, "run", "--scenario", scenario, "--agent", "profiler", *entities)
    chosen = ("evaluate", "last", "--checklist", imported["checklist"])
    matched = _done(home, *chosen, "--baselines", "none")
    with ScriptedEndpoint(judge) as endpoint:
        asked = ("--judge", "openai/anything", "--base-url", endpoint.openai_url, "--uncalibrated")
        judged = _done(home, *chosen, *asked)
        requests = len(endpoint.requests)
    listed = json.loads(qa.read_text("utf-8"))["results"]
    items = sum(len(each["qa_pairs"]) for each in listed if each["entity_id"] in ids)
    return Official(imported, matched, judged, requests, items)


@pytest.fixture(scope="module")
def filings(tmp_path_factory: pytest.TempPathFactory) -> Official:
    folder = tmp_path_factory.mktemp("official-filings")
    source = folder / "reports"
    source.mkdir()
    for ticker in COMPANIES.values():
        (report,) = (_data() / "sec").glob(f"{ticker}-10-k-*.html.gz")
        (source / report.name).symlink_to(report)
    return _official(folder, "filings", "10k", source, list(COMPANIES), turns=60)


@pytest.fixture(scope="module")
def wearables(tmp_path_factory: pytest.TempPathFactory) -> Official:
    folder = tmp_path_factory.mktemp("official-wearables")
    source = _data() / "globem"
    return _official(folder, "wearables", "globem", source, list(PARTICIPANTS), turns=200)


@pytest.fixture(params=["filings", "wearables"])
def official(request: pytest.FixtureRequest) -> Official:
    found: Official = request.getfixturevalue(request.param)
    return found


def test_matching_leaves_items_without_signals_unscored_and_says_so(official: Official) -> None:
    own = [score for score in official.matched["scores"] if score["competitor"] == "profiler"]
    assert [score["level"] for score in own] == ["message", "message", "trajectory", "trajectory"]
    for score in own:
        assert (score["items"], score["unscored"]) == (official.items, official.items)
        assert (score["strict"], score["headline"]) == (None, None)
        assert f"no signals ({official.items})" in score["headline_reason"]


def test_a_judge_over_http_scores_all(official: Official) -> None:
    own = [score for score in official.judged["scores"] if score["competitor"] == "profiler"]
    assert {(score["items"], score["unscored"]) for score in own} == {(official.items, 0)}
    assert {score["coverage"] for score in own} == {1.0}
    assert official.requests == 2 * official.items
    assert official.judged["reachable"] is None


def test_what_a_judge_finds_in_a_turn_counts(filings: Official) -> None:
    message = filings.judged["scores"][0]
    assert (message["competitor"], message["level"]) == ("profiler", "message")
    assert (message["supported"], message["strict"]) == (filings.items, 1.0)


def test_closed_items_that_nobody_can_tell_are_insufficient(wearables: Official) -> None:
    assert {score["insufficient"] for score in wearables.judged["scores"][:4]} == {wearables.items}


def test_the_list_is_compared_with_the_scenario(filings: Official, wearables: Official) -> None:
    told = filings.imported
    assert (told["items"], told["open"]) == (849, 849)
    assert len(told["absent_entities"]) == 98
    years = told["fiscal_years"]
    assert years["agree"] + years["mismatched"] + years["unknown"] + years["silent"] == 849
    assert years["agree"] >= 2
    # One item about NIKE speaks of 2022 alone, and the report here is that of fiscal 2025.
    assert [(each["entity_id"], each["filed"]) for each in years["mismatches"]] == [
        ("320187", [2025])
    ]
    assert (wearables.imported["items"], wearables.imported["closed"]) == (435, 435)
    assert len(wearables.imported["absent_entities"]) == 85
