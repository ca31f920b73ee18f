"""A build leaves a whole database under the final name, or nothing; and it says what it does."""

from __future__ import annotations

import json
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.errors import ConfigError, ScenarioError
from databases.build import build_manifest
from databases.installed import TEMP_PREFIX, InstalledScenario, install
from databases.record import NAME
from tests.databases import small
from tests.support.flights import ROOT


def start(folder: Path, builder: str, before: str = "", **more: Any) -> subprocess.Popen[str]:
    """A build of the small scenario in a process of its own."""
    code = f"""
from pathlib import Path
from databases.build import build_manifest
from tests.databases import small
folder = Path({str(folder)!r})
manifest = small.manifest(folder, builder={builder!r})
{before}
built = build_manifest(manifest, folder / "home", progress=lambda what, _: print(what, flush=True))
print("fingerprint", built.scenario.fingerprint)
"""
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        **more,
    )


def wait_for(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdout is not None
    for said in process.stdout:
        if said.strip() == line:
            return
    raise AssertionError(f"never said {line!r}: {process.communicate()[1]}")


def final_names(folder: Path) -> set[str]:
    return {p.name for p in (folder / "home" / "scenarios" / "visits").iterdir()}


def test_a_build_reports_its_steps_in_words_and_in_order(tmp_path: Path) -> None:
    told: list[tuple[str, float]] = []
    build_manifest(
        small.manifest(tmp_path),
        tmp_path / "home",
        progress=lambda what, share: told.append((what, share)),
    )
    assert [what for what, _ in told] == [
        "three patients are in",
        "taking the fingerprint",
        "putting the database in place",
        "visits is built",
    ]
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_a_build_leaves_the_database_and_its_record_and_no_temporary_file(tmp_path: Path) -> None:
    visits = small.built(tmp_path)
    assert final_names(tmp_path) == {"visits.duckdb", NAME, ".lock"}
    record = json.loads((visits.folder / NAME).read_text())
    stat_now = visits.database_path.stat()
    assert record["fingerprint"] == visits.scenario.fingerprint
    assert (record["size"], record["mtime_ns"]) == (stat_now.st_size, stat_now.st_mtime_ns)
    assert record["built_at"].endswith("Z")


def test_a_sound_scenario_is_not_built_again(visits: InstalledScenario, tmp_path: Path) -> None:
    before = visits.database_path.stat()
    again = small.built(tmp_path)
    assert again.database_path.stat().st_ino == before.st_ino
    assert again.scenario == visits.scenario


def test_a_rebuild_gives_the_same_content_and_the_same_mapping(
    visits: InstalledScenario, tmp_path: Path
) -> None:
    mapping = tmp_path / "home" / "secrets" / "visits.json"
    before, inode = mapping.read_bytes(), visits.database_path.stat().st_ino
    again = build_manifest(visits.manifest, tmp_path / "home", rebuild=True)
    assert again.database_path.stat().st_ino != inode
    assert again.scenario.fingerprint == visits.scenario.fingerprint
    assert mapping.read_bytes() == before


def test_a_corrupt_database_is_replaced_by_a_build(
    visits: InstalledScenario, tmp_path: Path
) -> None:
    visits.database_path.write_bytes(b"garbage")
    small.built(tmp_path).check()


def test_the_mapping_is_for_its_owner_alone(visits: InstalledScenario, tmp_path: Path) -> None:
    mapping = tmp_path / "home" / "secrets" / "visits.json"
    assert stat.S_IMODE(mapping.stat().st_mode) == 0o600
    assert stat.S_IMODE(mapping.parent.stat().st_mode) == 0o700
    assert json.loads(mapping.read_text()) == {"seed": "0"}
    assert [p.name for p in mapping.parent.iterdir()] == ["visits.json"]
    assert "seed" not in (visits.folder / NAME).read_text()


def test_a_builder_without_secrets_makes_no_folder_for_them(tmp_path: Path) -> None:
    small.built(tmp_path, builder="fill_without_secrets").check()
    assert not (tmp_path / "home" / "secrets").exists()


def test_a_failing_builder_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match=r"building visits failed \(ZeroDivisionError: no such"):
        small.built(tmp_path, builder="fail")
    assert final_names(tmp_path) == {".lock"}
    assert not (tmp_path / "home" / "secrets").exists()


def test_a_failing_rebuild_leaves_the_old_database(
    visits: InstalledScenario, tmp_path: Path
) -> None:
    with pytest.raises(ScenarioError, match="ZeroDivisionError"):
        build_manifest(small.manifest(tmp_path, builder="fail"), tmp_path / "home", rebuild=True)
    visits.check()


def test_an_interrupted_build_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        small.built(tmp_path, builder="interrupt")
    assert final_names(tmp_path) == {".lock"}


def test_a_builder_that_does_not_exist_is_named_by_its_key(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"scenario visits: key 'build\.builder'.*nobody"):
        small.built(tmp_path, builder="nobody")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id FROM patients",
        "SELECT id, name FROM patients WHERE false",
        "SELECT 1, name FROM patients",
        "SELECT NULL, name FROM patients LIMIT 1",
    ],
)
def test_entities_that_cannot_be_told_apart_are_refused_by_their_key(
    tmp_path: Path, query: str
) -> None:
    with pytest.raises(ConfigError, match=r"scenario visits: key 'entities\.query'"):
        small.built(tmp_path, query=query)
    assert final_names(tmp_path) == {".lock"}


def test_too_little_space_is_refused_before_anything_is_built(tmp_path: Path) -> None:
    with pytest.raises(
        ScenarioError, match=r"MB free and the build needs 1000000000 MB; free some"
    ):
        small.built(tmp_path, disk_mb=1_000_000_000, builder="nobody")


def test_a_home_that_is_a_file_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("not a folder")
    with pytest.raises(ScenarioError, match="a folder that you may write to"):
        small.built(tmp_path)


def test_a_home_that_the_engine_cannot_open_is_refused_at_once(tmp_path: Path) -> None:
    odd = tmp_path / "what?"
    odd.mkdir()
    with pytest.raises(ScenarioError, match="set DDR_HOME to a folder without"):
        small.built(odd)
    assert not (odd / "home").exists()


def test_a_disk_that_fills_up_is_said_with_what_to_do(tmp_path: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (900_000, 900_000))"
    with start(tmp_path, "large", before=limit) as process:
        said = process.communicate()[1]
    assert process.returncode == 1
    assert "ScenarioError: building visits failed" in said
    assert "free some space, or set DDR_HOME to a folder on another disk" in said
    assert final_names(tmp_path) == {".lock"}


@pytest.mark.real
def test_a_killed_build_leaves_nothing_under_the_final_name_and_the_next_one_mends_it(
    tmp_path: Path,
) -> None:
    with start(tmp_path, "stuck") as process:
        wait_for(process, "in the middle")
        process.send_signal(signal.SIGKILL)
    visits = install(small.manifest(tmp_path), tmp_path / "home")
    assert not visits.database_path.exists()
    assert list(visits.folder.glob(f"{TEMP_PREFIX}*"))
    with pytest.raises(ScenarioError, match="half built"):
        visits.check()
    small.built(tmp_path).check()
    assert final_names(tmp_path) == {"visits.duckdb", NAME, ".lock"}


@pytest.mark.real
def test_ctrl_c_takes_the_temporary_files_along(tmp_path: Path) -> None:
    with start(tmp_path, "stuck") as process:
        wait_for(process, "in the middle")
        process.send_signal(signal.SIGINT)
        said = process.communicate()[1]
    assert "KeyboardInterrupt" in said
    assert final_names(tmp_path) == {".lock"}


@pytest.mark.real
def test_two_builders_at_once_build_once(tmp_path: Path) -> None:
    with start(tmp_path, "stuck") as first:
        wait_for(first, "in the middle")
        with start(tmp_path, "fail") as second:
            wait_for(second, "waiting for another process that builds the same scenario")
            said_first = first.communicate()[0]
            said_second, fault = second.communicate()
    assert fault == ""
    assert "visits is already built" in said_second
    assert said_first.splitlines()[-1] == said_second.splitlines()[-1]
