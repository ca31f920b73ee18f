"""A skip is told at the end; with DDR_CI=1 it is a failure."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.needs import NEEDS, is_present, needs

CONFTEST = Path(__file__).parents[1] / "conftest.py"

MARKED = """
import pytest

@pytest.mark.skipif(True, reason="needs chromium: apt-get install chromium")
def test_in_a_browser(): ...

def test_that_runs(): ...
"""
INSIDE = """
import pytest

def test_finds_out_late():
    pytest.skip("no such device")
"""
WHOLE_MODULE = """
import pytest
pytest.skip("nothing here runs", allow_module_level=True)
"""
EXPECTED_FAILURE = """
import pytest

@pytest.mark.xfail(reason="known", strict=True)
def test_known(): assert False
"""


def run_suite(folder: Path, source: str, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run one test module in a pytest of its own, under this project's conftest."""
    shutil.copy(CONFTEST, folder / "conftest.py")
    (folder / "test_it.py").write_text(source, encoding="utf-8")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("DDR_", "PYTEST_"))}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", "."],
        cwd=folder,
        env={**kept, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **environ},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("source", [MARKED, INSIDE, WHOLE_MODULE], ids=["mark", "call", "module"])
def test_a_skip_fails_the_run_where_ddr_ci_is_1(tmp_path: Path, source: str) -> None:
    done = run_suite(tmp_path, source, DDR_CI="1")
    assert done.returncode != 0
    assert "skipped, which DDR_CI=1 forbids" in done.stdout


@pytest.mark.parametrize("source", [MARKED, INSIDE, WHOLE_MODULE], ids=["mark", "call", "module"])
def test_a_skip_passes_on_a_laptop_and_is_listed_loudly(tmp_path: Path, source: str) -> None:
    done = run_suite(tmp_path, source)
    assert done.returncode in (0, 5)  # 5: nothing was left to run
    assert "NOT TESTED HERE" in done.stdout


def test_the_list_names_the_need_and_what_to_install(tmp_path: Path) -> None:
    told = tmp_path / "told"
    done = run_suite(tmp_path, MARKED, DDR_SKIPPED_TO=str(told))
    wanted = "1 x needs chromium: apt-get install chromium"
    assert wanted in done.stdout
    assert told.read_text(encoding="utf-8").splitlines() == [wanted]


def test_an_expected_failure_is_not_taken_for_a_skip(tmp_path: Path) -> None:
    done = run_suite(tmp_path, EXPECTED_FAILURE, DDR_CI="1")
    assert done.returncode == 0, done.stdout


def test_a_need_that_nobody_knows_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="unknown need 'chrome'; known: chromium, "):
        needs("chrome")


def test_a_missing_need_gives_its_remedy_as_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DDR_TEST_DATA", raising=False)
    is_present.cache_clear()
    mark = needs("test data").mark
    is_present.cache_clear()
    assert mark.args == (True,)
    assert NEEDS["test data"].remedy in mark.kwargs["reason"]


def test_a_need_that_is_met_skips_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DDR_TEST_DATA", str(tmp_path))
    is_present.cache_clear()
    mark = needs("test data").mark
    is_present.cache_clear()
    assert mark.args == (False,)
