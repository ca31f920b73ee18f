"""The checker on a real HTTP endpoint, through litellm: verdicts, money, failures."""

from __future__ import annotations

import asyncio

import pytest

from core.errors import CheckerError
from core.evaluation import Verdict
from core.run import ModelSpec
from providers.catalog import make_model
from providers.pricing import Price, PriceTable
from providers.retry import Backoff
from tests.evaluator.llm.judges import checker_of, explored, fact, reply
from tests.support.endpoint import Request, ScriptedEndpoint, Status, Step, Tokens, say

pytestmark = pytest.mark.real

PRICES = PriceTable(models={"openai/judge": Price(input=2.0, output=8.0)})
ITEMS = [fact(name) for name in ("plain", "again", "never", "absent")]
GOOD = reply(supporting_turns=[2], quote="mean departure delay")


def answer(request: Request) -> Step:
    """By the item that is asked about, and by whether it was asked before."""
    item = request.messages[1].text.rpartition("(")[2].partition(")")[0]
    said = {
        "plain": f"```json\n{GOOD}\n```\nIs there more that I can do?",
        "again": GOOD if request.replies else reply(supporting_turns=[99]),
        "never": "I would rather not say.",
        "absent": reply("insufficient"),
    }[item]
    return say(said, tokens=Tokens(input=1000, output=50), served="judge-2026-01")


def judged(endpoint: ScriptedEndpoint) -> list[Verdict]:
    spec = ModelSpec(provider="openai", name="judge", base_url=endpoint.openai_url)
    model = make_model(spec, prices=PRICES, timeout_s=20, backoff=Backoff(attempts=1))
    checker = checker_of(model, concurrency=2)

    async def check() -> list[Verdict]:
        found = checker.check(ITEMS, explored(report=None), evaluation_id="e")
        return [verdict async for verdict in found if verdict.level == "message"]

    return asyncio.run(check())


def test_verdicts_come_over_the_wire_with_every_ask_paid_for() -> None:
    with ScriptedEndpoint(answer) as endpoint:
        found = {verdict.item_id: verdict for verdict in judged(endpoint)}
    assert {name: verdict.label for name, verdict in found.items()} == {
        "plain": "supported",
        "again": "supported",
        "never": None,
        "absent": "insufficient",
    }
    assert found["never"].unscored_reason == "unreadable: no JSON object with the key 'label'"
    costs = {name: v.call.usage.cost_usd for name, v in found.items() if v.call}
    # 1000 tokens in at $2 and 50 out at $8 a million are $0.0024 an ask.
    assert costs == pytest.approx(
        {"plain": 0.0024, "again": 0.0048, "never": 0.0048, "absent": 0.0024}, abs=1e-9
    )
    assert {v.call.model_served for v in found.values() if v.call} == {"judge-2026-01"}
    assert len(endpoint.requests) == 6
    assert endpoint.peak <= 2
    assert not any(request.tools for request in endpoint.requests)


@pytest.mark.parametrize(
    ("code", "said"), [(401, "failed: openai/judge: 401"), (500, "failed 3 times in a row")]
)
def test_an_endpoint_that_fails_ends_the_pass_and_no_item_is_wrong(code: int, said: str) -> None:
    with (
        ScriptedEndpoint([Status(code)], repeat_last=True) as endpoint,
        pytest.raises(CheckerError, match=said),
    ):
        judged(endpoint)
