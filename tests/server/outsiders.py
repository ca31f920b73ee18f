"""Runs of agents from outside, put into a real store as the desk would: every call, every insight."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from core.outside import FINISH, SUBMIT_INSIGHT, Caller, Key, Outside, Seat
from core.run import Limits, RunSpec
from core.trajectory import Client, Insight, Preamble, StopReason, Trajectory, Usage
from server import handing_in
from server.attendance import close_run
from server.store import Repository
from server.store.callbook import Asked, Begun, CallBook, Rules
from server.store.handed_in import HandedIn
from server.store.seats import Seats
from tests.server.store.outside import result
from tests.server.support import START, draft, spec

AGENT = "claude-code"
CLIENT = Client(name="claude-code", version="2.1.332", protocol="2026-07-28")
ONE_ROW = {"row_count": 1, "truncated": False, "columns": ["n"], "types": ["BIGINT"], "rows": [[7]]}


def enrolled(
    store: Repository,
    keys: Sequence[Key] = (("01", 1), ("02", 1)),
    *,
    queue: bool = False,
    shell: bool | None = True,
    web: bool | None = False,
    **changes: Any,
) -> RunSpec:
    """A run of an agent from outside with its seats; nobody has come yet."""
    values = {
        "agent": AGENT,
        "entity_ids": tuple(dict.fromkeys(entity for entity, _ in keys)),
        "trials": max(trial for _, trial in keys),
        "outside": Outside(has_shell=shell, has_web=web, queue=queue, calls_per_s=1000),
        **changes,
    }
    run = spec(**values)
    store.add_run(run)
    given = [tuple(keys)] if queue else [(key,) for key in keys]
    seats = [
        Seat(
            path=f"path-{run.id}-{number}",
            run_id=run.id,
            token_hash=f"{number:064x}",
            keys=each,
            created_at=START,
        )
        for number, each in enumerate(given, 1)
    ]
    Seats(store).add(seats)
    return run


class Outsider:
    """An agent at one seat, with a clock of its own that each call moves on."""

    def __init__(self, store: Repository, run: RunSpec, seat: int = 0, **limits: Any) -> None:
        assert run.outside is not None
        self.store, self.run = store, run
        given = Seats(store).of_run(run.id)[seat].seat
        self.path, self.now = given.path, START + timedelta(minutes=1)
        self.rules = Rules(
            keys=given.keys,
            outside=run.outside,
            limits=Limits(**limits),
            draft=self._draft,
            is_alive=lambda _worker: True,
        )

    def _draft(self, key: Key) -> Trajectory:
        return draft(self.run, key[0], key[1], started_at=self.now)

    def tick(self, seconds: float = 2.0) -> datetime:
        self.now += timedelta(seconds=seconds)
        return self.now

    def hear(self, *methods: str, client: Client | None = CLIENT) -> None:
        """Messages that are no calls."""
        for method in methods:
            Seats(self.store).hear(self.path, method, client, self.tick(), self._draft)

    def begin(self, name: str, client: Client | None = None, **arguments: Any) -> Begun:
        """A call that is under way."""
        asked = Asked(
            name=name,
            arguments=json.dumps(arguments),
            caller=Caller(client=client),
            now=self.tick(),
            worker="w1",
            explores=name not in handing_in.NAMES,
        )
        return CallBook(self.store).begin(self.path, asked, self.rules)

    def answer(self, begun: Begun, said: object = ONE_ROW, kind: str | None = None) -> None:
        """What it is answered, an error of a kind where one is given."""
        text = said if isinstance(said, str) else json.dumps(said)
        if begun.refusal is not None:
            kind, text = begun.refusal
        CallBook(self.store).complete(begun, result(begun, text, kind))

    def call(self, name: str, said: object = ONE_ROW, kind: str | None = None, **given: Any) -> int:
        """A call and its answer; the turn."""
        begun = self.begin(name, **given)
        self.answer(begun, said, kind)
        return begun.turn

    def query(self, sql: str = "SELECT count(*) AS n FROM flights", **how: Any) -> int:
        return self.call("execute_query", query=sql, **how)

    def meet(self, **names: str) -> None:
        """Connect, list the tools, ask for the task."""
        self.hear("initialize", "notifications/initialized", "tools/list")
        self.call("get_task", {"task": "Explore."}, **names)
        told = {f"reported_{name}": text for name, text in names.items()}
        Seats(self.store).amend(self.trajectory_id, **told, preamble=self._preamble())

    def _preamble(self) -> Preamble:
        state = Seats(self.store).at(self.path)
        assert state is not None
        return Preamble(start_prompt=f"Explore the database and report on carrier {state.key[0]}.")

    def insight(self, text: str, turn: int | None = None, evidence: Sequence[str] = ()) -> None:
        begun = self.begin(SUBMIT_INSIGHT, text=text)
        said = handing_in.read_insight({"text": text, "evidence": list(evidence)})
        mine = begun.trajectory_id
        insight = Insight(
            id=f"{mine}.m{said.digest}",
            trajectory_id=mine,
            level="message",
            turn=turn or begun.turn,
            text=text,
            author=self.run.agent,
            evidence=tuple(evidence),
        )
        HandedIn(self.store).insight(insight, most=500)
        self.answer(begun, {"insights": 1, "duplicate": False})

    def finish(self, report: str = "All in all.", usage: Usage | None = None) -> None:
        begun = self.begin(FINISH, report=report)
        mine = begun.trajectory_id
        last = Insight(
            id=f"{mine}.report",
            trajectory_id=mine,
            level="trajectory",
            text=report,
            author=self.run.agent,
        )
        HandedIn(self.store).finish(last, usage, limits=self.rules.limits, now=self.tick())
        self.answer(begun, {"status": "finished"})

    @property
    def trajectory_id(self) -> str:
        state = Seats(self.store).at(self.path)
        assert state is not None
        assert state.trajectory_id is not None
        return state.trajectory_id


def explored(store: Repository, **changes: Any) -> RunSpec:
    """A run of every kind of ending: 01 finished, 02 went silent after a look, 03 never came."""
    run = enrolled(store, (("01", 1), ("02", 1), ("03", 1)), **changes)
    first = Outsider(store, run)
    first.meet(agent="claude-code 2.1", model="claude-x")
    first.call("get_database_info", {"tables": [{"name": "flights", "row_count": 7}]})
    first.call("execute_query", "no column nope", "sql", query="SELECT nope FROM flights")
    one, other = (
        first.begin("execute_query", query="SELECT 1"),
        first.begin("execute_code", code="1"),
    )
    first.answer(other, {"stdout": "1\n"})
    first.answer(one)
    first.insight("Carrier 01 flies 7 times.", evidence=["SELECT count(*) FROM flights"])
    first.insight("Carrier 01 has no column nope.", turn=2)
    first.insight("Carrier 01 is one of a kind.")
    first.call("execute_query", "the client hung up", "client_cancelled", query="SELECT 2")
    first.finish("Carrier 01 flies 7 times.", Usage(input_tokens=1200, output_tokens=30))
    first.query("SELECT 'too late'")
    second = Outsider(store, run, seat=1)
    second.meet()
    second.query()
    second.begin("execute_query", query="SELECT slow")  # its process was killed
    close_run(run, store, second.tick(3600))
    return run


def stop_reasons(store: Repository, run: RunSpec) -> dict[str, StopReason | None]:
    return {each.entity_id: each.stop_reason for each in store.trajectories(run.id)}
