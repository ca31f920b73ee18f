"""What is shown while runs go on: each run's own figures, one wish to stop."""

from __future__ import annotations

from server.board import Board
from tests.server.test_spending import call


def test_where_no_model_is_asked_no_figures_of_models_are_shown() -> None:
    board = Board()
    board.turns = 1
    with board.busy("a tool"):
        assert board.line() == "1 turn; waiting: 1 for a tool"
    assert board.line() == "1 turn"


def test_before_anything_happened_there_is_nothing_to_show() -> None:
    assert Board().line() == ""


def test_calls_tokens_and_spend_are_shown_and_an_unknown_cost_makes_it_a_lower_bound() -> None:
    now = [0.0]
    board = Board(clock=lambda: now[0])
    board.count(call(0.5))
    assert board.line() == "1 call; 20 tokens; $0.5000"
    now[0] = 2.0
    board.count(call(None, None))
    assert board.line() == "2 calls; 20 tokens; at least $0.5000; 0.5 calls/s"


def test_the_wish_to_stop_reaches_every_run_and_figures_stay_apart() -> None:
    shared = Board()
    one, two = Board(parent=shared), Board(parent=shared)
    one.count(call(0.5))
    assert (one.calls, two.calls, shared.calls) == (1, 0, 0)
    assert not two.stopping
    one.stopping = True
    assert shared.stopping
    assert two.stopping
