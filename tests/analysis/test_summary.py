"""The counts of a run are those that a person would make."""

from __future__ import annotations

from dataclasses import replace

from analysis import summary
from analysis.joined import Judged, join
from core.trajectory import StopReason
from tests.analysis.factory import item, trajectory, turn, verdict


def _rows() -> list[Judged]:
    items = [
        item("a", category="volume", difficulty="hard"),
        item("b", category="volume", difficulty="easy"),
        item("c", category="fleet", difficulty="easy"),
    ]
    verdicts = [
        verdict("a", turns=(1,)),
        verdict("b", "contradicted"),
        verdict("c", None, unscored_reason="no signals"),
        verdict("a", "insufficient", level="trajectory"),
        verdict("b", level="trajectory"),
        verdict("c", None, level="trajectory"),
    ]
    return join(items, [trajectory()], verdicts)


def test_each_category_has_its_share_at_both_levels() -> None:
    fleet, volume = summary.by_category(_rows())
    assert (volume.name, volume.message, volume.report) == (
        "volume",
        summary.Share(1, 2),
        summary.Share(1, 2),
    )
    assert fleet.message == summary.Share(0, 1, unscored=1)
    assert volume.message.value == 0.5


def test_a_share_of_unscored_items_alone_is_unknown_and_not_zero() -> None:
    assert summary.Share(0, 3, unscored=3).value is None
    assert summary.Share(0, 0).value is None
    assert summary.Share(0, 3, unscored=2).value == 0


def test_difficulties_stand_from_easy_to_hard_and_absent_ones_are_left_out() -> None:
    assert [group.name for group in summary.by_difficulty(_rows())] == ["easy", "hard"]


def test_items_of_unknown_difficulty_are_counted_as_such_and_not_lost() -> None:
    rows = join([item("a", difficulty="hard"), item("b", difficulty=None)], [trajectory()], [])
    assert [(g.name, g.message.of) for g in summary.by_difficulty(rows)] == [
        ("hard", 1),
        ("unknown", 1),
    ]


def test_each_type_of_insight_has_its_share_and_none_is_lost() -> None:
    rows = _rows()
    kinds = ["diagnostic", *["descriptive"] * (len(rows) - 1)]
    retyped = [
        replace(row, item=row.item.model_copy(update={"insight_type": kind}))
        for row, kind in zip(rows, kinds, strict=True)
    ]
    found = summary.by_insight_type(retyped)
    assert [group.name for group in found] == ["descriptive", "diagnostic"]
    assert sum(group.message.of for group in found) == len(rows)


def test_stop_reasons_are_counted_the_most_frequent_first() -> None:
    reasons = [StopReason.MAX_TURNS, None, StopReason.FINISHED, StopReason.FINISHED]
    runs = [trajectory(f"t{n}", f"{n:02d}", stop_reason=r) for n, r in enumerate(reasons)]
    assert summary.stops(runs) == [
        summary.Stop("finished", 2, self_terminated=True),
        summary.Stop("max_turns", 1, self_terminated=False),
        summary.Stop("not ended", 1, self_terminated=False),
    ]


def test_every_attempt_to_look_is_listed_with_its_turn_and_tool() -> None:
    made = turn(4)
    looked = made.tool_results[0].model_copy(
        update={"violations": ("read_text", "environment"), "is_error": True}
    )
    run = trajectory(turns=[turn(1), made.model_copy(update={"tool_results": (looked,)})])
    found = [(a.turn, a.tool, a.what) for a in summary.attempts([run])]
    assert found == [(4, "execute_query", "read_text"), (4, "execute_query", "environment")]
    assert summary.errors(run) == 1
