"""`ddr run --announce-budget`: what the model was told stands in the record, and the scores stand apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.store import open_store
from tests.server.cli.conftest import Ddr
from tests.server.cli.test_run_models import DONE, QUERY, explore, script

pytestmark = pytest.mark.real  # whole runs with models


def test_what_the_model_is_told_is_recorded_word_for_word(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    model = script(tmp_path, QUERY, QUERY, DONE)
    done = explore(ddr, "--model", model, "--limits", "max_turns=5", "--announce-budget")
    assert done.code == 0, done.err
    assert done.json["announced_budget"] is True
    with open_store(built_home / "store.sqlite3") as store:
        spec = store.run("last")
        (only,) = store.trajectories(spec.id)
    assert spec.announced_budget
    assert only.preamble is not None
    assert only.preamble.start_prompt.endswith("[What is left for this exploration: 5 turns.]")
    assert [turn.told for turn in only.turns] == [
        "[What is left for this exploration: 4 turns.]",
        "[What is left for this exploration: 3 turns.]",
    ]
    again = explore(
        ddr, "--model", f"replay:{spec.id}", "--limits", "max_turns=5", "--announce-budget"
    )
    assert again.code == 0, again.err
    assert again.json["stop_reasons"] == {"finished": 1}
    # Without the budget its replay is another conversation.
    assert explore(ddr, "--model", f"replay:{spec.id}").json["stop_reasons"] == {
        "provider_error": 1
    }


def test_scores_under_an_announced_budget_stand_in_no_column_with_others(
    ddr: Ddr, built_home: Path, tmp_path: Path
) -> None:
    told, untold = (script(tmp_path, QUERY, DONE, name=name) for name in ("a.jsonl", "b.jsonl"))
    limits = ("--limits", "max_turns=5")
    one = explore(ddr, "--model", told, *limits, "--announce-budget").json["run"]
    two = explore(ddr, "--model", untold, *limits).json["run"]
    for run in (one, two):
        assert ddr("evaluate", run, "--baselines", "none", "--quiet").code == 0
    done = ddr("diff", one, two)
    assert done.code == 2
    assert f"told what is left of its budget: yes (scripted:{tmp_path}/a.jsonl)" in done.err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ((), "nothing to tell: give a limit, as --limits max_turns=30"),
        (("--limits", "max_idle_turns=2"), "nothing to tell"),
        (("--agent", "profiler", "--limits", "max_turns=3"), "is for the agent react"),
    ],
)
def test_where_there_is_nothing_to_tell_it_is_refused(
    ddr: Ddr, built_home: Path, tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    model = () if "--agent" in more else ("--model", script(tmp_path, DONE))
    done = explore(ddr, *model, *more, "--announce-budget")
    assert done.code == 2 and said in done.err
