"""Let an agent from outside in: a run, and for each seat a path and a token that nobody can guess."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from core import plugins
from core.errors import UsageError
from core.hints import typed
from core.outside import Key, Outside, Seat
from core.run import Limits, RunSpec
from core.scenario import Goal, Scenario
from core.trajectory import StopReason, Trajectory
from server.attendance import close_run
from server.build import AGENTS, SANDBOX, Hands, make_spec, run_id, sandbox_for
from server.bundle.origin import refuse_bundled
from server.secret import new_token, token_hash
from server.store import Repository
from server.store.attempts import to_do
from server.store.seats import Seats

if TYPE_CHECKING:
    from databases.catalog import InstalledScenario

NAME_CHARS: Final = 64
MOST_KEYS: Final = 10_000
"""Entities times trials of one run."""
_LABEL_CHARS: Final = 100
_PATH_BYTES: Final = 16


@dataclass(frozen=True)
class Issued:
    """A seat as it is given out: the token is kept nowhere, and shown this once."""

    seat: Seat
    token: str = field(repr=False)

    @property
    def label(self) -> str:
        """A file's name for it: 'ENTITY-TRIAL', or 'queue-TRIAL'; no two of a run have the same."""
        keys = self.seat.keys
        entity_id, trial = keys[0]
        # An id is any text: '../x' and 200 letters too.
        plain = "queue" if len(keys) > 1 else quote(entity_id, safe="")
        if len(plain) > _LABEL_CHARS:
            plain = f"{plain[:_LABEL_CHARS]}-{sha256(entity_id.encode()).hexdigest()[:16]}"
        return f"{plain}-{trial}"

    def url(self, base: str) -> str:
        """Where its agent connects, below the server's own address."""
        return self.seat.url(base)


@dataclass(frozen=True)
class Enrolled:
    """A run of an agent from outside, as it begins."""

    spec: RunSpec
    seats: tuple[Issued, ...]


def enrol(
    installed: InstalledScenario,
    store: Repository,
    *,
    agent: str,
    now: datetime,
    entities: str | Sequence[str] = "all",
    trials: int = 3,
    tools: Hands | None = None,
    limits: Limits | None = None,
    outside: Outside | None = None,
    goal: Goal = "none",
    seed: int = 0,
    sandbox: str = SANDBOX,
    endpoint_allowed: str | None = None,
) -> Enrolled:
    """Keep a run and its seats, all or nothing: one per (entity, trial), or per trial for a queue.

    `agent` is the name that the agent is shown by; `endpoint_allowed` is why restricted data may go
    to whatever model it asks. Raises UsageError, UnknownNameError,
    ScenarioError or DatabaseError before anything is stored.
    """
    called = checked_name(agent)
    refuse_restricted(installed.scenario, endpoint_allowed)
    if not 1 <= trials <= MOST_KEYS:
        raise UsageError(f"--trials is a number from 1 to {MOST_KEYS}, not {trials}")
    spec = make_spec(
        installed,
        agent=called,
        entities=entities,
        taken=(),
        now=now,
        tools=tools,
        limits=limits,
        seed=seed,
        goal=goal,
        outside=outside or Outside(),
        trials=trials,
        sandbox=sandbox,
        endpoint_allowed=endpoint_allowed,
    )
    sandbox_for(spec.tools, sandbox)
    if (count := len(spec.entity_ids) * trials) > MOST_KEYS:
        raise UsageError(
            f"{len(spec.entity_ids)} entities times {trials} trials are {count} trajectories; "
            f"a run has at most {MOST_KEYS}: name fewer --entities or --trials"
        )
    # Under the store's lock, so that of two who enrol in the same moment each gets an id.
    with store.together() as kept:
        name = run_id(spec.scenario_id, now, kept.run_ids())
        spec = spec.model_copy(update={"id": name})
        kept.add_run(spec)
        return Enrolled(spec, _issue(spec, kept, to_do(spec, (), retry_errors=False), now))


def enrol_again(
    spec: RunSpec, store: Repository, *, now: datetime, retry: bool = False
) -> Enrolled:
    """Fresh seats for what a run lacks; the earlier ones are taken back.

    What is open ends as broken off and is explored anew. `retry`: what was abandoned, never met or
    ended by a fault as well. Raises UsageError for a run of an agent of our own.
    """
    refuse_own(spec)
    with store.together() as kept:
        heads = kept.heads(spec.id)
        _break_off(spec, kept, heads, now)
        attempts = [_again(head) for head in heads] if retry else heads
        keys = to_do(spec, attempts, retry_errors=retry)
        return Enrolled(spec, _issue(spec, kept, keys, now))


def break_off(spec: RunSpec, store: Repository, *, now: datetime) -> None:
    """Take every seat of a run back, and leave what did not end to be explored anew."""
    with store.together() as kept:
        _break_off(spec, kept, kept.heads(spec.id), now)


def close(spec: RunSpec, store: Repository, *, now: datetime) -> None:
    """Take every seat of a run back: what is open was abandoned, what was never met had no contact.

    Raises UsageError for a run of an agent of our own.
    """
    refuse_own(spec)
    close_run(spec, store, now)


def refuse_own(spec: RunSpec) -> None:
    """Raises UsageError for a run whose agent does not come from outside, or not to this home."""
    refuse_bundled(spec)
    if spec.outside is None:
        raise UsageError(
            f"run {spec.id} is explored by our own agent {spec.agent}; "
            f"go on with it: {typed(f'run --resume {spec.id}')}"
        )


def checked_name(name: str) -> str:
    """An agent's name as it is kept: one line that can be printed, and no name of ours.

    Raises UsageError that says what is wrong with it.
    """
    plain = unicodedata.normalize("NFC", name).strip()
    if not plain:
        raise UsageError("which agent? give it a name: --agent mine")
    if len(plain) > NAME_CHARS:
        raise UsageError(f"an agent's name has at most {NAME_CHARS} characters, not {len(plain)}")
    if not plain.isprintable():
        raise UsageError(f"an agent's name is one line of printable characters, not {name!r}")
    # Compared as a reader would: rows of a table that differ in case alone are one agent's.
    ours = {known.casefold(): known for known in plugins.known("ddr.agents", AGENTS)}
    if (taken := ours.get(plain.casefold())) is not None:
        raise UsageError(
            f"{taken!r} is an agent of our own, and its scores would be mistaken for yours: give "
            f"another name, or let ours explore: {typed(f'run --agent {taken}')}"
        )
    return plain


def refuse_restricted(scenario: Scenario, allowed: str | None) -> None:
    """Raises UsageError for restricted data that may not leave this machine."""
    # Which model it asks nobody tells us, so that it may be one off this machine.
    if scenario.license.restricted and not (allowed and allowed.strip()):
        raise UsageError(
            f"the data of {scenario.id} are restricted ({scenario.license.name}), and an agent from "
            "outside shows them to a model of its own: say why it may: --endpoint-allowed REASON"
        )


def _issue(
    spec: RunSpec, store: Repository, keys: Iterable[Key], now: datetime
) -> tuple[Issued, ...]:
    issued = tuple(_seat(spec, mine, now) for mine in _grouped(spec, keys))
    Seats(store).add([each.seat for each in issued])
    return issued


def _grouped(spec: RunSpec, keys: Iterable[Key]) -> list[tuple[Key, ...]]:
    """What each seat is to explore."""
    if spec.outside is None or not spec.outside.queue:
        return [(key,) for key in keys]
    queues: dict[int, list[Key]] = {}
    for key in keys:
        queues.setdefault(key[1], []).append(key)
    return [tuple(queue) for queue in queues.values()]


def _seat(spec: RunSpec, keys: tuple[Key, ...], now: datetime) -> Issued:
    token = new_token()
    seat = Seat(
        path=secrets.token_urlsafe(_PATH_BYTES),
        run_id=spec.id,
        token_hash=token_hash(token),
        keys=keys,
        created_at=now,
    )
    return Issued(seat, token)


def _break_off(
    spec: RunSpec, store: Repository, heads: Iterable[Trajectory], now: datetime
) -> None:
    Seats(store).close(spec.id)
    for head in heads:
        if head.stop_reason is None:
            store.end_trajectory(head.id, StopReason.CANCELLED, ended_at=now)


def _again(head: Trajectory) -> Trajectory:
    """One that was abandoned counts as open where it is to be explored again."""
    if head.stop_reason is not StopReason.ABANDONED:
        return head
    return head.model_copy(update={"stop_reason": None})
