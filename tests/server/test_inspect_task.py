"""Inspect evaluates on a scenario of ours: its own command, its model, our tools and our facts."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from server.foreign_logs.inspect_log import read_inspect
from server.store import open_store
from server.store.callbook import CallBook
from tests.support import once
from tests.support.endpoint import Call, Say, ScriptedEndpoint, call
from tests.support.needs import needs

pytestmark = [pytest.mark.real, needs("package index")]

SQL = """SELECT round(100 * avg(CAST(carrier_id = '01' AS INT)), 1) AS share FROM flights"""
TASK = "server/inspect_task.py"
FINDING = "The carrier has a share of all flights."
REPORT = "The flights of the carrier were counted, and its share is known."
STEPS = (
    call("get_task", model="scripted"),
    call("execute_query", query="SELECT nope FROM flights"),
    call("execute_query", query=SQL),
    call("submit_insight", text=FINDING),
    call("submit_insight", text="the carrier  has a share of all flights."),
    Say(None, (Call("finish", {"report": REPORT}),)),
    call("execute_query", query="SELECT 1"),
    Say("Done."),
)
TOOLS = [step.calls[0].name for step in STEPS if step.calls]


def inspect_environment() -> Path:
    """The project with its extra `inspect`, as the lock has it; made once."""
    lock = (once.ROOT / "uv.lock").read_bytes() + sys.version.encode()

    def fill(place: Path) -> None:
        words = ("sync", "--frozen", "--quiet", "--extra", "inspect", "--python", sys.executable)
        command, environ = once.uv(*words)
        environ["UV_PROJECT_ENVIRONMENT"] = str(place)
        subprocess.run(
            command, env=environ, cwd=once.ROOT, check=True, capture_output=True, timeout=600
        )

    return once.filled(f"inspect-{hashlib.sha256(lock).hexdigest()[:12]}", fill)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, flights_home: Path) -> Path:
    made = tmp_path_factory.mktemp("home")
    for name in ("scenarios", "secrets"):
        (made / name).symlink_to(flights_home / name)
    return made


def evaluate(home: Path, endpoint: ScriptedEndpoint, *options: str) -> dict[str, Any]:
    """What Inspect's command wrote down."""
    program = inspect_environment() / "bin" / "inspect"
    logs = home / "logs"
    command = [program, "eval", TASK, "--model", "openai/scripted", "--display", "plain"]
    command += ["--model-base-url", endpoint.openai_url, "--log-dir", logs, "--log-format", "json"]
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), "DDR_HOME": str(home)}
    done = subprocess.run(
        [*map(str, command), "-T", "scenario=flights", *options],
        env={**environ, "OPENAI_API_KEY": "none"},
        cwd=once.ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    newest = max(logs.glob("*.json"), key=lambda path: path.stat().st_mtime)
    log: dict[str, Any] = json.loads(newest.read_text("utf-8"))
    assert log["status"] == "success", done.stdout + done.stderr
    return log


def test_an_entity_is_explored_and_scored_in_each_trial(home: Path) -> None:
    def script(request: Any) -> Say:
        return STEPS[min(request.replies, len(STEPS) - 1)]

    with ScriptedEndpoint(script) as endpoint:
        log = evaluate(home, endpoint, "-T", "entities=01", "-T", "trials=2")
    samples = log["samples"]
    assert [(s["id"], s["epoch"]) for s in samples] == [("01", 1), ("01", 2)]
    for sample in samples:
        (found,) = sample["scores"].values()
        assert set(found["value"]) == {"message", "trajectory"}
        assert found["metadata"]["stop_reason"] == "finished"
        assert found["metadata"]["out_of"] > 0
        assert "answer" in sample["scores"]["facts"]
        assert sample["scores"]["facts"]["answer"] == REPORT
    with open_store(home / "store.sqlite3") as store:
        (spec,) = store.runs()
        assert spec.outside is not None
        assert (spec.outside.has_shell, spec.outside.has_web) == (False, False)
        both = store.trajectories(spec.id)
        assert [(t.trial, t.stop_reason) for t in both] == [(1, "finished"), (2, "finished")]
        for trajectory in both:
            assert len(trajectory.turns) == 2
            assert [i.text for i in trajectory.message_insights] == [FINDING]
            assert trajectory.reported_model == "openai/scripted"
            assert trajectory.reported_usage is not None
            assert trajectory.reported_usage.output_tokens
            assert trajectory.usage().output_tokens == 0  # measured: nothing
            calls = CallBook(store).calls(trajectory.id)
            assert [c.name for c in calls] == TOOLS
            assert calls[-1].result is not None
            assert calls[-1].result.error_kind == "ended"


def test_its_logs_can_be_scored_like_any_other_programs(home: Path) -> None:
    """As Inspect packs them, too. (The trials are those of the test above, or new ones.)"""
    logs = home / "logs"
    if not any(logs.glob("*.json")):
        with ScriptedEndpoint(lambda request: STEPS[min(request.replies, len(STEPS) - 1)]) as end:
            evaluate(home, end, "-T", "entities=01", "-T", "trials=2")
    newest = max(logs.glob("*.json"), key=lambda path: path.stat().st_mtime)
    packed = home / "packed"
    program = inspect_environment() / "bin" / "inspect"
    convert = [program, "log", "convert", newest, "--to", "eval", "--output-dir", packed]
    subprocess.run([*map(str, convert)], check=True, capture_output=True, timeout=120)
    (found,) = packed.glob("*.eval")
    for log in (newest, found):
        told = read_inspect(log)
        assert [(each.entity, each.trial) for each in told] == [("01", 1), ("01", 2)]
        for each in told:
            assert [turn.tool_calls[0].name for turn in each.turns] == ["execute_query"] * 2
            assert (each.report, each.stop_reason) == (REPORT, "finished")
            assert {turn for turn, _ in each.insights} == {2}
            assert each.usage is not None
            assert each.usage.output_tokens


def test_inspect_finds_the_task_of_an_installed_project_by_the_name_on_the_page() -> None:
    # It takes the first part of the module's name for the package, and looks the entry point up by it.
    with (once.ROOT / "pyproject.toml").open("rb") as file:
        points = tomllib.load(file)["project"]["entry-points"]["inspect_ai"]
    assert points == {"server": "server.inspect_task"}
    page = (once.ROOT / "docs" / "inspect.md").read_text("utf-8")
    assert "inspect eval server/explore " in page
