"""Turn names into live objects: the one place that knows which classes stand behind them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal

from core import plugins
from core.errors import UsageError
from core.protocols import Agent, Checker, SandboxFactory
from core.run import Limits, RunSpec
from core.scenario import Entity, ToolName
from server.selection import pick

if TYPE_CHECKING:
    from databases.catalog import InstalledScenario
    from server.runner import HeldTools, Setting
    from server.settings import Settings
    from server.store import Repository

AGENTS: Final = {"profiler": "agent.profiler.agent:ProfilerAgent"}
CHECKERS: Final = {"matching": "evaluator.matching:MatchingChecker"}
SANDBOXES: Final = {"bubblewrap": "tools.sandbox:BubblewrapSandbox"}

Hands = Literal["sql", "python", "both"]

_HANDS: Final[dict[Hands, tuple[ToolName, ...]]] = {
    "sql": ("get_database_info", "describe_table", "execute_query"),
    "python": ("get_database_info", "describe_table", "execute_code"),
    "both": ("get_database_info", "describe_table", "execute_query", "execute_code"),
}


def make_agent(name: str) -> Agent:
    """A fresh agent. Raises UnknownNameError with those that exist."""
    agent: Agent = plugins.load("ddr.agents", name, AGENTS)()
    return agent


def make_checker(name: str, entities: Sequence[Entity]) -> Checker:
    """A checker for these entities. Raises UnknownNameError with those that exist."""
    checker: Checker = plugins.load("ddr.checkers", name, CHECKERS)(entities)
    return checker


def make_sandbox(hands: Hands, name: str = "bubblewrap") -> SandboxFactory | None:
    """What is to hold Python, or None where Python is not asked for.

    On a machine that cannot hold it the toolset leaves Python out and says why; raises UsageError
    where Python is the only hand.
    """
    from tools.sandbox import sandbox_available

    if hands == "sql":
        return None
    if hands == "python" and (state := sandbox_available()).name == "off":
        raise UsageError(f"--tools python needs a sandbox, and there is none: {state.detail}")
    factory: SandboxFactory = plugins.load("ddr.sandboxes", name, SANDBOXES)()
    return factory


def open_tools(
    installed: InstalledScenario, hands: Hands, sandbox: SandboxFactory | None, session: str
) -> HeldTools:
    """One session's tools on the scenario's database: the scenario's, as far as asked for."""
    from server.anchored import AnchoredTools

    scenario = installed.scenario
    return AnchoredTools(
        installed.database_path,
        dialect=scenario.dialect,
        names=[name for name in scenario.tools if name in _HANDS[hands]],
        sandbox=sandbox,
        session=session,
    )


def make_setting(
    spec: RunSpec, installed: InstalledScenario, store: Repository, settings: Settings
) -> Setting:
    """The collaborators of one run, none of them started yet."""
    from server.runner import Setting

    make_agent(spec.agent)
    sandbox = make_sandbox(spec.tools)
    return Setting(
        scenario=installed,
        store=store,
        locks=settings.locks,
        make_agent=lambda: make_agent(spec.agent),
        open_tools=lambda session: open_tools(installed, spec.tools, sandbox, session),
    )


def make_spec(
    installed: InstalledScenario,
    *,
    agent: str,
    entities: str | Sequence[str],
    taken: Iterable[str],
    now: datetime,
    tools: Hands = "both",
    limits: Limits | None = None,
    trials: int = 1,
    concurrency: int = 1,
    seed: int = 0,
) -> RunSpec:
    """A run's specification, with every name looked up and the database looked at.

    Raises UnknownNameError, UsageError, ScenarioError or DatabaseError before anything is begun.
    """
    installed.check()
    make_agent(agent)
    fingerprint = installed.scenario.fingerprint
    if fingerprint is None:
        raise AssertionError("a scenario that passed its check has a fingerprint")
    known = [entity.id for entity in installed.entities()]
    return RunSpec(
        id=run_id(installed.scenario.id, now, taken),
        scenario_id=installed.scenario.id,
        scenario_fingerprint=fingerprint,
        entity_ids=pick(entities, known, noun=installed.scenario.entity_noun, seed=seed),
        agent=agent,
        tools=tools,
        limits=limits or Limits(),
        trials=trials,
        concurrency=concurrency,
        seed=seed,
        created_at=now,
    )


_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_PLACES: Final = 4
_TICKS_PER_DAY: Final = len(_DIGITS) ** _PLACES


def run_id(scenario_id: str, now: datetime, taken: Iterable[str]) -> str:
    """Day, scenario, and the time of day in four letters: '20260131-flights-ab12'.

    Ids of one scenario sort by time (a tick is 51 ms); a taken one moves on to the next tick.
    """
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    tick = int((now - midnight).total_seconds() / 86400 * _TICKS_PER_DAY)
    used = set(taken)
    while (name := f"{now:%Y%m%d}-{scenario_id}-{_in_letters(tick)}") in used:
        tick += 1
    return name


def _in_letters(number: int) -> str:
    letters = ""
    for _ in range(_PLACES):
        number, digit = divmod(number, len(_DIGITS))
        letters = _DIGITS[digit] + letters
    return letters
