"""The data: each scenario's database and role, a session on one of them, and the store of records."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING

from core.errors import DdrError
from core.hints import typed
from core.wording import counted
from server.checkup.finding import Finding
from server.settings import Settings

if TYPE_CHECKING:
    from core.protocols import Observation
    from databases.catalog import InstalledScenario

_TRIAL = (
    ("execute_query", {"query": "SELECT 1 AS one"}),
    ("execute_code", {"code": "print(1)"}),
)


def _again() -> str:
    return f"see to what is marked above, if anything is, then: {typed('doctor')}"


def look(settings: Settings) -> list[Finding]:
    """Every scenario that is shipped, plugged in or made here."""
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


def session(settings: Settings) -> Finding:
    """A query and a cell in a session like any agent's: each part may be well, and all together not."""
    from databases.catalog import open_scenario, scenario_ids

    for scenario_id in scenario_ids():
        try:
            installed = open_scenario(scenario_id, settings.home)
            if installed.is_server or not installed.is_built():
                continue
            said = asyncio.run(_explore(installed))
        except DdrError as exc:
            return Finding("session", False, f"on {scenario_id}: {exc}", _again())
        failed = [f"{name}: {answer.text}" for name, answer in said.items() if answer.is_error]
        if failed:
            return Finding("session", False, f"on {scenario_id}: {'; '.join(failed)}", _again())
        times = (f"{name} {answer.duration_s * 1000:.0f} ms" for name, answer in said.items())
        return Finding("session", True, f"on {scenario_id}: {', '.join(times)}")
    return Finding("session", True, "not tried: no scenario is built yet", needed=False)


async def _explore(installed: InstalledScenario) -> dict[str, Observation]:
    from server.build import open_tools, sandbox_for

    entity = installed.entities()[0].id
    tools = open_tools(
        installed, "both", sandbox_for("both"), f"doctor.{secrets.token_hex(8)}", entity_id=entity
    )
    try:
        offered = {spec.name for spec in await tools.list()}
        return {name: await tools.call(name, given) for name, given in _TRIAL if name in offered}
    finally:
        await tools.close()


def store(settings: Settings) -> Finding:
    """Runs, trajectories, verdicts."""
    if not settings.store_path.exists():
        return Finding("store", True, "no run yet")
    from server.store import open_store

    try:
        with open_store(settings.store_path) as store:
            count = len(store.runs())
    except DdrError as exc:
        return Finding("store", False, str(exc), None)
    return Finding("store", True, f"{counted(count, 'run')} in {settings.store_path}")
