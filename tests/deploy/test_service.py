"""The unit of systemd: words that systemd knows, options that ddr has, and walls that stand under its filters.

What it leaves out is put in, one directive after the other, and the walls fall: each has its reason.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer

from server.cli.main import build_app
from tests.deploy.dockerfile import ROOT
from tests.deploy.filters import FAMILIES, refusing
from tests.deploy.image import Image
from tests.deploy.running import running
from tests.deploy.unit import PATH, command, directives, known, values
from tests.support.needs import needs

GROUPS: dict[str, set[str]] = {
    "@clock": {"adjtimex", "clock_adjtime", "clock_settime", "settimeofday"},
    "@cpu-emulation": {"modify_ldt"},
    "@debug": {"perf_event_open", "pidfd_getfd", "ptrace"},
    "@keyring": {"add_key", "keyctl", "request_key"},
    "@module": {"delete_module", "finit_module", "init_module"},
    "@obsolete": {"uselib"},
    "@raw-io": {"ioperm", "iopl"},
    "@reboot": {"kexec_file_load", "kexec_load", "reboot"},
    "@swap": {"swapoff", "swapon"},
}
"""Of the calls in systemd's groups, those whose numbers tests/deploy/filters.py knows."""
PAGE = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
LEFT_OUT = (
    "RestrictNamespaces",
    "ProtectHostname",
    "ProtectKernelTunables",
    "ProcSubset",
    "PrivateNetwork",
)
"""What would make it narrower, and must not be there."""
DENY_WRITE_EXECUTE = "import ctypes, os, sys; ctypes.CDLL(None).prctl(65, 1, 0, 0, 0); os.execvp(sys.argv[1], sys.argv[1:])"
"""PR_SET_MDWE, which is how systemd does it where the kernel has it (6.3)."""


def test_every_section_and_every_directive_is_one_that_systemd_knows() -> None:
    found = directives()
    assert [each for each in found if each.name not in known().get(each.section, ())] == []
    once = [f"{each.section}.{each.name}" for each in found if each.name != "Environment"]
    assert sorted(once) == sorted(set(once)), "a directive that is said twice"


def test_its_command_and_each_of_its_options_exist() -> None:
    program, name, *rest = command()
    assert program == "/opt/ddr/.venv/bin/ddr"
    serve = typer.main.get_command(build_app()).commands[name]  # type: ignore[attr-defined]
    options = {spelling for parameter in serve.params for spelling in parameter.opts}
    assert {word for word in rest if word.startswith("--")} <= options
    assert rest[rest.index("--host") + 1] == "127.0.0.1", "a proxy or an administrator opens it"


def test_it_starts_again_after_a_failure_and_keeps_its_home_where_systemd_keeps_state() -> None:
    assert values("Restart") == ["on-failure"]
    assert values("StateDirectory") == ["ddr"]
    assert values("StateDirectoryMode") == ["0700"]
    assert "DDR_HOME=%S/ddr" in values("Environment")
    assert values("OOMPolicy") == ["continue"]


def test_it_is_an_ordinary_user_without_any_right() -> None:
    assert values("User") == ["ddr"]
    assert values("CapabilityBoundingSet") == values("AmbientCapabilities") == [""]
    assert values("NoNewPrivileges") == ["yes"]
    assert values("ProtectSystem") == ["strict"]


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_it_leaves_out_stands_on_the_page_with_a_reason(name: str) -> None:
    assert values(name) == []
    assert re.search(rf"^\| `{name}=.*` \| .{{30,}} \|$", PAGE, re.MULTILINE)


if shutil.which("systemd-analyze"):  # a machine without systemd has nothing to ask

    def test_systemd_itself_finds_nothing_wrong(tmp_path: Path) -> None:
        program = tmp_path / "ddr"
        program.write_text("#!/bin/sh\n", encoding="utf-8")
        program.chmod(0o755)
        unit = tmp_path / "ddr.service"
        text = PATH.read_text(encoding="utf-8")
        unit.write_text(text.replace(command()[0], str(program)), encoding="utf-8")
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", unit],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")

    def test_systemds_own_judgement_of_its_exposure_is_ok() -> None:
        done = subprocess.run(
            ["systemd-analyze", "security", "--offline=yes", "--threshold=40", PATH],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-2000:]

    @pytest.mark.parametrize("group", GROUPS)
    def test_a_group_of_calls_holds_what_the_tests_take_it_to_hold(group: str) -> None:
        told = subprocess.check_output(["systemd-analyze", "syscall-filter", group], text=True)
        assert set(told.split()) >= GROUPS[group]


# Under its filters


def filtered(*more: str, families: list[str] | None = None) -> bytes:
    """The filters of the unit, refusing `more` calls, and with other families of sockets if given."""
    (denied,) = values("SystemCallFilter")
    groups = denied.removeprefix("~").split()
    assert set(groups) == set(GROUPS)
    calls = {call for group in groups for call in GROUPS[group]}
    (allowed,) = values("RestrictAddressFamilies")
    return refusing({*calls, *more}, families=families or allowed.split())


def found(image: Image, program: bytes, **options: Any) -> dict[str, dict[str, Any]]:
    """What the doctor finds in a service with these filters."""
    before = ["python3", "-c", DENY_WRITE_EXECUTE]
    environment = {**image.environment, "INVOCATION_ID": "0" * 32}
    done = image.run(
        image.entry("doctor", "--json"),
        filter_program=program,
        before=before,
        env=environment,
        kind="service",
        **options,
    )
    assert done.stdout, done.stderr
    return {check["name"]: check for check in json.loads(done.stdout.splitlines()[-1])["checks"]}


REAL = [pytest.mark.real, needs("linux", "git", "user namespaces", "package index")]


class TestUnderItsFilters:
    """As a service, in a box that has the filters which systemd makes of the unit."""

    pytestmark = REAL

    def test_queries_and_cells_have_all_their_walls(self, image: Image) -> None:
        checks = found(image, filtered(), sealed=False)
        assert checks["user namespaces"]["ok"], checks["user namespaces"]
        assert checks["session"]["ok"], checks["session"]
        assert "execute_code" in checks["session"]["detail"]

    def test_its_own_command_serves_and_ends_when_it_is_stopped(self, image: Image) -> None:
        with running(image, command=command(), kind="service", filter_program=filtered()) as server:
            done = image.run([*image.health, f"{server.url}/healthz"])
            code, said = server.stop()
        assert (done.returncode, code) == (0, 0), done.stderr + said

    @pytest.mark.parametrize(
        ("directive", "calls", "families"),
        [
            ("RestrictNamespaces", ["unshare", "setns"], None),
            ("ProtectHostname", ["sethostname"], None),
            ("RestrictAddressFamilies", [], ["AF_UNIX", "AF_INET", "AF_INET6"]),
        ],
    )
    def test_with_what_it_leaves_out_they_have_none_and_the_doctor_names_the_directive(
        self, directive: str, calls: list[str], families: list[str] | None, image: Image
    ) -> None:
        checks = found(image, filtered(*calls, families=families), sealed=False)
        assert not checks["user namespaces"]["ok"]
        assert directive in checks["user namespaces"]["remedy"]

    def test_without_proc_sys_they_have_none(self, image: Image) -> None:
        checks = found(image, filtered(), sealed=False, hidden=("/proc/sys",))
        assert not checks["user namespaces"]["ok"]

    def test_every_family_of_sockets_that_it_names_is_known_to_the_filter(self) -> None:
        (allowed,) = values("RestrictAddressFamilies")
        assert set(allowed.split()) <= set(FAMILIES)
