"""`ddr demo` at a terminal ends with a link to the dashboard; in a pipe it just ends."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from tests.e2e.processes import ROOT

pytestmark = pytest.mark.real

PATIENCE_S = 240.0
SMALL = """
from server import build
from server.cli.main import main
whole = build.make_spec
# Three carriers take a quarter of a minute; all else is as it is.
build.make_spec = lambda *a, entities, **more: whole(*a, entities=["03", "07", "11"], **more)
raise SystemExit(main(["demo"]))
"""


@pytest.fixture
def home(tmp_path: Path, flights_home: Path) -> Path:
    """A DDR_HOME in which flights is built."""
    made = tmp_path / "home"
    made.mkdir(mode=0o700)
    (made / "scenarios").symlink_to(flights_home / "scenarios")
    return made


def _environment(home: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DDR_HOME": str(home)}


def test_at_a_terminal_it_ends_with_a_link_to_the_dashboard_and_serves_until_ctrl_c(
    home: Path,
) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", SMALL],
        cwd=ROOT,
        env={**_environment(home), "TERM": "xterm", "COLUMNS": "200"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        link = _read_until(ours, rb"(http://127\.0\.0\.1:\d+/enter\?once=\S+)")
        with httpx.Client(follow_redirects=True) as browser:
            page = browser.get(link).text
        assert ">profiler</a>" in page
        assert ", admin" in page
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    finally:
        process.kill()
        os.close(ours)


def test_in_a_pipe_it_ends_by_itself_and_names_the_command(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SMALL],
        cwd=ROOT,
        env=_environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "serve --http prints a link to the dashboard" in done.stdout
    assert "/enter?once=" not in done.stdout


def _read_until(descriptor: int, pattern: bytes) -> str:
    """What the pattern's group holds, as soon as a whole line of the terminal has it."""
    seen = b""
    last = time.monotonic() + PATIENCE_S
    while time.monotonic() < last:
        if select.select([descriptor], [], [], 1.0)[0]:
            seen += os.read(descriptor, 1 << 16)
        if found := re.search(pattern + rb"\r?\n", seen):
            return found[1].decode()
    raise AssertionError(seen.decode("utf-8", "replace")[-2000:])
