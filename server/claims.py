"""Run the SQL that agents attach to their insights again, and compare (EVALUATION 5.5, claim side)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from core.errors import ToolError
from core.trajectory import Insight, Trajectory
from databases.installed import InstalledScenario
from databases.target import Target
from evaluator.attached import Claim, queries_in, turns_in, weigh
from evaluator.tracing.claimed import spellings
from tools.limits import ToolLimits
from tools.sql.hand import SqlHand
from tools.sql.pool import SqlPool

_PATIENCE: Final = 3
"""Statements of one trajectory that may run into their time limit; none of it is run after that."""

Watch = Callable[[float, float, str], None]

LIMITS: Final = ToolLimits(reply_chars=32_000)
"""As an agent's own queries are held, with the longest reply that one may ask for."""


async def claims_of(
    trajectories: Sequence[Trajectory],
    installed: InstalledScenario,
    watch: Watch = lambda *_: None,
) -> list[Claim]:
    """Every insight with a text, beside what its evidence gives now; [] where none has any evidence.

    Statements run read-only, through the same engine, walls and time limits as an agent's queries.
    Raises ScenarioError, DatabaseError where the database cannot be opened.
    """
    said = [(t, i) for t in trajectories for i in t.insights if i.text]
    if not any(insight.evidence for _, insight in said):
        return []
    found: list[Claim] = []
    pools: dict[str, SqlPool] = {}
    slow: Counter[str] = Counter()
    try:
        for number, (trajectory, insight) in enumerate(said):
            results: list[str] = []
            faults: list[str] = []
            if (statements := queries_in(insight.evidence)) and slow[trajectory.id] >= _PATIENCE:
                faults.append(f"its SQL is not run: {_PATIENCE} others of it took too long")
            elif statements:
                target = installed.target_for(trajectory.entity_id)
                hand = (await _pool(target, pools)).hand(trajectory.id)
                results, faults, late = await _run(hand, statements)
                slow[trajectory.id] += late
            shown, missing = _shown(trajectory, insight)
            task = trajectory.preamble.start_prompt if trajectory.preamble else ""
            found.append(
                weigh(
                    insight,
                    trajectory.entity_id,
                    [*results, *shown],
                    [*faults, *missing],
                    given=spellings(f"{task} {trajectory.entity_id}") | _stated(statements),
                )
            )
            watch(number + 1, len(said), trajectory.entity_id)
    finally:
        for pool in pools.values():
            await pool.close()
    return found


async def _pool(target: Target, pools: dict[str, SqlPool]) -> SqlPool:
    """One at a time is open: entities with databases of their own come one after the other."""
    if target.location not in pools:
        while pools:
            await pools.popitem()[1].close()
        pool = SqlPool(target, workers=1, limits=LIMITS)
        await pool.start()
        pools[target.location] = pool
    return pools[target.location]


async def _run(hand: SqlHand, statements: Sequence[str]) -> tuple[list[str], list[str], int]:
    """(results, faults, how many ran into their time limit); after one that did, the rest waits."""
    results: list[str] = []
    faults: list[str] = []
    for sql in statements:
        try:
            reply = await hand.rows(sql.strip().rstrip(";"), limit=LIMITS.max_rows)
        except ToolError as exc:
            faults.append(f"its SQL does not run: {str(exc).partition(chr(10))[0][:200]}")
            if exc.kind == "timeout":
                return results, faults, 1
        else:
            results.append(reply.text)
    return results, faults, 0


def _stated(statements: Sequence[str]) -> frozenset[str]:
    """The numbers that SQL itself states ('SELECT 4242'), as an insight may spell them: they are told
    by it, not found."""
    found = spellings(" ".join(statements))
    return found | {f"{int(each):,}" for each in found if each.isdecimal()}


def _shown(trajectory: Trajectory, insight: Insight) -> tuple[list[str], list[str]]:
    """What the turns that it refers to showed; a turn after its own shows it nothing."""
    last = insight.turn if insight.turn is not None else len(trajectory.turns)
    results, faults = [], []
    for index in turns_in(insight.evidence):
        turn = next((t for t in trajectory.turns if t.index == index and index <= last), None)
        if turn is None:
            faults.append(f"turn {index} is none of those before it")
            continue
        texts = [result.text for result in turn.tool_results if not result.is_error]
        results += texts
        if not texts:
            faults.append(f"turn {index} showed nothing")
    return results, faults
