"""What a database holds arrives as it is, in strict JSON (field case F14)."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.support import Hand, strict
from tools.values import as_json, clip, compact

FIELD_CASE = r"""
    SELECT 12345678901234567890.12::DECIMAL(22,2) d, 9007199254740993::BIGINT b, 'nan'::DOUBLE x,
           DATE '2024-01-01' t, '\x00\xff'::BLOB y, NULL z
"""


def test_the_field_case_survives_a_strict_parser(hand: Hand) -> None:
    seen = hand.sql(FIELD_CASE)
    assert "NaN," not in seen.text.replace('"NaN",', "")
    data = strict(seen.text)
    assert data["rows"] == [
        ["12345678901234567890.12", 9007199254740993, "NaN", "2024-01-01", "base64:AP8=", None]
    ]
    assert data["types"] == ["DECIMAL(22,2)", "BIGINT", "DOUBLE", "DATE", "BLOB", "NULL"]
    assert "9007199254740993," in seen.text


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("1", 1),
        ("0.1::DOUBLE", 0.1),
        ("1.10", "1.10"),
        ("1e-7::DECIMAL(18,10)", "0.0000001000"),
        ("true", True),
        ("-9223372036854775808", -9223372036854775808),
        ("9223372036854775807", 9223372036854775807),
        ("18446744073709551615::UBIGINT", 18446744073709551615),
        (
            "170141183460469231731687303715884105727::HUGEINT",
            "170141183460469231731687303715884105727",
        ),
        ("sum(1) OVER ()", 1),
        ("'inf'::DOUBLE", "Infinity"),
        ("'-inf'::FLOAT", "-Infinity"),
        ("''", ""),
        ("'ü🙂\"\\'", 'ü🙂"\\'),
        ("'a' || chr(10) || 'b'", "a\nb"),
        ("TIMESTAMP '2024-01-02 03:04:05.6789'", "2024-01-02 03:04:05.678900"),
        ("TIME '03:04:05'", "03:04:05"),
        ("TIMESTAMPTZ '2024-01-02 03:04:05+00'", "2024-01-02 03:04:05+00:00"),
        ("DATE '0044-03-15 (BC)'", "0044-03-15 (BC)"),
        ("DATE '20000-01-01'", "20000-01-01"),
        ("INTERVAL 26 HOUR", "1 days 2:00:00"),
        ("INTERVAL 90 MINUTE", "1:30:00"),
        (
            "'00000000-0000-0000-0000-000000000001'::UUID",
            "00000000-0000-0000-0000-000000000001",
        ),
        ("[1, NULL, 3]", [1, None, 3]),
        ("[1.5::DECIMAL(3,1)]", ["1.5"]),
        ("{'a': 1, 'b': {'c': 'nan'::DOUBLE}}", {"a": 1, "b": {"c": "NaN"}}),
        ("MAP {1: 'a', 2: 'b'}", [[1, "a"], [2, "b"]]),
        ("MAP {'k': 1}", {"k": 1}),
        ("'a'::ENUM ('a', 'b')", "a"),
        ("'101'::BIT", "101"),
        ("'{\"a\": 1}'::JSON", '{"a": 1}'),
        ("''::BLOB", "base64:"),
    ],
)
def test_each_type_keeps_its_meaning(hand: Hand, sql: str, value: Any) -> None:
    (row,) = hand.rows(f"SELECT {sql} AS v")
    assert row == [value]
    assert type(row[0]) is type(value)


def test_numbers_stay_numbers(hand: Hand) -> None:
    (row,) = hand.rows("SELECT 1 AS one, count(*) AS n, avg(id) AS mean FROM visits")
    assert row == [1, 150, 75.5]
    assert [type(value) for value in row] == [int, int, float]


@given(
    st.recursive(
        st.one_of(
            st.none(),
            st.booleans(),
            st.integers(),
            st.floats(),
            st.decimals(),
            st.text(st.characters(exclude_categories=["Cs"])),
            st.binary(),
            st.dates(),
            st.datetimes(),
            st.times(),
            st.uuids(),
            st.timedeltas(),
        ),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(st.integers(), inner, max_size=3)
        ),
        max_leaves=5,
    )
)
def test_any_value_becomes_strict_json(value: Any) -> None:
    strict(compact(as_json(value)))


@given(st.integers(min_value=-(1 << 63), max_value=(1 << 64) - 1))
def test_an_integer_of_64_bits_comes_back_exactly(value: int) -> None:
    assert json.loads(compact(as_json(value))) == value


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4))
def test_a_decimal_comes_back_exactly(value: Decimal) -> None:
    text = as_json(value)
    assert Decimal(text) == value
    assert "E" not in text


def test_other_kinds_of_value_have_a_text() -> None:
    assert as_json(timedelta(days=-1)) == "-1 days 0:00:00"
    assert as_json(UUID(int=5)) == "00000000-0000-0000-0000-000000000005"
    assert as_json(bytearray(b"ab")) == "base64:YWI="
    assert as_json(("a", 1)) == ["a", 1]
    assert as_json(1 << 64) == "18446744073709551616"
    assert as_json(complex(1, 2)) == "(1+2j)"


def test_short_values_are_not_clipped() -> None:
    assert clip("x" * 1000, 1000) == ("x" * 1000, False)
    assert clip(10**30, 5) == (10**30, False)
    assert clip([1, 2], 20) == ([1, 2], False)


def test_what_is_clipped_says_its_full_length() -> None:
    text, cut = clip("x" * 1001, 1000)
    assert cut
    assert text == "x" * 1000 + "… [clipped, 1001 characters in full]"


def test_a_long_nested_value_is_clipped_as_its_json() -> None:
    text, cut = clip(list(range(1000)), 50)
    assert cut
    assert text.startswith("[0,1,2,")
    assert f"{len(compact(list(range(1000))))} characters in full" in text


def test_compact_text_has_no_needless_character_and_no_nan() -> None:
    assert compact({"a": [1, "ä"]}) == '{"a":[1,"ä"]}'
    with pytest.raises(ValueError, match="JSON"):
        compact(float("nan"))
