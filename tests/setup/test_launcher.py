"""The launcher: finds itself, sets up once, and hands everything else through."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.needs import needs

ROOT = Path(__file__).parents[2]

BOOTSTRAP = """
import pathlib, sys
root, stamp = sys.argv[1:]
bin = pathlib.Path(root, ".venv", "bin")
bin.mkdir(parents=True, exist_ok=True)
(bin / "python").write_text("#!/bin/sh\\n")
(bin / "ddr").write_text("#!/bin/sh\\nprintf '<%s>' \\"$@\\"\\nexit 7\\n")
for name in ("python", "ddr"):
    (bin / name).chmod(0o755)
pathlib.Path(root, ".venv", "ddr-stamp").write_text(stamp + "\\n")
print("SETTING UP with", sys.executable)
"""
"""Stands in for the real one, which needs the network: the launcher cannot tell them apart."""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout in a folder with spaces, whose program prints its arguments and exits 7."""
    root = tmp_path / "a folder" / "with spaces"
    (root / "server").mkdir(parents=True)
    shutil.copy(ROOT / "ddr", root / "ddr")
    (root / "server" / "bootstrap.py").write_text(BOOTSTRAP, encoding="utf-8")
    (root / "uv.lock").write_text("version = 1\n", encoding="utf-8")
    (root / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    return root


def programs(folder: Path, **own: str) -> Path:
    """A PATH folder with what the launcher calls, no Python, and scripts of our own."""
    folder.mkdir()
    for name in ("sh", "cat", "cksum", "dirname", "readlink"):
        found = shutil.which(name)
        assert found
        (folder / name).symlink_to(found)
    for name, body in own.items():
        (folder / name).write_text(body, encoding="utf-8")
        (folder / name).chmod(0o755)
    return folder


def call(
    command: Path | str, *arguments: str, cwd: Path | None = None, **environ: str
) -> subprocess.CompletedProcess[str]:
    env = {"PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"])}
    return subprocess.run(
        [str(command), *arguments],
        cwd=cwd,
        env={**env, **environ},
        capture_output=True,
        text=True,
        check=False,
    )


@needs("dash")
def test_it_is_plain_posix_shell() -> None:
    assert (ROOT / "ddr").read_text(encoding="utf-8").startswith("#!/bin/sh\n")
    subprocess.run(["dash", "-n", ROOT / "ddr"], check=True)


def test_it_and_the_ci_script_are_executable() -> None:
    assert os.access(ROOT / "ddr", os.X_OK)
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_the_first_call_sets_up_and_then_runs_the_command(checkout: Path) -> None:
    done = call(checkout / "ddr", "show", "two words", "*")
    assert done.stdout == "<show><two words><*>"
    assert done.returncode == 7
    assert "SETTING UP" in done.stderr


def test_a_second_call_sets_up_nothing(checkout: Path) -> None:
    call(checkout / "ddr")
    assert call(checkout / "ddr").stderr == ""


@pytest.mark.parametrize("file", ["uv.lock", "pyproject.toml", "server/bootstrap.py"])
def test_a_change_of_what_it_was_made_from_sets_up_again(checkout: Path, file: str) -> None:
    call(checkout / "ddr")
    with (checkout / file).open("a", encoding="utf-8") as handle:
        handle.write("# changed\n")
    assert "SETTING UP" in call(checkout / "ddr").stderr


def test_a_moved_checkout_is_set_up_again(checkout: Path) -> None:
    call(checkout / "ddr")
    moved = checkout.rename(checkout.with_name("elsewhere"))
    assert "SETTING UP" in call(moved / "ddr").stderr


def test_a_venv_whose_python_is_gone_is_set_up_again(checkout: Path) -> None:
    call(checkout / "ddr")
    (checkout / ".venv" / "bin" / "python").unlink()
    assert "SETTING UP" in call(checkout / "ddr").stderr


def test_it_works_from_another_folder_by_a_relative_path(checkout: Path) -> None:
    other = checkout.parent / "other"
    other.mkdir()
    assert call("../with spaces/ddr", "x", cwd=other).stdout == "<x>"


def test_it_works_through_a_chain_of_links_one_of_them_relative(checkout: Path) -> None:
    links = checkout.parent / "my bin"
    links.mkdir()
    (links / "first").symlink_to("../with spaces/ddr")
    (links / "second").symlink_to(links / "first")
    assert call(links / "second", "x").stdout == "<x>"


def test_it_works_when_the_shell_is_told_to_run_it(checkout: Path) -> None:
    assert call("/bin/sh", "ddr", "x", cwd=checkout).stdout == "<x>"


def test_cdpath_does_not_lead_it_astray(checkout: Path) -> None:
    done = call("./ddr", "x", cwd=checkout, CDPATH=str(checkout.parent))
    assert done.stdout == "<x>"


def test_without_a_python_it_names_the_way_out(checkout: Path, tmp_path: Path) -> None:
    done = call(checkout / "ddr", PATH=str(programs(tmp_path / "bin")))
    assert done.returncode == 1
    assert done.stdout == ""
    assert "no Python 3.11 or newer" in done.stderr
    assert "apt-get install python3" in done.stderr
    assert "DDR_PYTHON=" in done.stderr


def test_an_old_python3_is_passed_over_for_a_newer_one(checkout: Path, tmp_path: Path) -> None:
    folder = programs(
        tmp_path / "bin",
        python3="#!/bin/sh\nexit 1\n",
        **{"python3.12": f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'},
    )
    done = call(checkout / "ddr", "x", PATH=str(folder))
    assert done.stdout == "<x>"


def test_a_python_named_by_hand_comes_first(checkout: Path, tmp_path: Path) -> None:
    folder = programs(tmp_path / "bin")
    done = call(checkout / "ddr", "x", PATH=str(folder), DDR_PYTHON=sys.executable)
    assert done.stdout == "<x>"


def test_a_set_up_that_fails_ends_the_call(checkout: Path) -> None:
    (checkout / "server" / "bootstrap.py").write_text("raise SystemExit(3)\n", encoding="utf-8")
    done = call(checkout / "ddr", "x")
    assert done.returncode == 3
    assert done.stdout == ""
