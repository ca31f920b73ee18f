"""How fast the store takes turns, each safe before the next."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bench.figures import Bench

if TYPE_CHECKING:
    from core.trajectory import Turn
    from server.store import Repository

TURNS = 1000
TURN_BYTES = 3800


def turn_of_size(index: int, size: int = TURN_BYTES) -> Turn:
    """A turn as an agent makes them: some thought, one call, a page of rows; `size` bytes of JSON."""
    from core.trajectory import ToolCall, ToolResult, Turn

    call = ToolCall(
        call_id=f"call-{index}",
        name="execute_query",
        arguments='{"query": "SELECT scheduled_hour, avg(departure_delay_min) FROM flights'
        " WHERE carrier_id = '03' GROUP BY 1 ORDER BY 2 DESC\"}",
    )

    def filled(rows: str) -> Turn:
        seen = ToolResult(
            call_id=call.call_id,
            name=call.name,
            text=f'{{"columns": ["scheduled_hour", "mean"], "rows": [{rows}]}}',
            accessed_fields=("flights.carrier_id", "flights.departure_delay_min"),
            duration_s=0.004,
        )
        return Turn(
            index=index,
            text="The delay grows through the day; next I ask whether the fleet explains it. " * 4,
            tool_calls=(call,),
            tool_results=(seen,),
            started_at=datetime.now(UTC),
            duration_s=0.01,
        )

    missing = size - len(filled("").model_dump_json())
    return filled(("[19, 24.3125], " * (missing // 15 + 1))[:missing])


def turns_stored(bench: Bench) -> Mapping[str, float]:
    """Turns of 3.8 KB through the store, each safe before the next is taken; turns a second."""
    from server.store import open_store

    path = bench.home / "turns.sqlite3"
    for old in bench.home.glob(f"{path.name}*"):
        old.unlink()
    bench.say(f"{TURNS} turns into the store")
    with open_store(path) as store:
        trajectory_id = begin_trajectory(store)
        turns = [turn_of_size(index) for index in range(1, TURNS + 1)]
        began = time.perf_counter()
        for turn in turns:
            store.add_turn(trajectory_id, turn)
        took = time.perf_counter() - began
        kept = len(store.trajectory(trajectory_id).turns)
    if kept != TURNS:
        raise RuntimeError(f"{kept} of {TURNS} turns were kept")
    return {"turns_stored_per_s": TURNS / took}


def begin_trajectory(store: Repository) -> str:
    """A run with one open attempt to hang turns on; its id."""
    from core.run import RunSpec
    from core.trajectory import Trajectory

    now = datetime.now(UTC)
    run = RunSpec(
        id="bench",
        scenario_id="flights",
        scenario_fingerprint="none",
        entity_ids=("03",),
        agent="bench",
        created_at=now,
    )
    store.add_run(run)
    draft = Trajectory(
        id="",
        run_id=run.id,
        scenario_id=run.scenario_id,
        scenario_fingerprint=run.scenario_fingerprint,
        entity_id="03",
        agent=run.agent,
        started_at=now,
    )
    return store.start_trajectory(draft).id
