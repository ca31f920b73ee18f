"""The demo works without Python, and refuses to be proud of a baseline that proves nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.trajectory import Sandbox
from server.cli import demo
from tests.server.cli.conftest import Ddr

REASON = "this kernel has no user namespaces"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A scripted explorer whose insights are about no fact of the checklist, and no sandbox."""
    (tmp_path / "gate").touch()
    monkeypatch.setenv("DDR_TEST_GATE", str(tmp_path / "gate"))
    monkeypatch.setattr(demo, "AGENT", "tests.server.agents:GatedAgent")
    off = Sandbox(name="off", detail=REASON)
    monkeypatch.setattr("tools.python.sandbox.sandbox_available", lambda: off)


@pytest.mark.real
def test_without_user_namespaces_the_demo_works_and_says_that_python_is_off_and_why(
    ddr: Ddr, built_home: Path
) -> None:
    done = ddr("demo", "--quiet")
    assert "16 of 16 carriers explored" in done.out
    assert f"execute_code is off here: {REASON}" in done.out
    assert "whose insights" in done.out
    for baseline in ("another carrier's", "generic text", "no text"):
        assert baseline in done.out
    (report,) = (built_home / "reports").iterdir()
    assert str(report) in done.out
    told = ddr("show", "last", "01", "--json").json
    assert told["sandbox"] == {"name": "off", "detail": REASON}
    # No insight about another carrier came through the gate: the demo says so, and fails.
    assert done.code == 1
    assert "the shuffled baseline proves nothing" in done.err
