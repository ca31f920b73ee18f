"""'30' or '10%' of so many things, the same ones each time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import UsageError
from server.drawing import drawn, size_of


@pytest.mark.parametrize(
    ("asked", "total", "size"),
    [
        ("30", 324, 30),
        ("400", 324, 324),
        ("10%", 324, 32),
        ("0.1%", 324, 1),
        ("100 %", 7, 7),
        (" 5 ", 9, 5),
    ],
)
def test_sizes(asked: str, total: int, size: int) -> None:
    assert size_of(asked, total) == size


@pytest.mark.parametrize(
    "asked", ["", "0", "-3", "2.5", "0%", "101%", "ten", "5 %%", "1e3", "nan", "٣"]
)
def test_what_is_no_size(asked: str) -> None:
    if asked == "٣":  # digits of other scripts are numbers too
        assert size_of(asked, 10) == 3
        return
    with pytest.raises(UsageError, match="--sample"):
        size_of(asked, 100)


@given(st.lists(st.integers(), min_size=1, unique=True), st.integers(1, 50), st.integers(0, 9))
def test_a_sample_keeps_the_order_and_has_nothing_twice(
    things: list[int], n: int, seed: int
) -> None:
    found = drawn(things, str(n), seed=seed)
    assert len(found) == min(n, len(things))
    assert found == [thing for thing in things if thing in set(found)]
    assert found == drawn(things, str(n), seed=seed)
    assert drawn(things, None, seed=seed) == things
