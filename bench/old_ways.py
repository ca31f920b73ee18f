"""How tools of this kind are usually made: a fresh `python` per call, a connection per query."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

PRELUDE = "import pandas as pd\n"
TIME_LIMIT_S = 300.0


def run_python(code: str) -> str:
    """What the code prints in a fresh interpreter that has imported pandas, without a sandbox."""
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + code],
        capture_output=True,
        text=True,
        timeout=TIME_LIMIT_S,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"the old way failed: {done.stderr[-400:]}")
    return done.stdout


def query(database: Path, sql: str) -> list[tuple[Any, ...]]:
    """Every row of a query over a connection of its own."""
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(sql).fetchall()
