"""Names and texts stay what they are, whatever is in them."""

from __future__ import annotations

import sqlite3

import duckdb
from hypothesis import given
from hypothesis import strategies as st

from core.sql import literal, quote

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)


@given(name=TEXTS, text=TEXTS)
def test_a_name_and_a_text_come_back_as_they_went_in(name: str, text: str) -> None:
    sql = f"SELECT {literal(text)} AS {quote(name)}"
    for found in (sqlite3.connect(":memory:").execute(sql), duckdb.connect().execute(sql)):
        assert found.fetchall() == [(text,)]
        assert found.description is not None
        assert found.description[0][0] == name
