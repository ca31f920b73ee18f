"""Keep the prompts and prices that a run was given, so that it goes on under the same ones."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import ConfigError, StoreError
from server.settings import Settings

if TYPE_CHECKING:
    from agent.prompting import Prompts
    from providers.pricing import PriceTable


def keep_prompts(settings: Settings, prompts: Prompts) -> str:
    """Keep them under their hash, which is returned. Raises StoreError."""
    _keep(settings, f"prompts-{prompts.hash}.json", json.dumps(asdict(prompts)))
    return prompts.hash


def keep_prices(settings: Settings, prices: PriceTable) -> str:
    """Keep a table under its hash, which is returned. Raises StoreError."""
    _keep(settings, f"prices-{prices.hash}.json", prices.model_dump_json())
    return prices.hash


def kept_prompts(settings: Settings, key: str) -> Prompts:
    """The prompts behind a hash. Raises ConfigError where they are not there or not the same."""
    from agent.prompting import Prompts

    builtin = Prompts.builtin()
    if builtin.hash == key:
        return builtin
    try:
        found = Prompts(**json.loads(_read(settings, f"prompts-{key}.json")))
    except (ValueError, TypeError) as exc:
        raise _lost("prompts", key) from exc
    if found.hash != key:
        raise _lost("prompts", key)
    return found


def kept_prices(settings: Settings, key: str) -> PriceTable:
    """The table behind a hash. Raises ConfigError where it is not there or not the same."""
    from providers.pricing import PriceTable

    try:
        found = PriceTable.model_validate_json(_read(settings, f"prices-{key}.json"))
    except ValueError as exc:
        raise _lost("prices", key) from exc
    if found.hash != key:
        raise _lost("prices", key)
    return found


def _place(settings: Settings, name: str) -> Path:
    return settings.home / "inputs" / name


def _read(settings: Settings, name: str) -> str:
    try:
        return _place(settings, name).read_text("utf-8")
    except OSError as exc:
        raise _lost(name.partition("-")[0], name) from exc


def _keep(settings: Settings, name: str, text: str) -> None:
    path = _place(settings, name)
    fresh = path.with_name(f".{name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh.write_text(text, "utf-8")
        fresh.replace(path)
    except OSError as exc:
        raise StoreError(f"cannot write {path}: {exc.strerror or exc}") from exc


def _lost(what: str, key: str) -> ConfigError:
    return ConfigError(
        f"the {what} that the run was begun with ({key[:24]}) are not kept here any more, or were "
        "changed; begin a new run"
    )
