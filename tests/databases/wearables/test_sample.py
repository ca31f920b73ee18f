"""The owners' open sample: ten people, read as it is, in seconds."""

from __future__ import annotations

import os
import time
from pathlib import Path

import duckdb
import pytest

from databases.build import build
from databases.documents import Documents
from databases.installed import InstalledScenario
from databases.wearables.features import known, tables
from tests.databases.wearables.conftest import Ask
from tests.support.needs import needs

pytestmark = needs("test data")
SAMPLE = Path(os.environ.get("DDR_TEST_DATA", "")) / "globem"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> InstalledScenario:
    home = tmp_path_factory.mktemp("sample")
    return build("wearables", home, options={"from": str(SAMPLE)})


def test_the_sample_is_built_within_two_minutes(tmp_path: Path) -> None:
    begun = time.monotonic()
    build("wearables", tmp_path, options={"from": str(SAMPLE)})
    assert time.monotonic() - begun < 120


def test_every_table_has_the_known_columns_and_no_other(sample: InstalledScenario) -> None:
    for name in tables():
        table = sample.schema().table(name)
        assert table is not None
        columns = [column.name for column in table.columns]
        assert columns == ["participant_id", "day", *(f.column for f in known(name))]


def test_every_value_is_the_file_s_own(sample: InstalledScenario, ask: Ask) -> None:
    """Read again by DuckDB's own guesses: as many rows with a value, and the same sums."""
    for name in tables():
        (path,) = (SAMPLE / "INS-W_1" / "FeatureData").glob(f"{tables()[name].file or name}.csv*")
        features = known(name)
        cells = ", ".join(f'coalesce(sum(TRY_CAST("{f.source}" AS DOUBLE)), -1)' for f in features)
        filled = " OR ".join(f'"{f.source}" IS NOT NULL' for f in features)
        with duckdb.connect() as connection:
            own = connection.execute(
                f"SELECT count(*), {cells} FROM read_csv('{path}', all_varchar = true) "
                f"WHERE {filled}"
            ).fetchone()
        sums = ", ".join(f'coalesce(sum("{f.column}"), -1)' for f in features)
        (found,) = ask(sample, f"SELECT count(*), {sums} FROM {name}")
        assert own is not None
        assert found == pytest.approx(own, rel=1e-9, nan_ok=True)


def test_ten_people_with_two_surveys_each(sample: InstalledScenario) -> None:
    assert len(sample.entities()) == 10
    kept = Documents(sample.folder.parents[1], "wearables")
    assert [len(kept.of(entity.id)) for entity in sample.entities()] == [2] * 10
