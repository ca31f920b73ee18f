"""A trajectory says which code made it, from a checkout and from a package."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from server import revision


@pytest.fixture(autouse=True)
def _afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    revision.code_revision.cache_clear()


def _pretend(monkeypatch: pytest.MonkeyPatch, root: Path) -> None:
    monkeypatch.setattr(revision, "__file__", str(root / "server" / "revision.py"))


def test_in_a_checkout_the_commit_is_named_and_changes_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = ("git", "-C", str(tmp_path), "-c", "user.name=t", "-c", "user.email=t@example.org")
    (tmp_path / "file").write_text("1", "utf-8")
    for command in (("init", "-q"), ("add", "file"), ("commit", "-q", "-m", "First")):
        subprocess.run([*git, *command], check=True)
    _pretend(monkeypatch, tmp_path)
    assert re.fullmatch(rf"{revision.version()}\+[0-9a-f]{{12}}", revision.code_revision())
    (tmp_path / "file").write_text("2", "utf-8")
    revision.code_revision.cache_clear()
    assert revision.code_revision().endswith("-dirty")


def test_without_a_checkout_the_version_stands_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _pretend(monkeypatch, tmp_path)
    assert revision.code_revision() == revision.version()


def test_a_checkout_that_git_cannot_read_is_no_obstacle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").write_text("not a repository", "utf-8")
    _pretend(monkeypatch, tmp_path)
    assert revision.code_revision() == revision.version()
