"""Every record: frozen, no unknown fields, no NaN, times in UTC, and JSON there and back."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from core.protocols import CellResult, QueryColumns
from core.record import Record, UtcTime
from tests.core.builders import one_of_each

RECORDS = one_of_each()
KINDS = [type(record).__name__ for record in RECORDS]


class Measured(Record):
    """A record with a number and a moment."""

    value: float
    at: UtcTime


@pytest.mark.parametrize("record", RECORDS, ids=KINDS)
def test_a_record_comes_back_from_json_as_it_was(record: Record) -> None:
    assert type(record).model_validate_json(record.model_dump_json()) == record


@pytest.mark.parametrize("record", RECORDS, ids=KINDS)
def test_a_records_json_is_strict_json(record: Record) -> None:
    def refuse(token: str) -> None:
        raise AssertionError(token)

    json.loads(record.model_dump_json(), parse_constant=refuse)


@pytest.mark.parametrize("record", RECORDS, ids=KINDS)
def test_a_misspelt_field_is_refused_by_name(record: Record) -> None:
    with pytest.raises(ValidationError, match="missplet"):
        type(record).model_validate({**record.model_dump(), "missplet": 1})


@pytest.mark.parametrize("record", RECORDS, ids=KINDS)
def test_a_record_cannot_be_changed(record: Record) -> None:
    field = next(iter(type(record).model_fields))
    with pytest.raises(ValidationError, match="frozen"):
        setattr(record, field, "other")


@pytest.mark.parametrize("record", RECORDS, ids=KINDS)
def test_equal_records_are_equal_whatever_object_they_are(record: Record) -> None:
    assert record.model_copy(deep=True) == record


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_is_refused(value: float) -> None:
    with pytest.raises(ValidationError, match="finite"):
        Measured(value=value, at=datetime(2026, 1, 1, tzinfo=UTC))


def test_a_time_without_a_zone_is_refused_and_told_what_to_use() -> None:
    with pytest.raises(ValidationError, match="use UTC"):
        Measured(value=1, at=datetime(2026, 1, 1))


@given(
    moment=st.datetimes(min_value=datetime(1970, 1, 3), max_value=datetime(2100, 1, 1)),
    minutes=st.integers(-14 * 60, 14 * 60),
)
def test_a_time_of_any_zone_is_kept_as_the_same_moment_in_utc(
    moment: datetime, minutes: int
) -> None:
    given_moment = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    kept = Measured(value=0, at=given_moment).at
    assert kept == given_moment
    assert kept.utcoffset() == timedelta(0)


@given(value=st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_survives_json_to_its_last_bit(value: float) -> None:
    record = Measured(value=value, at=datetime(2026, 1, 1, tzinfo=UTC))
    assert Measured.model_validate_json(record.model_dump_json()) == record


@given(payload=st.binary(max_size=64))
def test_bytes_that_are_no_text_survive_json(payload: bytes) -> None:
    record = QueryColumns(payload=payload, row_count=1)
    assert QueryColumns.model_validate_json(record.model_dump_json()) == record


@given(
    text=st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=64),
    killed=st.none() | st.sampled_from(["timeout", "memory", "output"]),
)
def test_text_of_any_kind_survives_json(text: str, killed: str | None) -> None:
    record = CellResult(stdout=text, value=text, killed=killed)
    assert CellResult.model_validate_json(record.model_dump_json()) == record


def test_every_field_without_an_obvious_name_carries_its_docstring() -> None:
    described: dict[str, Any] = {
        name: field.description for name, field in CellResult.model_fields.items()
    }
    assert described["killed"].startswith("timeout, memory or output")
