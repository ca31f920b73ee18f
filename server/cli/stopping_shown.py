"""How the endings of runs are shown to people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.wording import counted
from server.cli.output import one_line

if TYPE_CHECKING:
    from analysis.statistics import Spread
    from analysis.stopping_tokens import Point
    from server.cli.output import Output
    from server.stopping import RunStopping

_ROWS = 8
_WORDS = {
    "own": "by itself",
    "forced": "was ended",
    "fault": "by a fault",
    "open": "not yet",
}


def show(found: Sequence[RunStopping], out: Output) -> None:
    """Each run: turns by ending, then what is known beside them."""
    for place, each in enumerate(found):
        if place:
            out.say()
        _run(each, out)


def _run(found: RunStopping, out: Output) -> None:
    from analysis.stopping import ENDINGS

    stops = found.stopping.stops
    out.say(f"{one_line(found.name)}: run {found.spec.id}, {_trajectories(len(stops))}")
    if not stops:
        out.say("nothing is explored yet")
        return
    rows = []
    for ending in ENDINGS:
        turns, after = found.stopping.turns(ending), found.stopping.turns_after(ending)
        if turns is not None:
            rows.append([_WORDS[ending], str(turns.n), *_quantiles(turns), *_median(after)])
    heads = ["ended", ">n", ">mean turns", ">least", ">25 %", ">median", ">75 %", ">most"]
    out.table([*heads, ">after last find"], rows)
    _beside(found, out)
    _finish(found, out)
    _after_finish(found, out)


def _beside(found: RunStopping, out: Output) -> None:
    own = found.stopping
    total = len(own.stops)
    out.say("reasons: " + ", ".join(f"{reason} {count}" for reason, count in own.reasons.items()))
    if own.valid_ratio is None:
        out.say("message-wise insights: none was asked for")
    else:
        failed = f"; {own.insights_failed} more failed" if own.insights_failed else ""
        out.say(
            f"valid insights: {own.insights_valid:,} of {own.insights_generated:,} generated "
            f"({100 * own.valid_ratio:.1f} %){failed}"
        )
    out.say(
        f"idle replies: {own.nudges:,} in {own.nudged} of {_trajectories(total)}; "
        f"near-finishes: {own.near_finishes:,} in {own.near_finished} of {total:,}"
    )
    if found.evaluation is not None:
        judged = sum(stop.is_judged for stop in own.stops)
        empty = sum(stop.is_judged and stop.last_new_turn is None for stop in own.stops)
        none = f"; {empty} without any discovery, of which all turns count" if empty else ""
        out.say(f"discoveries by {found.evaluation.id}: {judged} of {total:,} judged{none}")


def _finish(found: RunStopping, out: Output) -> None:
    from analysis.stopping_tokens import before_end, by_turn

    own = found.finish
    if own is None:
        return
    points = by_turn(own.prefixes)
    unscored = sum(each.logprob is None for each in own.prefixes)
    out.say(
        f"log-probability of the finish, by {own.model} ({own.form or 'not asked'}): "
        f"{counted(len(own.prefixes) - unscored, 'prefix', 'prefixes')} measured"
        + (f", {unscored} not" if unscored else "")
        + (f"; stopped: {own.stopped}" if own.stopped else "")
    )
    rows = [["after turn", *_row(point)] for point in _thinned(points)] + [
        ["before the end", *_row(point)] for point in _thinned(before_end(own.prefixes))
    ]
    if rows:
        out.table(["", ">turns", ">mean", ">variance", ">trajectories"], rows)


def _thinned(points: Sequence[Point]) -> list[Point]:
    """As many as a reader looks at: evenly spread, the first and the last among them."""
    if len(points) <= _ROWS:
        return list(points)
    step = (len(points) - 1) / (_ROWS - 1)
    return [points[round(place * step)] for place in range(_ROWS)]


def _row(point: Point) -> list[str]:
    own = point.logprob
    variance = "-" if own.variance is None else f"{own.variance:.3f}"
    return [str(point.turn), f"{own.mean:.3f}", variance, str(own.n)]


def _after_finish(found: RunStopping, out: Output) -> None:
    for each in found.after_finish:
        got = each.gain
        if got is None:
            out.say(f"after the finish: run {each.run} went on; it is not judged as this one is")
            continue
        end = got.gained
        out.say(
            f"after the finish (run {each.run}): did it stop too early? {got.answer}\n"
            f"  {_trajectories(got.trajectories)} of {counted(got.entities, 'entity')} went on, "
            f"{_number(got.taken)} of {counted(got.offered, 'turn')} taken on average; "
            f"{got.stopped_again} stopped again, {got.stopped_at_once} at once"
            + (f"; {got.left_out} left out" if got.left_out else "")
        )
        if end is not None:
            out.say(
                f"  accuracy {_share(got.before)}, gained {_share(end.value)}"
                f"{_between(end.low, end.high)}; for each extra turn taken {_share(got.per_turn)}"
                f"{_between(got.per_turn_low, got.per_turn_high)}, for each of as many of its own "
                f"last turns {_share(got.own_last_per_turn)}"
            )
        if got.report_after is not None:
            out.say(
                f"  reports: {_share(got.report_before)} before, {_share(got.report_after)} after"
            )


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.2f} %"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _between(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f" [{100 * low:.2f}, {100 * high:.2f}]"


def _quantiles(turns: Spread) -> list[str]:
    middle = (turns.quarter, turns.median, turns.three_quarters)
    return [
        f"{turns.mean:.1f}",
        f"{turns.least:g}",
        *(f"{each:.4g}" for each in middle),
        f"{turns.most:g}",
    ]


def _median(turns: Spread | None) -> list[str]:
    return ["" if turns is None else f"{turns.median:g}"]


def _trajectories(count: int) -> str:
    return counted(count, "trajectory")
