"""The loop on docs/rl.md runs as it stands there, against the real server."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from server.runner import utc_now
from server.store import open_store
from server.tokens import issue
from tests.server.rest_app.api import PATIENCE_S, events
from tests.support import pages
from tests.support.serving import Server, serving

pytestmark = pytest.mark.real

PAGE = pages.ROOT / "docs" / "rl.md"
SEEDS = 3


@pytest.fixture(scope="module")
def served(rest_home: Path) -> Server:  # type: ignore[misc]
    """`ddr serve --http` with two workers on the tests' home."""
    with serving(rest_home, workers=2) as server:
        yield server


@pytest.fixture(scope="module")
def harness(rest_home: Path) -> str:
    """The secret of a harness of its own."""
    with open_store(rest_home / "store.sqlite3") as store:
        return issue(store, "harness", utc_now())[1]


@pytest.fixture(scope="module")
def printed(served: Server, harness: str, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What the page's program prints, line by line."""
    (block,) = [block for block in pages.blocks(PAGE) if "def policy(" in block]
    program = tmp_path_factory.mktemp("rl") / "loop.py"
    program.write_text(block, "utf-8")
    environment = {"PATH": os.environ["PATH"], "DDR_SERVER": served.url, "HARNESS_TOKEN": harness}
    done = subprocess.run(
        [sys.executable, str(program)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S * 3,
        check=False,
    )
    assert done.returncode == 0, done.stderr + served.log()
    return done.stdout.splitlines()


def test_the_loop_plays_an_episode_for_each_seed(printed: list[str]) -> None:
    assert len(printed) == SEEDS
    for seed, line in enumerate(printed):
        assert re.fullmatch(rf"seed {seed}: reward 0\.\d+ after 2 turns", line)


def test_its_episodes_can_be_watched_and_fetched_like_any_run(
    printed: list[str], served: Server, harness: str
) -> None:
    headers = {"Authorization": f"Bearer {harness}"}
    with httpx.Client(base_url=f"{served.url}/api", headers=headers, timeout=PATIENCE_S) as http:
        runs = [run for run in http.get("/runs?limit=200").json()["runs"] if run["mine"]]
        assert [run["agent"] for run in runs] == ["counting"] * SEEDS
        assert {run["is_finished"] for run in runs} == {True}
        with http.stream("GET", f"/runs/{runs[0]['run']}/events") as answer:
            told = [each["event"] for each in events(answer)]
        assert told == ["call"] * 4 + ["insight"] * 2 + ["end", "over"]


def test_the_gate_stands_in_front(served: Server, harness: str) -> None:
    headers = {"Authorization": f"Bearer {harness}"}
    url = f"{served.url}/api/runs"
    assert httpx.get(url, headers={**headers, "Host": "evil.example"}).status_code == 421
    assert httpx.get(url, headers={**headers, "Origin": "http://evil.example"}).status_code == 403
    large = httpx.post(url, headers=headers, content=b" " * (5 << 20))
    assert large.status_code == 413
    assert httpx.get(url, headers=headers).status_code == 200


def test_a_stream_does_not_hold_up_a_server_that_stops(served: Server, harness: str) -> None:
    """The last one here: it stops the server that the others asked."""
    made = {"scenario": "flights", "agent": "nobody", "entities": ["03"], "tools": "sql"}
    headers = {"Authorization": f"Bearer {harness}"}
    url = f"{served.url}/api/runs"
    run = httpx.post(url, json=made, headers=headers, timeout=PATIENCE_S).json()["run"]
    with httpx.stream("GET", f"{url}/{run}/events", headers=headers, timeout=PATIENCE_S) as answer:
        lines = answer.iter_lines()
        assert next(lines) == ": watching"
        served.process.terminate()
        assert list(lines) == [""]  # to its end, and not broken off
