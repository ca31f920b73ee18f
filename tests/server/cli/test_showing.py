"""A turn reads well: programs as programs, results as tables, errors as errors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.trajectory import StopReason, ToolCall, ToolResult, Trajectory, Turn
from server.cli.output import Output
from server.cli.showing import show_run, show_turn
from server.store import Repository
from tests.server.support import START, draft, insight, spec

LONG = {"columns": ["n", "name"], "rows": [[i, f"name {i}"] for i in range(30)], "truncated": True}


def _shown(capsys: pytest.CaptureFixture[str], arguments: str, answer: str, **changes: Any) -> str:
    whole = changes.pop("whole", True)
    turn = Turn(
        index=1,
        text="Count them.",
        tool_calls=(ToolCall(call_id="c", name="execute_query", arguments=arguments),),
        tool_results=(
            ToolResult(call_id="c", name="execute_query", text=answer, duration_s=0, **changes),
        ),
        started_at=START,
        duration_s=0.25,
    )
    trajectory: Trajectory = draft(spec()).model_copy(
        update={"turns": (turn,), "insights": (insight("t", 1, "There are 30."),)}
    )
    show_turn(trajectory, turn, Output(), whole=whole)
    return capsys.readouterr().out


def test_a_query_stands_on_its_own_lines_beside_its_other_arguments(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = json.dumps({"query": "SELECT *\nFROM t", "limit": 200})
    text = _shown(capsys, arguments, "{}")
    assert "  > execute_query limit=200\n    SELECT *\n    FROM t\n" in text
    assert text.startswith("\nturn 1  (0.25 s)\n  Count them.\n")
    assert text.endswith("  * There are 30.\n")


def test_rows_are_a_table_whole_or_its_beginning(capsys: pytest.CaptureFixture[str]) -> None:
    whole = _shown(capsys, "{}", json.dumps(LONG))
    assert "  < 30 rows, more were cut\n" in whole
    assert "name 29" in whole
    begun = _shown(capsys, "{}", json.dumps(LONG), whole=False)
    assert "30 rows, more were cut, the first 8" in begun
    assert "name 7" in begun
    assert "name 8" not in begun


def test_an_error_is_told_with_its_kind(capsys: pytest.CaptureFixture[str]) -> None:
    text = _shown(capsys, "{}", "no column nope", is_error=True, error_kind="sql")
    assert "  < error (sql): no column nope\n" in text


@pytest.mark.parametrize("arguments", ['{"query": "SELECT 1', "[1]", ""])
def test_arguments_that_are_no_object_are_shown_as_they_came(
    capsys: pytest.CaptureFixture[str], arguments: str
) -> None:
    assert f"  > execute_query {arguments}\n" in _shown(capsys, arguments, "{}")


@pytest.mark.parametrize(
    "answer",
    [
        "plain words",
        '{"columns": [{"name": "a"}], "rows": []}',
        "[]",
        '{"columns": [], "rows": [[]]}',
        '{"columns": ["a"], "rows": [1]}',
    ],
)
def test_an_answer_that_is_no_table_is_shown_as_it_came(
    capsys: pytest.CaptureFixture[str], answer: str
) -> None:
    assert f"  < {answer}\n" in _shown(capsys, "{}", answer)


def _thinking(reasoning: str) -> Turn:
    return Turn(index=1, text="So be it.", reasoning=reasoning, started_at=START, duration_s=0)


def test_reasoning_is_shown_whole_with_its_turn(capsys: pytest.CaptureFixture[str]) -> None:
    show_turn(draft(spec()), _thinking("First the tables.\n\nThen the rows."), Output())
    said = capsys.readouterr().out
    assert "  ~ First the tables.\n  ~\n  ~ Then the rows.\n  So be it.\n" in said


def test_in_an_overview_reasoning_is_one_line_cut_with_its_length(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_turn(draft(spec()), _thinking("word " * 100), Output(), whole=False)
    (line,) = [x for x in capsys.readouterr().out.splitlines() if x.startswith("  ~ ")]
    assert line.endswith("… (500 characters)")
    assert len(line) < 200
    show_turn(draft(spec()), _thinking("In short:\nyes."), Output(), whole=False)
    assert "  ~ In short: yes.\n" in capsys.readouterr().out


@pytest.mark.parametrize("reasoning", ["", "  \n"])
def test_blank_reasoning_is_not_shown(capsys: pytest.CaptureFixture[str], reasoning: str) -> None:
    show_turn(draft(spec()), _thinking(reasoning), Output())
    assert "~" not in capsys.readouterr().out


def test_one_row_is_one_row(capsys: pytest.CaptureFixture[str]) -> None:
    text = _shown(capsys, "{}", json.dumps({"columns": ["n"], "rows": [[1]]}))
    assert "  < 1 row\n" in text


def test_an_error_that_many_trajectories_share_is_told_once_with_its_count(
    store: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    run = spec(entity_ids=[f"{number:02}" for number in range(1, 13)])
    store.add_run(run)
    for entity_id in run.entity_ids:
        mine = store.start_trajectory(draft(run, entity_id))
        error = "a timeout" if entity_id == "12" else "401 from the endpoint"
        store.end_trajectory(mine.id, StopReason.PROVIDER_ERROR, ended_at=START, error=error)
    show_run(run, store, Output())
    said = capsys.readouterr().out.splitlines()
    named = "01, 02, 03, 04, 05, 06, 07, 08 and 3 more"
    assert said.count(f"11 trajectories ({named}): 401 from the endpoint") == 1
    assert said.count("12: a timeout") == 1
