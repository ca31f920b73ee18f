"""How long an endpoint asks to be left alone, in both forms of Retry-After."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from providers.failures import retry_after

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        ("0", 0.0),
        ("1.5", 1.5),
        ("-3", 0.0),
        ("Fri, 02 Jan 2026 12:00:30 GMT", 30.0),
        ("Fri, 02 Jan 2026 13:00:30 +0100", 30.0),
        ("Fri, 02 Jan 2026 11:59:00 GMT", 0.0),
        ("soon", None),
        ("", None),
        ("inf", None),
        ("nan", None),
    ],
)
def test_the_wait_is_seconds_or_a_date(value: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": value}, now=lambda: NOON) == seconds


def test_an_answer_that_asks_for_nothing_has_no_wait() -> None:
    assert retry_after({}) is None
