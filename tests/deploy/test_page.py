"""docs/deploy.md: what it tells a stranger to type exists, is spelt so, and is what the tests start things with."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from configparser import ConfigParser

import pytest

from tests.deploy.dockerfile import ROOT, stages
from tests.deploy.proxies import PAGE, block
from tests.deploy.unit import command
from tests.support import pages
from tests.test_docs import faults

TEXT = PAGE.read_text(encoding="utf-8")


def lines() -> Iterator[str]:
    """What is typed into a shell."""
    for found in re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL):
        yield from str(found).replace("\\\n", " ").splitlines()


def inner(line: str) -> str | None:
    """The ddr command that is handed to docker or sudo; None where it is another one."""
    found = re.search(r"(?:docker exec ddr |docker run \.\.\. |\.venv/bin/)(ddr .*)$", line)
    return found[1] if found else None


INNER = [told for line in lines() if (told := inner(line))]


def test_there_are_commands_that_are_handed_on() -> None:
    assert len(INNER) >= 5


@pytest.mark.parametrize("text", INNER)
def test_a_command_that_is_handed_to_docker_or_sudo_exists_with_its_options(text: str) -> None:
    (found,) = pages.command_in(PAGE, text)
    assert list(faults(found)) == []


def test_every_script_and_file_of_deploy_that_is_named_exists() -> None:
    named = set(re.findall(r"\bdeploy/[\w.-]*\w", TEXT))
    assert len(named) >= 5
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def test_every_file_of_deploy_is_named_or_called_by_one_that_is() -> None:
    files = sorted(path.name for path in (ROOT / "deploy").iterdir() if path.is_file())
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert [name for name in files if name not in TEXT + dockerfile] == []


def test_the_container_is_started_over_its_volume_and_port_with_what_the_walls_need() -> None:
    (run,) = [line for line in lines() if line.startswith("docker run -d ")]
    words = shlex.split(run)
    final = stages()[-1]
    home, port = final.one("VOLUME").words[0], final.one("EXPOSE").rest
    assert f"ddr:{home}" in words
    assert f"127.0.0.1:{port}:{port}" in words, "published to this machine alone"
    assert {"--read-only", "no-new-privileges", "--init"} <= set(words)
    assert words[words.index("--cap-drop") + 1] == "ALL"
    assert {"seccomp=deploy/seccomp.json", "apparmor=unconfined"} <= set(words)
    assert "ddr-tmp:/var/tmp" in words, "on disk, for queries that outgrow memory"
    assert "--privileged" not in words
    assert f"`chown {final.one('USER').rest}`" in TEXT


def test_the_drop_in_begins_with_an_empty_command_and_starts_the_units_own_program() -> None:
    parser = ConfigParser(strict=False, allow_no_value=True, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign] # as systemd, which minds capitals
    parser.read_string(block("ini"))
    assert block("ini").splitlines()[-2] == "ExecStart=", "else systemd would have two commands"
    program, *words = shlex.split(parser["Service"]["ExecStart"])
    assert program == command()[0]
    (found,) = pages.command_in(PAGE, " ".join(["ddr", *words]))
    assert list(faults(found)) == []


def test_a_backup_is_made_of_the_home_that_the_image_and_the_unit_have() -> None:
    homes = {
        shlex.split(line)[shlex.split(line).index("/opt/ddr/deploy/backup.py") + 1]
        for line in lines()
        if "/opt/ddr/deploy/backup.py" in line
    }
    assert homes == {stages()[-1].one("VOLUME").words[0], "/var/lib/ddr"}
