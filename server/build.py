"""Turn names into live objects: the one place that knows which classes stand behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal

from core import plugins
from core.agent_class import CLOSED_BOOK
from core.errors import UsageError
from core.outside import Outside
from core.protocols import Agent, ChatModel, Checker
from core.run import Limits, RunSpec
from core.scenario import Entity, Goal, ToolName
from server.selection import pick

if TYPE_CHECKING:
    from agent.prompting import Prompts
    from core.run import ModelSpec
    from core.trajectory import Trajectory
    from databases.catalog import InstalledScenario
    from server.models import Means
    from server.runner import Setting
    from server.settings import Settings
    from server.store import Repository
    from server.store.attempts import Key
    from tools.host.client import HostTools
    from tools.host.link import Reach

REACT: Final = "react"
AGENTS: Final = {
    "profiler": "agent.profiler.agent:ProfilerAgent",
    REACT: "agent.react:ReactAgent",
    CLOSED_BOOK: "agent.closed_book:ClosedBookAgent",
}
WITHOUT_MODEL: Final = ("profiler",)
SANDBOX: Final = "bubblewrap"
"""What holds Python unless it is asked for otherwise."""
LLM: Final = "llm"
CHECKERS: Final = {
    "matching": "evaluator.matching:MatchingChecker",
    LLM: "evaluator.llm:LLMChecker",
}

DDR_TURNS: Final = 100
"""Where protocol ddr stops (DDR-01)."""

Hands = Literal["sql", "python", "both"]
Protocol = Literal["default", "ddr"]

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
    """A checker for these entities; the one with a model is judges.make_judge's.

    Raises UnknownNameError with those that exist, UsageError for the one that needs a model.
    """
    if name == LLM:
        raise UsageError("which judge? the checker llm needs a model: give --judge")
    checker: Checker = plugins.load("ddr.checkers", name, CHECKERS)(entities)
    return checker


def sandbox_for(hands: Hands, name: str = SANDBOX) -> str | None:
    """The name of what is to hold Python, or None where Python is not asked for.

    On a machine that cannot hold it the tools leave Python out and say why; raises UsageError
    where Python is the only hand, UnknownNameError where nothing answers to the name.
    """
    from tools.python import SANDBOXES
    from tools.python.sandbox import OFF, state_of

    if hands == "sql":
        return None
    sandbox = plugins.load("ddr.sandboxes", name, SANDBOXES)()
    if hands == "python" and (state := state_of(sandbox)).name == OFF:
        raise UsageError(f"--tools python needs a sandbox, and there is none: {state.detail}")
    return name


def open_tools(
    installed: InstalledScenario,
    hands: Hands,
    sandbox: str | None,
    session: str,
    *,
    protocol: Protocol = "default",
    reach: Reach | None = None,
    entity_id: str | None = None,
    computed: Callable[[], bool] = lambda: False,
    spare_chars: int = 0,
) -> HostTools:
    """One session's tools on the scenario's database: the scenario's, as far as asked for.

    Where entities have tables of their own, `entity_id` says whose. They are reached at their first
    use, in the tool host of this process unless `reach` names another. `computed`: whether other
    processes ran Python in this session before. `spare_chars`: kept free in each reply for what is
    added to it. Protocol ddr: 100 rows at most, and Python that forgets its variables after each
    call.
    """
    from server.toolhost import private_host
    from tools.host.client import HostTools
    from tools.host.messages import Opening
    from tools.limits import ToolLimits

    is_ddr = protocol == "ddr"
    scenario = installed.scenario
    opening = Opening(
        key=session,
        target=installed.target if entity_id is None else installed.target_for(entity_id),
        names=tuple(name for name in scenario.tools if name in _HANDS[hands]),
        limits=ToolLimits(default_rows=20, max_rows=100, cell_chars=1000, spare_chars=spare_chars)
        if is_ddr
        else ToolLimits(spare_chars=spare_chars),
        python_state="call" if is_ddr else "session",
        sandbox=sandbox,
    )
    return HostTools(reach or private_host(), opening, computed=computed)


def make_setting(
    spec: RunSpec,
    installed: InstalledScenario,
    store: Repository,
    settings: Settings,
    means: Means | None = None,
) -> Setting:
    """The collaborators of one run, none of them started yet.

    `means`: prices, purse and board that it shares with other runs of this invocation. Raises
    ConfigError where the prompts or prices of its beginning are not there any more, StoreError where
    the run that it goes on from is not.
    """
    from server import inputs
    from server.after_finish import check, gone_on_from
    from server.models import Means, RunModels
    from server.runner import Setting

    check(spec, store)
    make_agent(spec.agent)
    sandbox = sandbox_for(spec.tools, spec.sandbox)
    means = means or Means()
    prompts = inputs.kept_prompts(settings, spec.prompts_hash) if spec.prompts_hash else None
    models = RunModels(spec, store, means)

    def agent(key: Key) -> Agent:
        if spec.agent == REACT:
            return _react(spec, prompts, models.insights(key), gone_on_from(spec, key, store))
        if spec.agent == CLOSED_BOOK:
            from agent.closed_book import ClosedBookAgent

            return ClosedBookAgent(prompts=prompts)
        return make_agent(spec.agent)

    return Setting(
        scenario=installed,
        store=store,
        locks=settings.locks,
        make_agent=agent,
        make_model=models.explorer,
        prepare=models.prepare,
        open_tools=lambda session, entity_id: open_tools(
            installed, spec.tools, sandbox, session, protocol=spec.protocol, entity_id=entity_id
        ),
        board=means.board,
    )


def _react(
    spec: RunSpec,
    prompts: Prompts | None,
    insight_model: ChatModel | None,
    onward: Trajectory | None,
) -> Agent:
    from agent.react import ReactAgent

    return ReactAgent(
        prompts=prompts,
        insights=spec.insights,
        final_report=spec.final_report,
        insight_model=insight_model,
        protocol=spec.protocol,
        announces=spec.announced_budget,
        onward=onward,
    )


def make_spec(
    installed: InstalledScenario,
    *,
    agent: str,
    entities: str | Sequence[str],
    taken: Iterable[str],
    now: datetime,
    tools: Hands | None = None,
    limits: Limits | None = None,
    seed: int = 0,
    protocol: Protocol = "default",
    goal: Goal = "none",
    model: ModelSpec | None = None,
    outside: Outside | None = None,
    **more: Any,
) -> RunSpec:
    """A run's specification, with every name looked up and the database looked at.

    `outside`: how an agent that is none of ours is let in; then `agent` is what it is called.
    `more` are further fields of RunSpec. Raises UnknownNameError, UsageError, ScenarioError or
    DatabaseError before anything is begun.
    """
    installed.check()
    if outside is None:
        _check_agent(agent, model)
    fingerprint = installed.scenario.fingerprint
    if fingerprint is None:
        raise AssertionError("a scenario that passed its check has a fingerprint")
    known = [entity.id for entity in installed.entities()]
    chosen = pick(entities, known, noun=installed.scenario.entity_noun, seed=seed)
    for entity_id in chosen if goal != "none" else ():
        installed.task(entity_id, goal)
    limits = limits or Limits()
    if protocol == "ddr" and limits.max_turns is None:
        limits = limits.model_copy(update={"max_turns": DDR_TURNS})
    return RunSpec(
        id=run_id(installed.scenario.id, now, taken),
        scenario_id=installed.scenario.id,
        scenario_fingerprint=fingerprint,
        entity_ids=chosen,
        agent=agent,
        model=model,
        tools=tools or _usual_hands(installed, protocol),
        protocol=protocol,
        goal=goal,
        limits=limits,
        seed=seed,
        created_at=now,
        outside=outside,
        **more,
    )


def _check_agent(agent: str, model: ModelSpec | None) -> None:
    make_agent(agent)
    if model is not None and agent in WITHOUT_MODEL:
        raise UsageError(f"the agent {agent} asks no model: leave --model or --agent out")
    if model is None and agent in (REACT, CLOSED_BOOK):
        raise UsageError(f"which model? the agent {agent} needs one: give --model")


def _usual_hands(installed: InstalledScenario, protocol: Protocol) -> Hands:
    """Both; under protocol ddr the one hand that the paper's agents had, SQL where there is any."""
    if protocol == "default":
        return "both"
    return "sql" if "execute_query" in installed.scenario.tools else "python"


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
