"""What `ddr exploration` tells people, of explorations that are made to say each thing."""

from __future__ import annotations

import pytest

from analysis.exploration.explored import Exploration, Group, explore
from analysis.exploration.fields import Fields, available
from analysis.exploration.tables import tables
from evaluator.comparable import Difference
from server.cli.exploration_shown import as_json, show
from server.cli.output import Output
from server.exploration import Found
from tests.analysis.exploration.making import fields, reading, schema, sql

WIDE = fields(t=" ".join(f"c{k}" for k in range(20)), u="x", v="y")


def hill(models: int = 5) -> Exploration:
    """Models whose accuracy is highest where they read half of the fields."""
    groups = []
    for model in range(models):
        made, accuracy = [], {}
        for entity in range(10):
            read = 2 + 2 * entity
            name = f"{model}.{entity}"
            names = [f"t.c{k}" for k in range(min(read, 20))]
            made.append(reading([sql(*names)], [sql(names[0])], name=name, entity=str(entity)))
            accuracy[name] = 0.6 - 2 * (read / 22 - 0.5) ** 2 + 0.01 * ((entity + model) % 3)
        groups.append(Group(f"model {model}", made, accuracy))
    return explore(groups, WIDE, dialect="duckdb", clusters={})


def told(capsys: pytest.CaptureFixture[str], exploration: Exploration, **more: object) -> str:
    values = {"evaluations": (None,), **more}
    show(Found(exploration, **values), Output())  # type: ignore[arg-type]
    return capsys.readouterr().out


def small(group: Group, made: Fields = WIDE) -> Exploration:
    return explore([group], made, dialect="duckdb", clusters={})


def test_a_hill_is_told_with_its_top_and_what_makes_it_doubtful(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = told(capsys, hill())
    (by_model,) = [line for line in said.splitlines() if line.startswith("coverage  model (5)")]
    assert by_model.split()[-1] == "yes"
    assert " 0.5" in by_model
    assert any(line.startswith("coverage  entity (10)") for line in said.splitlines())
    assert "warning: 5 clusters are few: the errors are too small" in said
    assert "warning: 10 clusters are few" in said
    bins = [line for line in said.splitlines() if line.startswith("coverage  0.")]
    assert len(bins) == 5


def test_two_models_have_a_curve_and_no_errors(capsys: pytest.CaptureFixture[str]) -> None:
    said = told(capsys, hill(models=2))
    assert "coverage, clustered by model: 2 clusters give three coefficients no errors" in said
    (line,) = [line for line in said.splitlines() if line.startswith("coverage  model (2)")]
    assert line.split()[-1] == "unknown"


def test_a_long_list_of_what_nobody_read_is_cut_and_says_so(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = told(capsys, small(Group("m", [reading([sql("t.c0")])])))
    assert "  2 tables: u, v" in said
    assert "  19 columns of other tables: t.c1, t.c2" in said
    assert "t.c12 and 7 more" in said
    assert "t.c13" not in said


def test_facts_that_nobody_asked_for_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    made = available(schema(f="concept"), facts={"f": ("concept", ["A", "B", "C"])})
    mine = Group("m", [reading([sql("f.concept", "f.concept=B")])])
    said = told(capsys, small(mine, made))
    assert "2 of 3 facts in f.concept, which nobody asked for by name" in said


def test_all_read_is_told_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    said = told(capsys, small(Group("m", [reading([sql("t.a")])]), fields(t="a")))
    assert "never read: nothing" in said


def test_what_lies_behind_the_figures_is_told_before_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = told(
        capsys,
        small(Group("m", [reading([sql("t.c0")])])),
        different=(Difference("checker", {"llm": ("a",), "matching": ("b",)}),),
        recovered=("run-1", "run-2"),
        left_out=3,
    )
    assert "NOT COMPARABLE, their accuracies rest on different things: checker: llm (a)" in said
    assert "fields worked out from its SQL: run-1, run-2" in said
    assert "left out, not ended or ended by no fault of the agent: 3" in said


def test_nothing_to_tell_of_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    said = told(capsys, small(Group("m", [])), left_out=2)
    assert said.splitlines()[-1] == "there is no trajectory to tell of"


def test_too_short_trajectories_have_no_thirds(capsys: pytest.CaptureFixture[str]) -> None:
    said = told(capsys, small(Group("m", [reading([sql("t.c0")], [sql("t.c1")])])))
    assert "m: no trajectory has three turns with a call" in said


def test_nothing_read_has_no_entropy(capsys: pytest.CaptureFixture[str]) -> None:
    said = told(capsys, small(Group("m", [reading([sql()])])))
    assert "0.00 (0.00-0.00)" in said
    assert "unknown" in said


def test_hostile_names_reach_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    name = "evil\x1b[2J\nname"
    table = schema(t="a").tables[0].model_copy(update={"name": name})
    made = available(schema().model_copy(update={"tables": (table,)}))
    said = told(capsys, small(Group("m\x1b]0;x", [reading([sql()])]), made))
    assert "\x1b" not in said
    assert "evil\\x1b[2J\\nname" in said


def test_json_is_of_plain_values_and_without_the_long_tables() -> None:
    exploration = hill()
    found = as_json(Found(exploration, evaluations=(None,) * 5), tables(exploration))
    assert set(found) >= {"trajectories", "regime", "bins", "thirds", "heat", "endings"}
    assert "turns" not in found
    assert "fields" in found and found["fields"] == 22
    assert [each["is_balanced"] for each in found["regime"]][:2] == [True, True]
    assert found["never_read"] == {
        "tables": ["u", "v"],
        "columns": [],
        "facts": [],
    }
