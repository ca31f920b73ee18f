"""What this machine has and lacks, and what to do about each (the body of `ddr doctor`)."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from core.errors import DdrError
from core.wording import counted
from server.settings import Settings

if TYPE_CHECKING:
    from databases.catalog import InstalledScenario

_WANTED_FREE_MB = 500


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    remedy: str | None = None
    """What to do where it is not ok."""
    needed: bool = True
    """False where the demo works without it."""

    def as_dict(self) -> dict[str, Any]:
        """For --json."""
        return asdict(self)


def examine(settings: Settings) -> list[Finding]:
    """Everything, in the order in which a first run meets it."""
    return [
        _python(),
        _home(settings),
        _space(settings),
        _sandbox(),
        *_scenarios(settings),
        _store(settings),
    ]


def _python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    return Finding("python", sys.version_info >= (3, 11), version, None)


def _home(settings: Settings) -> Finding:
    try:
        settings.prepare()
    except DdrError as exc:
        return Finding("home", False, str(exc), "export DDR_HOME=/a/folder/of/yours")
    writable = os.access(settings.home, os.W_OK)
    remedy = None if writable else "export DDR_HOME=/a/folder/of/yours"
    return Finding("home", writable, str(settings.home), remedy)


def _space(settings: Settings) -> Finding:
    place = settings.home if settings.home.exists() else settings.home.anchor
    free_mb = shutil.disk_usage(place).free // 2**20
    enough = free_mb >= _WANTED_FREE_MB
    remedy = None if enough else f"free {_WANTED_FREE_MB} MB below {settings.home}"
    return Finding("disk", enough, f"{free_mb} MB free", remedy)


def _sandbox() -> Finding:
    from tools.python.sandbox import sandbox_available

    state = sandbox_available()
    held = state.name != "off"
    detail = (
        f"execute_code runs in {state.name}" if held else f"execute_code is off: {state.detail}"
    )
    return Finding("sandbox", held, detail, None if held else state.detail, needed=False)


def _scenarios(settings: Settings) -> list[Finding]:
    from databases.catalog import open_scenario, scenario_ids

    findings = []
    for scenario_id in scenario_ids():
        name = f"scenario {scenario_id}"
        try:
            installed = open_scenario(scenario_id, settings.home)
        except DdrError as exc:  # its scenario.toml is wrong; the others are looked at all the same
            findings.append(Finding(name, False, str(exc), None))
            continue
        role = _role(installed) if installed.is_server else None
        if role is not None:
            findings.append(role)
        if role is None or role.ok:
            findings.append(_content(installed))
    return findings


def _role(installed: InstalledScenario) -> Finding:
    """Whether the database of a scenario answers, and its role can do nothing but read."""
    from databases import external
    from databases.target import RoleError

    name = f"role of {installed.scenario.id}"
    try:
        with external.opened(installed.target):
            pass
    except RoleError as exc:
        return Finding(name, False, exc.says, exc.remedy)
    except DdrError as exc:
        return Finding(name, False, str(exc), None)
    section = installed.manifest.database
    if section is not None and section.role_only_reads:
        return Finding(name, True, f"{installed.place}: scenario.toml vouches for it, unchecked")
    return Finding(name, True, f"{installed.place}: it can only read")


def _content(installed: InstalledScenario) -> Finding:
    name = f"scenario {installed.scenario.id}"
    command = installed.build_command
    if not installed.is_built():
        return Finding(name, False, "not built", command, needed=False)
    try:
        installed.check()
    except DdrError as exc:
        return Finding(name, False, str(exc), command)
    return Finding(name, True, "built and unchanged")


def _store(settings: Settings) -> Finding:
    if not settings.store_path.exists():
        return Finding("store", True, "no run yet")
    from server.store import open_store

    try:
        with open_store(settings.store_path) as store:
            count = len(store.runs())
    except DdrError as exc:
        return Finding("store", False, str(exc), None)
    return Finding("store", True, f"{counted(count, 'run')} in {settings.store_path}")
