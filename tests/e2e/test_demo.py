"""`ddr demo` end to end, as a person on a fresh machine starts it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from core.trajectory import Trajectory
from databases.catalog import InstalledScenario
from server.build import make_setting, make_spec
from server.runner import explore, utc_now
from server.settings import Settings
from server.store import Repository, open_store
from tests.e2e.processes import ROOT, last_line

pytestmark = pytest.mark.real

BOTH_LEVELS = {"message", "trajectory"}


@dataclass(frozen=True)
class Demo:
    """One demo that ran to its end."""

    home: Path
    answer: dict[str, Any]
    stderr: str
    board: str
    """What its own link led to, while it served."""
    exit_code: int
    """After Ctrl-C."""

    def store(self) -> Repository:
        return open_store(self.home / "store.sqlite3")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """In an empty home: the database is built as well; at the end its dashboard is looked at."""
    folder = tmp_path_factory.mktemp("demo")
    home = folder / "home"
    command = [sys.executable, "-m", "server.cli.main", "demo", "--json", "--serve"]
    with (folder / "stderr").open("w+") as log:
        process = subprocess.Popen(
            [*command, "--home", str(home)],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, (folder / "stderr").read_text()
            answer = last_line(line)
            with httpx.Client(follow_redirects=True) as browser:
                board = browser.get(answer["dashboard"]).text
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
        finally:
            process.kill()
    stderr = (folder / "stderr").read_text()
    yield Demo(home, answer, stderr, board, process.returncode)


def test_the_demo_ends_by_showing_its_run_on_the_dashboard_until_ctrl_c(demo: Demo) -> None:
    found = demo.answer["item_accuracy"]["trajectory"]
    assert f'<a href="/runs/{demo.answer["run"]}">profiler</a>' in demo.board
    assert f"{100 * found:.1f}%" in demo.board
    assert "A year of flights" in demo.board
    assert demo.exit_code == 0
    assert "Traceback" not in demo.stderr


def test_the_demo_answers_with_one_object_that_has_every_figure(demo: Demo) -> None:
    answer = demo.answer
    assert answer["entities"] == answer["self_terminated"] == 16
    assert answer["items"] == answer["holds"] >= 120
    assert set(answer["item_accuracy"]) == BOTH_LEVELS
    assert set(answer["baselines"]) == {"blank", "generic", "population", "shuffled_entity"}
    assert all(set(each) == BOTH_LEVELS for each in answer["baselines"].values())
    assert answer["seconds"] > 0
    assert answer["execute_code"] in ("bubblewrap", "off")


def test_the_profiler_finds_what_chance_does_not(demo: Demo) -> None:
    answer = demo.answer
    assert answer["item_accuracy"]["trajectory"] >= 0.35
    assert answer["baselines"]["shuffled_entity"]["trajectory"] <= 0.10
    for baseline in ("blank", "generic"):
        assert answer["baselines"][baseline]["trajectory"] <= 0.01
        assert answer["baselines"][baseline]["message"] <= 0.01
    # The shuffled baseline means something only if its findings were looked at at all.
    assert answer["gated"] > 0


def test_the_report_is_one_file_that_needs_nothing_else(demo: Demo) -> None:
    report = Path(demo.answer["report"])
    text = report.read_text("utf-8")
    assert report.parent == demo.home / "reports"
    assert demo.answer["run"] in text
    assert "http://" not in text.replace("http://www.w3.org/", "")
    assert "<script src" not in text


def test_progress_says_what_is_happening_on_stderr(demo: Demo) -> None:
    for word in ("building", "proving", "exploring", "judging"):
        assert word in demo.stderr


def test_every_trajectory_is_in_the_store_turn_by_turn(demo: Demo) -> None:
    with demo.store() as store:
        trajectories = store.trajectories(demo.answer["run"])
    assert len(trajectories) == 16
    for trajectory in trajectories:
        assert trajectory.turns
        assert trajectory.report
        assert [t.index for t in trajectory.turns] == list(range(1, len(trajectory.turns) + 1))
        assert len(trajectory.message_insights) == len(trajectory.turns)


def test_the_same_seed_gives_the_same_exploration(
    demo: Demo, flights: InstalledScenario, tmp_path: Path
) -> None:
    """Three carriers again, in another process and home: word for word what the demo said."""
    settings = Settings(home=tmp_path).prepare()
    chosen = ["04", "09", "16"]
    with open_store(settings.store_path) as store:
        spec = make_spec(flights, agent="profiler", entities=chosen, taken=[], now=utc_now())
        store.add_run(spec)
        asyncio.run(explore(spec, make_setting(spec, flights, store, settings)))
        again = store.trajectories(spec.id)
    with demo.store() as store:
        before = [t for t in store.trajectories(demo.answer["run"]) if t.entity_id in chosen]
    assert [_said(t) for t in again] == [_said(t) for t in before]


def _said(trajectory: Trajectory) -> tuple[Any, ...]:
    asked = [call.arguments for turn in trajectory.turns for call in turn.tool_calls]
    seen = [result.text for turn in trajectory.turns for result in turn.tool_results]
    return asked, seen, [(i.level, i.turn, i.text) for i in trajectory.insights]


def test_judging_it_again_gives_the_same_scores(demo: Demo) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "server.cli.main", "evaluate", "last", "--json"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DDR_HOME": str(demo.home)},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    again = last_line(done.stdout)
    assert again["evaluation"].endswith(".e2")
    scores = {
        (s["competitor"], s["level"]): s["strict"]
        for s in again["scores"]
        if s["averaging"] == "item"
    }
    for level in BOTH_LEVELS:
        assert scores["profiler", level] == demo.answer["item_accuracy"][level]
        for name, accuracy in demo.answer["baselines"].items():
            assert scores[name, level] == accuracy[level]
    assert again["gated"]["shuffled_entity"] == demo.answer["gated"]
