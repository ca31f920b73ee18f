"""The twin: as many rows as asked for, the same for a seed, and values that answer to the hidden state."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.errors import UsageError
from databases.documents import Documents
from databases.patients.layout import chosen
from databases.patients.twin import generate as generating
from databases.patients.twin import people, vocabulary
from databases.patients.twin.axis import Axis, expand
from databases.patients.twin.courses import State
from databases.patients.twin.draws import Draws
from databases.patients.twin.people import Block, Crowd
from tests.databases.patients.conftest import PEOPLE, ROWS, Twin, made


def drawn(intensity: int = 1000, count: int = 400) -> State:
    draws = Draws("7")
    crowd = Crowd.drawn(draws, count, count * 2_000)
    return State.drawn(draws, next(iter(crowd.blocks(draws))), intensity)


def test_there_are_as_many_rows_as_were_asked_for(twin: Twin) -> None:
    tables = twin.installed.schema().tables
    assert sum(table.row_count for table in tables) == pytest.approx(ROWS, rel=0.02)
    assert len(twin.installed.entities()) == PEOPLE


def test_every_table_has_rows(twin: Twin) -> None:
    assert [t.name for t in twin.installed.schema().tables if not t.row_count] == []


def test_blocks_do_not_change_what_is_drawn(
    twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people, "_BLOCK_ROWS", 700)
    again = made(tmp_path, tables="all")
    assert again.installed.scenario.fingerprint == twin.installed.scenario.fingerprint


def test_the_fingerprint_of_a_seed_is_this_on_every_machine(twin: Twin) -> None:
    assert twin.installed.scenario.fingerprint == (
        "5d071aefee23f76df10bedd447c4eb8d3daa82b6365e722442d94f86b437a75e"
    )


def test_another_seed_is_other_data(twin: Twin, tmp_path: Path) -> None:
    other = made(tmp_path, tables="all", seed="8")
    assert other.installed.scenario.fingerprint != twin.installed.scenario.fingerprint


@pytest.mark.parametrize(
    ("table", "column", "of"),
    [
        ("labevents", "hadm_id", "admissions"),
        ("labevents", "itemid", "d_labitems"),
        ("labevents", "order_provider_id", "provider"),
        ("icustays", "hadm_id", "admissions"),
        ("chartevents", "stay_id", "icustays"),
        ("chartevents", "caregiver_id", "caregiver"),
        ("inputevents", "itemid", "d_items"),
        ("outputevents", "itemid", "d_items"),
        ("procedureevents", "itemid", "d_items"),
        ("datetimeevents", "itemid", "d_items"),
        ("ingredientevents", "itemid", "d_items"),
        ("prescriptions", "pharmacy_id", "pharmacy"),
        ("prescriptions", "poe_id", "poe"),
        ("emar", "poe_id", "poe"),
        ("emar", "pharmacy_id", "pharmacy"),
        ("emar_detail", "emar_id", "emar"),
        ("poe_detail", "poe_id", "poe"),
        ("diagnoses_icd", "icd_code", "d_icd_diagnoses"),
        ("procedures_icd", "icd_code", "d_icd_procedures"),
    ],
)
def test_keys_lead_to_a_row(twin: Twin, table: str, column: str, of: str) -> None:
    key = "provider_id" if of == "provider" else "code" if of == "d_hcpcs" else column
    lost = twin.query(
        f"SELECT count(*) FROM {table} WHERE {column} IS NOT NULL "
        f"AND {column} NOT IN (SELECT {key} FROM {of})"
    )
    assert lost == [(0,)]


def test_events_fall_into_their_stays(twin: Twin) -> None:
    for table, time in (("labevents", "charttime"), ("poe", "ordertime"), ("emar", "scheduletime")):
        outside = twin.query(
            f"SELECT count(*) FROM {table} t JOIN admissions a USING (hadm_id) "
            f"WHERE t.{time} < a.admittime OR t.{time} > a.dischtime + INTERVAL 2 HOUR"
        )
        assert outside == [(0,)], table


def test_rows_are_sorted_by_patient(twin: Twin) -> None:
    for table in ("labevents", "emar", "poe", "inputevents", "admissions"):
        rows = [row[0] for row in twin.query(f"SELECT subject_id FROM {table}")]
        assert rows == sorted(rows), table


def test_values_have_the_decimals_of_their_item(twin: Twin) -> None:
    odd = twin.query("SELECT value FROM labevents WHERE valuenum <> round(valuenum, 2)")
    assert odd == []
    assert twin.query("SELECT count(*) FROM labevents WHERE value::DOUBLE <> valuenum") == [(0,)]


def test_a_flag_says_that_a_value_is_outside_the_range(twin: Twin) -> None:
    wrong = twin.query(
        "SELECT count(*) FROM labevents WHERE (flag IS NOT NULL) <> "
        "(valuenum < ref_range_lower OR valuenum > ref_range_upper)"
    )
    assert wrong == [(0,)]


def test_an_acute_course_rises_after_admission_and_has_fallen_at_discharge() -> None:
    state = drawn()
    block, course = state.block, list(vocabulary.courses()).index("kidney")
    stays = np.flatnonzero(state.episodes[:, course])
    length = block.discharged - block.admitted
    early, height, late = (
        state.levels(block.owner, block.admitted + length * part // 10, np.arange(len(length)))
        for part in (0, 3, 10)
    )
    assert len(stays) > 20
    assert (early[stays, course] == 0).all()
    assert (height[stays, course] >= 440).all()
    assert (late[stays, course] <= height[stays, course] // 10).all()


def test_a_chronic_course_falls_once_it_is_treated() -> None:
    state = drawn()
    course = list(vocabulary.courses()).index("diabetes")
    ill = np.flatnonzero(state.severity[:, course])
    since, nobody = state.treated[ill, course], np.full(len(ill), -1)
    before = state.levels(ill, since, nobody)[:, course]
    after = state.levels(ill, since + 300 * people.DAY, nobody)[:, course]
    assert len(ill) > 20
    assert (after < before // 2).all()


def test_laboratory_values_answer_to_the_courses(tmp_path: Path) -> None:
    twin = made(tmp_path, entities="12", rows=24_000)
    (rise,) = twin.query(
        "SELECT avg(valuenum) FILTER (WHERE c.hadm_id IS NOT NULL) / "
        "avg(valuenum) FILTER (WHERE c.hadm_id IS NULL) FROM labevents l LEFT JOIN "
        "(SELECT DISTINCT hadm_id FROM diagnoses_icd WHERE icd_code = 'N179') c USING (hadm_id) "
        "WHERE itemid = 50912"
    )
    assert rise[0] > 1.5
    (fall,) = twin.query(
        "SELECT avg(valuenum) FILTER (WHERE charttime < first) - avg(valuenum) FILTER (WHERE "
        "charttime > first + INTERVAL 200 DAY) FROM labevents JOIN (SELECT subject_id, "
        "min(starttime) AS first FROM prescriptions WHERE drug = 'Metformin' GROUP BY ALL) "
        "USING (subject_id) WHERE itemid = 50931"
    )
    assert fall[0] > 30


def test_without_intensity_nobody_is_ill_and_no_note_says_so(tmp_path: Path) -> None:
    twin = made(tmp_path, intensity=0.0)
    drugs = [f"'{drug}'" for drug in vocabulary.words()["treatments"].values()]
    treated = f"SELECT count(*) FROM prescriptions WHERE drug IN ({', '.join(drugs)})"
    assert twin.query(treated) == [(0,)]
    assert twin.query("SELECT count(*) FROM microbiologyevents WHERE org_name IS NOT NULL") == [
        (0,)
    ]
    texts = [note.text for note in Documents(twin.home, "patients-synthetic").all()]
    assert texts
    assert not any("The patient has" in text for text in texts)


def test_notes_tell_what_the_rows_show(twin: Twin) -> None:
    coded = {
        str(subject)
        for (subject,) in twin.query(
            "SELECT DISTINCT subject_id FROM diagnoses_icd WHERE icd_code = 'N179'"
        )
    }
    noted = {
        note.entity_id
        for note in Documents(twin.home, "patients-synthetic").all()
        if "acute kidney injury" in note.text
    }
    assert coded == noted != set()


def test_hostile_texts_are_planted_only_where_asked_for(twin: Twin, tmp_path: Path) -> None:
    counted = (
        "SELECT count(*) FROM labevents WHERE comments LIKE 'SYSTEM:%' OR comments IS NOT NULL"
    )
    assert twin.query(counted) == [(0,)]
    hostile = made(tmp_path, hostile=True)
    assert hostile.installed.scenario.id == "patients-synthetic-hostile"
    assert hostile.query(counted)[0][0] > 0


def test_the_twin_is_nobodys_and_unrestricted(twin: Twin) -> None:
    terms = twin.installed.scenario.license
    assert (terms.name, terms.restricted) == ("CC0-1.0", False)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rows": 100}, "--rows is at least 200 per patient"),
        ({"entities": "200000", "rows": 40_000_000}, "--entities is 1 to 100,000"),
        ({"notes": "some"}, "--notes goes with --from"),
        ({"intensity": 1.5}, "intensity= is from 0 to 1, not 1.5"),
        ({"entities": "some.txt"}, "--entities is a number or a file"),
    ],
)
def test_what_cannot_be_made_is_refused_with_the_way_out(
    tmp_path: Path, options: dict[str, object], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        made(tmp_path, **options)


def test_events_are_spread_in_order_into_their_stretches() -> None:
    axis = Axis(
        owner=np.array([0, 0, 1]),
        start=np.array([0, 1_000, 50]),
        length=np.array([10, 100, 5]),
        weight=np.array([10, 300, 5]),
        people=2,
    )
    spread = axis.spread(np.array([31, 3]), Draws("7"), "x", np.array([4, 9]))
    assert np.bincount(spread.stretch).tolist() == [1, 30, 3]
    for person in (0, 1):
        mine = spread.time[spread.owner == person]
        assert mine.tolist() == sorted(mine.tolist())
    assert ((spread.time >= 50) & (spread.time < 55))[spread.owner == 1].all()


def test_expanding_numbers_the_children_of_each_parent() -> None:
    owner, place = expand(np.array([2, 0, 1]))
    assert (owner.tolist(), place.tolist()) == ([0, 0, 2], [0, 1, 0])


def test_noise_has_the_spread_that_it_is_given() -> None:
    noise = Draws("7").noise("n", 1_000, np.arange(20_000))
    assert abs(float(noise.mean())) < 30
    assert float(noise.std()) == pytest.approx(1_000, rel=0.03)


def test_ids_stand_once(twin: Twin) -> None:
    for table, column in (("admissions", "hadm_id"), ("icustays", "stay_id"), ("poe", "poe_id")):
        assert twin.query(f"SELECT count(*) - count(DISTINCT {column}) FROM {table}") == [(0,)]


def test_all_shares_are_of_tables_that_there_are() -> None:
    assert set(generating.SHARES) <= {table.name for table in chosen("all")}
    assert isinstance(drawn().block, Block)
