"""What a worker has loaded when it begins to serve is not looked through again at each collection."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.real

TELL = """
import gc
from server.http import worker
before = len(gc.get_objects())
worker.settle()
print(before, len(gc.get_objects()), gc.get_freeze_count(), gc.isenabled())
"""


def test_after_a_worker_has_settled_a_collection_looks_at_what_is_new_alone() -> None:
    told = subprocess.run(
        [sys.executable, "-c", TELL], capture_output=True, text=True, timeout=120, check=True
    )
    before, after, frozen, is_on = told.stdout.split()
    assert int(before) > 50_000
    assert int(after) < int(before) / 20
    assert int(frozen) > int(before) / 2
    assert is_on == "True"
