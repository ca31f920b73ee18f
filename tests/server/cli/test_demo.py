"""The demo works without Python, and refuses to be proud of a baseline that proves nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.run import RunSpec
from databases.catalog import InstalledScenario
from server import toolhost
from server.cli import demo
from server.store import Repository
from tests.server.cli.conftest import Ddr
from tests.server.sandboxes import REASON


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A scripted explorer whose insights are about no fact of the checklist, and no sandbox.

    The sandbox that is off is an installed plug-in: the tool host, a process of its own, takes none
    but those.
    """
    plug_in(tmp_path / "site", "ddr.sandboxes", "none = tests.server.sandboxes:NoSandbox")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    (tmp_path / "gate").touch()
    monkeypatch.setenv("DDR_TEST_GATE", str(tmp_path / "gate"))
    monkeypatch.setattr(demo, "AGENT", "tests.server.agents:GatedAgent")
    spec = demo._spec

    def without(installed: InstalledScenario, store: Repository) -> RunSpec:
        return spec(installed, store).model_copy(update={"sandbox": "none"})

    monkeypatch.setattr(demo, "_spec", without)
    hosts: list[toolhost.ToolHost] = []  # one that was started before knows no new plug-in
    monkeypatch.setattr(toolhost, "_private", hosts)
    yield
    for host in hosts:
        host.close()


def plug_in(site: Path, group: str, line: str) -> None:
    """A distribution that brings one entry point, as pip would leave it in a folder."""
    folder = site / "none-1.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: none\nVersion: 1\n", "utf-8")
    (folder / "entry_points.txt").write_text(f"[{group}]\n{line}\n", "utf-8")


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
