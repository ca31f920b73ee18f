"""Serve one client over stdio: all seven tools, and everything recorded as it is over HTTP."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, get_args

import anyio

from core import plugins
from core.errors import UsageError, one_of
from core.outside import Key, Outside
from core.scenario import Goal
from databases.catalog import open_scenario
from server import settings as places
from server.build import SANDBOX, Hands, sandbox_for
from server.toolhost import private_host
from server.wire import Wire
from tools.python import SANDBOXES
from tools.python.sandbox import OFF, state_of
from tools.threads import in_thread

if TYPE_CHECKING:
    from core.outside import Seat
    from core.run import RunSpec
    from server.desk import Desk
    from server.desks import Desks
    from server.mcp_app.outside import OutsideServer
    from server.settings import Settings
    from server.store import Repository

CALLS_PER_S: Final = 1000
"""More than one client can make: there is nobody whom it could hold up."""
NAME: Final = "stdio"
"""What the agent is called where nobody says."""


@dataclass(frozen=True)
class Wanted:
    """What the one client is to explore."""

    scenario: str | None = None
    entity: str | None = None
    hands: str | None = None
    """sql, python or both; None = both."""
    agent: str | None = None
    trial: int | None = None
    run: str | None = None
    """Go on at a seat of this run; None = a run of its own."""
    goal: str | None = None
    """What it is told that it is to find out; None = nothing."""
    sandbox: str | None = None
    """The name of what holds Python; None = bubblewrap."""
    endpoint_allowed: str | None = None


@dataclass(frozen=True)
class Served:
    """What came of it."""

    scenario: str
    entity: str
    trial: int
    run: str | None
    """None where the client never said anything."""
    calls: int
    stop_reason: str | None
    """None where the exploration may go on, or never began."""

    def to_json(self) -> dict[str, Any]:
        """For whoever started it."""
        return asdict(self)


async def serve_entity(
    wire: Wire, wanted: Wanted, *, images: bool = True, quiet: bool = False
) -> Served:
    """Serve until the client hangs up.

    At the first message a run of its own begins, and ends with the client; a seat of a run that was
    enrolled stays open for the next one. `images`: whether figures that a cell draws are sent as
    pictures beside the text. Raises UnknownNameError, UsageError, ScenarioError, DatabaseError or
    StoreError before the first message is read.
    """
    settings = places.load()
    own = _own_run(wanted, settings) if wanted.run is None else None
    private_host().start()  # meanwhile everything else is loaded
    make_server = await in_thread(_load_protocol, name="protocol")
    from server.desks import opened
    from server.store import open_store

    with open_store(settings.prepare().store_path) as store:
        sitting = Sitting(own or _enrolled(wanted, store), store)
        telling = asyncio.create_task(sitting.tell(quiet=quiet))
        try:
            async with opened(settings, store) as desks:
                await make_server(sitting.at(desks), images=images).serve(wire)
        finally:
            telling.cancel()
            with anyio.CancelScope(shield=True):
                served = sitting.leave()
    return served


@dataclass(frozen=True)
class Place:
    """A seat for the one client, there already or made at its first message."""

    scenario_id: str
    key: Key
    python: str | None
    """The name of what holds Python; None where there is none."""
    take: Callable[[Repository], tuple[RunSpec, Seat]]
    is_own: bool
    """Whether the run is this client's alone, and ends with it."""


class Sitting:
    """The client at its place."""

    def __init__(self, place: Place, store: Repository) -> None:
        self._place, self._store = place, store
        self._taken: tuple[RunSpec, Seat] | None = None
        self._arriving = asyncio.Lock()

    def at(self, desks: Desks) -> Callable[[object], Awaitable[Desk]]:
        """What finds the desk of a message."""

        async def desk(_request: object) -> Desk:
            async with self._arriving:
                if self._taken is None:
                    take = partial(self._place.take, self._store)
                    self._taken = await in_thread(take, name="enrolment")
            found = await desks.at(self._taken[1].path)
            assert found is not None
            return found

        return desk

    async def tell(self, *, quiet: bool) -> None:
        """Say on stderr what is served, and how Python is held."""
        if quiet:
            return
        python = OFF
        if self._place.python is not None:
            sandbox = plugins.load("ddr.sandboxes", self._place.python, SANDBOXES)()
            state = await in_thread(lambda: state_of(sandbox), name="sandbox")
            python = f"{state.name} ({state.detail})" if state.detail else state.name
        what = f"{self._place.scenario_id}, {self._place.key[0]}"
        sys.stderr.write(f"ddr: serving {what}, over stdio; execute_code: {python}\n")

    def leave(self) -> Served:
        """The client has hung up: a run of its own ends with it."""
        from server.attendance import close_run
        from server.runner import utc_now
        from server.store.callbook import CallBook
        from server.store.seats import Seats

        (entity_id, trial), calls, stop_reason = self._place.key, 0, None
        if self._taken is not None:
            spec, seat = self._taken
            if self._place.is_own:
                close_run(spec, self._store, utc_now())
            state = Seats(self._store).at(seat.path)
            if state is not None and state.trajectory_id is not None:
                calls = len(CallBook(self._store).calls(state.trajectory_id))
                stop_reason = self._store.head(state.trajectory_id).stop_reason
        return Served(
            scenario=self._place.scenario_id,
            entity=entity_id,
            trial=trial,
            run=self._taken and self._taken[0].id,
            calls=calls,
            stop_reason=stop_reason,
        )


def _own_run(wanted: Wanted, settings: Settings) -> Place:
    """A run that begins at the first message; every name in it is looked up now."""
    from server.enrolment import checked_name, enrol, refuse_restricted
    from server.runner import utc_now

    if wanted.scenario is None or wanted.entity is None:
        raise UsageError(
            "say --http, or which --scenario and --entity one client is to explore over stdio"
        )
    if wanted.trial is not None:
        raise UsageError("--trial goes with --run: a run of its own has one trial")
    entity, sandbox = wanted.entity, wanted.sandbox or SANDBOX
    hands = one_of(
        "set of tools", "both" if wanted.hands is None else wanted.hands, get_args(Hands)
    )
    goal = one_of("goal", "none" if wanted.goal is None else wanted.goal, get_args(Goal))
    name = checked_name(wanted.agent or NAME)
    installed = open_scenario(wanted.scenario, settings.home)
    installed.check()
    installed.task(entity, goal)
    refuse_restricted(installed.scenario, wanted.endpoint_allowed)
    holder = sandbox_for(hands, sandbox)

    def take(store: Repository) -> tuple[RunSpec, Seat]:
        enrolled = enrol(
            installed,
            store,
            agent=name,
            now=utc_now(),
            entities=[entity],
            trials=1,
            tools=hands,
            goal=goal,
            sandbox=sandbox,
            outside=Outside(calls_per_s=CALLS_PER_S),
            endpoint_allowed=wanted.endpoint_allowed,
        )
        return enrolled.spec, enrolled.seats[0].seat

    return Place(installed.scenario.id, (entity, 1), holder, take, is_own=True)


def _enrolled(wanted: Wanted, store: Repository) -> Place:
    """A seat of a run that was enrolled before."""
    from server.enrolment import refuse_own
    from server.store.seats import Seats

    said = (wanted.hands, wanted.agent, wanted.goal, wanted.sandbox, wanted.endpoint_allowed)
    if any(value is not None for value in said):
        raise UsageError(
            "what --run began with stays: leave --agent, --tools, --goal and the like out"
        )
    assert wanted.run is not None
    spec = store.run(wanted.run)
    refuse_own(spec)
    if wanted.scenario not in (None, spec.scenario_id):
        raise UsageError(f"run {spec.id} explores {spec.scenario_id}, not {wanted.scenario}")
    open_now = [state for state in Seats(store).of_run(spec.id) if not state.is_closed]
    wanted_ones = [state for state in open_now if _is_wanted(state.key, wanted)]
    if not wanted_ones:
        keys = ", ".join(f"{entity} ({trial})" for entity, trial in (s.key for s in open_now[:20]))
        raise UsageError(
            f"run {spec.id} has no open seat for this entity and trial; open are: {keys or 'none'}"
        )
    state = wanted_ones[0]
    holder = sandbox_for(spec.tools, spec.sandbox)
    return Place(spec.scenario_id, state.key, holder, lambda _: (spec, state.seat), is_own=False)


def _is_wanted(key: Key, wanted: Wanted) -> bool:
    return wanted.entity in (None, key[0]) and wanted.trial in (None, key[1])


def _load_protocol() -> type[OutsideServer]:
    from server.mcp_app.outside import OutsideServer

    return OutsideServer
