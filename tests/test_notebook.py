"""The notebook of docs/ reads a real export and draws it: its cells run, and are kept without outputs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from server.cli.main import main
from tests.support.notebook import code_cells

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "docs" / "notebook.ipynb"


def test_it_is_kept_without_outputs() -> None:
    """Outputs hold what a machine had, and change with every run."""
    told = json.loads(NOTEBOOK.read_text("utf-8"))
    assert (told["nbformat"], told["nbformat_minor"]) == (4, 5)
    for cell in told["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["execution_count"], cell["outputs"]) == (None, [])
    assert len({cell["id"] for cell in told["cells"]}) == len(told["cells"])


@pytest.mark.real
def test_its_cells_run_on_a_real_export_and_draw_it(
    own_flights_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DDR_HOME", str(own_flights_home))
    explored = ("run", "--scenario", "flights", "--agent", "profiler", "--entities", "01,05")
    export, figures = tmp_path / "export", tmp_path / "figures"
    figures.mkdir()
    for command in (
        explored,
        ("evaluate", "last", "--checker", "matching", "--baselines", "none"),
        ("export", "last", "--format", "parquet", "--out", str(export)),
    ):
        assert main([*command, "--quiet"]) == 0
    program = ROOT / "tests" / "support" / "notebook.py"
    done = subprocess.run(
        [sys.executable, str(program), str(NOTEBOOK), str(figures)],
        env={**os.environ, "DDR_EXPORT": str(export), "MPLCONFIGDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["cells"] == len(code_cells(NOTEBOOK))
    assert told["figures"] == ["1.png", "2.png", "3.png"]
    for name in told["figures"]:
        assert (figures / name).stat().st_size > 10_000, name
    shown = "\n".join(told["shown"])
    assert "profiler" in shown
    assert "the same from" in shown
    assert "own" in shown
