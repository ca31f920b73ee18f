"""DuckDB that does what it is told on some words: die, eat memory, look around. Runs inside a worker."""

from __future__ import annotations

import ctypes
import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

from core.errors import ToolError
from tools.sql.engine import Admitted
from tools.sql.engines.duckdb_engine import DuckDbEngine

PLACE = "tests.tools.sql.odd_engine:OddEngine"


class OddEngine(DuckDbEngine):
    """What stands in a comment is done before the statement is judged."""

    def admit(self, sql: str) -> Admitted:
        """Look for a word first."""
        if "-- die" in sql:
            os.abort()
        if "-- eat" in sql:
            bytearray(1 << 40)
        if "-- nest" in sql:  # past the gate: the parser takes memory that no setting bounds
            self.cursor().execute("SELECT " + "(" * 20_000)
        if "-- hold" in sql:  # one call that lets no other thread run, for many seconds
            sum(range(2_000_000_000))
        if "-- look" in sql:
            raise ToolError(json.dumps(seen()), kind="sql")
        return super().admit(sql)


class RemoteEngine(OddEngine):
    """One that is not a file."""

    is_file = False


def seen() -> dict[str, Any]:
    """What a worker finds around itself. It opens for writing and writes nothing."""
    return {
        "uid": os.getuid(),
        "groups": os.getgroups(),
        "environ": sorted(os.environ),
        "root": names("/"),
        "data": names("/data"),
        "site": names("/site"),
        "databases": names("/site/databases"),
        "proc": Path("/proc").exists(),
        "write_data": [tried(lambda p=path: os.close(os.open(p, os.O_WRONLY))) for path in files()],
        "write_root": tried(lambda: os.close(os.open("/new", os.O_WRONLY | os.O_CREAT))),
        "spill": tried(lambda: os.close(os.open("/data/tmp/x", os.O_WRONLY | os.O_CREAT))),
        "socket": tried(lambda: socket.socket().close()),
        "dumpable": ctypes.CDLL(None).prctl(3, 0, 0, 0, 0),
        "modules": sorted(name for name in ("server", "checklists", "agent") if found(name)),
        "path": sys.path,
    }


def names(folder: str) -> Any:
    """What a folder holds."""
    return tried(lambda: sorted(path.name for path in Path(folder).iterdir()))


def files() -> list[str]:
    """The database's own files."""
    return [f"/data/{name}" for name in names("/data") if name != "tmp"]


def tried(action: Any) -> Any:
    """What it gives, or the name of its error."""
    try:
        return action()
    except OSError as exc:
        return type(exc).__name__


def found(name: str) -> bool:
    """Whether a module can be imported."""
    import importlib.util

    return importlib.util.find_spec(name) is not None
