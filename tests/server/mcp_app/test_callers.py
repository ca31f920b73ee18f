"""What is kept of what a client says of itself: bounded, whatever it says."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core.outside import Caller
from server.mcp_app.callers import CUT, META_CHARS, META_DEPTH, bounded_meta
from server.store.records import to_json


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def test_what_fits_is_kept_as_it_came() -> None:
    meta = {"claudecode/toolUseId": "toolu_1", "progressToken": 7, "codex": {"callId": [1, None]}}
    assert bounded_meta(meta) == meta


def test_what_the_callers_other_fields_say_is_not_kept_twice() -> None:
    meta = {"io.modelcontextprotocol/clientInfo": {"name": "x"}, "a": 1}
    assert bounded_meta(meta) == {"a": 1}


def test_what_is_too_long_or_too_deep_is_left_out_and_said() -> None:
    assert bounded_meta({"a": 1, "b": "x" * META_CHARS, "c": 2}) == {"a": 1, CUT: True}
    assert bounded_meta({"deep": nested(META_DEPTH + 1), "a": 1}) == {CUT: True, "a": 1}
    assert bounded_meta({"deep": nested(META_DEPTH)}) == {"deep": nested(META_DEPTH)}


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=10,
)


@given(st.dictionaries(st.text(max_size=20), values, max_size=6))
def test_whatever_is_kept_can_be_stored(meta: dict[str, Any]) -> None:
    kept = Caller(meta=bounded_meta(meta))
    assert Caller.model_validate_json(to_json(kept)) is not None
    assert len(json.dumps(kept.meta)) <= 2 * META_CHARS
