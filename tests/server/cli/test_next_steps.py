"""What a command tells somebody to do next can be done, as it is told."""

from __future__ import annotations

import json
import re
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import typer

from checklists.canonical import items_hash
from checklists.loader import checklist_for
from core.checklist import Checklist
from databases.catalog import InstalledScenario, open_scenario, scenario_ids
from server.cli.building import _thin, as_typed
from server.cli.main import build_app
from tests.server.cli.conftest import Ddr

MADE_OF_FILES = ("filings", "patients", "wearables")


@pytest.mark.parametrize("scenario", MADE_OF_FILES)
def test_what_is_made_of_files_names_a_place_for_them_and_the_twin(ddr: Ddr, scenario: str) -> None:
    failed = ddr("run", "--scenario", scenario, "--agent", "profiler")
    assert failed.code == 1
    for told in (failed.err, ddr("scenarios", "show", scenario).out):
        assert f"ddr scenarios build {scenario} --from PATH; or its generated twin" in told
        assert f"ddr scenarios build {scenario} --synthetic" in told


def test_what_has_no_twin_names_the_files_alone_and_what_needs_none_nothing(ddr: Ddr) -> None:
    sets = ddr("scenarios", "show", "insightbench").out
    assert "ddr scenarios build insightbench --from PATH" in sets
    assert "--synthetic" not in sets
    assert "scenarios build flights\n" in ddr("scenarios", "show", "flights").out


def test_every_build_option_is_shown_as_the_command_takes_it(tmp_path: Path) -> None:
    build: Any = typer.main.get_command(build_app())
    for word in ("scenarios", "build"):
        build = build.commands[word]
    known = {spelling for parameter in build.params for spelling in parameter.opts}
    for name in scenario_ids():
        section = open_scenario(name, tmp_path).manifest.build
        for option, value in (section.options if section else {}).items():
            flag, *given = as_typed(option, value).split(" ", 1)
            assert flag in known, (name, option)
            assert flag != "--set" or given[0].startswith(f"{option}=")
            # What has a spelling of its own is not sent by way of --set.
            assert (flag == "--set") == (f"--{option.replace('_', '-')}" not in known)
    assert as_typed("hostile", False) == "--set hostile=false"
    assert (as_typed("seed", "7"), as_typed("synthetic", False)) == ("--seed 7", "--synthetic")


def test_lists_end_with_what_may_be_done_next_unless_it_is_to_be_quiet(ddr: Ddr) -> None:
    for group in ("scenarios", "checklists"):
        assert "\nnext: " in ddr(group, "list").out
        assert "next:" not in ddr(group, "list", "--quiet").out


def test_a_built_scenario_is_shown_with_the_run_that_explores_it(
    ddr: Ddr, built_home: Path
) -> None:
    told = ddr("scenarios", "show", "flights").out
    assert told.rstrip().endswith("ddr run --scenario flights --agent profiler")
    again = ddr("scenarios", "build", "flights")
    assert again.out.rstrip().endswith("ddr run --scenario flights --agent profiler")
    quiet = ddr("scenarios", "build", "flights", "--quiet")
    assert "next:" not in quiet.out
    assert quiet.err == ""


def test_of_many_entities_people_are_told_some_and_programs_all(
    ddr: Ddr, built_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.cli.scenarios._NAMED", 2)
    (line,) = (
        x
        for x in ddr("scenarios", "show", "flights").out.splitlines()
        if x.startswith("16 carriers")
    )
    assert line.endswith("and 14 more; --json names all")
    assert len(ddr("scenarios", "show", "flights", "--json").json["entities"]) == 16


def test_one_manifest_that_is_wrong_hides_no_other_scenario(ddr: Ddr, home: Path) -> None:
    broken = home / "scenarios" / "broken" / "scenario.toml"
    broken.parent.mkdir(parents=True)
    broken.write_text('id = "broken"\ntitel = "x"\n', "utf-8")
    listed = ddr("scenarios", "list")
    assert listed.code == 0
    assert "unknown key 'titel'" in listed.err
    assert re.search(r"^broken +not usable", listed.out, re.MULTILINE)
    assert re.search(r"^flights +not built", listed.out, re.MULTILINE)
    told = {one["id"]: one for one in ddr("scenarios", "list", "--json").json["scenarios"]}
    assert told["broken"].keys() == {*told["flights"], "reason"}
    assert ddr("scenarios", "show", "broken").code == 2


def part(whole: Checklist, count: int, **changes: Any) -> Checklist:
    items = tuple(item.model_copy(update=changes) for item in whole.items[:count])
    return whole.model_copy(update={"items": items, "hash": items_hash(items)})


def test_a_thin_checklist_is_told_in_one_line_and_one_that_others_published_is_not(
    flights: InstalledScenario,
) -> None:
    whole = checklist_for("flights")
    per_carrier = Counter(item.entity_id for item in whole.items)
    assert sum(number < 8 for number in per_carrier.values()) == 1
    (one,) = _thin(whole, flights)
    assert one == "fewer than 8 facts in 6 categories could be proved for 1 of 16 carriers"
    (few,) = _thin(part(whole, 3), flights)
    assert few.endswith("for 16 of 16 carriers")
    (none,) = _thin(part(whole, 0), flights)
    assert none.startswith("no fact could be proved")
    assert _thin(part(whole, 3, evidence_sql=None), flights) == []


@pytest.mark.real  # explores a small scenario of one's own
def test_what_nobody_wrote_a_checklist_for_is_explored_and_never_told_to_be_scored_as_it_is(
    ddr: Ddr, tmp_path: Path
) -> None:
    garden = tmp_path / "garden"
    garden.mkdir()
    (garden / "plants.csv").write_text("plant_id,kind\nrose-17,rose\nfern-03,fern\n", "utf-8")
    rows = [
        f"{plant},2020-05-{day:02},{day}.5" for plant in ("rose-17", "fern-03") for day in (1, 2)
    ]
    (garden / "watering.csv").write_text("\n".join(["plant_id,day,litres", *rows, ""]), "utf-8")
    assert ddr("scenarios", "new", str(garden), "--entity", "plants.plant_id").code == 0
    built = ddr("scenarios", "build", "garden")
    assert (built.code, "nothing was authored" in built.err) == (0, True)
    assert "ddr run --scenario garden --agent profiler" in built.out
    ran = ddr("run", "--scenario", "garden", "--agent", "profiler", "--entities", "P1")
    assert "next: ddr show " in ran.out.replace(f"DDR_HOME={tmp_path / 'home'} ", "")
    assert " evaluate " not in ran.out
    verified = ddr("scenarios", "verify", "garden")
    assert (verified.code, "no checklist to be proved" in verified.out) == (0, True)
    refused = ddr("evaluate", "last")
    assert refused.code == 2
    assert "'garden' has no checklist of its own: name one by --checklist" in refused.err

    read = ddr("report", "last", "--out", str(tmp_path / "read.html"))
    assert (read.code, "nobody has brought a checklist for garden" in read.err) == (0, True)

    # A checklist of one's own: its file is named again in what may be done next.
    path = tmp_path / "of mine.json"
    item = {"id": "q1", "entity_id": "P1", "question": "How much?", "answer": "1.5 litres"}
    item |= {"category": "volume", "source": "own", "status": "accepted"}
    whole = {"id": "mine", "version": "1", "scenario_id": "garden", "license": {"name": "own"}}
    path.write_text(json.dumps({**whole, "hash": "", "items": [item]}), "utf-8")
    unsealed = ddr("evaluate", "last", "--checklist", str(path))
    (found,) = re.findall(r"the items hash to (\w+), the file says nothing", unsealed.err)
    path.write_text(json.dumps({**whole, "hash": found, "items": [item]}), "utf-8")
    scored = ddr("evaluate", "last", "--checklist", str(path))
    assert scored.code == 0
    assert f"--checklist '{path}' --judge PROVIDER/MODEL" in scored.out
    *_, told = scored.out.rstrip().partition("ddr report ")
    assert ddr("report", *shlex.split(told)).code == 0
    unnamed = ddr("report", "last")
    assert (unnamed.code, "name one by --checklist" in unnamed.err) == (2, True), "it was judged"
