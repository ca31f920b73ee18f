"""A twin has the real one's tables, nobody's data, and habits that shift with a hidden mood as far as it is told."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from core.errors import UsageError
from databases.build import build
from databases.documents import Documents
from databases.draws import Draws
from databases.installed import InstalledScenario
from databases.wearables import answers, twin
from databases.wearables.features import known, tables
from databases.wearables.state import FULL, Days, People
from tests.databases.wearables.conftest import Ask


def built(home: Path, **options: object) -> InstalledScenario:
    small = {"synthetic": True, "entities": "6", "rows": 1500, "seed": "3"}
    return build("wearables", home, options={**small, **options})  # type: ignore[dict-item]


def test_a_twin_has_the_tables_and_columns_of_the_real_one(
    twin: InstalledScenario, imported: InstalledScenario
) -> None:
    def shape(scenario: InstalledScenario) -> list[object]:
        return [
            (t.name, t.comment, [(c.name, c.type, c.nullable, c.comment) for c in t.columns])
            for t in scenario.schema().tables
        ]

    assert shape(twin) == shape(imported)
    assert twin.manifest.license.restricted is False
    assert imported.manifest.license.restricted is True


def test_the_same_seed_gives_the_same_fingerprint_and_another_another(tmp_path: Path) -> None:
    first = built(tmp_path / "a").scenario.fingerprint
    assert built(tmp_path / "b").scenario.fingerprint == first
    assert built(tmp_path / "c", seed="4").scenario.fingerprint != first


def test_a_person_s_days_hang_on_the_seed_alone(tmp_path: Path, ask: Ask) -> None:
    """Not on how many others there are, nor on the blocks in which they are made."""
    asked = "SELECT * FROM location WHERE participant_id = 'P0002'"
    few = ask(built(tmp_path / "a", entities="2", rows=500), asked)
    many = ask(built(tmp_path / "b"), asked)
    assert few == many


def test_every_machine_draws_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    people = People(Draws("fixed"), np.arange(4))
    person, day = np.repeat(np.arange(4), 30), np.tile(np.arange(30), 4)
    days = Days(people, person, day, people.low(np.arange(30), 30).ravel())
    digest = hashlib.sha256()
    for table, sense in twin.SENSORS.items():
        columns = sense(days)
        for feature in known(table):
            digest.update(np.asarray(columns[feature.column], dtype="<f8").tobytes())
    assert digest.hexdigest()[:16] == "4a9102280744baed"


def test_rows_come_to_about_as_many_as_were_asked_for(tmp_path: Path, ask: Ask) -> None:
    scenario = built(tmp_path, entities="20", rows=20_000)
    union = " UNION ALL ".join(f"SELECT participant_id FROM {table}" for table in tables())
    ((rows,),) = ask(scenario, f"SELECT count(*) FROM ({union})")
    assert rows == pytest.approx(20_000, rel=0.1)


@pytest.mark.parametrize(
    ("entities", "rows", "said"),
    [
        ("many", 0, "a number of people, not 'many'"),
        ("0", 0, "1 to 1,000,000, not 0"),
        ("1000", 9000, "less than 28 days each; give at least --rows"),
    ],
)
def test_a_study_that_is_none_is_refused(entities: str, rows: int, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        twin.sizes(entities, rows)


def test_an_intensity_out_of_bounds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"intensity= is from 0 to 2, not 2\.5"):
        build("wearables", tmp_path, options={"synthetic": True, "intensity": 2.5})


def test_no_value_is_impossible(twin: InstalledScenario, ask: Ask) -> None:
    faults = """
        SELECT 'day' FROM steps WHERE time_active_min + time_sedentary_min <> 1440
        UNION ALL SELECT 'bouts' FROM steps WHERE longest_active_bout_min > time_active_min
            OR mean_active_bout_min > longest_active_bout_min + 1
            OR shortest_active_bout_min > mean_active_bout_min
        UNION ALL SELECT 'bed' FROM sleep WHERE time_asleep_min + time_awake_min + lying_on_min <> time_in_bed_min
        UNION ALL SELECT 'share' FROM sleep WHERE abs(asleep_share + awake_share - 1) > 0.001
        UNION ALL SELECT 'efficiency' FROM sleep WHERE efficiency_pct NOT BETWEEN 50 AND 100
        UNION ALL SELECT 'unlocks' FROM screen WHERE longest_unlock_min > screen_time_min
            OR unlocked_at_home_min > screen_time_min OR first_unlock_min NOT BETWEEN 0 AND 1439
        UNION ALL SELECT 'calls' FROM calls WHERE outgoing_contacts > outgoing_calls
            OR last_outgoing_time_min < first_outgoing_time_min
            OR (outgoing_calls = 0) <> (outgoing_talk_s IS NULL)
            OR missed_calls + incoming_calls + outgoing_calls = 0
        UNION ALL SELECT 'devices' FROM bluetooth WHERE devices_own + devices_others <> devices
            OR scans_most_seen_of_day_all > scans
        UNION ALL SELECT 'home' FROM location WHERE time_at_home_min NOT BETWEEN 0 AND 1440
            OR minutes_at_study > 1440 - time_at_home_min OR visited_places > different_places
    """
    assert ask(twin, faults) == []
    for table in tables():
        doubles = [f'isnan("{f.column}")' for f in known(table) if not f.is_whole]
        if doubles:
            asked = f"SELECT count(*) FROM {table} WHERE {' OR '.join(doubles)}"
            assert ask(twin, asked) == [(0,)]


def shift(scenario: InstalledScenario, ask: Ask, home: Path) -> float:
    """How steps move with the symptoms that people tell, over all of them (correlation)."""
    kept = Documents(home, scenario.scenario.id)
    changes = ask(
        scenario,
        "SELECT participant_id, avg(step_count) FILTER (WHERE day >= DATE '2031-05-26') / "
        "avg(step_count) FILTER (WHERE day < DATE '2031-04-14') FROM steps GROUP BY 1",
    )
    found = []
    for person, change in changes:
        scores = {k: float(v) for d in kept.of(person) for k, v in d.values.items()}
        found.append((scores["CESD_10items_POST"] - scores["CESD_10items_PRE"], change))
    return float(np.corrcoef(np.array(found).T)[0, 1])


def test_habits_follow_the_mood_that_the_surveys_tell_as_far_as_they_are_told(
    twin: InstalledScenario, ask: Ask, tmp_path: Path
) -> None:
    assert shift(twin, ask, twin.folder.parents[1]) < -0.6
    none = build(
        "wearables",
        tmp_path,
        options={"synthetic": True, "entities": "30", "seed": "9", "intensity": 0.0},
    )
    assert abs(shift(none, ask, tmp_path)) < 0.45
    surveys = [list(Documents(h, n).all()) for h, n in (
        (twin.folder.parents[1], twin.scenario.id), (tmp_path, none.scenario.id),
    )]  # fmt: skip
    assert surveys[0] == surveys[1]  # the mood is the same; the habits do not answer to it


def test_the_surveys_stay_within_their_questionnaires(twin: InstalledScenario) -> None:
    kept = list(Documents(twin.folder.parents[1], twin.scenario.id).all())
    assert len(kept) == 60
    for document in kept:
        for name, score in document.values.items():
            scale = answers.SCALES[name.rpartition("_")[0]]
            assert scale.least <= float(score) * scale.per <= scale.most + 0.001


def test_courses_of_mood_go_down_recover_come_back_and_stay() -> None:
    people = People(Draws("courses"), np.arange(200))
    low = people.low(np.arange(70), 70)
    assert low.min() == 0
    assert low.max() <= FULL
    ends = {(bool(a > 300), bool(b > 300)) for a, b in zip(low[:, 0], low[:, -1], strict=True)}
    assert ends == {(False, True), (True, False), (False, False)}
    dips = (low.max(axis=1) > 300) & (low[:, 0] == 0) & (low[:, -1] == 0)
    assert dips.any()


def test_a_hostile_twin_plants_orders_and_false_claims_in_a_column_of_its_own(
    tmp_path: Path, ask: Ask
) -> None:
    plain, hostile = built(tmp_path / "a"), built(tmp_path / "b", hostile=True)
    remarks = [text for (text,) in ask(hostile, "SELECT remark FROM participants")]
    assert any("Ignore" in t or "report" in t or "true mean" in t for t in remarks)
    asked = "SELECT * FROM steps"
    assert ask(plain, asked) == ask(hostile, asked)
    people = plain.schema().table("participants")
    assert people is not None
    assert [column.name for column in people.columns] == ["participant_id", "platform"]
