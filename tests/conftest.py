"""For every suite: a skip is loud, with DDR_CI=1 it is a failure, and no test meets your .ddr."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

pytest_plugins = ["tests.support.flights", "tests.support.postgres"]

settings.register_profile("laptop", deadline=None)
# The same examples each time: a change fails for what it did, and not for its luck.
settings.register_profile("ci", deadline=None, derandomize=True)
settings.register_profile("fast", deadline=None, derandomize=True, max_examples=25)


def pytest_configure(config: pytest.Config) -> None:
    """How many examples a property test tries, where it does not say itself."""
    fast = config.getoption("markexpr") == "not real"
    ci = os.environ.get("DDR_CI") == "1"
    settings.load_profile("fast" if fast else "ci" if ci else "laptop")


@pytest.fixture(scope="session", autouse=True)
def _home_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Commands that a test starts without a DDR_HOME must not find the developer's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DDR_HOME", str(tmp_path_factory.mktemp("ddr-home")))
        yield


def _forbid_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip into a failure that says what was missing."""
    if os.environ.get("DDR_CI") != "1" or report.outcome != "skipped":
        return
    if hasattr(report, "wasxfail"):
        return
    report.outcome = "failed"
    report.longrepr = f"skipped, which DDR_CI=1 forbids: {_reason(report)}"


def _reason(report: Any) -> str:
    """The reason inside a skip's report."""
    where = report.longrepr
    text = where[2] if isinstance(where, tuple) else str(where)
    return text.removeprefix("Skipped: ")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _forbid_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _forbid_skip(report)
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """List what was not tested here, and what would change that."""
    reports = terminalreporter.stats.get("skipped", [])
    lines = [f"{n} x {why}" for why, n in Counter(_reason(r) for r in reports).most_common()]
    if not lines:
        return
    terminalreporter.section("NOT TESTED HERE", yellow=True, bold=True)
    for line in lines:
        terminalreporter.line(line, yellow=True)
    if target := os.environ.get("DDR_SKIPPED_TO"):  # ./ddr test repeats them at its very end
        Path(target).write_text("\n".join(lines) + "\n", encoding="utf-8")
