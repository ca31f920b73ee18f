"""`ddr enrol`: let an agent from outside in, and start it where that is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from core.errors import UsageError, one_of
from core.hints import typed
from server.cli import enrol_options as opt
from server.cli import run_options as shared
from server.cli.enrol_asked import spelt
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from server.cli.output import Output
    from server.configurations import Client
    from server.enrolment import Enrolled
    from server.settings import Settings
    from server.store import Repository

_BESIDE_RESUME: Final = ("url", "write", "to", "exec", "concurrency", "time_limit")
"""What may be said anew when a run goes on."""


@dataclass(frozen=True)
class Ways:
    """How the agents are reached or started, beside what the run is."""

    url: str | None
    client: Client | None
    to: Path | None
    command: str | None
    concurrency: int
    limit_s: float | None


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr enrol --scenario flights --agent mine --entities 01,02 --trials 1",
        "ddr enrol --scenario flights --agent mine --write opencode --exec '{command}' --concurrency 2",
        "ddr enrol --scenario flights --agent mine --shell no --exec 'python {here}/agent.py'",
        "ddr enrol --resume last --exec 'python {here}/agent.py'",
        "ddr enrol --close last",
    )
    app.command("enrol", epilog=shown)(enrol)


def enrol(
    *,
    scenario: opt.Scenario = None,
    agent: opt.AgentName = None,
    entities: shared.Entities = None,
    trials: opt.Trials = None,
    tools: shared.Hands = None,
    goal: shared.GoalName = None,
    max_turns: opt.MaxTurns = None,
    max_seconds: opt.MaxSeconds = None,
    idle: opt.Idle = None,
    shell: opt.Shell = None,
    web: opt.Web = None,
    queue: opt.Queue = False,
    seed: shared.Seed = None,
    endpoint_allowed: opt.EndpointAllowed = None,
    url: opt.Url = None,
    write: opt.Write = None,
    to: opt.To = None,
    exec_: opt.Exec = None,
    concurrency: opt.Concurrency = None,
    time_limit: opt.TimeLimit = None,
    resume: opt.Resume = None,
    retry: opt.Retry = False,
    close: opt.Close = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Let an agent of your own take the test: a run, and an address and a token for each exploration.

    With --exec the agents are started too, and the server with them, until every entity is explored.
    """
    from server import settings as places
    from server.cli.output import Output
    from server.store import open_store

    given = {
        "scenario": scenario,
        "agent": agent,
        "entities": entities,
        "trials": trials,
        "tools": tools,
        "goal": goal,
        "max_turns": max_turns,
        "max_seconds": max_seconds,
        "idle": idle,
        "shell": shell,
        "web": web,
        "queue": queue or None,
        "seed": seed,
        "endpoint_allowed": endpoint_allowed,
        "url": url,
        "write": write,
        "to": to,
        "exec": exec_,
        "concurrency": concurrency,
        "time_limit": time_limit,
    }
    out = Output(json=json, quiet=quiet)
    _refuse_contradictions(given, resume=resume, retry=retry, close=close)
    ways = _ways(given)
    settings = places.load().prepare()
    with open_store(settings.store_path) as store:
        if close is not None:
            _close(close, store, settings, out)
            return
        work = _Work(store, settings, out, ways)
        if resume is not None:
            work.go_on(resume, retry=retry)
        else:
            work.begin(given)


class _Work:
    """One call of the command, after what it was given makes sense."""

    def __init__(self, store: Repository, settings: Settings, out: Output, ways: Ways) -> None:
        self._store, self._settings, self._out, self._ways = store, settings, out, ways

    def begin(self, given: Mapping[str, Any]) -> None:
        """A new run."""
        from server.cli.enrol_asked import read_asked
        from server.runner import utc_now

        asked = read_asked(given, self._settings)
        queue = asked["outside"].queue

        def make() -> Enrolled:
            from server.enrolment import enrol

            return enrol(store=self._store, now=utc_now(), **asked)

        if self._ways.command is not None:
            self._execution(queue).begin(make)
        else:
            self._give_out(make())

    def go_on(self, name: str, *, retry: bool) -> None:
        """What a run lacks."""
        from server.enrolment import enrol_again, refuse_own
        from server.runner import utc_now
        from server.store import RunLock

        spec = self._store.run(name)
        refuse_own(spec)

        def make() -> Enrolled:
            return enrol_again(spec, self._store, now=utc_now(), retry=retry)

        if self._ways.command is not None:
            queue = spec.outside is not None and spec.outside.queue
            self._execution(queue).go_on(spec, make)
            return
        with RunLock(self._settings.locks, spec.id):
            self._give_out(make())

    def _execution(self, queue: bool) -> Any:
        from server.cli.executing import Executing

        return Executing(self._store, self._settings, self._out, self._ways, queue=queue)

    def _give_out(self, enrolled: Enrolled) -> None:
        from server.cli.enrolling import give_out

        give_out(enrolled, self._ways, self._out)


def _close(name: str, store: Repository, settings: Settings, out: Output) -> None:
    from server.cli.showing import show_run
    from server.enrolment import close
    from server.runner import utc_now
    from server.runs import summary
    from server.store import RunLock

    spec = store.run(name)
    with RunLock(settings.locks, spec.id):
        close(spec, store, now=utc_now())
    show_run(spec, store, out)
    out.hint(f"\nnext: {typed(f'evaluate {spec.id}')}")
    out.result(summary(spec, store))


def _refuse_contradictions(
    given: Mapping[str, Any], *, resume: str | None, retry: bool, close: str | None
) -> None:
    said = [name for name, value in given.items() if value is not None]
    if resume is not None and close is not None:
        raise UsageError("--resume or --close: a run goes on or ends")
    if retry and resume is None:
        raise UsageError("--retry goes with --resume")
    if close is not None and said:
        raise UsageError(f"--close ends a run as it is; leave {spelt(said[0])} away")
    if resume is not None and (beside := [n for n in said if n not in _BESIDE_RESUME]):
        raise UsageError(
            f"--resume goes on with the run as it was agreed; leave {spelt(beside[0])} away"
        )
    if resume is None and close is None:
        for name in ("scenario", "agent"):
            if name not in said:
                raise UsageError(f"which {name}? give --{name}")
    if "exec" not in said:
        for name in ("concurrency", "time_limit"):
            if name in said:
                raise UsageError(f"{spelt(name)} goes with --exec")
    if "to" in said and ("write" not in said or "exec" in said):
        raise UsageError(
            "--to goes with --write; with --exec each agent has its configuration in its own folder"
        )


def _ways(given: Mapping[str, Any]) -> Ways:
    from server.addresses import checked_base

    limit_s = given["time_limit"]
    if limit_s is not None and not limit_s > 0:
        raise UsageError(f"--time-limit is a number of seconds above 0, not {limit_s:g}")
    return Ways(
        url=None if given["url"] is None else checked_base(given["url"]),
        client=_client(given["write"]),
        to=given["to"],
        command=given["exec"],
        concurrency=given["concurrency"] or 1,
        limit_s=limit_s,
    )


def _client(name: str | None) -> Client | None:
    from server.configurations import CLIENTS

    return None if name is None else CLIENTS[one_of("client", name, CLIENTS)]
