"""A real run under a limit beside the threshold of a longer one, from exploring to the difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.cli.conftest import Ddr

pytestmark = pytest.mark.real  # whole runs


def test_an_agent_that_knows_of_no_budget_comes_to_its_threshold(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    """The profiler draws no lots: held to 30 turns it does what it did in 30 turns of a longer run."""
    runs = []
    for limits in ((), ("--limits", "max_turns=30")):
        asked = ("--scenario", "flights", "--agent", "profiler", "--entities", "01,02")
        made = ddr("run", *asked, *limits, "--json", "--quiet")
        assert made.code == 0, made.err
        runs.append(made.json["run"])
        assert ddr("evaluate", runs[-1], "--baselines", "none", "--quiet").code == 0
    long, short = runs
    figure = tmp_path / "curves.png"
    done = ddr("curves", long, "--rerun", short, "--out", str(figure), "--json")
    assert done.code == 0, done.err
    (beside,) = done.json["reruns"]
    assert (beside["run_id"], beside["beside"], beside["limit"]) == (short, long, 30)
    assert beside["real"] == beside["threshold"] > 0
    (told,) = done.json["runs"]
    assert told["points"][-1]["x"] > 30
    assert told["points"][-1]["value"] > beside["threshold"]
    assert figure.read_bytes().startswith(b"\x89PNG")
    sufficient = ddr("curves", long, "--min-sufficient", "--json").json["sufficient"][long]
    assert sufficient
    assert all(each["turn"] <= told["points"][-1]["x"] for each in sufficient)
    by_time = ddr("curves", long, "--axis", "seconds", "--json").json["runs"][0]
    assert by_time["points"][-1]["value"] == told["points"][-1]["value"]
