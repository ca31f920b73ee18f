"""An item that is about another year than the filing is found, and others are left alone."""

from __future__ import annotations

import pytest

from checklists.importers.fiscal_years import Stated, compare, stated, years_in
from core.scenario import Entity
from server.fiscal_years import filed_years
from tests.checklists.small import item


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("Revenue rose in 2024 against 2023.", (2023, 2024)),
        ("recent years into 2024\u20132025", (2024, 2025)),
        ("sold for $2024 million, 2,025 units, 2030.5 points, 1999%", ()),
        ("the FY2024 report", (2024,)),
        ("(2024)", (2024,)),
    ],
)
def test_years_are_read_out_of_a_text_and_other_numbers_are_not(
    text: str, years: tuple[int, ...]
) -> None:
    found = stated(text, [{}])
    assert (found.years if found else ()) == years


def test_a_key_goes_before_the_text_and_the_nearest_key_before_others() -> None:
    places = ({"fiscal_year": 2023}, {"fiscal_year": "FY2022"}, {"year": 2021})
    assert stated("in 2020", places) == Stated(years=(2023,), how="key")
    assert stated("in 2020", places[1:]) == Stated(years=(2022,), how="key")
    assert stated("in 2020", [{"year": ""}]) == Stated(years=(2020,), how="text")


@pytest.mark.parametrize("value", [True, "soon", [2024], 99, "2023-2024"])
def test_a_key_without_a_year_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="holds no year"):
        stated("", [{"year": value}])


@pytest.mark.parametrize(
    ("years", "how", "agrees"),
    [
        ((2024,), "key", True),
        ((2023,), "key", False),
        ((2024,), "text", True),
        ((2023,), "text", True),
        ((2025,), "text", True),
        ((2026,), "text", False),
        ((2019, 2024), "text", True),
        ((2019,), "text", False),
        ((2024, 2030), "text", True),
        ((2030,), "text", False),
    ],
)
def test_a_filing_of_2024(years: tuple[int, ...], how: str, agrees: bool) -> None:
    said = Stated.model_validate({"years": years, "how": how})
    report = compare([item(id="a")], {"a": said}, {"north": (2024,)})
    assert (report.agree, report.mismatched) == ((1, 0) if agrees else (0, 1))
    assert all(each.reason and each.item_id == "a" for each in report.mismatches)


def test_every_item_is_counted_once() -> None:
    items = [item(id=name) for name in "abc"] + [item(id="d", entity_id="south")]
    years = {name: Stated(years=(2024,), how="key") for name in "abd"}
    years["b"] = Stated(years=(2020,), how="key")
    report = compare(items, years, {"north": (2024,)})
    assert (report.agree, report.mismatched, report.silent, report.unknown) == (1, 1, 1, 1)


def test_a_scenario_tells_its_years_in_an_attribute_of_its_entities() -> None:
    def entity(name: str, **attributes: str) -> Entity:
        return Entity(scenario_id="filings", id=name, label=name, attributes=attributes)

    entities = [
        entity("1", fiscal_year="2024"),
        entity("2", fiscal_years="2023, 2024"),
        entity("3", town="2024"),
        entity("4", last_fiscal_year="2025"),
    ]
    assert filed_years(entities) == {"1": (2024,), "2": (2023, 2024), "4": (2025,)}
    assert years_in("FY2024 and 0042") == (2024,)
