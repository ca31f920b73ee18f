"""A real language model takes the test, end to end: whatever it says, its ending is typed and the store is whole."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.evaluation import Verdict
from core.trajectory import StopReason, Trajectory
from tests.e2e.processes import Home, last_line
from tests.support import small_model
from tests.support.needs import needs

pytestmark = [pytest.mark.real, needs("small model")]

MAX_TURNS = 3
REPLY_TOKENS = 40
ITS_OWN = {
    StopReason.FINISHED,
    StopReason.IDLE,
    StopReason.MAX_TURNS,
    StopReason.CONTEXT_LENGTH,
}
"""How a model may end that is served without a fault."""


@dataclass(frozen=True)
class Taken:
    """The test as a small model took it."""

    exit_code: int
    said: str
    answer: dict[str, Any]
    only: Trajectory
    verdicts: list[Verdict]


def _take(folder: Path, flights_home: Path, *, context_tokens: int) -> Taken:
    home = Home(folder, flights_home)
    small_model.install()
    with small_model.serving(context_tokens=context_tokens, reply_tokens=REPLY_TOKENS) as url:
        named = ("--model", "openai/smollm2", "--base-url", url, "--timeout", "60")
        bounds = ("--limits", f"max_turns={MAX_TURNS}", "--sampling", "temperature=0")
        where = ("--scenario", "flights", "--entities", "03", "--tools", "sql")
        done = home.ddr("run", *where, *named, *bounds, "--json")
    assert done.stdout, done.stderr
    judged = home.ddr("evaluate", "last", "--json")
    assert judged.returncode == 0, judged.stderr
    with home.store() as store:
        (only,) = store.all_attempts(store.run("last").id)
        verdicts = store.verdicts(last_line(judged.stdout)["evaluation"])
    return Taken(done.returncode, done.stderr, last_line(done.stdout), only, verdicts)


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory, flights_home: Path) -> Taken:
    return _take(tmp_path_factory.mktemp("small"), flights_home, context_tokens=4096)


def test_its_ending_is_typed_and_is_no_fault_of_ours(taken: Taken) -> None:
    assert taken.only.stop_reason in ITS_OWN, taken.only.error
    assert taken.exit_code == 0, taken.said
    assert "Traceback" not in taken.said
    assert taken.answer["stop_reasons"] == {str(taken.only.stop_reason): 1}


def test_all_that_it_said_is_in_the_store(taken: Taken) -> None:
    only = taken.only
    assert only.preamble is not None
    assert "found by its id: 03" in only.preamble.start_prompt
    assert [turn.index for turn in only.turns] == list(range(1, len(only.turns) + 1))
    assert len(only.turns) <= MAX_TURNS
    for turn in only.turns:
        assert [c.call_id for c in turn.tool_calls] == [r.call_id for r in turn.tool_results]
    assert only.turns or only.nudges or only.report, "it said nothing at all"
    if only.stop_reason is StopReason.IDLE:
        assert len(only.nudges) >= 3
        assert only.report is None
    assert only.ended_at is not None


def test_every_call_has_the_tokens_that_llama_cpp_counted(taken: Taken) -> None:
    assert taken.only.calls
    for made in taken.only.calls:
        assert made.model_asked == "openai/smollm2"
        assert made.model_served and made.model_served.endswith(".gguf")
        assert made.usage.input_tokens and made.usage.input_tokens > 100
        assert made.usage.output_tokens and 1 <= made.usage.output_tokens <= REPLY_TOKENS
        assert (made.usage.cost_usd, made.usage.cost_reason) == (None, "no price")


def test_it_is_judged_like_any_other(taken: Taken) -> None:
    told = [each for each in taken.verdicts if each.trajectory_id == taken.only.id]
    assert told
    assert None not in {verdict.label for verdict in told}


def test_a_prompt_that_its_context_cannot_hold_ends_as_context_length(
    tmp_path: Path, flights_home: Path
) -> None:
    full = _take(tmp_path, flights_home, context_tokens=256)
    assert full.only.stop_reason is StopReason.CONTEXT_LENGTH
    assert full.only.turns == ()
    assert full.only.report is None
    assert "context" in (full.only.error or "")
