"""Two orders make one game by one rule; what could not be read is missing, never a tie."""

from __future__ import annotations

import pytest

from core.ranking import SIDES, Winner
from evaluator.rating.results import agreement, settle, singly
from tests.evaluator.rating.games import compared, forfeit


@pytest.mark.parametrize(
    ("one", "other", "comes_to", "flipped", "wavering"),
    [
        ("left", "left", "left", 0, 0),
        ("right", "right", "right", 0, 0),
        ("tie", "tie", "tie", 0, 0),
        ("left", "right", "tie", 1, 0),
        ("left", "tie", "tie", 0, 1),
        ("tie", "right", "tie", 0, 1),
    ],
)
def test_a_game_is_won_by_whom_both_orders_name(
    one: Winner, other: Winner, comes_to: Winner, flipped: int, wavering: int
) -> None:
    settled = settle(
        [compared("A", "B", one, "left"), compared("A", "B", other, "right")], both_orders=True
    )
    assert [each.winner for each in settled.results] == [comes_to]
    assert (settled.flipped, settled.wavering) == (flipped, wavering)


def test_sides_may_be_told_either_way_round() -> None:
    settled = settle(
        [compared("A", "B", "left", "left"), compared("B", "A", "right", "left")], both_orders=True
    )
    (game,) = settled.results
    assert (game.left, game.winner, settled.flipped) == ("A", "left", 0)


def test_what_could_not_be_read_is_missing() -> None:
    lost = compared("A", "B", None, "right", unscored_reason="unreadable: an empty reply")
    settled = settle([compared("A", "B", "left", "left"), lost], both_orders=True)
    assert settled.results == []
    assert settled.half_read == 1
    assert settled.unscored == {"unreadable: an empty reply": 1}
    alone = settle([compared("A", "B", "left", "left"), lost], both_orders=False)
    assert [each.winner for each in alone.results] == ["left"]
    assert settle([lost, lost], both_orders=True).half_read == 0


def test_the_same_order_twice_is_no_second_opinion() -> None:
    once = compared("A", "B", "left", "left")
    assert settle([once, once], both_orders=True).results == []


def test_a_forfeit_needs_no_second_order() -> None:
    settled = settle([forfeit("A", "B")], both_orders=True)
    (game,) = settled.results
    assert (game.winner, game.is_forfeit, game.first) == ("left", True, None)
    assert settled.both_orders == 0
    assert settled.flip_rate is None


def test_each_order_is_a_game_for_the_term_of_order() -> None:
    games = singly([compared("A", "B", "left", "left"), compared("A", "B", "left", "right")])
    assert [each.first for each in games] == ["left", "right"]


def test_judges_agree_on_the_games_that_both_judged() -> None:
    said: list[tuple[str, str, Winner]] = [
        ("j", "e0", "left"),
        ("k", "e0", "left"),
        ("j", "e1", "left"),
        ("k", "e1", "tie"),
        ("j", "e2", "left"),
    ]
    asked = [
        compared("A", "B", winner, first, entity=entity, judge=judge)
        for judge, entity, winner in said
        for first in SIDES
    ]
    settled = settle(asked, both_orders=True)
    assert agreement(settled.results) == {("j", "k"): (1, 2)}
