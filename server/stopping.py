"""When and why the agents of a run stopped: `of_run(spec, store, settings)` for the command line, pages and REST.

    found = of_run(spec, store, settings)                     # or evaluation="RUN.e2"
    found.stopping.turns("own")                     # Spread | None: turns of those that chose to end
    found.stopping.turns("forced"), .reasons, .valid_ratio, .nudges, .turns_after("own"), .stops
    found.after_finish                              # what went on after its end, and what that found
    found.as_json()                                 # what `ddr stopping --json` prints of a run

No text of a checklist and no insight is in it. Nothing is stored: it follows from the run's records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from analysis.stopping import ENDINGS, Stopping, stopping
from analysis.stopping_drawing import Picture
from analysis.stopping_gain import Gain, gain
from analysis.stopping_tables import endings_table, gain_table, histogram_table, stops_table
from analysis.stopping_tokens import Prefix, before_end, by_turn, point_table, prefix_table
from analysis.table import Table
from core.errors import UsageError
from core.evaluation import Evaluation
from core.run import RunSpec
from databases.catalog import open_scenario
from server.after_finish import continuations
from server.judged import own_evaluations
from server.judged_again import judged_alike
from server.runs import competitor
from server.settings import Settings
from server.store import Repository


@dataclass(frozen=True)
class AfterFinish:
    """A run that went on from the trajectories of this one that had ended by themselves."""

    run: str
    evaluation: str | None
    """The one that judged it as the original was judged; None where there is none."""
    gain: Gain | None
    """None where one side is not judged."""


@dataclass(frozen=True)
class Finish:
    """What an endpoint told of the prefixes of a run's trajectories (server/finish_scores.py)."""

    model: str
    """As it is called there."""
    form: str | None
    """How it was asked (providers/continuations.py)."""
    prefixes: tuple[Prefix, ...]
    stopped: str | None = None
    """Why it ended before all was measured."""

    def as_json(self) -> dict[str, Any]:
        """For --json."""
        return {
            "model": self.model,
            "form": self.form,
            "prefixes": len(self.prefixes),
            "unscored": sum(each.logprob is None for each in self.prefixes),
            "by_turn": [asdict(point) for point in by_turn(self.prefixes)],
            "before_end": [asdict(point) for point in before_end(self.prefixes)],
            "stopped": self.stopped,
        }


@dataclass(frozen=True)
class RunStopping:
    """One run, the evaluation that says what was discovered, and how its trajectories ended."""

    spec: RunSpec
    name: str
    """Whose: the model's, or the agent's."""
    evaluation: Evaluation | None
    """None = nothing was judged, so that nobody knows which turns still brought something."""
    stopping: Stopping
    after_finish: tuple[AfterFinish, ...] = ()
    """The newest for each number of extra turns."""
    finish: Finish | None = None
    """How likely the finish was after each turn; None where no endpoint was asked."""

    def as_json(self) -> dict[str, Any]:
        """For --json."""
        found = self.stopping
        return {
            "run": self.spec.id,
            "name": self.name,
            "scenario": self.spec.scenario_id,
            "evaluation": self.evaluation.id if self.evaluation else None,
            "trajectories": len(found.stops),
            "reasons": found.reasons,
            "turns": {each: _told(found.turns(each)) for each in ENDINGS},
            "turns_after_last_discovery": {
                each: _told(found.turns_after(each)) for each in ENDINGS
            },
            "near_finishes": found.near_finishes,
            "near_finished_trajectories": found.near_finished,
            "idle_replies": found.nudges,
            "trajectories_with_idle_replies": found.nudged,
            "insights_generated": found.insights_generated,
            "insights_valid": found.insights_valid,
            "insights_failed": found.insights_failed,
            "valid_insight_ratio": found.valid_ratio,
            "announced_budget": self.spec.announced_budget,
            "finish_logprobs": self.finish.as_json() if self.finish else None,
            "after_finish": [_gained(each) for each in self.after_finish],
        }


def of_run(
    spec: RunSpec, store: Repository, settings: Settings, *, evaluation: str | None = None
) -> RunStopping:
    """How its trajectories ended; by the newest evaluation, or the one that is named.

    Raises UsageError for a named one that is not the run's.
    """
    chosen = evaluation_of(spec, store, evaluation)
    verdicts = store.verdicts(chosen.id) if chosen else None
    found = stopping(store.trajectories(spec.id), verdicts)
    return RunStopping(
        spec, competitor(spec), chosen, found, _after_finish(spec, chosen, store, settings)
    )


def evaluation_of(spec: RunSpec, store: Repository, name: str | None = None) -> Evaluation | None:
    """The run's newest evaluation of its agent, or the one that is named; None where there is none."""
    own = own_evaluations(store.evaluations(spec.id))
    if name is None:
        return own[-1] if own else None
    for each in own:
        if each.id == name:
            return each
    known = ", ".join(each.id for each in own) or "none"
    raise UsageError(f"{name} is no evaluation of run {spec.id}; known: {known}")


def evaluations_named(
    specs: Sequence[RunSpec], store: Repository, names: Sequence[str]
) -> dict[str, str]:
    """Which run each named evaluation is of: run id to evaluation id. Raises UsageError."""
    whose = {each.id: spec.id for spec in specs for each in store.evaluations(spec.id)}
    for name in names:
        if name not in whose:
            raise UsageError(f"{name} is no evaluation of these runs")
    return {whose[name]: name for name in names}


def tables(found: Sequence[RunStopping]) -> list[Table]:
    """What goes into files: a row for each trajectory, for each run and ending, for each bin of turns."""
    named = [(each.spec.id, each.name, each.stopping) for each in found]
    gains = [
        (each.spec.id, each.name, one.run, one.gain)
        for each in found
        for one in each.after_finish
        if one.gain
    ]
    more = [gain_table(gains)] if gains else []
    scored = [(each.spec.id, each.name, each.finish.prefixes) for each in found if each.finish]
    if scored:
        more += [prefix_table(scored), point_table(scored)]
    return [endings_table(named), stops_table(named), histogram_table(named), *more]


def pictures(found: Sequence[RunStopping]) -> list[Picture]:
    """What is drawn of each run."""
    return [
        Picture(
            name=each.name,
            stopping=each.stopping,
            points=tuple(by_turn(each.finish.prefixes)) if each.finish else (),
            gain=next((one.gain for one in reversed(each.after_finish) if one.gain), None),
        )
        for each in found
    ]


def _after_finish(
    spec: RunSpec, chosen: Evaluation | None, store: Repository, settings: Settings
) -> tuple[AfterFinish, ...]:
    newest = {run.limits.max_turns or 0: run for run in continuations(spec, store)}
    if not newest:
        return ()
    entities = open_scenario(spec.scenario_id, settings.home).entities()
    clusters = {entity.id: entity.cluster for entity in entities}
    return tuple(_compared(spec, run, chosen, store, clusters) for _, run in sorted(newest.items()))


def _compared(
    spec: RunSpec,
    run: RunSpec,
    chosen: Evaluation | None,
    store: Repository,
    clusters: Mapping[str, str],
) -> AfterFinish:
    """What one run found beyond the original, by evaluations that judged both alike."""
    alike = judged_alike(run, chosen, store) if chosen else None
    turns = run.limits.max_turns
    if chosen is None or alike is None or run.continues is None or turns is None:
        return AfterFinish(run.id, None, None)
    origin = {(e.entity_id, e.trial): e.trajectory_id for e in run.continues.trajectories}
    found = gain(
        store.trajectories(spec.id),
        [(origin[each.entity_id, each.trial], each) for each in store.trajectories(run.id)],
        store.verdicts(chosen.id),
        store.verdicts(alike.id),
        offered=turns,
        clusters=clusters,
        seed=spec.seed,
    )
    return AfterFinish(run.id, alike.id, found)


def _gained(found: AfterFinish) -> dict[str, Any]:
    told = None if found.gain is None else {**asdict(found.gain), "answer": found.gain.answer}
    return {"run": found.run, "evaluation": found.evaluation, "gain": told}


def _told(value: Any) -> dict[str, Any] | None:
    return None if value is None else asdict(value)
