"""What is said over the socket: answers come through whole, and errors keep their kind."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from core import errors
from core.protocols import Observation
from tests.tools.host.support import opening
from tools.host.messages import Failure, Opening, failure, pack, unpack
from tools.values import compact

WORDS = st.tuples(st.text(max_size=9), st.text(max_size=9))
OBSERVATIONS = st.builds(
    Observation,
    text=st.text(max_size=40),
    data=st.none() | st.dictionaries(st.text(max_size=9), st.integers() | st.text(max_size=9)),
    is_error=st.booleans(),
    error_kind=st.none() | st.sampled_from(["sql", "timeout"]),
    truncated=st.booleans(),
    accessed_fields=WORDS,
    violations=WORDS,
    images=st.lists(st.binary(max_size=50), max_size=3).map(tuple),
    duration_s=st.floats(0, 100),
)


@given(OBSERVATIONS, st.booleans())
def test_an_answer_comes_through_with_pictures_violations_and_fields(
    seen: Observation, text_is_data: bool
) -> None:
    if text_is_data and seen.data is not None:
        seen = seen.model_copy(update={"text": compact(seen.data)})
    said, payload = pack(seen)
    assert unpack(json.loads(json.dumps(said)), payload) == seen


def test_data_that_the_text_says_already_is_not_sent_twice() -> None:
    data = {"rows": [["x" * 1000]]}
    said, payload = pack(Observation(text=compact(data), data=data))
    assert len(json.dumps(said)) < 300
    assert payload == compact(data).encode()


def test_data_that_was_left_in_the_text_is_read_at_the_other_end() -> None:
    data = {"rows": [["x", None, 1.5]]}
    said, payload = pack(Observation(text=compact(data)), in_text=True)
    assert unpack(said, payload).data == data
    other = Observation(text="no JSON", data={"a": 1})
    assert unpack(*pack(other, in_text=True)) == other


def test_half_of_a_surrogate_pair_comes_through_in_a_text() -> None:
    seen = Observation.model_construct(text="\ud83d", images=())
    assert unpack(*pack(seen)).text == "\ud83d"


def test_pictures_that_do_not_fit_their_sizes_are_refused() -> None:
    said, payload = pack(Observation(text="", images=(b"abc",)))
    with pytest.raises(ValueError, match="sizes"):
        unpack(said, payload + b"d")


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (errors.DatabaseError("no database"), errors.DatabaseError),
        (errors.ConfigError("wrong key"), errors.ConfigError),
        (errors.SandboxError("no namespaces"), errors.SandboxError),
        (errors.UnknownNameError("tool", "x", ["y"]), errors.UsageError),
        (errors.StoreError("odd"), errors.ScenarioError),
    ],
)
def test_an_error_of_opening_arrives_as_what_it_was_or_as_its_nearest_kin(
    raised: errors.DdrError, kind: type[errors.DdrError]
) -> None:
    told = Failure.model_validate_json(failure(raised).model_dump_json()).error()
    assert type(told) is kind
    assert str(told) == str(raised)


def test_a_tools_error_keeps_its_kind() -> None:
    told = failure(errors.ToolError("no room", kind="limit")).error()
    assert isinstance(told, errors.ToolError)
    assert (told.kind, str(told)) == ("limit", "no room")


def test_no_kind_names_a_class_that_is_no_error_of_opening() -> None:
    for kind in ("ToolError", "UnknownNameError", "difflib", "annotations", "__builtins__"):
        assert isinstance(Failure(kind=kind, text="").error(), errors.ToolError)


def test_an_opening_never_prints_where_the_database_is() -> None:
    target = {"dialect": "postgresql", "location": "postgresql://u:secret@h/d"}
    opened = opening(target=target)
    assert "secret" not in repr(opened)
    assert Opening.model_validate_json(opened.model_dump_json()) == opened


def test_a_key_of_no_length_or_of_any_length_is_refused() -> None:
    for key in ("", "x" * 301):
        with pytest.raises(ValidationError):
            opening(key)


@pytest.mark.parametrize("field", ["key", "sandbox", "dialect", "location"])
@pytest.mark.parametrize("odd", ["\0", "\ud800"])
def test_what_no_name_can_hold_is_refused(field: str, odd: str) -> None:
    said = opening().model_dump(mode="json")
    (said["target"] if field in said["target"] else said)[field] = f"a{odd}b"
    with pytest.raises(ValidationError, match=r"NUL|surrogates|unicode"):
        Opening.model_validate(said)
