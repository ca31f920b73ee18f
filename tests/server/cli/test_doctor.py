"""`ddr doctor`: a line for each thing with what to do about it, an object for programs, and an exit code."""

from __future__ import annotations

from pathlib import Path

from server.checkup import Finding
from tests.server.cli.conftest import Ddr


def test_the_command_says_it_for_people_and_for_programs(ddr: Ddr) -> None:
    told = ddr("doctor")
    assert told.code == 0, told.out
    assert "ok  python: " in told.out
    assert "--  scenario flights: not built\n      " in told.out
    asked = ddr("doctor", "--json")
    assert asked.json["ok"] is True
    checks = [Finding(**check) for check in asked.json["checks"]]
    assert {"user namespaces", "keys", "port 8910"} <= {check.name for check in checks}


def test_the_command_fails_where_something_needed_is_missing(ddr: Ddr, home: Path) -> None:
    home.mkdir()
    (home / "store.sqlite3").write_bytes(b"not a database" * 100)
    asked = ddr("doctor", "--json")
    assert asked.code == 1
    assert asked.json["ok"] is False
    failed = [c["name"] for c in asked.json["checks"] if c["needed"] and not c["ok"]]
    assert failed == ["store"]
