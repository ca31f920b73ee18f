"""Runs of models over carriers of flights, judged as is written here: what the leaderboard's pages show."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Any

from checklists.loader import load
from core.checklist import ChecklistItem
from core.evaluation import LEVELS, Evaluation
from core.ranking import Comparison, Ranking
from core.run import ModelSpec, RunSpec
from core.trajectory import StopReason
from databases.catalog import InstalledScenario
from server.store import Repository
from server.store.rankings import Rankings
from tests.server.judged_runs import call, turn
from tests.server.support import START, draft, evaluation, insight, spec, verdict

CARRIERS = ("01", "02", "03", "04")
CHECKLIST = load("flights")


def items() -> list[ChecklistItem]:
    """Of these carriers, in the checklist's order."""
    mine = (i for i in CHECKLIST.items if i.entity_id in CARRIERS and i.status == "accepted")
    return list(mine)


def explored(
    store: Repository, flights: InstalledScenario, number: int, name: str, **changes: Any
) -> RunSpec:
    """A finished run of a model, a minute after the one before it, of three turns a carrier."""
    run = spec(
        f"20260131-flights-m{number:03}",
        scenario_id="flights",
        scenario_fingerprint=flights.scenario.fingerprint,
        entity_ids=CARRIERS,
        agent="react",
        model=ModelSpec(provider="openai", name=name),
        created_at=START + timedelta(minutes=number),
    ).model_copy(update=changes)
    store.add_run(run)
    for carrier in CARRIERS:
        mine = store.start_trajectory(draft(run, carrier))
        for index in (1, 2, 3):
            store.add_turn(mine.id, turn(index, call(cost=0.001 * number)))
            store.add_insight(insight(mine.id, index, f"Insight {index} about {carrier}."))
        store.end_trajectory(mine.id, StopReason.FINISHED, ended_at=START)
    return run


def judged(
    store: Repository,
    run: RunSpec,
    share: float,
    *,
    baselines: Mapping[str, float] | None = None,
    **changes: Any,
) -> Evaluation:
    """The first `share` of each carrier's items is supported; a fifth less turn by turn."""
    own = _judge(store, run, f"{run.id}.e1", share, **changes)
    for name, its in (baselines or {}).items():
        parameters = {"of": own.id, "baseline": name, **changes.get("parameters", {})}
        _judge(store, run, f"{own.id}.{name}", its, **{**changes, "parameters": parameters})
    return own


def _judge(store: Repository, run: RunSpec, name: str, share: float, **changes: Any) -> Evaluation:
    made = evaluation(run, name).model_copy(
        update={
            "checklist_id": "flights",
            "checklist_version": CHECKLIST.version,
            "checklist_hash": CHECKLIST.hash,
            **changes,
        }
    )
    store.add_evaluation(made)
    found = []
    for trajectory in store.heads(run.id):
        mine = [item for item in items() if item.entity_id == trajectory.entity_id]
        for place, item in enumerate(mine):
            for level in LEVELS:
                reach = share if level == "trajectory" else 0.8 * share
                is_found = place < reach * len(mine)
                found.append(
                    verdict(
                        trajectory.id,
                        item.id,
                        evaluation_id=made.id,
                        level=level,
                        label="supported" if is_found else "insufficient",
                        supporting_turns=(2,) if is_found else (),
                    )
                )
    store.add_verdicts(found)
    return made


def ranked(store: Repository, runs: Collection[RunSpec]) -> None:
    """Each beats each that comes after it, on all carriers but the last."""
    mine = list(runs)
    ranking = Ranking(
        id="20260131-flights-rank",
        scenario_id="flights",
        run_ids=tuple(sorted(run.id for run in mine)),
        evaluations={run.id: f"{run.id}.e1" for run in mine},
        judges_asked=("openai/judge",),
        prompt_hash="f00d",
        created_at=START,
    )
    Rankings(store).add(ranking)
    for place, better in enumerate(mine):
        for worse in mine[place + 1 :]:
            for carrier in CARRIERS:
                for first in ("left", "right"):
                    left, right = sorted((better.id, worse.id))
                    wins = better.id if carrier != CARRIERS[-1] else worse.id
                    Rankings(store).add_comparison(
                        Comparison(
                            ranking_id=ranking.id,
                            entity_id=carrier,
                            left=left,
                            right=right,
                            shown_first=first,
                            winner="left" if wins == left else "right",
                            left_insights=3,
                            right_insights=3,
                            left_characters=90,
                            right_characters=90,
                            judge="openai/judge",
                        )
                    )


BASELINES = {"blank": 0.0, "generic": 0.05, "shuffled_entity": 0.2}


def contest(store: Repository, flights: InstalledScenario) -> dict[str, RunSpec]:
    """Three models that compare, ranked; a fourth by another checker; one that goes on."""
    runs = {
        name: explored(store, flights, number, name)
        for number, name in enumerate(("able", "better", "<i>clever</i>"), start=1)
    }
    for name, share in (("able", 0.4), ("better", 0.6), ("<i>clever</i>", 0.9)):
        judged(store, runs[name], share, baselines=BASELINES)
    ranked(store, [runs["<i>clever</i>"], runs["better"], runs["able"]])
    runs["apart"] = explored(store, flights, 4, "apart")
    judged(store, runs["apart"], 0.5, checker="llm", judges_asked=("openai/judge",))
    runs["open"] = spec(
        "20260131-flights-open",
        scenario_id="flights",
        scenario_fingerprint=flights.scenario.fingerprint,
        entity_ids=CARRIERS,
    )
    store.add_run(runs["open"])
    store.start_trajectory(draft(runs["open"], "01"))
    return runs
