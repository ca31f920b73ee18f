"""A statement's words, how deep they nest, and what an EXPLAIN or a PIVOT holds."""

from __future__ import annotations

import time

import pytest

from tools.sql.tokens import DEEPEST, Tokens, is_too_deep


def test_words_are_lower_case_and_without_comments() -> None:
    assert Tokens("SELECT /* no */ \"A b\", 'It''s' -- no\nFROM T").words == [
        "select",
        '"a b"',
        ",",
        "'it''s'",
        "from",
        "t",
    ]


@pytest.mark.parametrize(
    ("sql", "inner"),
    [
        ("EXPLAIN SELECT 1", [("SELECT 1", False)]),
        ("explain /* a */ ANALYZE -- b\n SELECT 1", [("SELECT 1", True)]),
        ("EXPLAIN (SELECT 1)", [("(SELECT 1)", False), ("", False)]),
        (
            "EXPLAIN (ANALYZE, FORMAT json) FROM é",
            [("(ANALYZE, FORMAT json) FROM é", False), ("FROM é", True)],
        ),
        ("/* é */ EXPLAIN\u00a0FROM\u00a0t", [("FROM\u00a0t", False)]),
        ("EXPLAIN", [("", False)]),
    ],
)
def test_what_an_explain_wraps(sql: str, inner: list[tuple[str, bool]]) -> None:
    assert list(Tokens(sql).explained()) == inner


def test_every_name_before_a_bracket_may_be_a_call() -> None:
    sql = 'SELECT f(1), "G""h" (a, b), x.upper(), \'k(\', (1), list([1, 2]) FROM t'
    assert list(Tokens(sql).calls()) == [
        ("f", False),
        ('g"h', True),
        ("upper", False),
        ("list", False),
    ]


@pytest.mark.parametrize(
    ("sql", "calls"),
    [
        ("f(g(1, 2))", [("f", False), ("g", True)]),
        ("f(g(1), 2)", [("f", True), ("g", False)]),
        ("f([1, 2], {'a': 1})", [("f", True)]),
        ("f([1, 2]) ) g(1, 2", [("f", False), ("g", True)]),
        ("f((1, 2))", [("f", False)]),
    ],
)
def test_a_comma_counts_for_the_innermost_bracket_around_it(
    sql: str, calls: list[tuple[str, bool]]
) -> None:
    assert list(Tokens(sql).calls()) == calls


def test_thousands_of_calls_inside_one_another_are_found_in_little_time() -> None:
    tokens = Tokens("SELECT " + "abs(1, " * 20_000)
    began = time.monotonic()
    assert sum(several for _, several in tokens.calls()) == 20_000
    assert time.monotonic() - began < 5


def test_the_body_ends_before_the_last_semicolons() -> None:
    assert Tokens("SELECT ';' ; -- x\n ;").body() == "SELECT ';' "
    assert Tokens("SELECT 1 -- x").body() == "SELECT 1 -- x"
    assert Tokens(";").body() == ""


def test_what_show_names() -> None:
    assert list(Tokens('FROM (SHOW "Threads") JOIN (SHOW TABLES) ON show').shown()) == [
        "threads",
        "tables",
    ]


@pytest.mark.parametrize("bracket", ["(", "[", "{"])
def test_brackets_are_counted_by_their_depth_and_not_by_their_number(bracket: str) -> None:
    closing = {"(": ")", "[": "]", "{": "}"}[bracket]
    assert not is_too_deep(f"{bracket}1{closing}, " * 1000)
    assert not is_too_deep(bracket * DEEPEST + closing * DEEPEST)
    assert is_too_deep(bracket * (DEEPEST + 1))
    assert not is_too_deep("'" + bracket * 1000 + "'")
    assert not is_too_deep("-- " + bracket * 1000)


@pytest.mark.parametrize("sign", ["-", "+", "~", "!", "@"])
def test_signs_in_a_row_are_nesting_too(sign: str) -> None:
    assert is_too_deep("SELECT " + f"{sign} " * (DEEPEST + 1) + "1")
    assert not is_too_deep("SELECT " + f"1 {sign} " * 1000 + "1")


def test_a_list_of_with_clauses_is_not_nested() -> None:
    many = ", ".join(f"c{i} AS (SELECT {i})" for i in range(50))
    assert not is_too_deep(f"WITH {many} SELECT 1")
    assert is_too_deep("WITH a AS (" * 8 + "SELECT 1")
