"""An endpoint is asked again where waiting may help, so often and no oftener."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from core.errors import ProviderError, ProviderFault
from providers.retry import Backoff, EndpointError, Wait, persist


class Clock:
    """Time that passes only by sleeping."""

    def __init__(self, each_request_s: float = 0.0) -> None:
        self.now = 0.0
        self.slept: list[float] = []
        self.each_request_s = each_request_s

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


class Endpoint:
    """Fails by a list, then answers."""

    def __init__(self, clock: Clock, *failures: ProviderError) -> None:
        self.clock, self.failures, self.asked = clock, list(failures), 0

    async def ask(self) -> str:
        self.asked += 1
        self.clock.now += self.clock.each_request_s
        if self.failures:
            raise self.failures.pop(0)
        return "answer"


def failure(kind: ProviderFault, retry_after_s: float | None = None) -> EndpointError:
    return EndpointError("it failed", kind=kind, status_code=429, retry_after_s=retry_after_s)


def persisted(
    endpoint: Endpoint,
    backoff: Backoff | None = None,
    *,
    chance: Callable[[], float] = lambda: 1.0,
    on_wait: Callable[[Wait], None] | None = None,
) -> str:
    clock = endpoint.clock
    return asyncio.run(
        persist(
            endpoint.ask,
            backoff or Backoff(),
            sleep=clock.sleep,
            clock=lambda: clock.now,
            chance=chance,
            on_wait=on_wait,
        )
    )


@pytest.mark.parametrize("kind", ["rate_limit", "server", "timeout", "connection"])
def test_what_may_pass_is_asked_again(kind: ProviderFault) -> None:
    endpoint = Endpoint(Clock(), failure(kind), failure(kind))
    assert persisted(endpoint) == "answer"
    assert endpoint.asked == 3


@pytest.mark.parametrize("kind", ["auth", "bad_request", "context_length", "malformed"])
def test_what_does_not_pass_is_asked_once(kind: ProviderFault) -> None:
    endpoint = Endpoint(Clock(), failure(kind))
    with pytest.raises(ProviderError) as caught:
        persisted(endpoint)
    assert endpoint.asked == 1
    assert endpoint.clock.slept == []
    assert caught.value.kind == kind
    assert str(caught.value) == "it failed"


def test_pauses_double_up_to_the_cap() -> None:
    clock = Clock()
    endpoint = Endpoint(clock, *[failure("server") for _ in range(5)])
    persisted(endpoint, Backoff(attempts=6, first_s=1, factor=2, cap_s=5))
    assert clock.slept == [1, 2, 4, 5, 5]


def test_half_of_a_pause_is_chance() -> None:
    clock = Clock()
    chances = iter([0.0, 0.5])
    endpoint = Endpoint(clock, failure("server"), failure("server"))
    persisted(endpoint, Backoff(first_s=4, factor=1), chance=lambda: next(chances))
    assert clock.slept == [2, 3]


def test_the_endpoints_own_pause_is_honoured_to_the_letter() -> None:
    clock = Clock()
    persisted(Endpoint(clock, failure("rate_limit", 17.5)), chance=lambda: 0.3)
    assert clock.slept == [17.5]


def test_an_endpoint_may_ask_for_no_pause_at_all() -> None:
    clock = Clock()
    persisted(Endpoint(clock, failure("rate_limit", 0.0)))
    assert clock.slept == [0.0]


def test_no_endpoint_can_put_us_to_sleep_for_a_day() -> None:
    clock = Clock()
    persisted(Endpoint(clock, failure("rate_limit", 86400.0)), Backoff(cap_s=60))
    assert clock.slept == [60]


def test_attempts_are_bounded_and_counted_in_the_error() -> None:
    clock = Clock()
    endpoint = Endpoint(clock, *[failure("rate_limit") for _ in range(99)])
    with pytest.raises(ProviderError, match=r"asked 3 times in 3 s") as caught:
        persisted(endpoint, Backoff(attempts=3, first_s=1))
    assert endpoint.asked == 3
    assert (caught.value.kind, caught.value.status_code) == ("rate_limit", 429)


def test_no_request_starts_after_the_total_time() -> None:
    clock = Clock(each_request_s=40)
    endpoint = Endpoint(clock, *[failure("timeout") for _ in range(99)])
    with pytest.raises(ProviderError, match="asked 3 times"):
        persisted(endpoint, Backoff(attempts=50, first_s=1, factor=1, total_s=100))
    assert clock.now < 100 + 40


def test_whoever_watches_hears_of_each_pause_before_it_begins() -> None:
    clock = Clock()
    heard: list[tuple[Wait, float]] = []
    persisted(
        Endpoint(clock, failure("server"), failure("rate_limit", 3.0)),
        on_wait=lambda wait: heard.append((wait, clock.now)),
    )
    assert [(w.attempt, w.seconds, w.error.kind, at) for w, at in heard] == [
        (1, 1.0, "server", 0.0),
        (2, 3.0, "rate_limit", 1.0),
    ]


def test_an_error_that_is_no_providers_passes_through() -> None:
    async def broken() -> str:
        raise RuntimeError("ours")

    with pytest.raises(RuntimeError, match="ours"):
        asyncio.run(persist(broken, Backoff()))


def test_a_cancelled_wait_ends_at_once() -> None:
    async def main() -> int:
        endpoint = Endpoint(Clock(), *[failure("server") for _ in range(9)])
        asleep = asyncio.Event()

        async def sleep(seconds: float) -> None:
            asleep.set()
            await asyncio.Event().wait()

        task = asyncio.create_task(persist(endpoint.ask, Backoff(), sleep=sleep))
        await asleep.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return endpoint.asked

    assert asyncio.run(main()) == 1
