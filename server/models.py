"""The models of a run: named, allowed, priced, and made for each trajectory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.errors import StoreError, UsageError
from core.protocols import ChatModel
from core.run import Limits, ModelSpec, RunSpec
from core.scenario import Scenario
from core.trajectory import Role, Trajectory
from providers.catalog import make_model, missing_keys, model_name, parse_model, prepare
from providers.locality import leaves_machine
from providers.price_list import table_for
from providers.pricing import PriceTable
from providers.retry import Wait
from server.board import Board
from server.metering import MeteredModel, Purse
from server.store import Repository
from server.store.attempts import Key, counting

TIMEOUT_S = 600.0


@dataclass(frozen=True)
class Means:
    """What the models of one invocation share."""

    prices: PriceTable | None = None
    """Given by the person who pays; None = litellm's list where it speaks of the model."""
    purse: Purse = field(default_factory=lambda: Purse(None))
    board: Board = field(default_factory=Board)
    timeout_s: float = TIMEOUT_S
    """For one request."""


def named_model(
    text: str,
    store: Repository,
    *,
    base_url: str | None = None,
    sampling: Mapping[str, Any] | None = None,
) -> ModelSpec:
    """A model by its name, with a script's or a run's place made sure.

    Raises UsageError, UnknownNameError, ConfigError before anything is begun.
    """
    spec = parse_model(text, base_url)
    if spec.provider == "scripted":
        path = Path(spec.name).absolute()
        spec = spec.model_copy(update={"name": str(path)})
        make_model(spec)  # an unreadable script is told now
    elif spec.provider == "replay":
        run = store.run(spec.name)
        if run.outside is not None:
            raise UsageError(
                f"run {run.id} holds no replies of a model: its agent, {run.agent}, came from outside"
            )
        if run.continues is not None:
            raise UsageError(
                f"run {run.id} has no beginning that could be replayed: it goes on from run "
                f"{run.continues.run_id}"
            )
        spec = spec.model_copy(update={"name": run.id})
    return spec.model_copy(update={"sampling": dict(sampling or {})})


def refuse_endpoints(scenario: Scenario, models: Iterable[ModelSpec], allowed: str | None) -> None:
    """Raise UsageError where restricted data would leave this machine without leave."""
    if not scenario.license.restricted or (allowed and allowed.strip()):
        return
    for model in models:
        if leaves_machine(model):
            raise UsageError(
                f"the data of {scenario.id} are restricted ({scenario.license.name}), and "
                f"{model_name(model)} is an endpoint off this machine: take one on it "
                "(--base-url http://127.0.0.1:PORT), or say why it may be used: "
                "--endpoint-allowed REASON"
            )


def refuse_unpriced(
    models: Iterable[ModelSpec],
    prices: PriceTable | None,
    *,
    budget_usd: float | None,
    limits: Limits,
) -> None:
    """Raise UsageError for a limit in dollars on a model without a price (field case F33)."""
    if budget_usd is None and limits.max_cost_usd is None:
        return
    for model in models:
        table = table_for(model, prices)
        if table is None or table.price(model_name(model)) is None:
            what = "--limits max_cost_usd" if budget_usd is None else "--budget-usd"
            raise UsageError(
                f"{what} cannot be kept: there is no price for {model_name(model)}; give one with "
                "--prices FILE"
            )


def refuse_keyless(models: Iterable[ModelSpec]) -> None:
    """Raise UsageError for a model whose provider wants a key that the environment does not hold."""
    for model in models:
        if names := missing_keys(model):
            raise UsageError(
                f"{model_name(model)} wants a key: set {' or '.join(names)} in the environment "
                "(--base-url is for an endpoint of your own, which may need none)"
            )


class RunModels:
    """Makes a run's models: one for each trajectory where they say things in order, else one."""

    def __init__(self, spec: RunSpec, store: Repository, means: Means) -> None:
        self._spec, self._store, self._means = spec, store, means
        self._shared: dict[str, ChatModel] = {}

    def prepare(self) -> None:
        """Do what the first calls would wait for; blocks for seconds."""
        for model in (self._spec.model, self._spec.insight_model):
            if model is not None:
                prepare(model)

    def explorer(self, key: Key) -> ChatModel | None:
        """The agent's own."""
        return None if self._spec.model is None else self._made(self._spec.model, key)

    def insights(self, key: Key) -> ChatModel | None:
        """The one that writes insights, where it is another one."""
        other = self._spec.insight_model
        if other is not None and other.provider == "replay":
            raise UsageError("a replayed run writes its insights itself: leave --insight-model out")
        return None if other is None else self._made(other, key)

    def _made(self, model: ModelSpec, key: Key) -> ChatModel:
        name = model.model_dump_json()
        if name in self._shared:
            return self._shared[name]
        replayed = model.provider == "replay"
        made = metered_model(
            model,
            self._means,
            trajectory=self._replayed(model, key) if replayed else None,
            said=self._said(key) if model.provider == "scripted" else None,
        )
        if not replayed and model.provider != "scripted":
            self._shared[name] = made
        return made

    def _said(self, key: Key) -> Mapping[Role, int]:
        from server.after_finish import said_before

        return said_before(self._spec, key, self._store)

    def _replayed(self, model: ModelSpec, key: Key) -> Trajectory:
        heads = counting(self._store.heads(model.name))
        for head in heads:
            if (head.entity_id, head.trial) == key:
                return self._store.trajectory(head.id)
        raise StoreError(
            f"run {model.name} has no trajectory of {key[0]}, trial {key[1]}, to replay"
        )


def metered_model(
    model: ModelSpec,
    means: Means,
    *,
    trajectory: Trajectory | None = None,
    said: Mapping[Role, int] | None = None,
) -> MeteredModel:
    """A model that asks the purse before each call and shows itself on the board.

    `said`: how many replies of each role a script has given before.
    """

    def waits(wait: Wait) -> None:
        why = wait.error.status_code or wait.error.kind
        means.board.paused(f"{model_name(model)}: {why}", wait.seconds)

    made = make_model(
        model,
        prices=means.prices,
        timeout_s=means.timeout_s,
        on_wait=waits,
        trajectory=trajectory,
        said=said,
    )
    return MeteredModel(made, means.purse, means.board)
