"""Which code this is: its version, and its commit where it runs from a checkout."""

from __future__ import annotations

import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as metadata_version
from pathlib import Path


@cache
def version() -> str:
    """The installed version, or '0' where there is none."""
    try:
        return metadata_version("ddr")
    except PackageNotFoundError:
        return "0"


@cache
def code_revision() -> str:
    """The version, with '+commit' in a checkout and '-dirty' where files were changed."""
    checkout = Path(__file__).resolve().parents[1]
    if not (checkout / ".git").exists():
        return version()
    command = ["git", "-C", str(checkout), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=5, check=True)
    except (OSError, subprocess.SubprocessError):
        return version()
    return f"{version()}+{said.stdout.strip()}"
