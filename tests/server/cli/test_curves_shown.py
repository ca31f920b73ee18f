"""What is said beside curves: usage that is unknown or only reported, limits, what cannot be fitted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from analysis.area import common_range
from analysis.curves import read_off
from analysis.growth import Growth
from bench.curves import Plan, planted
from core.run import Limits
from core.trajectory import ModelCall, Usage
from evaluator.comparable import differences
from server.cli.curves_shown import as_json, show
from server.cli.output import Output
from server.curves import RunCurves
from server.curves_asked import Shown, nothing, tables_of
from server.reruns import Rerun
from server.spending import spent
from tests.analysis.grown import alike, entity, grown, run
from tests.server.support import START, evaluation, spec

OUT = Output()


def shown(
    made: Growth, *, roles: Any = None, reruns: tuple[Rerun, ...] = (), **changes: Any
) -> Shown:
    """One run's, with what it is asked to be."""
    of = spec(
        **{key: changes.pop(key) for key in list(changes) if key in ("limits", "announced_budget")}
    )
    own = evaluation(of, f"{of.id}.e1")
    fields: dict[str, Any] = {"level": "message", "dating": "first", **changes}
    curves = read_off(made, of.id, over=common_range([made]), refits=50)
    return Shown(
        axis=made.axis,
        runs=(RunCurves("m", of, own, growths={made.axis: made}, **fields),),
        curves=(curves,),
        reruns=reruns,
        differences=differences([]),
        roles={of.id: roles or {}},
    )


def told(found: Shown, capsys: pytest.CaptureFixture[str]) -> str:
    show(found, OUT)
    return " ".join(capsys.readouterr().out.split())


FOUR = alike(4, 5, [2, 5, 5, 9], 12)


def test_a_fit_is_told_with_its_intervals_and_how_its_rivals_do(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = told(shown(planted(Plan(30, "turn", 0.6, 0.3, 10.0, 0.1), 1)), capsys)
    assert "logistic: ceiling " in said
    assert "midpoint " in said and " per turn, rmse 0.0" in said
    assert "against gompertz (rmse 0.0" in said
    assert "against log (rmse 0.0" in said and "the logistic is nearer" in said


def test_few_entities_have_no_interval_and_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no intervals: 4 entities are too few for an interval" in told(shown(FOUR), capsys)


def test_what_cannot_be_fitted_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    said = told(shown(alike(4, 5, [], 12)), capsys)
    assert "no logistic: nothing was found" in said
    assert as_json(shown(alike(4, 5, [], 12)))["runs"][0]["no_fit"] == "nothing was found"


def test_a_midpoint_that_nobody_reached_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    places = [float(turn) for turn in range(6, 13) for _ in range(round(1.6 ** (turn - 5)))]
    assert "(beyond what was explored)" in told(shown(alike(4, 400, places, 12)), capsys)


def test_trajectories_that_are_left_out_are_counted_with_the_reason(
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = replace(FOUR, left_out={"a call reported no usage": 3, "a call has no price": 1})
    said = told(shown(made), capsys)
    assert "left out, not counted as 0: 3 trajectories, a call reported no usage" in said
    assert "left out, not counted as 0: 1 trajectory, a call has no price" in said


def test_a_reported_total_is_said_to_be_the_agents_own_word(
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = grown(entity("a", 2, run(1230, end=1230, first=1230)), axis="billed_tokens")
    found = shown(replace(made, source="reported"))
    said = told(found, capsys)
    assert "usage is the agent's own word, and a total alone" in said
    assert "no logistic: a reported total has no places of turns" in said
    assert "among active" not in said.split("post-hoc")[1]
    assert as_json(found)["runs"][0]["source"] == "reported"


def test_support_without_a_turn_is_a_share_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    first, *others = FOUR.entities
    made = replace(FOUR, entities=(replace(first, undated=1), *others))
    assert "undated: 5.0% of items are supported by no turn in particular" in told(
        shown(made), capsys
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"limits": Limits(max_turns=12), "announced_budget": True},
            "limit of the run: 12; the agent was told of it",
        ),
        ({"limits": Limits(max_turns=12)}, "limit of the run: 12; the agent was not told of it"),
        ({"announced_budget": True}, "the agent was told of a budget"),
        ({"dating": "last"}, "a find counts from the last supporting turn (protocol ddr)"),
        (
            {"dating": "sufficient"},
            "a find counts from the first turn by which the insights suffice",
        ),
        ({"level": "trajectory"}, "of reports: a find counts from where the exploration ended"),
    ],
)
def test_how_a_run_was_held_and_how_it_is_read_is_said(
    changes: dict[str, Any], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said in told(shown(FOUR, **changes), capsys)


def test_the_other_roles_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    def of(role: Any, tokens: int | None) -> ModelCall:
        usage = Usage(input_tokens=tokens, output_tokens=1, cost_usd=0.5)
        return ModelCall(role=role, model_asked="m", usage=usage, started_at=START, duration_s=1)

    found = shown(
        FOUR, roles={"agent": spent([of("agent", 1200)]), "insight": spent([of("insight", None)])}
    )
    said = told(found, capsys)
    assert "agent (on the axis) 1,200 / 1 tokens, $0.5000; insight - / 1 tokens, $0.5000" in said
    assert as_json(found)["runs"][0]["roles"]["insight"]["usage"]["input_tokens"] is None


RERUN = Rerun("r2", "20260131-small-ab12", 5.0, True, 4, 0.25, 0.4, -0.3, 0.0)


def test_a_real_run_is_told_with_its_difference_and_drawn_and_tabled(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = shown(FOUR, reruns=(RERUN,))
    said = told(found, capsys)
    assert "really held to 5 (told of it): r2 found 25.0%" in said
    assert "had found 40.0%; difference -15.0 points (-30.0 - 0.0), 4 entities" in said
    assert b"real runs held to a limit" in found.draw("svg")
    (table,) = [each for each in tables_of(found) if each.name == "reruns"]
    assert table.rows[0][:6] == ("r2", "20260131-small-ab12", "turn", 5.0, True, 4)
    assert b"real runs held" not in shown(FOUR).draw("svg")


@pytest.mark.parametrize(
    ("axis", "places", "said"),
    [
        ("cost_usd", (0.012, 0.34), "area over log cost ($), $0.012 to $0.34"),
        ("seconds", (1.5, 300.0), "area over log seconds, 1.5 s to 300.0 s"),
        ("new_tokens", (1200.0, 34_000.0), "area over log new tokens, 1,200 to 34,000"),
    ],
)
def test_places_are_told_in_the_units_of_their_axis(
    axis: Any, places: tuple[float, float], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first, last = places
    made = grown(
        *(entity(str(n), 3, run(last / 2, end=last, first=first)) for n in range(3)), axis=axis
    )
    assert said in told(shown(made), capsys)


def test_json_has_the_same_figures() -> None:
    found = shown(FOUR, reruns=(RERUN,))
    body = as_json(found)
    assert (body["axis"], body["marginal_per"]) == ("turn", "turn")
    (one,) = body["runs"]
    assert one["points"][-1]["value"] == 0.8
    assert (one["entities"], one["trajectories"], one["limit"]) == (4, 4, None)
    assert sum(each["new"] for each in one["marginal"]) == 16
    assert body["reruns"][0]["threshold"] == 0.4
    assert {each["name"] for each in one["shapes"]} == {"logistic", "gompertz", "log"}


def test_why_there_is_no_curve_names_the_reasons_and_the_axis_that_has_one() -> None:
    empty = Growth("m", "cost_usd", (), left_out={"its agent asks no model": 16})
    why = nothing(shown(empty))
    assert why.startswith("no curve along cost_usd: m: its agent asks no model (16 of")
    assert nothing(shown(Growth("m", "turn", ()))).startswith("no curve along turn: nothing was")


def test_names_that_would_move_a_cursor_are_spelt_out(capsys: pytest.CaptureFixture[str]) -> None:
    found = shown(FOUR)
    evil = replace(found, runs=(replace(found.runs[0], name="m\x1b[2J"),))
    show(evil, OUT)
    assert "\x1b" not in capsys.readouterr().out
