"""Options and variants: what a scenario can be built as, under which name, and that it is told so again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from core.document import Document
from core.errors import ConfigError, ScenarioError, UnknownNameError, UsageError
from core.scenario import License
from databases import catalog
from databases.build import BuildContext, Built, build, build_manifest
from databases.catalog import open_scenario, scenario_ids
from databases.documents import Documents, documents_path
from databases.manifest import BuildSection, Manifest, Variant
from databases.variants import NAME as VARIANT
from databases.variants import VariantRecord, choose, refuse_missing, within
from tests.databases import small

if TYPE_CHECKING:
    import duckdb


def fill(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Built:
    """As many patients as asked for, and a note about each but the last."""
    count = context.options["entities"]
    connection.execute("CREATE TABLE patients (id INTEGER, name VARCHAR, sex VARCHAR)")
    connection.execute(
        "INSERT INTO patients SELECT n, 'P' || n || $1, 'x' FROM range($2) AS r(n)",
        [context.seed, count],
    )
    for number in range(int(count) - 1):
        note = Document(id=f"n{number}", entity_id=str(number), kind="note", text="well")
        context.documents.add(note)
    return Built(secrets={"seed": context.seed})


def fill_twice(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> None:
    fill(connection, context)
    context.documents.add(Document(id="n0", entity_id="0", kind="note", text="again"))


def manifest(folder: Path, builder: str = "fill", **changes: Any) -> Manifest:
    section = BuildSection(
        builder=f"tests.databases.test_variants:{builder}",
        disk_mb=1,
        options={"entities": 3, "synthetic": False, "slope": 1.0, "seed": "a", "from": ""},
        variants={"synthetic": Variant(title="A twin", license=License(name="CC0-1.0"))},
        **changes,
    )
    query = "SELECT id, name, sex, 'g' AS goal, 'patients' AS tables FROM patients ORDER BY id"
    return small.manifest(folder, query=query).model_copy(
        update={"build": section, "license": License(name="theirs", restricted=True)}
    )


@pytest.fixture
def visits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which the manifest above is the shipped scenario `visits`."""
    monkeypatch.setitem(catalog.SHIPPED, "visits", "tests.databases")
    monkeypatch.setattr(catalog, "read_manifest", lambda _path: manifest(tmp_path))
    return tmp_path / "home"


def test_a_switch_makes_a_scenario_of_its_own_under_its_own_terms(visits: Path) -> None:
    plain = build("visits", visits)
    twin = build("visits", visits, options={"synthetic": True, "entities": "5"})
    assert (plain.scenario.id, twin.scenario.id) == ("visits", "visits-synthetic")
    assert plain.scenario.license.restricted
    assert (twin.scenario.title, twin.scenario.license.restricted) == ("A twin", False)
    assert (len(plain.entities()), len(twin.entities())) == (3, 5)
    assert (plain.base, twin.base) == ("visits", "visits")
    assert set(scenario_ids(visits)) >= {"visits", "visits-synthetic"}
    again = open_scenario("visits-synthetic", visits)
    assert again.is_built()
    assert again.manifest == twin.manifest
    again.check()


def test_the_same_options_build_nothing_and_others_build_anew(visits: Path) -> None:
    def changed(**options: Any) -> int:
        found = build("visits", visits, options=options or None)
        return found.database_path.stat().st_ino

    first = changed(entities=4)
    assert changed(entities=4) == first
    assert changed() == first, "without options, those of the build before hold"
    assert changed(entities=5) != first
    assert len(open_scenario("visits", visits).entities()) == 5


def test_a_name_keeps_several_twins_side_by_side(visits: Path) -> None:
    flat = build("visits", visits, options={"synthetic": True, "slope": 0}, name="flat")
    steep = build("visits", visits, options={"synthetic": True, "slope": 2}, name="steep")
    assert flat.manifest.build and steep.manifest.build
    assert [m.build.options["slope"] for m in (flat.manifest, steep.manifest) if m.build] == [0, 2]
    assert flat.scenario.license.restricted is False
    with pytest.raises(UsageError, match="name of another scenario"):
        build("visits", visits, options={"synthetic": True}, name="flights")


def test_a_seed_that_is_an_option_is_the_builders_seed(visits: Path) -> None:
    one = build("visits", visits, options={"seed": "7"}, name="seven")
    other = build("visits", visits, options={"seed": "8"}, name="eight")
    assert one.scenario.fingerprint != other.scenario.fingerprint
    assert (visits / "secrets" / "seven.json").read_text().split() == ["{", '"seed":', '"7"', "}"]


def test_documents_are_private_and_gone_with_the_build_that_had_them(visits: Path) -> None:
    built = build("visits", visits)
    path = documents_path(visits, built.scenario.id)
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    kept = Documents(visits, "visits")
    assert kept.entity_ids() == ("0", "1")
    assert [d.text for d in kept.of("1")] == ["well"]
    assert kept.of("2") == ()
    build("visits", visits, options={"entities": 1})
    assert not kept.exist()
    with pytest.raises(ScenarioError, match="no documents"):
        kept.of("0")


def test_an_entity_has_what_its_query_gives_beside_id_and_label(visits: Path) -> None:
    entity = build("visits", visits).entities()[0]
    assert (entity.goal, entity.tables, entity.attributes) == ("g", ("patients",), {"sex": "x"})


def test_a_document_that_is_there_twice_ends_the_build_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="'n0' is there twice"):
        build_manifest(manifest(tmp_path, "fill_twice"), tmp_path / "home")
    assert not documents_path(tmp_path / "home", "visits").exists()
    assert [f.name for f in (tmp_path / "home/scenarios/visits").iterdir()] == [".lock"]


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"entitys": 4}, UnknownNameError, "option of visits"),
        ({"entities": "many"}, UsageError, "--entities is a whole number"),
        ({"slope": "steep"}, UsageError, "--set slope= is a number"),
        ({"synthetic": "perhaps"}, UsageError, "--synthetic is true or false"),
    ],
)
def test_an_option_that_does_not_fit_is_refused_in_words(
    tmp_path: Path, given: Mapping[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        choose(manifest(tmp_path), given)


def test_what_is_made_from_files_says_which_option_is_missing(tmp_path: Path) -> None:
    needy = manifest(tmp_path, needs_one_of=("from", "synthetic"))
    with pytest.raises(UsageError, match="give --from or --synthetic"):
        refuse_missing(needy)
    refuse_missing(choose(needy, {"synthetic": True}))


@pytest.mark.parametrize("name", ["../../elsewhere", "a/b", "..", "Big", "x" * 41, "a\n"])
def test_a_name_is_no_path(visits: Path, name: str) -> None:
    with pytest.raises(UsageError, match="is no name of a scenario"):
        build("visits", visits, options={"synthetic": True}, name=name)
    assert not visits.exists()


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_number_out_of_bounds_is_refused_and_so_is_none(value: float) -> None:
    assert within({"intensity": 0.5}, "intensity", 0, 1) == 0.5
    with pytest.raises(UsageError, match=r"^--set intensity= is from 0 to 1, not "):
        within({"intensity": value}, "intensity", 0, 1)


def test_a_path_opens_no_scenario(visits: Path) -> None:
    build("visits", visits, options={"synthetic": True}, name="twin")
    outside = visits.parent / "outside"
    (visits / "scenarios" / "twin").rename(outside)
    for path in ("../../outside", str(outside)):
        with pytest.raises(UnknownNameError):
            open_scenario(path, visits)


def test_a_variant_of_itself_is_told_by_its_file(visits: Path) -> None:
    for one, other in (("snake", "tail"), ("tail", "snake")):
        folder = visits / "scenarios" / one
        folder.mkdir(parents=True)
        record = VariantRecord(base=other, options={})
        (folder / VARIANT).write_text(record.model_dump_json(), "utf-8")
    with pytest.raises(ConfigError, match=r"snake/variant\.json: .* a variant of itself"):
        open_scenario("snake", visits)
