"""Whether a bundle's records fit together: each of a run that is in it, in order, and of things that are there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from core.errors import BundleError
from core.evaluation import Evaluation, Verdict
from core.outside import OutsideCall
from core.ranking import Comparison, Ranking
from core.run import RunSpec
from core.trajectory import Insight, Nudge, Trajectory, Turn
from server.bundle.lines import JUDGEMENTS, Line, SaidLine
from server.bundle.manifest import RunListed, check_name
from server.store.trajectories import attempt_id

_RECORDS: Final = 1
"""Trajectory.schema_version that this code knows."""


def _need(holds: bool, why: str) -> None:
    if not holds:
        raise BundleError(why)


@dataclass
class RunFit:
    """One run, record by record, in the order of its files. Raises BundleError for what does not fit."""

    listed: RunListed
    spec: RunSpec | None = None
    trajectories: dict[str, Trajectory] = field(default_factory=dict)
    """Their heads."""
    evaluations: dict[str, Evaluation] = field(default_factory=dict)
    _turns: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    """The last turn of each trajectory."""
    _calls: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    _insights: set[tuple[str, str]] = field(default_factory=set)

    def check(self, part: str, line: Any) -> None:
        """One line of a part."""
        known: dict[str, Callable[[Any], None]] = {
            "run": self._run,
            "trajectories": self._trajectory,
            "calls": self._call,
            "turns": self._turn,
            "nudges": self._nudge,
            "insights": self._insight,
            "evaluations": self._evaluation,
            "verdicts": self._verdict,
            "judgements": self._judgement,
        }
        known[part](line)

    def finish(self) -> None:
        """After the last line."""
        _need(self.spec is not None, "there is no run in it")
        for each in self.evaluations.values():
            beside = each.parameters.get("of")
            _need(
                beside is None or beside in self.evaluations,
                f"{each.id} stands beside {beside}, which is not there",
            )

    def _run(self, line: Line[RunSpec]) -> None:
        spec = line.record
        _need(self.spec is None, "a second run in it")
        check_name("run", spec.id)
        check_name("scenario", spec.scenario_id)
        told = (spec.id, spec.scenario_id, spec.scenario_fingerprint)
        listed = (self.listed.id, self.listed.scenario_id, self.listed.scenario_fingerprint)
        _need(told == listed and line.of == spec.id, f"it is not the run {self.listed.id}")
        self.spec = spec

    def _trajectory(self, line: Line[Trajectory]) -> None:
        head, spec = line.record, self._its_run(line.of)
        _need(head.run_id == spec.id, f"{head.id} is of another run, {head.run_id}")
        _need(head.id not in self.trajectories, f"{head.id} is there twice")
        told = (head.scenario_id, head.scenario_fingerprint)
        _need(
            told == (spec.scenario_id, spec.scenario_fingerprint),
            f"{head.id} explored other data than its run",
        )
        _need(head.entity_id in spec.entity_ids, f"{head.entity_id} is no entity of {spec.id}")
        _need(head.trial <= spec.trials, f"{head.id}: the run has {spec.trials} trials")
        _need(
            head.id == attempt_id(spec.id, head.entity_id, head.trial, head.attempt),
            f"{head.id} is not the id of its entity, trial and attempt",
        )
        _need(
            head.schema_version <= _RECORDS,
            f"{head.id} has schema version {head.schema_version}, this code knows {_RECORDS}: it was "
            "written by a newer ddr; update this one",
        )
        _need(not (head.turns or head.nudges or head.insights), f"{head.id} holds its parts twice")
        self.trajectories[head.id] = head

    def _call(self, line: Line[OutsideCall]) -> None:
        call, mine = line.record, self._its_trajectory(line.of)
        _need(
            call.position > self._calls[mine],
            f"call {call.position} of {mine} is out of order",
        )
        self._calls[mine] = call.position
        if call.turn is not None:
            _need(call.turn >= 1, f"call {call.position} of {mine}: turns count from 1")
            self._turns[mine] = max(self._turns[mine], call.turn)

    def _turn(self, line: Line[Turn]) -> None:
        turn, mine = line.record, self._its_trajectory(line.of)
        _need(mine not in self._calls, f"{mine} has both turns and calls")
        _need(
            turn.index == self._turns[mine] + 1,
            f"turn {turn.index} of {mine} comes after turn {self._turns[mine]}",
        )
        made = {call.call_id for call in turn.tool_calls}
        for result in turn.tool_results:
            _need(
                result.call_id in made,
                f"turn {turn.index} of {mine} holds a result of call {result.call_id!r}, which it did not make",
            )
        self._turns[mine] = turn.index

    def _nudge(self, line: Line[Nudge]) -> None:
        nudge, mine = line.record, self._its_trajectory(line.of)
        _need(
            nudge.after_turn <= self._turns[mine],
            f"a nudge after turn {nudge.after_turn} of {mine}, which has {self._turns[mine]}",
        )

    def _insight(self, line: Line[Insight]) -> None:
        insight, mine = line.record, self._its_trajectory(line.of)
        _need(insight.trajectory_id == mine, f"insight {insight.id} is of another trajectory")
        _need((mine, insight.id) not in self._insights, f"insight {insight.id} is there twice")
        self._insights.add((mine, insight.id))
        turn = insight.turn
        _need(
            turn is None or self._has_turn(mine, turn),
            f"insight {insight.id} is of turn {turn}; {mine} has {self._turns[mine]}",
        )

    def _evaluation(self, line: Line[Evaluation]) -> None:
        each, spec = line.record, self._its_run(line.of)
        _need(each.run_id == spec.id, f"{each.id} judges another run, {each.run_id}")
        check_name("evaluation", each.id)
        # A checklist is looked up by its id or as a file: no stranger names one of our files.
        check_name("checklist", each.checklist_id)
        _need(each.id not in self.evaluations, f"{each.id} is there twice")
        self.evaluations[each.id] = each

    def _verdict(self, line: Line[Verdict]) -> None:
        said = line.record
        _need(
            said.evaluation_id == line.of and line.of in self.evaluations,
            f"a verdict of {said.evaluation_id}, which is no evaluation of the run",
        )
        mine = self._its_trajectory(said.trajectory_id)
        if "baseline" in self.evaluations[line.of].parameters:
            return  # judged by insights of others, whose turns these are
        for turn in (*said.supporting_turns, *said.contradicting_turns):
            _need(
                self._has_turn(mine, turn),
                f"a verdict on {said.item_id} rests on turn {turn}; {mine} has {self._turns[mine]}",
            )

    def _judgement(self, line: SaidLine) -> None:
        self._its_run(line.of)
        _need(line.kind in JUDGEMENTS, f"no kind of judgements {line.kind!r:.40}")
        if (mine := line.record.get("trajectory_id")) is not None:
            self._its_trajectory(str(mine))

    def _has_turn(self, mine: str, turn: int) -> bool:
        # Logs of other programs may number turns without telling them.
        is_logged = self.spec is not None and self.spec.origin is not None
        return turn >= 1 and (is_logged or turn <= self._turns[mine])

    def _its_run(self, of: str) -> RunSpec:
        if self.spec is None or of != self.spec.id:
            raise BundleError(f"a record of {of!r:.80}, which is not the run {self.listed.id}")
        return self.spec

    def _its_trajectory(self, of: str) -> str:
        _need(of in self.trajectories, f"a record of {of!r:.80}, which is no trajectory of the run")
        return of


def check_continuations(runs: Mapping[str, RunFit]) -> None:
    """Raise BundleError for a run that says that it goes on from one which is not in the bundle.

    What it found is told beside that one: no stranger adds to a run of this home.
    """
    for fit in runs.values():
        if fit.spec is None or (told := fit.spec.continues) is None:
            continue
        from_ = runs.get(told.run_id)
        for each in told.trajectories:
            head = from_.trajectories.get(each.trajectory_id) if from_ else None
            _need(
                head is not None and (head.entity_id, head.trial) == (each.entity_id, each.trial),
                f"{fit.listed.id} goes on from {each.trajectory_id!r:.80} of {told.run_id!r:.80}, which "
                "is not in the bundle",
            )


@dataclass
class RankingFit:
    """The rankings of runs that are in the bundle."""

    runs: dict[str, RunFit]
    """By the run's id."""
    rankings: dict[str, Ranking] = field(default_factory=dict)

    def check(self, part: str, line: Any) -> None:
        """One line of a part. Raises BundleError."""
        if part == "rankings":
            self._ranking(line)
        else:
            self._comparison(line)

    def _ranking(self, line: Line[Ranking]) -> None:
        ranking = line.record
        _need(line.of == ranking.id, f"{ranking.id} is listed as {line.of!r:.80}")
        check_name("ranking", ranking.id)
        _need(ranking.id not in self.rankings, f"{ranking.id} is there twice")
        for run in (*ranking.run_ids, *ranking.evaluations):
            _need(run in self.runs, f"{ranking.id} ranks {run!r:.80}, which is not in the bundle")
        for run, evaluation in ranking.evaluations.items():
            _need(
                evaluation in self.runs[run].evaluations,
                f"{ranking.id} rests on {evaluation!r:.80}, which is no evaluation of {run}",
            )
        self.rankings[ranking.id] = ranking

    def _comparison(self, line: Line[Comparison]) -> None:
        said = line.record
        ranking = self.rankings.get(line.of)
        if ranking is None or said.ranking_id != line.of:
            raise BundleError(f"a comparison of {line.of!r:.80}, which is no ranking in the bundle")
        for run in (said.left, said.right):
            _need(
                run in ranking.run_ids, f"{ranking.id} compares {run!r:.80}, which it does not rank"
            )
            spec = self.runs[run].spec
            _need(
                spec is not None and said.entity_id in spec.entity_ids,
                f"{ranking.id} compares on {said.entity_id!r:.80}, which {run} did not explore",
            )
