"""A call shows what was asked, in colour, and what came back."""

from __future__ import annotations

import pytest

from analysis.calls import Budget, calls
from core.trajectory import ToolCall, ToolResult, Turn
from tests.analysis.factory import START, turn


def _turn(name: str, arguments: str, **result: object) -> Turn:
    call = ToolCall(call_id="c1", name=name, arguments=arguments)
    values = {"call_id": "c1", "name": name, "text": "ok", "duration_s": 0.5}
    answer = ToolResult.model_validate(values | result)
    return Turn(index=1, tool_calls=(call,), tool_results=(answer,), started_at=START, duration_s=1)


def test_a_query_is_shown_as_sql_with_a_gist_of_one_line() -> None:
    (call,) = calls(turn(1, "SELECT a\nFROM   t"), Budget())
    assert call.gist == "SELECT a FROM t"
    assert str(call.source).startswith("<b>SELECT</b> a")
    assert call.result
    assert call.result.size == "1 row"


def test_code_is_shown_as_python_and_other_arguments_by_name() -> None:
    (call,) = calls(_turn("execute_code", '{"code": "for x in y: pass", "timeout": 5}'), Budget())
    assert "<b>for</b>" in str(call.source)
    assert call.arguments == (("timeout", "5"),)


def test_a_call_without_source_shows_its_arguments() -> None:
    (call,) = calls(_turn("describe_table", '{"table_name": "flights"}'), Budget())
    assert call.source is None
    assert call.gist == "flights"


@pytest.mark.parametrize("emitted", ['{"query": "SELECT', "[1]", '"text"', "no json <b>"])
def test_arguments_that_are_no_json_object_are_shown_as_they_were_emitted(emitted: str) -> None:
    (call,) = calls(_turn("execute_query", emitted), Budget())
    assert call.source is None
    assert call.arguments == (("", emitted),)


def test_a_source_beyond_the_budget_is_cut_and_says_by_how_much() -> None:
    (call,) = calls(turn(1, "x" * 100), Budget(source=40))
    assert (str(call.source), call.cut) == ("x" * 40, 60)


def test_errors_cuts_and_attempts_to_look_are_said() -> None:
    made = _turn("execute_query", "{}", is_error=True, error_kind="sql", violations=("v",))
    (call,) = calls(made, Budget())
    assert (call.is_error, call.error_kind, call.violations) == (True, "sql", ("v",))
    (call,) = calls(_turn("execute_query", "{}", truncated=True), Budget())
    assert call.truncated


def test_a_call_whose_answer_was_lost_and_an_answer_whose_call_was_are_both_shown() -> None:
    whole = turn(1)
    other = whole.tool_results[0].model_copy(update={"call_id": "c9", "name": "describe_table"})
    first, second = calls(whole.model_copy(update={"tool_results": (other,)}), Budget())
    assert (first.name, first.result, first.duration_s) == ("execute_query", None, None)
    assert second.name == "describe_table"
    assert second.result
