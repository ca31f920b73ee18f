"""Scores stand beside what the baselines reach."""

from __future__ import annotations

from analysis.scoreboard import Scoreboard
from core.evaluation import Level, Score
from tests.analysis.factory import score


def _all() -> list[Score]:
    levels: tuple[Level, ...] = ("message", "trajectory")
    return [
        score(who, level, averaging, rate, 100)
        for who, rate in (
            ("blank", 0.0),
            ("shuffled_entity", 0.04),
            ("generic", 0.01),
            ("m-1", 0.5),
        )
        for level in levels
        for averaging in ("sample", "item")
    ]


def test_the_four_accuracies_stand_in_order_with_the_baselines_beside_each() -> None:
    rows = Scoreboard(_all(), "carrier", "carriers").rows()
    assert [(r.level, r.averaging) for r in rows] == [
        ("Insights turn by turn (message-wise)", "over items"),
        ("Insights turn by turn (message-wise)", "over carriers"),
        ("Final report (trajectory-wise)", "over items"),
        ("Final report (trajectory-wise)", "over carriers"),
    ]
    for row in rows:
        assert row.own.competitor == "m-1"
        assert [b and b.strict for b in row.baselines] == [0.04, 0.01, 0.0]
        assert all(b and b.level == row.own.level for b in row.baselines)


def test_a_baseline_that_was_not_computed_is_unknown_and_not_zero() -> None:
    scores = [s for s in _all() if s.competitor not in ("generic", "blank")]
    board = Scoreboard(scores, "carrier", "carriers")
    assert board.rows()[0].baselines[1:] == (None, None)
    assert [bar.label for bar in board.bars()[0].bars] == ["m-1", "another carrier's"]


def test_the_chart_shows_the_agent_first_and_the_strict_score_over_items() -> None:
    message, report = Scoreboard(_all(), "patient", "patients").bars()
    assert (message.title, report.title) == (
        "Insights turn by turn (message-wise)",
        "Final report (trajectory-wise)",
    )
    assert [(b.label, b.baseline) for b in report.bars] == [
        ("m-1", False),
        ("another patient's", True),
        ("generic text", True),
        ("no text", True),
    ]


def test_without_scores_there_are_no_rows_and_no_bars() -> None:
    board = Scoreboard([], "carrier", "carriers")
    assert (board.rows(), board.bars(), board.own()) == ([], [], None)


def test_further_baselines_have_a_place_where_they_were_judged() -> None:
    scores = [*_all(), score("closed_book", "message", "item", 0.2, 100)]
    board = Scoreboard(scores, "carrier", "carriers")
    assert board.names == ("shuffled_entity", "generic", "blank", "closed_book")
    first, second, *_ = board.rows()
    assert first.baselines[3] is not None and first.baselines[3].strict == 0.2
    assert second.baselines[3] is None
    assert [bar.label for bar in board.bars()[0].bars][-1] == "the model unseeing"
