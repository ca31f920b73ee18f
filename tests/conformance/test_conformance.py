"""The official conformance suite against the server as it is deployed, and once with sessions.

The figures are those of docs/conformance.md: what passes there passes here, and the other way about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conformance import suite
from tests.conformance.suite import STATEFUL, STATELESS, Leg, Outcome
from tests.support.needs import needs
from tests.support.pages import ROOT
from tests.support.serving import Server, serving

pytestmark = [pytest.mark.real, needs("npm")]

PAGE = ROOT / "docs" / "conformance.md"
_ROW = re.compile(r"^\| (?P<leg>[\w. -]+?) \| (?P<passed>\d+) \| (?P<failed>\d+) \|", re.MULTILINE)


def _figures() -> dict[str, tuple[int, int]]:
    """Each leg's checks passed and failed, as the page says it."""
    rows = _ROW.finditer(PAGE.read_text(encoding="utf-8"))
    return {row["leg"].strip(): (int(row["passed"]), int(row["failed"])) for row in rows}


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(_home(tmp_path_factory), "--conformance", workers=2) as server:
        yield server


@pytest.fixture(scope="module")
def stateful(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(_home(tmp_path_factory), "--conformance", "--stateful") as server:
        yield server


def _home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    folder.chmod(0o700)
    return folder


def _run(leg: Leg, server: Server, folder: Path) -> Outcome:
    return suite.run(leg, f"{server.url}/conformance/mcp", folder / "leg")


def _hold(leg: Leg, server: Server, folder: Path) -> None:
    outcome = _run(leg, server, folder)
    told = outcome.report()
    assert outcome.code == 0, told
    assert outcome.unexcused() == [], told
    assert outcome.idle_excuses() == [], told
    assert outcome.passed >= leg.least, told
    assert (outcome.passed, outcome.failed) == _figures()[leg.name], told
    assert "Traceback" not in server.log()  # nothing that the suite sends is a fault of ours


@pytest.mark.parametrize("leg", STATELESS, ids=lambda leg: leg.name)
def test_the_server_as_deployed_passes_what_it_offers(
    leg: Leg, deployed: Server, tmp_path: Path
) -> None:
    _hold(leg, deployed, tmp_path)


@pytest.mark.parametrize("leg", STATEFUL, ids=lambda leg: leg.name)
def test_with_sessions_it_passes_what_sessions_add(
    leg: Leg, stateful: Server, tmp_path: Path
) -> None:
    _hold(leg, stateful, tmp_path)


def test_a_line_of_the_baseline_about_what_passes_fails_the_run(
    deployed: Server, tmp_path: Path
) -> None:
    stale = tmp_path / "stale.yml"
    stale.write_text("server:\n  - tools-list  # passes by now\n", encoding="utf-8")
    options = ("--scenario", "tools-list", "--spec-version", "2026-07-28")
    leg = replace(STATELESS[2], options=options, baselines=(str(stale),))
    outcome = _run(leg, deployed, tmp_path)
    assert outcome.passed > 0
    assert outcome.code != 0
    assert outcome.idle_excuses() == ["tools-list"]


def test_the_page_gives_the_figures_of_each_leg() -> None:
    assert _figures().keys() == {leg.name for leg in (*STATELESS, *STATEFUL)}
