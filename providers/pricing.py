"""What tokens cost: a table of prices with a hash, and the arithmetic on it."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from core.errors import ConfigError
from core.record import Record
from core.trajectory import ModelCall, Usage
from providers.locality import WITHOUT_ENDPOINT

NO_PRICE = "no price"
NOT_REPORTED = "tokens not reported"


class Rates(Record):
    """US dollars per million tokens."""

    input: float = Field(ge=0)
    """A token that is neither read from a cache nor written to one."""
    output: float = Field(ge=0)
    """Reasoning is output."""
    cached: float | None = Field(default=None, ge=0)
    """A token read from a cache; None = as `input`."""
    cache_write: float | None = Field(default=None, ge=0)
    """A token written to a cache; None = as `input`."""


class Tier(Record):
    """Other rates for prompts above a length; what is not named stays as it is."""

    above: int = Field(ge=0)
    """A call with more input tokens than this is priced here, all of its tokens."""
    input: float | None = Field(default=None, ge=0)
    output: float | None = Field(default=None, ge=0)
    cached: float | None = Field(default=None, ge=0)
    cache_write: float | None = Field(default=None, ge=0)


class Price(Rates):
    """One model's price."""

    tiers: tuple[Tier, ...] = ()

    def rates(self, input_tokens: int) -> Rates:
        """The rates of a call with so many input tokens: those of its highest tier."""
        reached = [tier for tier in self.tiers if input_tokens > tier.above]
        own = self.model_dump(exclude={"tiers"})
        if not reached:
            return Rates(**own)
        tier = max(reached, key=lambda tier: tier.above)
        named = tier.model_dump(exclude={"above"}, exclude_none=True)
        return Rates(**{**own, **named})


class PriceTable(Record):
    """Prices by model: 'openai/gpt-x', or 'openai/*' for all others of that provider."""

    models: dict[str, Price]
    version: str | None = None
    """What the table calls itself; it does not enter the hash of a table from a file."""
    listed: bool = False
    """Whether it is litellm's own list, which its version identifies."""

    @classmethod
    def load(cls, path: Path) -> PriceTable:
        """Read a TOML or JSON file. Raises ConfigError that names the file and the key."""
        read = _read(path)
        if "listed" in read:
            raise ConfigError(f"{path}: unknown key 'listed'; known: models, version")
        try:
            return cls.model_validate(read)
        except ValidationError as exc:
            fault = exc.errors()[0]
            key = ".".join(str(part) for part in fault["loc"])
            raise ConfigError(f"{path}: {key}: {fault['msg']}") from exc

    @cached_property
    def hash(self) -> str:
        """sha-256 of the prices in canonical JSON, or 'litellm-<version>' for litellm's list."""
        if self.listed:
            return f"litellm-{self.version}"
        prices = {name: price.model_dump() for name, price in self.models.items()}
        text = json.dumps(prices, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def price(self, model: str) -> Price | None:
        """A model's price; None where neither it nor its provider has one."""
        if model in self.models:
            return self.models[model]
        # A plug-in's place has a colon too: module:attribute/name.
        head = model.partition(":")[0]
        provider = head if head in WITHOUT_ENDPOINT else model.partition("/")[0]
        return self.models.get(f"{provider}/*")

    def cost(self, model: str, usage: Usage) -> tuple[float | None, str | None]:
        """US dollars of one call, or None and the reason why there is no figure.

        Input tokens count cached and cache-write ones, output tokens count reasoning. Where a
        provider does not report its cache, all input is priced as new.
        """
        price = self.price(model)
        if price is None:
            return None, NO_PRICE
        if usage.input_tokens is None or usage.output_tokens is None:
            return None, NOT_REPORTED
        rates = price.rates(usage.input_tokens)
        cached, written = usage.cached_input_tokens or 0, usage.cache_write_tokens or 0
        new = usage.input_tokens - cached - written
        if new < 0:
            return None, "more cached tokens reported than input tokens"
        spent = (
            new * rates.input
            + cached * (rates.input if rates.cached is None else rates.cached)
            + written * (rates.input if rates.cache_write is None else rates.cache_write)
            + usage.output_tokens * rates.output
        )
        return spent / 1e6, None


def priced(usage: Usage, model: str, table: PriceTable | None) -> Usage:
    """The same tokens with their cost, or with the reason why there is none."""
    cost, reason = (None, NO_PRICE) if table is None else table.cost(model, usage)
    return usage.model_copy(update={"cost_usd": cost, "cost_reason": reason})


def reprice(call: ModelCall, table: PriceTable) -> ModelCall:
    """The same call at this table's prices, by the model that was asked for."""
    usage = priced(call.usage, call.model_asked, table)
    return call.model_copy(update={"usage": usage, "price_table_hash": table.hash})


def _read(path: Path) -> Mapping[str, Any]:
    try:
        text = path.read_text("utf-8")
        read: Any = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except OSError as exc:
        raise ConfigError(f"{path} cannot be read: {exc.strerror}") from exc
    except ValueError as exc:
        kind = "JSON" if path.suffix == ".json" else "TOML"
        raise ConfigError(f"{path}: not {kind}: {exc}") from exc
    if not isinstance(read, Mapping):
        raise ConfigError(f"{path}: must be a table with the key 'models'")
    return read
