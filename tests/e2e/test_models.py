"""A language model takes the test: `ddr run --model` through litellm, in three wire formats, with faults."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from core.evaluation import Verdict
from core.run import RunSpec
from core.trajectory import ModelCall, StopReason, Trajectory
from tests.e2e.processes import ROOT, Home, last_line
from tests.support.endpoint import (
    Call,
    ContextLength,
    Hang,
    Malformed,
    Request,
    Reset,
    ScriptedEndpoint,
    Status,
    Step,
    Tokens,
    call,
    say,
)

pytestmark = pytest.mark.real

PER_MILLION = """
[models."openai/anything"]
input = 2.0
cached = 0.5
output = 10.0

[models."anthropic/anything"]
input = 3.0
cached = 0.3
cache_write = 3.75
output = 15.0

[models."gemini/anything"]
input = 1.25
cached = 0.31
output = 10.0
tiers = [{ above = 200000, input = 2.5, cached = 0.625, output = 15.0 }]
"""
TURN, INSIGHT, LAST = "turn", "insight", "last"
TOKENS = {
    "openai": {
        TURN: Tokens(input=2000, cached=500, output=300, reasoning=100),
        INSIGHT: Tokens(input=400, output=20),
        LAST: Tokens(input=3000, cached=2000, output=200, reasoning=120),
    },
    "anthropic": {
        TURN: Tokens(input=2000, cached=0, cache_write=1500, output=300),
        INSIGHT: Tokens(input=400, output=20),
        LAST: Tokens(input=3000, cached=1500, cache_write=1000, output=200),
    },
    "gemini": {
        TURN: Tokens(input=2000, cached=500, output=300, reasoning=100),
        INSIGHT: Tokens(input=400, output=20),
        LAST: Tokens(input=250_000, cached=100_000, output=200),
    },
}
BY_HAND = {
    "openai": (
        (1500 * 2 + 500 * 0.5 + 300 * 10) + (400 * 2 + 20 * 10) + (1000 * 2 + 2000 * 0.5 + 200 * 10)
    ),
    "anthropic": (
        (500 * 3 + 1500 * 3.75 + 300 * 15)
        + (400 * 3 + 20 * 15)
        + (500 * 3 + 1500 * 0.3 + 1000 * 3.75 + 200 * 15)
    ),
    "gemini": (
        (1500 * 1.25 + 500 * 0.31 + 300 * 10)
        + (400 * 1.25 + 20 * 10)
        + (150_000 * 2.5 + 100_000 * 0.625 + 200 * 15)
    ),
}
"""Millionths of a dollar."""
COUNT = "SELECT count(*) AS n FROM flights WHERE carrier_id = '03'"


def _told(request: Request) -> Step:
    """Two turns' worth of a model, with the tokens of its wire format."""
    tokens = TOKENS[request.api]
    if not request.tools:
        return say("It has some flights.", tokens=tokens[INSIGHT])
    if not request.replies:
        asked = [Call("execute_query", {"query": COUNT})]
        return say("I count them.", calls=asked, tokens=tokens[TURN])
    return say("FINISH: Carrier 03 has flights.", tokens=tokens[LAST], served="anything-2031")


def _store_of(home: Home, count: int) -> dict[str, tuple[RunSpec, Trajectory]]:
    with home.store() as store:
        runs = sorted(store.runs(), key=lambda run: run.created_at)[-count:]
        return {
            run.model.provider: (run, *store.trajectories(run.id))  # type: ignore[misc]
            for run in runs
            if run.model
        }


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory, flights_home: Path) -> tuple[Home, Path]:
    """A home and a price list."""
    folder = tmp_path_factory.mktemp("models")
    prices = folder / "prices.toml"
    prices.write_text(PER_MILLION, "utf-8")
    return Home(folder, flights_home), prices


def _ask(home: Home, url: str, *more: str) -> subprocess.CompletedProcess[str]:
    named = [word for api in TOKENS for word in ("--model", f"{api}/anything")]
    shared = ("--scenario", "flights", "--entities", "03", "--tools", "sql", "--json")
    return home.ddr("run", *shared, *named, "--base-url", url, *more)


@pytest.fixture(scope="module")
def unpriced(spoken: tuple[Home, Path]) -> dict[str, tuple[RunSpec, Trajectory]]:
    """One run of each wire format, without prices."""
    with ScriptedEndpoint(_told) as endpoint:
        done = _ask(spoken[0], endpoint.url)
        assert done.returncode == 0, done.stderr
        assert endpoint.strays == ()
        assert Counter(request.api for request in endpoint.requests) == dict.fromkeys(TOKENS, 3)
    assert [run["usage"]["cost_reason"] for run in last_line(done.stdout)["runs"]] == [
        "no price"
    ] * 3
    return _store_of(spoken[0], 3)


@pytest.mark.parametrize("api", TOKENS)
def test_a_whole_trajectory_comes_through_litellm(
    unpriced: dict[str, tuple[RunSpec, Trajectory]], api: str
) -> None:
    spec, only = unpriced[api]
    assert only.stop_reason is StopReason.FINISHED
    assert only.preamble is not None
    assert "found by its id: 03" in only.preamble.start_prompt
    (turn,) = only.turns
    assert turn.text == "I count them."
    assert turn.tool_calls[0].name == "execute_query"
    assert not turn.tool_results[0].is_error
    assert [(i.level, i.text) for i in only.insights] == [
        ("message", "It has some flights."),
        ("trajectory", "Carrier 03 has flights."),
    ]
    assert spec.price_table_hash is None


@pytest.mark.parametrize("api", TOKENS)
def test_each_call_has_its_tokens_and_the_reason_why_it_has_no_cost(
    unpriced: dict[str, tuple[RunSpec, Trajectory]], api: str
) -> None:
    calls = unpriced[api][1].calls
    assert [call.role for call in calls] == ["agent", "insight", "agent"]
    assert {call.model_asked for call in calls} == {f"{api}/anything"}
    for made, tokens in zip(calls, TOKENS[api].values(), strict=True):
        _same_tokens(made, tokens)
        assert (made.usage.cost_usd, made.usage.cost_reason) == (None, "no price")


def _same_tokens(made: ModelCall, tokens: Tokens) -> None:
    usage = made.usage
    assert (usage.input_tokens, usage.output_tokens) == (tokens.input, tokens.output)
    assert (usage.cached_input_tokens or 0) == (tokens.cached or 0)
    assert (usage.cache_write_tokens or 0) == (tokens.cache_write or 0)
    assert (usage.reasoning_tokens or 0) == (tokens.reasoning or 0)


def test_with_prices_the_cost_is_what_a_hand_computes(spoken: tuple[Home, Path]) -> None:
    home, prices = spoken
    with ScriptedEndpoint(_told) as endpoint:
        done = _ask(home, endpoint.url, "--prices", str(prices))
    assert done.returncode == 0, done.stderr
    told = {run["model"].split("/")[0]: run for run in last_line(done.stdout)["runs"]}
    stored = _store_of(home, 3)
    for api, millionths in BY_HAND.items():
        spec, only = stored[api]
        assert told[api]["usage"]["cost_usd"] == pytest.approx(millionths / 1e6, abs=1e-9)
        assert only.usage(role=None).cost_usd == pytest.approx(millionths / 1e6, abs=1e-9)
        assert {made.price_table_hash for made in only.calls} == {spec.price_table_hash}


# Faults: one carrier each, all in one run

IMPATIENT = """
import sys
import providers.litellm_model as asked
from providers.retry import Backoff
from server.cli.main import main
asked.Backoff = lambda: Backoff(attempts=3, first_s=0.2)
sys.exit(main(sys.argv[1:]))
"""
"""`ddr` that waits a shorter time before it asks again, and three times in place of six."""

QUERY = call("execute_query", query="SELECT count(*) AS n FROM carriers")
DONE = say("FINISH: There is nothing more to find.")
CARRIER = re.compile(r"(?:by its id: |carrier )(\d\d)\b")


@dataclass(frozen=True)
class Plan:
    """What one carrier's model does, by how often it was asked with tools, and how that ends."""

    what: str
    step: Callable[[int], Step]
    stop: StopReason
    error: str = ""
    """What the stored error says."""


def _then(*steps: Step) -> Callable[[int], Step]:
    return lambda asked: steps[min(asked, len(steps) - 1)]


FAULT, FINISHED = StopReason.PROVIDER_ERROR, StopReason.FINISHED
BROKEN, CUT = '{"query": SELECT 1}', '{"query": "SELECT count(*) FR'
PLANS = {
    "01": Plan("401", _then(Status(401)), FAULT, "401"),
    "02": Plan("429 once", _then(Status(429), QUERY, DONE), FINISHED),
    "03": Plan("429, come in 1 s", _then(Status(429, retry_after="1"), QUERY, DONE), FINISHED),
    "04": Plan("429 always", _then(QUERY, Status(429, retry_after="0")), FAULT, "429"),
    "05": Plan("500 always", _then(QUERY, Status(500)), FAULT, "500"),
    "06": Plan("a hang", _then(QUERY, Hang()), FAULT, "asked 3 times"),
    "07": Plan("a reset in mid-body", _then(QUERY, Reset()), FAULT, "asked 3 times"),
    "08": Plan("no JSON", _then(QUERY, Malformed()), FAULT),
    "09": Plan("empty content", _then(QUERY, say("")), StopReason.IDLE),
    "10": Plan("an unknown tool", _then(call("drop_table", table="flights"), DONE), FINISHED),
    "11": Plan(
        "broken arguments", _then(say("", calls=[Call("execute_query", BROKEN)]), DONE), FINISHED
    ),
    "12": Plan(
        "truncated arguments",
        _then(say("", calls=[Call("execute_query", CUT)], finish="length"), DONE),
        FINISHED,
    ),
    "13": Plan(
        "a call beside FINISH", _then(say("FINISH: I am done.", calls=QUERY.calls), DONE), FINISHED
    ),
    "14": Plan("an endless repeater", _then(QUERY), StopReason.MAX_TURNS),
    "15": Plan(
        "a context overflow", _then(*[QUERY] * 3, ContextLength()), StopReason.CONTEXT_LENGTH
    ),
    "16": Plan("a reset once", _then(Reset(mid_body=False), QUERY, DONE), FINISHED),
}
MAX_TURNS = 4


class Faulty:
    """The endpoint's script: which carrier asks is told by the request."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.times: dict[str, list[float]] = {}
        self.reports: dict[str, Request] = {}
        """The request for a report, by carrier."""

    def __call__(self, request: Request) -> Step:
        found = CARRIER.search(request.text)
        assert found, request.text
        carrier = found[1]
        if not request.tools:
            # Without tools: a turn's insight, or the report that a limit asks for.
            if not request.replies:
                return say("NO INSIGHT")
            self.reports[carrier] = request
            return say("What I know so far.")
        place = self.asked[carrier]
        self.asked[carrier] += 1
        self.times.setdefault(carrier, []).append(request.at)
        return PLANS[carrier].step(place)


@dataclass(frozen=True)
class Faults:
    """The one run of them all, and how it was judged."""

    exit_code: int
    said: str
    answer: dict[str, Any]
    script: Faulty
    attempts: dict[str, Trajectory]
    verdicts: list[Verdict]


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory, flights_home: Path) -> Faults:
    home = Home(tmp_path_factory.mktemp("faults"), flights_home)
    script = Faulty()
    with ScriptedEndpoint(script) as endpoint:
        named = ("--scenario", "flights", "--model", "openai/anything", "--tools", "sql")
        bounds = ("--limits", f"max_turns={MAX_TURNS}", "--timeout", "8", "--concurrency", "16")
        at = ("--base-url", endpoint.openai_url)
        done = subprocess.run(
            [sys.executable, "-c", IMPATIENT, "run", "--json", *named, *bounds, *at],
            cwd=ROOT,
            env=home.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    judged = home.ddr("evaluate", "last", "--json")
    assert judged.returncode == 0, judged.stderr
    with home.store() as store:
        attempts = store.all_attempts(store.run("last").id)
        verdicts = store.verdicts(last_line(judged.stdout)["evaluation"])
    assert len(attempts) == len(PLANS), done.stderr
    by_carrier = {t.entity_id: t for t in attempts}
    answer = last_line(done.stdout)
    return Faults(done.returncode, done.stderr, answer, script, by_carrier, verdicts)


@pytest.mark.parametrize("carrier", PLANS, ids=[plan.what for plan in PLANS.values()])
def test_every_fault_has_its_typed_ending(faults: Faults, carrier: str) -> None:
    plan, ended = PLANS[carrier], faults.attempts[carrier]
    assert ended.stop_reason is plan.stop, ended.error
    assert plan.error in (ended.error or "")
    assert (ended.error is None) == (plan.stop not in (FAULT, StopReason.CONTEXT_LENGTH))
    assert [turn.index for turn in ended.turns] == list(range(1, len(ended.turns) + 1))
    assert "Traceback" not in faults.said


def test_the_whole_run_says_that_some_of_it_failed(faults: Faults) -> None:
    assert faults.exit_code == 1
    expected = Counter(plan.stop.value for plan in PLANS.values())
    assert faults.answer["stop_reasons"] == expected
    assert f"{expected[FAULT.value]} ended by a fault" in faults.said


def test_nothing_that_an_endpoint_did_is_scored_as_a_wrong_answer(faults: Faults) -> None:
    failed = {t.id for t in faults.attempts.values() if t.stop_reason is FAULT}
    assert len(failed) == 6
    told = [verdict for verdict in faults.verdicts if verdict.trajectory_id in failed]
    assert told
    assert {verdict.label for verdict in told} == {None}
    others = [verdict for verdict in faults.verdicts if verdict.trajectory_id not in failed]
    assert None not in {verdict.label for verdict in others}


def test_a_providers_error_is_never_a_report(faults: Faults) -> None:
    for carrier, plan in PLANS.items():
        assert (faults.attempts[carrier].report is None) == (plan.stop in (FAULT, StopReason.IDLE))


def test_what_may_pass_is_asked_again_and_what_may_not_is_not(faults: Faults) -> None:
    asked = faults.script.asked
    assert (asked["01"], asked["08"]) == (1, 2)
    assert (asked["02"], asked["03"], asked["16"]) == (3, 3, 3)
    assert [asked[carrier] for carrier in ("04", "05", "06", "07")] == [1 + 3] * 4
    gaps = [later - sooner for sooner, later in pairwise(faults.script.times["03"])]
    assert gaps[0] >= 1, "Retry-After was not waited for"


def test_a_call_that_cannot_be_carried_out_is_answered_and_the_model_goes_on(
    faults: Faults,
) -> None:
    kinds = {c: faults.attempts[c].turns[0].tool_results[0].error_kind for c in ("10", "11", "12")}
    assert kinds == {"10": "unknown_tool", "11": "malformed_call", "12": "malformed_call"}
    assert faults.attempts["11"].turns[0].tool_calls[0].arguments == BROKEN
    assert faults.attempts["12"].turns[0].tool_calls[0].arguments == CUT
    assert "cut off" in faults.attempts["12"].turns[0].tool_results[0].text


def test_a_call_beside_the_marker_is_a_near_finish_and_is_carried_out(faults: Faults) -> None:
    ended = faults.attempts["13"]
    assert ended.near_finishes == 1
    assert not ended.turns[0].tool_results[0].is_error
    assert ended.report == "There is nothing more to find."


def test_empty_replies_are_nudged_and_are_no_turns(faults: Faults) -> None:
    ended = faults.attempts["09"]
    assert (len(ended.turns), len(ended.nudges)) == (1, 3)


def test_a_repeater_is_stopped_by_its_limit_and_asked_for_its_report(faults: Faults) -> None:
    ended = faults.attempts["14"]
    assert len(ended.turns) == MAX_TURNS
    assert (ended.report_forced, ended.report) == (True, "What I know so far.")


def test_a_context_that_is_full_still_gives_a_report(faults: Faults) -> None:
    ended = faults.attempts["15"]
    assert len(ended.turns) == 3
    assert (ended.report_forced, ended.report) == (True, "What I know so far.")
    sent = faults.script.reports["15"]
    assert sent.replies == 1, "of three exchanges the newest half is kept"
    assert "2" in sent.messages[-1].text.partition("\n\n")[0], "the model is told of two lost ones"
