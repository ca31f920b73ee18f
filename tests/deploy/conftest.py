"""The image, built once for all tests of deployment."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deploy.dockerfile import stages
from tests.deploy.image import Image


@pytest.fixture(scope="session")
def image() -> Iterator[Image]:
    """The Dockerfile followed to its end by an ordinary user: the one that it names, where we are root.

    Not below pytest's own folder, which an ordinary user may not enter when the tests run as root.
    """
    named = int(stages()[-1].one("USER").rest.partition(":")[0])
    uid = named if os.geteuid() == 0 else os.geteuid()
    folder = Path(tempfile.mkdtemp(prefix="ddr-image-"))
    folder.chmod(0o755)
    try:
        made = Image(folder, uid)
        made.build()
        yield made
    finally:
        subprocess.run(["rm", "-rf", folder], check=False)  # a hundred thousand files
