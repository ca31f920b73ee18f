"""The lexer cuts a text where PostgreSQL cuts it, so that no call of a function can hide from the gate."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.support.needs import needs
from tests.support.postgres import Cluster
from tools.sql.pg.lexer import LexError, tokens


def words(sql: str) -> list[str]:
    return [token.text for token in tokens(sql) if token.kind != "string"]


def called(sql: str) -> set[str]:
    """Names that stand before an opening bracket."""
    found = tokens(sql)
    return {a.text for a, b in pairwise(found) if a.is_name and b.kind == "sign" and b.text == "("}


@pytest.mark.parametrize(
    ("sql", "seen"),
    [
        ('SELECT Id, "Id" FROM t', ["select", "id", ",", "Id", "from", "t"]),
        ('"a""b"', ['a"b']),
        ("a -- b\nc", ["a", "c"]),
        ("a -- b\rc", ["a", "c"]),
        ("a /* b /* c */ d */ e", ["a", "e"]),
        ("a/*+ ' */ b /* ' */", ["a", "b"]),
        ("a+--b\nc", ["a", "+", "c"]),
        ("1e5 + .5 - 2.", ["1e5", "+", ".5", "-", "2."]),
        ("$1 $$ x $$ y", ["$1", "y"]),
        ("$a$ $b$ $a$ c", ["c"]),
        ("x$a$ y", ["x$a$", "y"]),
        ("'\\' a '\\'", ["a"]),
        ("E'\\' a \\'' b", ["b"]),
        ("e'a'\n'\\' b' c", ["c"]),
        ("'a' -- b\n '\\' c", ["c"]),
        ("'a' '\\' b", ["b"]),
        ("xE'\\' b", ["xe", "b"]),
        ("'it''s' b", ["b"]),
        ("U&'\\0061' b", ["b"]),
        ("b'1' x'f' n'z' c", ["c"]),
        ("STRASSE straße É", ["strasse", "straße", "É"]),
    ],
)
def test_a_text_is_cut_as_the_server_cuts_it(sql: str, seen: list[str]) -> None:
    assert words(sql) == seen


@pytest.mark.parametrize(
    "sql", ["'a", "E'a\\'", '"a', "/* /* */", "$$ a", "$a$ $$", "a\0b", 'U&"\\0061"', "'a'\n'b"]
)
def test_what_does_not_end_or_cannot_be_judged_is_an_error(sql: str) -> None:
    with pytest.raises(LexError):
        tokens(sql)


def test_a_token_knows_where_it_begins() -> None:
    assert [(t.text, t.start) for t in tokens("/* é */ EXPLAIN  select")] == [
        ("explain", 8),
        ("select", 17),
    ]


def test_a_long_text_is_cut_in_linear_time() -> None:
    sql = "select " + "'\\''''" * 20_000 + " /*" + "*/ /*" * 20_000 + "*/" + "(" * 100_000
    assert len(tokens(sql)) > 100_000


@pytest.mark.parametrize("fill", [" ", "-", "\n", "\t", "--\n", "\n ", "- ", " --"])
@pytest.mark.parametrize("begin", ["'a'", "'a' ", "'a'\n", "'a' --", "e'a'\n--"])
def test_what_may_stand_between_two_parts_of_a_string_is_read_in_linear_time(
    begin: str, fill: str
) -> None:
    began = time.process_time()  # others may be at work
    tokens(f"SELECT {begin}{fill * 50_000}, 2")
    with contextlib.suppress(LexError):
        tokens(f"SELECT {begin}{fill * 50_000}\n'")
    assert time.process_time() - began < 5


# Whatever is put together from these, the server is asked what it runs.
WHOLE = [
    " ", "\n", "\r", "\f", " -- a\n", "--\r", "/* a */", "/*+ ' */", "/* ' */", "/* /* */ ' */", "/*'*/",
    ", 'a'", ", ''", ", '\\'", ", e'\\''", ", E'a'\n'\\''", ", 'a' -- '\n '\\'", ", $$ ' $$", ", $a$ $$ $a$",
    ", b'1'", ", U&'\\0061'", ", n'a'", ', 1 AS "a"', ', 1 AS "a""\'"', ", 1 AS a$a$", ", 1 AS é$$", ", .5", ", 1e1",
    ", 1 + -1", ", 1 @-- '\n 1", ", ddr_marker(1)", ", ddr_marker /* */ (1)", ', "ddr_marker"(1)',
    "|| ddr_marker(1)",
]  # fmt: skip
BROKEN = [
    "'",
    "''",
    "\\",
    '"',
    "E'",
    "e'",
    "$$",
    "$a$",
    "a$",
    "/*",
    "*/",
    "/*+",
    "--",
    "\n",
    "\r",
    ";",
    ",",
    "a",
]
TEXTS = st.lists(st.sampled_from(WHOLE) | st.sampled_from(BROKEN), max_size=12).map("".join)


@pytest.fixture(scope="module")
def caught(postgres: Cluster) -> Iterator[Callable[[str], bool]]:
    """Whether the server calls ddr_marker when it runs a statement."""
    import psycopg

    postgres.run("CREATE DATABASE lexed")
    with postgres.admin("lexed") as connection:
        connection.execute(
            "CREATE FUNCTION ddr_marker(integer) RETURNS text LANGUAGE plpgsql"
            " AS $$ BEGIN RAISE EXCEPTION 'ddr was here'; END $$"
        )

        def calls(sql: str) -> bool:
            try:
                connection.execute(sql.encode())
            except psycopg.Error as exc:
                return exc.diag.message_primary == "ddr was here"
            return False

        yield calls


@pytest.mark.real
@needs("postgresql")
@settings(max_examples=1000, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS)
@example(text="/*+ ' */, ddr_marker(1) /* ' */")
@example(text=", E'a'\n'\\'', ddr_marker(1) --'")
@example(text="--\r, ddr_marker(1)")
@example(text=" AS a$a$, ddr_marker(1), $a$ $a$")
@example(text=", 'a' -- '\n '\\', ddr_marker(1) --'")
def test_a_call_that_the_server_makes_is_seen_by_the_lexer(
    caught: Callable[[str], bool], text: str
) -> None:
    sql = f"SELECT 1 {text}"
    if not caught(sql):
        return
    with contextlib.suppress(LexError):  # it is refused, which is as good
        assert "ddr_marker" in called(sql)


@pytest.mark.real
@needs("postgresql")
@pytest.mark.parametrize(
    "text",
    [", ddr_marker(1)", "/*+ ' */, ddr_marker(1) /* ' */", ", E'a'\n'\\'', ddr_marker(1) --'",
     " AS a$a$, ddr_marker(1), $a$ $a$"],
)  # fmt: skip
def test_the_server_does_make_the_calls_that_are_hidden_here(
    caught: Callable[[str], bool], text: str
) -> None:
    assert caught(f"SELECT 1 {text}")
    assert not caught("SELECT 'ddr_marker(1)' -- ddr_marker(1)")
