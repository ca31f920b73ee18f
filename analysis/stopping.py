"""When trajectories ended and why, and what the last of their turns still brought."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from analysis.attempts import latest_attempts
from analysis.statistics import Spread, spread
from core.evaluation import Verdict
from core.trajectory import Trajectory

Ending = Literal["own", "forced", "fault", "open"]
"""own: the agent said that it was done. forced: a limit or its own idleness ended it. fault: of ours
or of an endpoint, which scores nothing. open: it has not ended."""
ENDINGS: Final[tuple[Ending, ...]] = ("own", "forced", "fault", "open")


@dataclass(frozen=True)
class Stop:
    """How one trajectory ended. Nothing here is stored: it follows from the records."""

    trajectory_id: str
    entity_id: str
    trial: int
    ending: Ending
    reason: str | None
    """The stop reason; None while it is open."""
    turns: int
    nudges: int
    near_finishes: int
    """Replies that held the finish marker and ended nothing."""
    insights_generated: int
    """Message-wise insights that were asked for and answered."""
    insights_valid: int
    """Of these, those that say something (paper App. E)."""
    insights_failed: int
    """Asked for in vain: the call failed."""
    last_new_turn: int | None
    """The last turn at which an item was discovered; None where none was, or nothing was judged."""
    is_judged: bool

    @property
    def turns_after(self) -> int | None:
        """Turns after the last one that discovered an item; all of them where none was discovered.

        None where nothing was judged.
        """
        return self.turns - (self.last_new_turn or 0) if self.is_judged else None

    @property
    def valid_ratio(self) -> float | None:
        """Valid insights out of all generated (DDR-21); None where none was generated."""
        return self.insights_valid / self.insights_generated if self.insights_generated else None


@dataclass(frozen=True)
class Stopping:
    """How the trajectories of one run ended; the latest attempt of each entity and trial."""

    stops: tuple[Stop, ...]

    def of(self, ending: Ending) -> list[Stop]:
        """Those that ended in one way."""
        return [stop for stop in self.stops if stop.ending == ending]

    def turns(self, ending: Ending) -> Spread | None:
        """Turns of those that ended in one way: forced endings never mix with chosen ones (DDR-20)."""
        return spread([stop.turns for stop in self.of(ending)])

    @property
    def reasons(self) -> dict[str, int]:
        """Each stop reason and how often, the most frequent first."""
        return dict(Counter(stop.reason or "open" for stop in self.stops).most_common())

    @property
    def insights_generated(self) -> int:
        """Over all trajectories."""
        return sum(stop.insights_generated for stop in self.stops)

    @property
    def insights_valid(self) -> int:
        """Of those generated."""
        return sum(stop.insights_valid for stop in self.stops)

    @property
    def insights_failed(self) -> int:
        """Calls for an insight that brought none."""
        return sum(stop.insights_failed for stop in self.stops)

    @property
    def valid_ratio(self) -> float | None:
        """Valid out of generated, over all insights of the run (DDR-21)."""
        return self.insights_valid / self.insights_generated if self.insights_generated else None

    @property
    def valid_ratios(self) -> Spread | None:
        """The ratio of each trajectory that has one."""
        return spread([stop.valid_ratio for stop in self.stops if stop.valid_ratio is not None])

    @property
    def nudges(self) -> int:
        """Idle replies: neither a call nor a finish."""
        return sum(stop.nudges for stop in self.stops)

    @property
    def nudged(self) -> int:
        """Trajectories with an idle reply."""
        return sum(stop.nudges > 0 for stop in self.stops)

    @property
    def near_finishes(self) -> int:
        """Replies that held the finish marker and ended nothing."""
        return sum(stop.near_finishes for stop in self.stops)

    @property
    def near_finished(self) -> int:
        """Trajectories with such a reply."""
        return sum(stop.near_finishes > 0 for stop in self.stops)

    def turns_after(self, ending: Ending) -> Spread | None:
        """Turns after the last discovery, of the judged ones that ended in one way."""
        known = [stop.turns_after for stop in self.of(ending)]
        return spread([turns for turns in known if turns is not None])


def stopping(
    trajectories: Sequence[Trajectory], verdicts: Sequence[Verdict] | None = None
) -> Stopping:
    """How each ended. `verdicts`: of one evaluation; None = nothing was judged.

    A trajectory is judged where it has a message-wise verdict with a label.
    """
    found: dict[str, list[Verdict]] = {}
    for verdict in verdicts or ():
        if verdict.level == "message" and verdict.label is not None:
            found.setdefault(verdict.trajectory_id, []).append(verdict)
    return Stopping(tuple(_stop(each, found) for each in latest_attempts(trajectories)))


def histogram(turns: Sequence[int], bins: int = 12) -> list[tuple[int, int, int]]:
    """How many of the counts fall between two turns, both included: (first, last, how many).

    Bins are whole turns of one width, and begin at 1; a count of 0 falls into the first.
    """
    if not turns:
        return []
    most = max(1, *turns)
    width = -(-most // bins)
    edges = range(1, most + 1, width)
    places = Counter(max(0, count - 1) // width for count in turns)
    return [(first, first + width - 1, places[at]) for at, first in enumerate(edges)]


def ending_of(trajectory: Trajectory) -> Ending:
    """In which of the ways it ended."""
    reason = trajectory.stop_reason
    if reason is None:
        return "open"
    if reason.self_terminated:
        return "own"
    return "forced" if reason.scored else "fault"


def _stop(trajectory: Trajectory, verdicts: Mapping[str, Sequence[Verdict]]) -> Stop:
    # Of a turn that was refused nothing was asked: its insight is none that was generated.
    refused = {turn.index for turn in trajectory.turns if turn.was_refused}
    asked = [each for each in trajectory.message_insights if each.turn not in refused]
    generated = [each for each in asked if not each.failed]
    mine = verdicts.get(trajectory.id, ())
    dated = [verdict.found_at_turn for verdict in mine]
    return Stop(
        trajectory_id=trajectory.id,
        entity_id=trajectory.entity_id,
        trial=trajectory.trial,
        ending=ending_of(trajectory),
        reason=trajectory.stop_reason.value if trajectory.stop_reason else None,
        turns=len(trajectory.turns),
        nudges=len(trajectory.nudges),
        near_finishes=trajectory.near_finishes,
        insights_generated=len(generated),
        insights_valid=sum(each.text is not None for each in generated),
        insights_failed=len(asked) - len(generated),
        last_new_turn=max((turn for turn in dated if turn is not None), default=None),
        is_judged=bool(mine),
    )
