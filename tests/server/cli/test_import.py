"""A run that went to another home by `ddr export --bundle` and `ddr import` tells the same there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from databases.catalog import InstalledScenario
from tests.server.cli.conftest import RUN, Ddr
from tests.server.cli.test_diff import OTHER, another


@pytest.fixture
def judged(explored: Path, flights: InstalledScenario, ddr: Ddr) -> Path:
    another(explored, flights, OTHER, agent="better")
    for name in (RUN, OTHER):
        assert ddr("evaluate", name, "--quiet").code == 0
    return explored


@pytest.fixture
def elsewhere(tmp_path: Path, flights_home: Path) -> Path:
    """A home with the same scenario and no run."""
    path = tmp_path / "elsewhere"
    path.mkdir(mode=0o700)
    (path / "scenarios").symlink_to(flights_home / "scenarios")
    return path


def test_both_homes_tell_the_same_figures(
    ddr: Ddr, judged: Path, elsewhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told() -> list[Any]:
        shown = [("show", RUN), ("show", OTHER), ("show", OTHER, "01", "2")]
        compared = [
            ("diff", RUN, OTHER),
            ("curves", OTHER),
            ("exploration", OTHER),
            ("costs", OTHER),
            ("stopping", OTHER),
        ]
        return [ddr(*command, "--json", "--quiet").json for command in (*shown, *compared)]

    path = tmp_path / "run.zip"
    mine = told()
    done = ddr("export", RUN, OTHER, "--bundle", str(path), "--json", "--quiet")
    assert done.code == 0, done.err
    monkeypatch.setenv("DDR_HOME", str(elsewhere))
    kept = ddr("import", str(path), "--json", "--quiet")
    assert kept.code == 0, kept.err
    assert kept.json["sha256"] == done.json["sha256"]
    assert kept.json["runs"] == [RUN, OTHER]
    assert kept.json["notes"] == []
    assert told() == mine
    assert mine[3]["pairs"][0]["difference"] != 0


def test_it_is_said_whose_word_it_is(
    ddr: Ddr, judged: Path, elsewhere: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.zip"
    assert ddr("export", RUN, "--bundle", str(path), "--quiet").code == 0
    monkeypatch.setenv("DDR_HOME", str(elsewhere))
    done = ddr("import", str(path))
    assert "their sender's word" in done.out
    assert f"show {RUN}" in done.out
    assert (
        "imported from run.zip (bundle); what it holds is its sender's word" in ddr("show", RUN).out
    )
    assert "built-in, imported" in ddr("runs").out
    again = ddr("run", "--resume", RUN)
    assert again.code == 2
    assert "came in a bundle" in again.err


def test_a_home_without_the_data_is_told_how_to_get_scores(
    ddr: Ddr, judged: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.zip"
    assert ddr("export", RUN, "--bundle", str(path), "--quiet").code == 0
    monkeypatch.setenv("DDR_HOME", str(tmp_path / "bare"))
    done = ddr("import", str(path))
    assert done.code == 0
    assert "scenarios build flights" in done.err
    assert ddr("show", RUN).code == 0


def test_a_broken_bundle_is_an_error_with_its_place(ddr: Ddr, home: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.zip"
    path.write_text("no zip")
    done = ddr("import", str(path), "--json")
    assert done.code == 1
    assert done.json["error"]["kind"] == "BundleError"
    assert "run.zip is no zip file" in done.err


def test_a_bundle_goes_with_no_form(ddr: Ddr, explored: Path, tmp_path: Path) -> None:
    done = ddr("export", RUN, "--bundle", str(tmp_path / "a.zip"), "--format", "csv")
    assert done.code == 2
    assert "leave --format and --out away" in done.err
