"""A scripted model keeps the contract of models, and its files say what is wrong with them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from core.errors import ConfigError, ProviderError
from core.protocols import ChatModel, Reply
from core.trajectory import Role
from providers.pricing import Price, PriceTable
from providers.scripted import ScriptedModel
from tests.contracts.model_contract import START, TOOLS, ModelContract
from tests.support.endpoint import Say, Status, Step

KINDS = {401: "auth", 403: "auth", 400: "bad_request"}


def scripted(step: Step) -> dict[str, Any]:
    """A step of the endpoint as a line of a script."""
    if isinstance(step, Status):
        return {"error": {"kind": KINDS[step.code], "status_code": step.code}}
    assert isinstance(step, Say)
    count = step.tokens
    return {
        "text": step.text or "",
        "reasoning": step.reasoning,
        "tool_calls": [
            {"name": c.name, "arguments": c.arguments, "id": c.id} for c in step.calls or ()
        ],
        "usage": {}
        if count is None
        else {
            "input_tokens": count.input,
            "output_tokens": count.output,
            "cached_input_tokens": count.cached,
            "cache_write_tokens": count.cache_write,
            "reasoning_tokens": count.reasoning,
        },
        "finish_reason": step.finish,
        "model_served": step.served,
    }


class TestScriptedModel(ModelContract):
    """The contract."""

    @contextmanager
    def model(self, *steps: Step) -> Iterator[ChatModel]:
        lines = [scripted(step) for step in steps]
        # What a contract asks in the role insight is answered as well.
        yield ScriptedModel([*lines, *({**line, "role": "insight"} for line in lines)])


def ask(model: ChatModel, *roles: Role) -> list[Reply]:
    async def all_of_them() -> list[Reply]:
        return [await model.complete(START, TOOLS, role=role) for role in roles]

    return asyncio.run(all_of_them())


def texts(model: ChatModel, *roles: Role) -> list[str]:
    return [reply.text for reply in ask(model, *roles)]


# Order and end


def test_replies_come_in_order_whatever_the_role() -> None:
    model = ScriptedModel(["one", "two", "three"])
    assert texts(model, "agent", "report", "checker") == ["one", "two", "three"]


def test_a_script_that_has_ended_is_an_error_and_no_finish() -> None:
    model = ScriptedModel(["only"], name="scripted:a.json")
    ask(model, "agent")
    with pytest.raises(
        ProviderError, match=r"scripted:a\.json: the script has 1 replies"
    ) as caught:
        ask(model, "agent")
    assert caught.value.kind == "bad_request"


def test_insight_calls_take_nothing_from_the_agents_replies() -> None:
    model = ScriptedModel(["one", "two"])
    assert texts(model, "agent", "insight", "insight", "agent") == [
        "one",
        "NO INSIGHT",
        "NO INSIGHT",
        "two",
    ]


def test_insight_calls_have_replies_of_their_own_where_a_script_gives_them() -> None:
    model = ScriptedModel([{"text": "seen", "role": "insight"}, "one"])
    assert texts(model, "agent", "insight") == ["one", "seen"]
    with pytest.raises(ProviderError, match="role insight"):
        ask(model, "insight")


def test_a_last_reply_can_be_said_for_ever() -> None:
    model = ScriptedModel(["first", {"text": "again", "repeat": True}])
    assert texts(model, "agent", "agent", "agent", "agent") == ["first", "again", "again", "again"]


def test_a_scripted_failure_takes_its_turn() -> None:
    failure = {"error": {"kind": "context_length", "status_code": 400, "text": "too long"}}
    model = ScriptedModel([failure, "after"])
    with pytest.raises(ProviderError, match="too long") as caught:
        ask(model, "agent")
    assert (caught.value.kind, caught.value.status_code) == ("context_length", 400)
    assert texts(model, "agent") == ["after"]


def test_a_test_can_see_what_was_asked() -> None:
    model = ScriptedModel(["one"])
    ask(model, "judge")
    assert model.asked == [("judge", START, [tool.name for tool in TOOLS])]


def test_a_script_can_have_a_price() -> None:
    prices = PriceTable(models={"scripted/*": Price(input=1, output=10)})
    usage = {"input_tokens": 1000, "output_tokens": 100}
    model = ScriptedModel([{"text": "x", "usage": usage}], name="scripted:f", prices=prices)
    (reply,) = ask(model, "agent")
    assert reply.call.usage.cost_usd == pytest.approx(0.002, abs=1e-9)
    assert reply.call.price_table_hash == prices.hash


# Files


LINES = [{"text": "one"}, {"tool_calls": [{"name": "f", "arguments": {"a": "ü"}}]}]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(LINES),
        "\n".join(json.dumps(line) for line in LINES),
        "\n\n" + "\n\n".join(json.dumps(line, ensure_ascii=False) for line in LINES) + "\n",
        json.dumps(LINES, indent=4),
    ],
)
def test_a_file_is_a_json_list_or_json_lines(tmp_path: Path, text: str) -> None:
    path = tmp_path / "script.json"
    path.write_text(text, encoding="utf-8")
    model = ScriptedModel.from_file(path)
    first, second = ask(model, "agent", "agent")
    assert model.name == f"scripted:{path}"
    assert first.text == "one"
    assert second.tool_calls[0].arguments == '{"a": "ü"}'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"text": "one"}\n{"text": ', ":2: not JSON"),
        ('[\n{"text": "one"},\n{"text"}\n]', ":3: not JSON"),
        ('{"text": "one"}\n\n{"txet": "two"}', ":3: txet: Extra inputs"),
        ('[{"text": "one"}, {"tool_calls": [{}]}]', ": reply 2: tool_calls.0.name: Field"),
        ('{"error": {"kind": "bad luck"}}', ":1: error.kind: Input should be"),
        ("[1]", ": reply 1: : Input should be"),
        ("hello", ":1: not JSON"),
    ],
)
def test_a_faulty_file_is_an_error_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        ScriptedModel.from_file(path)
    assert f"{path}{said}" in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.json cannot be read: No such file"):
        ScriptedModel.from_file(tmp_path / "none.json")


def test_an_empty_file_is_a_script_that_has_ended(tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_text("")
    with pytest.raises(ProviderError, match="has 0 replies"):
        ask(ScriptedModel.from_file(path), "agent")


def test_a_script_goes_on_behind_what_it_said_before_each_line_by_itself() -> None:
    script: list[Any] = [
        "one",
        {"role": "insight", "text": "first"},
        "two",
        {"role": "insight", "text": "second"},
        {"text": "again", "repeat": True},
    ]
    model = ScriptedModel(script)
    model.skip({"agent": 1, "report": 1, "insight": 1})
    said = [
        asyncio.run(model.complete([], role=role)).text for role in ("agent", "insight", "agent")
    ]
    assert said == ["again", "second", "again"]
    late = ScriptedModel(script)
    late.skip({"agent": 9})
    assert asyncio.run(late.complete([])).text == "again", (
        "a last one that repeats is never behind it"
    )
