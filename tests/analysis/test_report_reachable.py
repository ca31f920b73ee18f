"""A report tells the score over reachable items where there are others."""

from __future__ import annotations

import dataclasses

from analysis.report import render_report
from tests.analysis.factory import data, item, score, trajectory
from tests.analysis.page import parse


def test_the_score_over_reachable_items_stands_below_the_table() -> None:
    whole = score("profiler", "trajectory", "item", 0.25, 10)
    some = score("profiler", "trajectory", "item", 0.5, 4)
    made = data([item("a")], [trajectory()], scores=[whole])
    page = parse(render_report(dataclasses.replace(made, reachable=[some])))
    words = page.by_id("reachable").words
    assert "Evidence proves 4 items of 10 to be in the database." in words
    assert "50.0% at trajectory level." in words


def test_nothing_is_said_where_all_or_none_can_be_reached() -> None:
    whole = score("profiler", "trajectory", "item", 0.25, 10)
    made = data([item("a")], [trajectory()], scores=[whole])
    for reachable in (None, [whole]):
        html = render_report(dataclasses.replace(made, reachable=reachable))
        assert 'id="reachable"' not in html
