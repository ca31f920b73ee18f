"""How a run of the suite is read: by check, against a baseline whose every line has a reason."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tests.conformance.suite import (
    BASELINES,
    STATEFUL,
    STATELESS,
    Check,
    Excuse,
    Leg,
    Outcome,
    as_baseline,
    read_baseline,
    read_results,
)
from tests.support.pages import ROOT

LEGS = (*STATELESS, *STATEFUL)
PAGE = ROOT / "docs" / "conformance.md"


@pytest.fixture
def leg(tmp_path: Path) -> Leg:
    baseline = tmp_path / "some.yml"
    baseline.write_text("server:\n  - audio  # no sound\n  - lists:changed  # they never change\n")
    return replace(STATELESS[2], baselines=(str(baseline),))


def _outcome(leg: Leg, *checks: Check) -> Outcome:
    return Outcome(leg, 0, checks, "")


LACKING = (Check("audio", "played", "FAILURE"), Check("lists", "changed", "WARNING"))


def test_results_are_read_scenario_by_scenario(tmp_path: Path) -> None:
    for name, statuses in (("tools-list", ["SUCCESS", "FAILURE"]), ("ping-2", ["INFO"])):
        folder = tmp_path / f"server-{name}-2026-11-30T22-19-09-101Z"
        folder.mkdir()
        said = [{"id": f"c{n}", "status": s, "errorMessage": None} for n, s in enumerate(statuses)]
        (folder / "checks.json").write_text(json.dumps(said))
    assert read_results(tmp_path) == (
        Check("ping-2", "c0", "INFO"),
        Check("tools-list", "c0", "SUCCESS"),
        Check("tools-list", "c1", "FAILURE"),
    )


def test_a_run_without_results_passes_nothing(tmp_path: Path, leg: Leg) -> None:
    assert _outcome(leg, *read_results(tmp_path)).passed == 0


def test_only_what_passed_counts_as_passed(leg: Leg) -> None:
    statuses = ("SUCCESS", "SUCCESS", "FAILURE", "WARNING", "INFO", "SKIPPED")
    outcome = _outcome(leg, *(Check("s", status, status) for status in statuses))
    assert (outcome.passed, outcome.failed) == (2, 1)


def test_a_line_excuses_its_scenario_or_its_check_and_no_other(leg: Leg) -> None:
    others = (Check("lists", "sorted", "FAILURE"), Check("audio-2", "played", "FAILURE"))
    outcome = _outcome(leg, *LACKING, *others)
    assert outcome.unexcused() == list(others)
    assert "unexcused FAILURE: lists:sorted" in outcome.report()


def test_a_warning_needs_an_excuse_too(leg: Leg) -> None:
    warned = Check("ping", "slow", "WARNING")
    assert _outcome(leg, *LACKING, warned).unexcused() == [warned]


def test_a_line_that_excuses_nothing_is_named(leg: Leg) -> None:
    assert _outcome(leg, *LACKING).idle_excuses() == []
    mended = (LACKING[0], Check("lists", "changed", "SUCCESS"))
    assert _outcome(leg, *mended).idle_excuses() == ["lists:changed"]
    assert _outcome(leg).idle_excuses() == ["audio", "lists:changed"]
    assert "excuses nothing: lists:changed" in _outcome(leg, *mended).report()


def test_a_line_without_a_reason_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.yml"
    path.write_text("server:\n  - audio  # no sound\n  - video\n")
    with pytest.raises(AssertionError, match=r"some\.yml: a line"):
        read_baseline(path)


@pytest.mark.parametrize("path", sorted(BASELINES.iterdir()), ids=lambda path: path.name)
def test_a_baseline_is_used_sorted_and_without_doubles(path: Path) -> None:
    assert any(path.name in leg.baselines for leg in LEGS)
    entries = [excuse.entry for excuse in read_baseline(path)]
    assert entries == sorted(set(entries))
    assert entries


def test_the_page_tells_of_all_that_may_fail_and_of_nothing_else() -> None:
    """As `scenario`, or `elicitation-*` for several; one more goes with sessions, and never fails."""
    text = PAGE.read_text(encoding="utf-8").partition("## Run it yourself")[0]
    patterns = set(re.findall(r"`([a-z][a-z*-]*-[a-z0-9*-]+)`", text))
    scenarios = {excuse.entry.partition(":")[0] for leg in LEGS for excuse in leg.excuses()}
    told = {name: {p for p in patterns if fnmatchcase(name, p)} for name in sorted(scenarios)}
    assert [name for name, by in told.items() if not by] == []
    assert patterns - set().union(*told.values()) == {"server-session-lifecycle"}


def test_sessions_excuse_less_than_the_server_as_deployed() -> None:
    for deployed, stateful in zip(STATELESS, STATEFUL, strict=True):
        assert set(stateful.excuses()) <= set(deployed.excuses())
        assert stateful.least >= deployed.least


def test_a_baseline_is_written_as_the_suite_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "some.yml"
    path.write_text("server:\n  - audio  # no sound\n")
    assert read_baseline(path) == [Excuse("audio", "no sound")]
    assert as_baseline(["audio"]) == "server:\n  - audio\n"
