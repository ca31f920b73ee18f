"""What every engine says to a text that is no single statement."""

from __future__ import annotations

import pytest

from core.errors import ToolError
from tools.sql.engines.text import MOST_SAID, refuse_no_text, said, several


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT '\0'", "NUL character"),
        ("SELECT '\ud800'", "half a surrogate pair at character 8"),
        ("", "send one SELECT"),
        (" \n\t", "send one SELECT"),
    ],
)
def test_what_is_no_text_is_told_so(sql: str, said: str) -> None:
    with pytest.raises(ToolError, match=said) as caught:
        refuse_no_text(sql)
    assert caught.value.kind == "sql"


def test_any_other_text_passes() -> None:
    for sql in ("SELECT 1", "SELECT 'é𝄞\u00a0'", "-- a comment"):
        refuse_no_text(sql)


def test_several_statements_are_counted_where_that_is_known() -> None:
    assert "holds 3, and none was run" in str(several(3))
    assert "holds more than one" in str(several())


def test_an_engines_words_are_kept_or_cut_with_a_mark() -> None:
    assert said(ValueError("x" * MOST_SAID)) == "x" * MOST_SAID
    assert said("x" * (MOST_SAID + 1)) == "x" * MOST_SAID + "…"
