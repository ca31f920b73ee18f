"""The image at work, in a box that is made as a container is: its scripts, its server, its doctor.

docs/deploy.md says which options a container is started with; the boxes here have what these options leave.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.deploy.dockerfile import ROOT
from tests.deploy.filters import number, profile, refusing
from tests.deploy.image import Image
from tests.deploy.running import Running, free_port, running
from tests.support.needs import needs
from tools.python.zygote import START_S

pytestmark = [pytest.mark.real, needs("linux", "git", "user namespaces", "package index")]

NAMESPACES = ("mount", "umount2", "unshare", "setns", "pivot_root")
"""What Docker's own profile keeps from a container without capabilities, as far as walls need it."""


def checks(image: Image, **options: Any) -> dict[str, dict[str, Any]]:
    """What `docker run IMAGE doctor --json` finds, by name."""
    done = image.run(image.entry("doctor", "--json"), **options)
    assert done.stdout, done.stderr
    return {check["name"]: check for check in json.loads(done.stdout.splitlines()[-1])["checks"]}


def our_profile() -> bytes:
    return refusing(profile(ROOT / "deploy" / "seccomp.json"))


# The scripts


def test_the_scripts_leave_an_environment_that_works_and_no_downloads(image: Image) -> None:
    done = image.run(image.entry("--version"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ddr ")
    assert list((image.folder / "opt/ddr/.cache").glob("uv*")) == []
    assert not (image.folder / "opt/ddr/.venv/bin/pytest").exists()


def test_what_the_server_runs_is_compiled_already_since_it_may_not_write_there(
    image: Image,
) -> None:
    code = image.folder / "opt/ddr/server"
    assert list((code / "__pycache__").glob("settings.*.pyc"))
    assert list((code / "http/__pycache__").glob("worker.*.pyc"))


def test_the_sample_scenario_is_built_and_for_its_owner_alone(image: Image) -> None:
    home = image.folder / "data/ddr"
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert home.stat().st_uid == image.uid != 0
    found = checks(image)
    assert found["scenario flights"]["ok"], found["scenario flights"]
    assert found["home"]["ok"], found["home"]


def test_the_scripts_can_be_called_again(image: Image) -> None:
    done = image.run(["sh", "-c", "deploy/sample.sh flights"], cwd="/opt/ddr")
    assert done.returncode == 0, done.stderr


# The server


@pytest.fixture(scope="module")
def served(image: Image) -> Iterator[Running]:
    """The image's own command under the options that the page gives: profile, read-only root, no capability."""
    with running(image, "--workers", "2", filter_program=our_profile()) as server:
        yield server


def test_the_health_check_says_yes_to_a_server_that_is_well(image: Image, served: Running) -> None:
    done = image.run([*image.health, f"{served.url}/healthz"])
    assert done.returncode == 0, done.stderr


def test_an_agent_that_is_enrolled_beside_it_explores_through_its_port(
    image: Image, served: Running
) -> None:
    told = image.run(
        image.entry(
            *("enrol", "--scenario", "flights", "--agent", "mine", "--entities", "01"),
            *("--trials", "1", "--url", served.url, "--json"),
        )
    )
    assert told.returncode == 0, told.stderr
    (seat,) = json.loads(told.stdout.splitlines()[-1])["seats"]
    assert seat["url"].startswith(served.url)
    task = call_tool(seat, "get_task", {})
    assert "carrier" in task
    assert "336776" in call_tool(seat, "execute_query", {"query": "SELECT count(*) FROM flights"})
    assert "42" in call_tool(seat, "execute_code", {"code": "print(6 * 7)"})


def call_tool(seat: dict[str, str], name: str, arguments: dict[str, Any]) -> str:
    """One call over HTTP, as any client makes it; the whole of the answer."""
    answer = httpx.post(
        seat["url"],
        json={
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": name, "arguments": arguments},
        },
        headers={
            "Accept": "application/json, text/event-stream",
            "Authorization": f"Bearer {seat['token']}",
            "MCP-Protocol-Version": "2025-11-25",
        },
        timeout=60,
        trust_env=False,
    )
    assert answer.status_code == 200, answer.text
    return answer.text


def test_the_health_check_says_no_where_nobody_listens(image: Image) -> None:
    done = image.run([*image.health, f"http://127.0.0.1:{free_port()}/healthz"])
    assert done.returncode == 1
    assert "refused" in done.stderr


def test_the_health_check_asks_at_the_port_that_the_command_serves(image: Image) -> None:
    from server.http import PORT

    script = (ROOT / image.health[-1].removeprefix("/opt/ddr/")).read_text(encoding="utf-8")
    assert f'URL = "http://127.0.0.1:{PORT}/healthz"' in script
    assert "--port" not in image.command


def test_docker_stop_ends_the_server_and_all_that_it_started(image: Image) -> None:
    with running(image) as server:
        code, said = server.stop()
    assert code == 0, said
    assert "Traceback" not in said


# What the walls need


def test_under_our_profile_queries_and_cells_have_all_their_walls(image: Image) -> None:
    found = checks(image, filter_program=our_profile())
    assert found["user namespaces"]["ok"], found["user namespaces"]
    assert found["sandbox"]["detail"] == "execute_code runs in bubblewrap"
    assert found["session"]["ok"], found["session"]
    assert "execute_code" in found["session"]["detail"]


@pytest.mark.parametrize("call", ["mount", "unshare", "setns"])
def test_without_any_one_of_these_calls_the_doctor_tells_how_to_start_the_container(
    call: str, image: Image
) -> None:
    refused = profile(ROOT / "deploy" / "seccomp.json") | {call}
    began = time.monotonic()
    found = checks(image, filter_program=refusing(refused))
    assert time.monotonic() - began < START_S, "a refusal is told, and not waited for"
    assert not found["user namespaces"]["ok"]
    assert "seccomp=deploy/seccomp.json" in found["user namespaces"]["remedy"]
    assert found["session"]["ok"], "it works all the same, behind the second line"


@needs("landlock")
def test_under_dockers_own_profile_landlock_holds_cells(image: Image) -> None:
    refused = profile(ROOT / "deploy" / "seccomp.json") | set(NAMESPACES)
    found = checks(image, filter_program=refusing(refused))
    assert found["sandbox"]["ok"]
    assert found["sandbox"]["detail"].startswith("execute_code runs in landlock")
    assert "execute_code" in found["session"]["detail"]


def test_where_nothing_can_hold_cells_the_doctor_says_so_and_queries_still_work(
    image: Image,
) -> None:
    refused = {*profile(ROOT / "deploy" / "seccomp.json"), *NAMESPACES, "landlock_create_ruleset"}
    found = checks(image, filter_program=refusing(refused))
    assert not found["sandbox"]["ok"]
    assert found["sandbox"]["remedy"]
    assert found["session"]["ok"], found["session"]
    assert "execute_code" not in found["session"]["detail"]


def test_each_call_of_the_profile_is_refused_by_the_filter_that_is_made_of_it(
    image: Image, tmp_path: Path
) -> None:
    names = sorted(n for n in profile(ROOT / "deploy/seccomp.json") if number(n) is not None)
    assert len(names) > 50
    harmless = {"name_to_handle_at", "mbind", "shmget", "semget", "msgget", "syslog", "add_key"}
    asked = {name: number(name) for name in names if name in harmless}
    code = (
        "import ctypes, json, sys; libc = ctypes.CDLL(None, use_errno=True); said = {}\n"
        "for name, number in json.loads(sys.argv[1]).items():\n"
        "    libc.syscall(number, 0, 0, 0, 0, 0, 0); said[name] = ctypes.get_errno()\n"
        "print(json.dumps(said))"
    )
    command = ["python3", "-c", code, json.dumps(asked)]
    done = image.run(command, filter_program=our_profile())
    assert set(json.loads(done.stdout).values()) == {1}, "EPERM, by the filter"
    assert os.geteuid() != 0 or image.uid != 0
