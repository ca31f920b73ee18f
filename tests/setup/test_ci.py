"""`.ci/run`: strict, with the test data where it is, and system packages only where they lack."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.needs import needs

ROOT = Path(__file__).parents[2]

DDR = """#!/bin/sh
echo "CI=$DDR_CI DATA=${DDR_TEST_DATA-none} HOME=$HOME LANG=$LANG ARGS=$*"
echo "1 passed in 0.01s"
exit ${TEST_EXIT:-0}
"""
LOGGING = '#!/bin/sh\necho "$(basename "$0") $*" >>"$LOG"\n'
SUDO = '#!/bin/sh\necho "sudo $*" >>"$LOG"\nshift\nexec "$@"\n'
TOOLS = ("bash", "sh", "env", "dirname", "basename", "mktemp", "cat")

pytestmark = needs("linux")


class Machine:
    """A checkout with a stand-in for the launcher, and a PATH of our choosing."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "checkout"
        self.bin = folder / "bin"
        self.log = folder / "log"
        self.home = folder / "home"
        for made in (self.root / ".ci", self.bin, self.home):
            made.mkdir(parents=True)
        shutil.copy(ROOT / ".ci" / "run", self.root / ".ci" / "run")
        self.program("ddr", DDR, folder=self.root)
        for name in TOOLS:
            found = shutil.which(name)
            assert found
            (self.bin / name).symlink_to(found)
        for name in ("python3", "git", "chromium", "apt-get"):
            self.program(name, LOGGING)
        self.program("sudo", SUDO)
        self.program("id", "#!/bin/sh\necho 0\n")

    def program(self, name: str, body: str, folder: Path | None = None) -> None:
        path = (folder or self.bin) / name
        path.write_text(body, encoding="utf-8")
        path.chmod(0o755)

    def run(self, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
        given = {"PATH": str(self.bin), "LOG": str(self.log), "HOME": str(self.home), **environ}
        return subprocess.run(
            ["bash", self.root / ".ci" / "run", *arguments],
            cwd=self.root.parent,
            env={name: value for name, value in given.items() if value},
            capture_output=True,
            text=True,
            check=False,
        )

    def installed(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_it_is_strict_and_ends_with_pytests_closing_line(machine: Machine) -> None:
    done = machine.run()
    assert done.returncode == 0, done.stderr
    assert "CI=1 " in done.stdout
    assert done.stdout.splitlines()[-1] == "1 passed in 0.01s"


def test_a_failure_of_the_tests_is_its_own(machine: Machine) -> None:
    assert machine.run(TEST_EXIT="1").returncode == 1


def test_the_test_data_beside_the_checkout_is_found_by_its_absolute_path(machine: Machine) -> None:
    data = machine.root.parent / "shared" / "data"
    data.mkdir(parents=True)
    assert f"DATA={data.resolve()} " in machine.run().stdout


def test_where_there_is_no_test_data_none_is_named(machine: Machine) -> None:
    assert "DATA=none " in machine.run().stdout


def test_test_data_that_the_caller_names_is_left_alone(machine: Machine) -> None:
    (machine.root.parent / "shared" / "data").mkdir(parents=True)
    assert "DATA=/elsewhere " in machine.run(DDR_TEST_DATA="/elsewhere").stdout


def test_where_everything_is_there_nothing_is_installed(machine: Machine) -> None:
    machine.run()
    assert machine.installed() == []


def test_a_missing_browser_is_installed_after_the_lists_are_fetched(machine: Machine) -> None:
    (machine.bin / "chromium").unlink()
    assert machine.run().returncode == 0
    update, install = machine.installed()
    assert update.startswith("apt-get update")
    assert install.startswith("apt-get install")
    assert "chromium" in install.split()


def test_who_is_not_root_asks_sudo_without_a_password(machine: Machine) -> None:
    (machine.bin / "chromium").unlink()
    machine.program("id", "#!/bin/sh\necho 1000\n")
    machine.run()
    assert machine.installed()[0] == "sudo -n apt-get update -qq"


def test_a_package_that_cannot_be_installed_fails_the_run(machine: Machine) -> None:
    (machine.bin / "chromium").unlink()
    machine.program("apt-get", "#!/bin/sh\nexit 100\n")
    done = machine.run()
    assert done.returncode == 100
    assert "passed" not in done.stdout


def test_without_a_home_it_makes_one(machine: Machine) -> None:
    done = machine.run(HOME="", TMPDIR=str(machine.root.parent))
    assert done.returncode == 0, done.stderr
    (home,) = [part[5:] for part in done.stdout.split() if part.startswith("HOME=")]
    assert os.access(home, os.W_OK)


def test_arguments_go_to_the_test_command(machine: Machine) -> None:
    assert "ARGS=test --fast" in machine.run("--fast").stdout
