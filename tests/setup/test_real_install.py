"""The real thing: a clone set up by the launcher from PyPI, and a wheel with all that it needs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from server import bootstrap
from tests.support.needs import needs

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES: list[str] = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]

pytestmark = [pytest.mark.real, needs("git", "package index")]


def files() -> list[str]:
    """What a clone would hold."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.check_output(command, cwd=ROOT, text=True)
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout in a folder with a space, not yet set up."""
    root = tmp_path_factory.mktemp("fresh") / "a clone"
    for name in files():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, root / name)
    return root


def bare_environment(clone: Path) -> dict[str, str]:
    """What `env -i` leaves, and the packages that this checkout has downloaded already."""
    kept = ("SSL_CERT_FILE", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "PIP_CERT")
    environ = {name: os.environ[name] for name in kept if name in os.environ}
    own_python = str(Path(os.path.realpath(sys.executable)).parent)
    environ["PATH"] = os.pathsep.join(["/usr/bin", "/bin", own_python])
    environ["HOME"] = str(clone.parent)
    environ["UV_CACHE_DIR"] = os.environ.get("UV_CACHE_DIR", str(ROOT / ".cache" / "uv"))
    return environ


def ddr(clone: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [clone / "ddr", *arguments],
        cwd=clone.parent,
        env=bare_environment(clone),
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_fresh_clone_answers_its_first_call_with_stdout_clean(clone: Path) -> None:
    first = ddr(clone, "--help")
    assert first.returncode == 0, first.stderr
    assert first.stdout.lstrip().startswith("Usage: ddr")
    assert "ready" in first.stderr
    second = ddr(clone, "--help")
    assert second.stderr == ""
    assert second.stdout == first.stdout


def test_the_set_up_installs_no_pip_and_no_test_tools(clone: Path) -> None:
    ddr(clone, "--help")
    programs = {path.name for path in (clone / ".venv" / "bin").iterdir()}
    assert "ddr" in programs
    assert not {"pip", "pip3", "pytest", "ruff"} & programs


def test_a_wheel_holds_every_file_of_every_package(clone: Path, tmp_path: Path) -> None:
    uv = bootstrap.uv_program(ROOT)
    subprocess.run(
        [uv, "build", "--wheel", "--out-dir", tmp_path, "--python", sys.executable, clone],
        env={**bare_environment(clone), "UV_SYSTEM_CERTS": "1"},
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = set(archive.namelist())
        scripts = archive.read(next(n for n in held if n.endswith("entry_points.txt"))).decode()
    there = (path for package in PACKAGES for path in (clone / package).rglob("*"))
    wanted = {path.relative_to(clone).as_posix() for path in there if path.is_file()}
    wanted = {name for name in wanted if "__pycache__" not in name}
    assert wanted <= held
    assert not [name for name in held if name.startswith("tests/")]
    assert "ddr = server.cli.main:main" in scripts


def test_an_installation_from_the_wheel_runs_outside_any_checkout(
    clone: Path, tmp_path: Path
) -> None:
    uv, environ = bootstrap.uv_program(ROOT), bare_environment(clone)
    environ = {**environ, "UV_SYSTEM_CERTS": "1", "VIRTUAL_ENV": str(tmp_path / "venv")}
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    subprocess.run([uv, "pip", "install", "-q", clone], env=environ, check=True)
    done = subprocess.run(
        [tmp_path / "venv" / "bin" / "ddr", "--help"],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.lstrip().startswith("Usage: ddr")
