"""The doctor on user namespaces: who refuses them, and what that person has to run.

tests/deploy/test_container.py has the real thing: the doctor itself in places that refuse them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from server.checkup.walls import Place, look
from tools.python.sandbox import sandbox_available


def root(folder: Path, *marks: str, **settings: str) -> Path:
    """A file system with these marks of a container, and settings of the kernel."""
    for mark in marks:
        (folder / mark).parent.mkdir(parents=True, exist_ok=True)
        (folder / mark).touch()
    for name, value in settings.items():
        place = folder / "proc" / "sys" / name.replace("__", "/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f"{value}\n", encoding="ascii")
    return folder


@pytest.mark.parametrize("mark", [".dockerenv", "run/.containerenv"])
def test_a_container_is_known_by_its_mark_and_told_how_to_be_started(
    mark: str, tmp_path: Path
) -> None:
    place = Place.here({}, root(tmp_path, mark))
    assert place.kind == "container"
    assert "--security-opt seccomp=deploy/seccomp.json" in place.remedy
    assert "apparmor=unconfined" in place.remedy


def test_kubernetes_is_a_container_too(tmp_path: Path) -> None:
    place = Place.here({"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, root(tmp_path))
    assert "seccompProfile" in place.remedy


def test_a_service_is_told_which_directives_stand_in_the_way(tmp_path: Path) -> None:
    place = Place.here({"INVOCATION_ID": "ab12"}, root(tmp_path))
    assert place.kind == "service"
    for directive in ("RestrictNamespaces=", "ProtectHostname=", "AF_NETLINK"):
        assert directive in place.remedy


@pytest.mark.parametrize(
    ("name", "value", "command"),
    [
        (
            "kernel__apparmor_restrict_unprivileged_userns",
            "1",
            "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        (
            "kernel__unprivileged_userns_clone",
            "0",
            "sysctl -w kernel.unprivileged_userns_clone=1",
        ),
        ("user__max_user_namespaces", "0", "sysctl -w user.max_user_namespaces=15000"),
    ],
)
def test_a_setting_that_forbids_them_is_told_with_the_command_that_allows_them(
    name: str, value: str, command: str, tmp_path: Path
) -> None:
    machine = root(tmp_path / "machine", **{name: value})
    assert Place.here({}, machine).remedy == command
    container = root(tmp_path / "container", ".dockerenv", **{name: value})
    assert Place.here({}, container).remedy == f"{command} (on the host, not in the container)"


def test_settings_that_allow_them_are_not_blamed(tmp_path: Path) -> None:
    allowing = root(
        tmp_path,
        kernel__apparmor_restrict_unprivileged_userns="0",
        kernel__unprivileged_userns_clone="1",
        user__max_user_namespaces="96365",
    )
    assert Place.here({}, allowing).forbidding == ()


def test_what_is_found_here_is_what_runs_are_held_by() -> None:
    state = sandbox_available()
    namespaces, sandbox = look(Place("machine"))
    assert namespaces.ok is (state.name == "bubblewrap")
    assert sandbox.ok is (state.name != "off")
    assert sandbox.ok is (state.name in sandbox.detail)
    assert not namespaces.needed
    assert not sandbox.needed
