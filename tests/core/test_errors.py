"""Errors: one tree, one exit code each, texts for the reader who must act."""

from __future__ import annotations

import inspect
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import errors
from core.errors import (
    ConfigError,
    DatabaseError,
    DdrError,
    ProviderError,
    ScenarioError,
    ToolError,
    UnknownNameError,
    UsageError,
)

ALL: list[type[DdrError]] = [
    kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, DdrError)
]
names = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=12)


def test_every_failure_has_the_one_root() -> None:
    declared = {name for name in vars(errors) if name.endswith("Error")}
    assert declared == {kind.__name__ for kind in ALL}


def test_the_tree_drawn_in_the_docstring_is_the_tree_in_the_code() -> None:
    drawn: list[tuple[str, str]] = []
    path: list[str] = ["DdrError"]
    for line in (errors.__doc__ or "").splitlines():
        if found := re.match(r"([│ ]*)[├└]── (\w+)", line):
            depth = len(found[1]) // 4 + 1
            path[depth:] = [found[2]]
            drawn.append((found[2], path[depth - 1]))
    written = {(kind.__name__, kind.__mro__[1].__name__) for kind in ALL if kind is not DdrError}
    assert set(drawn) == written


def test_what_the_person_typed_wrong_exits_with_2_and_the_rest_with_1() -> None:
    usage = {kind for kind in ALL if kind.exit_code == 2}
    assert usage == {UsageError, UnknownNameError, ConfigError}
    assert {kind.exit_code for kind in set(ALL) - usage} == {1}


def test_an_unknown_name_is_told_with_its_kind_the_near_one_and_all_known_in_order() -> None:
    error = UnknownNameError("provider", "opnai", ["openai", "anthropic", "replay"])
    assert str(error) == (
        "unknown provider 'opnai' (did you mean 'openai'?); known: anthropic, openai, replay"
    )


def test_a_name_that_is_near_to_none_gets_no_guess() -> None:
    error = UnknownNameError("entity", "zzz", ["01", "02"])
    assert str(error) == "unknown entity 'zzz'; known: 01, 02"


def test_where_nothing_is_known_that_is_said() -> None:
    assert str(UnknownNameError("run", "last", [])).endswith("; known: none")


@given(name=names, known=st.lists(names, max_size=5))
def test_every_known_name_is_listed_whatever_was_typed(name: str, known: list[str]) -> None:
    error = UnknownNameError("agent", name, iter(known))
    assert error.known == sorted(known)
    assert all(one in str(error) for one in known)


def test_a_broken_database_is_caught_where_a_broken_scenario_is() -> None:
    with pytest.raises(ScenarioError):
        raise DatabaseError("flights.duckdb is held by another writer")


def test_a_tools_failure_says_its_kind_and_what_was_tried() -> None:
    error = ToolError("no such table", kind="sql", violations=("read_text",))
    assert (str(error), error.kind, error.violations) == ("no such table", "sql", ("read_text",))
    assert ToolError("x", kind="sql").violations == ()


def test_a_providers_failure_keeps_its_status_where_it_had_one() -> None:
    assert ProviderError("429 from the endpoint", status_code=429).status_code == 429
    assert ProviderError("no route to host").status_code is None


def test_a_providers_failure_says_its_kind_where_it_is_known() -> None:
    error = ProviderError("the prompt is too long", status_code=400, kind="context_length")
    assert error.kind == "context_length"
    assert ProviderError("no route to host").kind is None
