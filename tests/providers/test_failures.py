"""What a failure says, and how long an endpoint asks to be left alone."""

from __future__ import annotations

from datetime import UTC, datetime

import httpx
import pytest

from providers.failures import retry_after, typed

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


@pytest.mark.real  # imports litellm
def test_a_host_that_cannot_be_reached_is_named_without_an_object_of_pythons() -> None:
    said = "Cannot connect to host 127.0.0.1:9 ssl:<ssl.SSLContext object at 0x7f0> [Connect call failed]"
    failure = typed(httpx.ConnectError(said), asked="openai/x")
    assert str(failure) == (
        "openai/x: the connection failed: Cannot connect to host 127.0.0.1:9 [Connect call failed]"
    )
