"""A run goes on under the prompts and prices that it began with, or not at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agent.prompting import Prompts
from core.errors import ConfigError
from providers.pricing import Price, PriceTable
from server import inputs
from server.settings import Settings

TABLE = PriceTable(models={"m/x": Price(input=1.0, output=2.0)}, version="7")
OWN = replace(Prompts.builtin(), nudge="Go on, or say FINISH:")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


def test_what_was_kept_comes_back_the_same(settings: Settings) -> None:
    assert inputs.kept_prompts(settings, inputs.keep_prompts(settings, OWN)) == OWN
    assert inputs.kept_prices(settings, inputs.keep_prices(settings, TABLE)) == TABLE
    kept = sorted(path.name for path in (settings.home / "inputs").iterdir())
    assert kept == [f"prices-{TABLE.hash}.json", f"prompts-{OWN.hash}.json"]


def test_the_prompts_of_this_ddr_need_no_file(settings: Settings) -> None:
    assert inputs.kept_prompts(settings, Prompts.builtin().hash) == Prompts.builtin()


@pytest.mark.parametrize("damage", ["gone", "broken", "changed", "another shape"])
def test_what_is_lost_or_changed_is_refused(settings: Settings, damage: str) -> None:
    keys = inputs.keep_prompts(settings, OWN), inputs.keep_prices(settings, TABLE)
    for path in (settings.home / "inputs").iterdir():
        text = path.read_text("utf-8")
        if damage == "gone":
            path.unlink()
        elif damage == "broken":
            path.write_text(text[:-5], "utf-8")
        elif damage == "changed":
            path.write_text(text.replace("Go on", "Stop").replace("2.0", "3.0"), "utf-8")
        else:
            path.write_text('{"other": 1}', "utf-8")
    with pytest.raises(ConfigError, match="the prompts that the run was begun with"):
        inputs.kept_prompts(settings, keys[0])
    with pytest.raises(ConfigError, match="the prices that the run was begun with"):
        inputs.kept_prices(settings, keys[1])
