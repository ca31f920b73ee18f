"""The audit of thirty published sets, each with tables, a goal and insights of its own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from server.cli.main import main
from tests.server.cli.conftest import Ddr
from tests.support.needs import needs

pytestmark = [pytest.mark.real, needs("test data")]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which the sets are built, with the checklist that comes along."""
    home = tmp_path_factory.mktemp("sets")
    source = Path(os.environ["DDR_TEST_DATA"]) / "insightbench"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DDR_HOME", str(home))
        command = ("scenarios", "build", "insightbench", "--from", str(source), "--quiet")
        assert main([*command, "--json"]) == 0
    return home


@pytest.fixture
def told(built: Path, ddr: Ddr, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.setenv("DDR_HOME", str(built))
    done = ddr("checklists", "audit", "insightbench", "--json", "--quiet")
    assert done.code == 0, done.err
    found: dict[str, Any] = done.json
    return found


def test_every_check_is_made_on_the_tables_of_the_set_itself(told: dict[str, Any]) -> None:
    assert (told["items"], told["entities"]) == (128, 30)
    assert told["not_looked_at"] == []
    counts = told["counts"]
    assert counts["E2"] == 25
    assert counts["E4"] == 0
    assert 1 <= counts["E1"] <= 6
    assert 1 <= counts["E3"] <= 6
    assert counts["E5"] == 3
    goals = {each["entity_id"] for each in told["findings"] if each["check"] == "E1"}
    assert "flag-10" in goals  # the example of the paper


def test_questions_and_insights_are_measured_apart(told: dict[str, Any]) -> None:
    answers = told["answers"]
    assert (answers["sets"], answers["texts"]) == (30, 128)
    assert answers["cosine"] == pytest.approx(0.127, abs=0.005)
    assert answers["self_bleu"] == pytest.approx(0.142, abs=0.005)
    assert answers["distinct_2"] == pytest.approx(0.881, abs=0.005)
    assert told["questions"]["self_bleu"] == pytest.approx(0.20, abs=0.01)
    assert told["balance"] is None
    assert told["baselines"] is None


def test_no_evidence_is_no_reach(told: dict[str, Any]) -> None:
    assert told["reachable_share"] == 0.0
    assert told["reach"] == {"items": 128, "with_path": 0, "broken": 0}
