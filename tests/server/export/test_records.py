"""A row says what its record says: unknown stays unknown, and a host's paths stay on the host."""

from __future__ import annotations

from typing import Any

from analysis.table import Cell
from core.evaluation import CANNOT_TELL, Score, Vote
from core.run import Imported, ModelSpec
from core.trajectory import (
    UNKNOWN_USAGE,
    Insight,
    ModelCall,
    Nudge,
    StopReason,
    ToolCall,
    ToolResult,
    Trajectory,
    Turn,
    Usage,
)
from server.export.calls import MODEL_CALLS, TOOL_CALLS, calls_of_models, calls_of_tools
from server.export.fields import Layout, listed, moment
from server.export.judged import (
    EVALUATIONS,
    ITEMS,
    SCORES,
    VERDICTS,
    Ruled,
    Scored,
    calls_of_judges,
)
from server.export.records import INSIGHTS, RUNS, TRAJECTORIES, TURNS, Acted, Attempt, Said
from tests.server.support import START, draft, evaluation, insight, spec, turn, verdict

ALL: tuple[Layout[Any], ...] = (
    RUNS,
    TRAJECTORIES,
    TURNS,
    TOOL_CALLS,
    MODEL_CALLS,
    INSIGHTS,
    EVALUATIONS,
    VERDICTS,
    SCORES,
    ITEMS,
)


def row(layout: Layout[Any], record: Any) -> dict[str, Cell]:
    """One record's cells by their columns."""
    (cells,) = layout.rows([record])
    return dict(zip((column.name for column in layout.columns), cells, strict=True))


def call(role: Any, minute: int, **changes: Any) -> ModelCall:
    values: dict[str, Any] = {
        "role": role,
        "model_asked": "openai/x",
        "usage": Usage(input_tokens=10, output_tokens=2, cost_usd=0.5),
        "started_at": START.replace(minute=minute),
        "duration_s": 1.0,
    }
    return ModelCall.model_validate({**values, **changes})


def whole(**changes: Any) -> Trajectory:
    """One with a turn of two calls, a nudge, insights and a call that failed."""
    mine = draft(spec()).model_copy(update={"id": "t", "model": "openai/x"})
    failed = call("agent", 4, usage=UNKNOWN_USAGE, error="http://10.0.0.7: refused")
    acted = Turn(
        index=1,
        text="Look.",
        tool_calls=(
            ToolCall(call_id="a", name="execute_query", arguments='{"query": "SELECT 1"}'),
            ToolCall(call_id="b", name="execute_code", arguments="{"),
        ),
        tool_results=(
            ToolResult(
                call_id="a",
                name="execute_query",
                text="x" * 40,
                accessed_fields=("flights.a", "flights.b"),
                violations=("looked at a file",),
                duration_s=0.25,
            ),
        ),
        call=call("agent", 1),
        started_at=START,
        duration_s=2.0,
    )
    said = insight("t", 1).model_copy(update={"call": call("insight", 2)})
    empty = insight("t", 2, None).model_copy(
        update={"call": failed.model_copy(update={"role": "insight"})}
    )
    parts = {
        "turns": (acted,),
        "nudges": (Nudge(after_turn=1, text="?", call=call("agent", 3)),),
        "insights": (said, empty),
        "failed_calls": (failed,),
    }
    return mine.model_copy(update={**parts, **changes})


def test_every_column_is_named_once_and_says_its_kind() -> None:
    for layout in ALL:
        names = [column.name for column in layout.columns]
        assert len(set(names)) == len(names), layout.name
        for column in layout.columns:
            assert column.name == column.name.lower().replace(" ", "_")
            assert column.kind in ("text", "integer", "number", "truth")
    assert len({layout.name for layout in ALL}) == len(ALL)


def test_a_cell_is_of_the_kind_that_its_column_names() -> None:
    kinds: dict[str, Any] = {"text": str, "integer": int, "truth": bool, "number": (int, float)}
    told = whole(stop_reason=StopReason.FINISHED, ended_at=START)
    score = Score(
        competitor="a",
        level="message",
        averaging="item",
        headline=None,
        strict=0.5,
        scored_only=0.5,
        coverage=1.0,
        items=2,
        supported=1,
        contradicted=0,
        insufficient=1,
        unscored=0,
        entities=1,
    )
    found: list[tuple[Layout[Any], Any]] = [
        (RUNS, spec()),
        (TRAJECTORIES, Attempt(told, counts=True)),
        (TURNS, Acted(told, told.turns[0])),
        *((TOOL_CALLS, each) for each in calls_of_tools(told)),
        *((MODEL_CALLS, each) for each in calls_of_models(told)),
        *((INSIGHTS, Said(told, each)) for each in told.insights),
        (EVALUATIONS, evaluation(spec())),
        (VERDICTS, Ruled(evaluation(spec()), verdict("t"), "01")),
        (SCORES, Scored("r", "e1", None, None, score)),
    ]
    for layout, record in found:
        for column, cell in zip(layout.columns, layout.rows([record])[0], strict=True):
            place = f"{layout.name}.{column.name}"
            assert cell is None or isinstance(cell, kinds[column.kind]), place
            assert column.kind == "truth" or not isinstance(cell, bool), place


def test_a_trajectory_under_way_has_neither_an_end_nor_a_reason() -> None:
    told = row(TRAJECTORIES, Attempt(whole(), counts=False))
    assert (told["stop_reason"], told["self_terminated"], told["ended_at"]) == (None, None, None)
    assert (told["counts"], told["turns"], told["tool_calls"], told["nudges"]) == (False, 1, 2, 1)
    assert (told["insights"], told["has_report"]) == (1, False)


def test_usage_that_nobody_reported_is_unknown_and_never_0() -> None:
    told = row(TRAJECTORIES, Attempt(whole(), counts=True))
    # One of its calls failed: what that took nobody said, so that the sum is not known.
    assert told["agent_input_tokens"] is None
    assert told["agent_cost_usd"] is None
    without = whole(failed_calls=())
    told = row(TRAJECTORIES, Attempt(without, counts=True))
    assert (told["agent_input_tokens"], told["agent_cost_usd"]) == (20, 1.0)
    bare = row(TURNS, Acted(without, turn(1)))
    assert (bare["input_tokens"], bare["cost_usd"]) == (None, None)


def test_a_call_without_an_answer_keeps_its_row() -> None:
    first, second = (row(TOOL_CALLS, each) for each in calls_of_tools(whole()))
    assert (first["position"], first["result_characters"], first["violations"]) == (1, 40, 1)
    assert first["accessed_fields"] == "flights.a flights.b"
    assert (second["tool"], second["arguments"]) == ("execute_code", "{")
    assert (second["is_error"], second["duration_s"], second["accessed_fields"]) == (
        None,
        None,
        None,
    )


def test_each_request_to_a_model_is_a_row_and_no_other_is() -> None:
    told = whole()
    found = [row(MODEL_CALLS, each) for each in calls_of_models(told)]
    assert len(found) == len(told.calls) == 5
    assert sorted((str(each["role"]), each["turn"]) for each in found if each["turn"]) == [
        ("agent", 1),
        ("insight", 1),
        ("insight", 2),
    ]
    assert [each["failed"] for each in found].count(True) == 2
    assert all("10.0.0.7" not in str(cell) for each in found for cell in each.values())


def test_requests_of_judges_are_told_with_their_evaluation() -> None:
    told = whole()
    votes = tuple(Vote(judge=name, label=None, call=call("checker", 9)) for name in ("a", "b"))
    said = [
        verdict("t", "q1", votes=votes),
        verdict("t", "q2", call=call("checker", 8)),
        verdict("t", "q3"),
    ]
    found = list(calls_of_judges(evaluation(spec()), said, {"t": told}))
    assert [(each.evaluation_id, each.entity_id, each.turn) for each in found] == [
        ("e1", "01", None)
    ] * 3


def test_what_may_quote_the_checklist_is_there_only_where_it_is_asked_for() -> None:
    said = verdict("t", reason="forty-two", evidence="it is forty-two", chosen="forty-two")
    ruled = Ruled(evaluation(spec()), said, "01")
    hidden = row(VERDICTS.shown(with_answers=False), ruled)
    assert not any("forty-two" in str(cell) for cell in hidden.values())
    assert hidden["found_at_turn"] == 1
    assert hidden["supporting_turns"] == "2 1"
    told = row(VERDICTS.shown(with_answers=True), ruled)
    assert (told["reason"], told["chosen"]) == ("forty-two", "forty-two")
    could_not = verdict("t", label="insufficient", chosen=CANNOT_TELL, supporting_turns=())
    assert row(VERDICTS.shown(with_answers=False), Ruled(evaluation(spec()), could_not, "01"))[
        "cannot_tell"
    ]


def test_a_scripted_model_is_named_without_its_folder() -> None:
    run = spec(model=ModelSpec(provider="scripted", name="/home/somebody/replies.jsonl"))
    assert row(RUNS, run)["model"] == row(RUNS, run)["competitor"] == "scripted:replies.jsonl"
    served = spec(model=ModelSpec(provider="vllm", name="registry:5000/org/model"))
    name = "vllm/registry:5000/org/model"
    assert row(RUNS, served)["model"] == row(RUNS, served)["competitor"] == name


def test_all_who_served_what_is_summed_up_are_named_without_their_folders() -> None:
    served = "scripted:/home/zoe/x.jsonl, scripted:/home/kurt/y.jsonl"
    made = call("checker", 5).model_copy(update={"model_served": served})
    (found,) = calls_of_judges(evaluation(spec()), [verdict("t", "q1", call=made)], {})
    assert row(MODEL_CALLS, found)["model_served"] == "scripted:x.jsonl, scripted:y.jsonl"
    (unknown,) = calls_of_judges(
        evaluation(spec()), [verdict("t", "q1", call=call("checker", 5))], {}
    )
    assert row(MODEL_CALLS, unknown)["model_served"] is None


def test_a_run_says_how_it_came_here() -> None:
    assert row(RUNS, spec())["imported_form"] is None
    logs = Imported(form="jsonl", source="mine.jsonl")
    assert row(RUNS, spec(imported=logs))["imported_form"] == "jsonl"
    bundled = Imported(form="bundle", source="run.zip", before=logs)
    told = row(RUNS, spec(imported=bundled))
    assert (told["imported_form"], told["agent_class"]) == ("bundle", "undeclared")


def test_times_are_utc_and_lists_have_one_cell() -> None:
    assert moment(START) == "2026-01-31T12:00:00Z"
    assert moment(None) is None
    assert listed((3, 1)) == "3 1"
    assert listed(()) is None


def test_an_insight_that_failed_is_told_from_an_empty_one() -> None:
    told = whole()
    failed = row(INSIGHTS, Said(told, told.insights[1]))
    assert (failed["text"], failed["failed"], failed["turn"]) == (None, True, 2)
    silent = Insight(id="i", trajectory_id="t", level="message", turn=1, text=None, author="a")
    assert row(INSIGHTS, Said(told, silent))["failed"] is False
