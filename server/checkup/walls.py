"""What holds an agent's code here: namespaces where the machine lets us make them, else the second line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from server.checkup.finding import Finding

IN_A_CONTAINER = """\
docker run --security-opt seccomp=deploy/seccomp.json --security-opt apparmor=unconfined ...
podman run --security-opt seccomp=deploy/seccomp.json ...
Kubernetes: securityContext.seccompProfile of type Localhost with that file, and
            securityContext.appArmorProfile of type Unconfined (docs/deploy.md)"""
IN_A_SERVICE = (
    "take RestrictNamespaces=, ProtectHostname= and ProcSubset= out of the unit, and give"
    " RestrictAddressFamilies= AF_NETLINK, as deploy/ddr.service does"
)
ON_A_MACHINE = (
    "allow user namespaces to ordinary users (user.max_user_namespaces,"
    " kernel.unprivileged_userns_clone, or a profile of AppArmor or SELinux)"
)
SYSCTLS = (
    ("kernel/apparmor_restrict_unprivileged_userns", "1", "0"),
    ("kernel/unprivileged_userns_clone", "0", "1"),
    ("user/max_user_namespaces", "0", "15000"),
)
"""A setting below /proc/sys, the value that forbids, and one that allows."""


@dataclass(frozen=True)
class Place:
    """Where this process runs, as far as it matters for what the kernel lets it do."""

    kind: Literal["container", "service", "machine"]
    forbidding: tuple[str, ...] = ()
    """What to run so that settings of the kernel forbid no user namespaces any more."""

    @classmethod
    def here(cls, environ: Mapping[str, str], root: Path = Path("/")) -> Place:
        """Looked up in the environment, and below `root`."""
        marks = (root / ".dockerenv", root / "run/.containerenv")
        if "KUBERNETES_SERVICE_HOST" in environ or any(mark.exists() for mark in marks):
            kind: Literal["container", "service", "machine"] = "container"
        else:
            kind = "service" if "INVOCATION_ID" in environ else "machine"
        return cls(kind, tuple(_forbidding(root / "proc/sys")))

    @property
    def remedy(self) -> str:
        """How the one who runs this place lets us make namespaces."""
        if self.forbidding:
            where = " (on the host, not in the container)" if self.kind == "container" else ""
            return "\n".join(f"{command}{where}" for command in self.forbidding)
        known = {"container": IN_A_CONTAINER, "service": IN_A_SERVICE, "machine": ON_A_MACHINE}
        return known[self.kind]


def _forbidding(settings: Path) -> list[str]:
    found = []
    for name, forbids, allows in SYSCTLS:
        try:
            value = (settings / name).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if value == forbids:
            found.append(f"sysctl -w {name.replace('/', '.')}={allows}")
    return found


def look(place: Place) -> list[Finding]:
    """User namespaces, by putting up all walls once; and what holds Python, with them or without."""
    from tools.python import sandbox

    state = sandbox.sandbox_available()
    held = state.name != sandbox.OFF
    if state.detail == sandbox.NOT_LINUX:
        return [
            Finding("user namespaces", False, "only Linux has them", None, needed=False),
            Finding(
                "sandbox", False, state.detail, "serve from Linux, or a container", needed=False
            ),
        ]
    if state.name == "bubblewrap":
        return [
            Finding(
                "user namespaces", True, "queries and cells get some of their own", needed=False
            ),
            Finding("sandbox", True, "execute_code runs in bubblewrap", needed=False),
        ]
    refused = sandbox.refusal() or "no reason given"
    return [
        Finding(
            "user namespaces",
            False,
            f"refused ({refused.splitlines()[-1]}): queries run in plain processes of this user",
            place.remedy,
            needed=False,
        ),
        Finding(
            "sandbox",
            held,
            f"execute_code runs in {state.name}: {sandbox.WEAKER}"
            if held
            else f"execute_code is off: {sandbox.landlock_available().detail}",
            None if held else "allow user namespaces (above), or take a kernel with landlock",
            needed=False,
        ),
    ]
