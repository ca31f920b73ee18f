"""`ddr checklists review`: sheets of several people become one checklist, and only what is agreed scores."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from checklists.canonical import items_hash
from checklists.loader import load
from core.checklist import Checklist
from core.scenario import License
from server import settings as places
from server.authoring import keep_checklist
from tests.checklists.review.test_sheet import item
from tests.server.cli.conftest import Ddr


@pytest.fixture
def mine(home: Path) -> Checklist:
    """A checklist of one's own with three items that wait."""
    items = tuple(item(n) for n in (1, 2, 3))
    made = Checklist(
        id="mine",
        version="1",
        scenario_id="flights",
        hash=items_hash(items),
        license=License(name="x"),
        items=items,
    )
    keep_checklist(made, places.load().prepare())
    return made


def fill(path: Path, *decisions: str) -> None:
    """Write y, n or nothing into the sheet's rows, in order."""
    words = {"y": ("accepted", ""), "n": ("rejected", "wrong"), "": ("", "")}
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline="")))
    for row, said in zip(rows, decisions, strict=True):
        row["decision"], row["why"] = words[said]
    with path.open("w", newline="", encoding="utf-8-sig") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def test_two_reviewers_decide_their_agreement_is_told_and_conflicts_wait(
    ddr: Ddr, home: Path, tmp_path: Path, mine: Checklist
) -> None:
    for who, said in (("Ada", "yyn"), ("Bo", "yn ")):
        path = tmp_path / f"{who}.csv"
        out = ddr("checklists", "review", "mine", "--out", str(path))
        assert (out.code, "3 items written" in out.out) == (0, True)
        fill(path, *(letter.strip() for letter in said))
        done = ddr("checklists", "review", "mine", "--in", str(path), "--who", who, "--json")
        assert done.code == 0, done.err
    told = done.json
    assert told["statuses"] == {"accepted": 1, "proposed": 1, "rejected": 1}
    assert told["conflicts"] == ["i2"]
    assert (told["agreement"]["items"], told["agreement"]["share"]) == (2, 0.5)
    assert told["agreement"]["kappa"] == pytest.approx(0.0)
    kept = load("mine", home / "checklists")
    assert [each.id for each in kept.of("P1")] == ["i1"]
    assert [d.who for d in kept.items[0].decisions] == ["Ada", "Bo"]
    shown = ddr("checklists", "review", "mine").out
    assert "1 accepted, 1 proposed, 1 rejected; only accepted ones score" in shown
    assert "Cohen's kappa 0.000, Krippendorff's alpha 0.000" in shown
    assert "in conflict: i2" in shown
    again = ddr("checklists", "review", "mine", "--in", str(path), "--who", "Bo", "--json")
    assert again.json["hash"] == told["hash"]


def test_a_sheet_that_is_wrong_changes_nothing_even_beside_a_right_one(
    ddr: Ddr, home: Path, tmp_path: Path, mine: Checklist
) -> None:
    right, wrong = tmp_path / "right.csv", tmp_path / "wrong.csv"
    for path in (right, wrong):
        assert ddr("checklists", "review", "mine", "--out", str(path)).code == 0
        fill(path, "y", "y", "y")
    wrong.write_text(wrong.read_text("utf-8-sig").replace("day 2", "day 9"), "utf-8")
    sheets = ("--in", str(right), "--in", str(wrong))
    done = ddr("checklists", "review", "mine", *sheets, "--who", "Ada")
    assert done.code == 1
    assert "wrong.csv: line 4, column 'question'" in done.err
    assert load("mine", home / "checklists") == mine


def test_a_filled_in_sheet_is_not_written_over_and_a_sheet_may_hold_some_alone(
    ddr: Ddr, tmp_path: Path, mine: Checklist
) -> None:
    path = str(tmp_path / "s.jsonl")
    assert ddr("checklists", "review", "mine", "--out", path, "--only", "accepted").code == 0
    assert Path(path).read_text() == ""
    assert Path(path).stat().st_mode & 0o777 == 0o600, "the answers stand in it"
    assert "is there already" in ddr("checklists", "review", "mine", "--out", path).err
    assert ddr("checklists", "review", "mine", "--out", path, "--replace").code == 0
    assert len(Path(path).read_text().splitlines()) == 3


def test_a_shipped_checklist_is_decided_on_as_a_copy(ddr: Ddr, home: Path, tmp_path: Path) -> None:
    path = str(tmp_path / "s.csv")
    assert ddr("checklists", "review", "flights", "--out", path).code == 0
    rows = Path(path).read_text("utf-8-sig").splitlines()
    assert len(rows) >= 187
    done = ddr("checklists", "review", "flights", "--in", path, "--who", "Ada")
    assert (done.code, "decide on a copy of it, by --id NEW" in done.err) == (2, True)
    given = ("--in", path, "--who", "Ada", "--id", "flights-screened")
    assert ddr("checklists", "review", "flights", *given).code == 0
    assert load("flights-screened", home / "checklists").scenario_id == "flights"
    again = ddr("checklists", "review", "flights", *given)
    assert (again.code, "give another --id" in again.err) == (2, True)


def test_one_that_a_build_writes_anew_is_decided_on_as_a_copy(
    ddr: Ddr, tmp_path: Path, mine: Checklist
) -> None:
    own = mine.model_copy(update={"id": "ward", "scenario_id": "ward"})
    keep_checklist(own, places.load())
    path = str(tmp_path / "s.csv")
    assert ddr("checklists", "review", "ward", "--out", path).code == 0
    done = ddr("checklists", "review", "ward", "--in", path, "--who", "Ada")
    assert (done.code, "written anew by each build" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--out", "a.csv", "--in", "b.csv"), "give --out or --in"),
        (("--out", "a.xlsx"), "ends in .csv or .jsonl"),
        (("--who", "Ada"), "go with --in"),
        (("--only", "accepted"), "go with --out"),
        (("--out", "a.csv", "--only", "good"), "unknown status 'good'"),
        (("--in", "b.csv", "--id", "../x"), "cannot be kept"),
    ],
)
def test_what_cannot_be_done_is_told(
    ddr: Ddr, mine: Checklist, given: tuple[str, ...], said: str
) -> None:
    done = ddr("checklists", "review", "mine", *given)
    assert (done.code, said in done.err) == (2, True), done.err
