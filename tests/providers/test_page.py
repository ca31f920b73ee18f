"""The examples on the page about models are read as the page says."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from core.trajectory import Usage
from providers.pricing import PriceTable
from providers.retry import Backoff
from providers.scripted import ScriptedModel

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")


def example(language: str) -> str:
    """The page's one block in that language."""
    (block,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return str(block)


def test_the_price_file_is_read_and_prices_as_it_says(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(example("toml"), encoding="utf-8")
    table = PriceTable.load(path)
    short = Usage(input_tokens=1000, cached_input_tokens=400, output_tokens=10)
    long = Usage(input_tokens=200_001, cached_input_tokens=1, output_tokens=10)
    assert table.cost("anthropic/claude-x", short)[0] == pytest.approx(
        (600 * 3 + 400 * 0.3 + 10 * 15) / 1e6, abs=1e-9
    )
    assert table.cost("anthropic/claude-x", long)[0] == pytest.approx(
        (200_000 * 6 + 1 * 0.3 + 10 * 22.5) / 1e6, abs=1e-9
    )
    assert table.price("hosted_vllm/whatever") is not None


def test_the_script_is_said_in_its_order(tmp_path: Path) -> None:
    path = tmp_path / "script.jsonl"
    path.write_text(example("json"), encoding="utf-8")
    model = ScriptedModel.from_file(path)

    async def listen() -> list[str]:
        talk = [{"role": "user", "content": "go"}]
        first = await model.complete(talk)
        assert first.tool_calls[0].name == "get_database_info"
        assert (await model.complete(talk)).call.usage.input_tokens == 900
        assert (await model.complete(talk, role="insight")).text == "Delays peak at 19."
        return [(await model.complete(talk)).text for _ in range(2)]

    assert asyncio.run(listen()) == ["FINISH: carrier 03 is late in the evening."] * 2


def test_the_patience_that_the_page_tells_of_is_the_built_in_one() -> None:
    built_in = Backoff()
    assert built_in.attempts == 6
    pauses = [built_in.pause(n, None, 1.0) for n in range(1, built_in.attempts)]
    assert pauses == [1, 2, 4, 8, 16]
    assert built_in.pause(1, None, 0.0) == 0.5
    assert built_in.pause(1, 3600, 0.0) == 60
    assert built_in.total_s == 20 * 60
    assert "Six attempts, with pauses of up to 1, 2, 4, 8 and 16 seconds, half of each" in PAGE
