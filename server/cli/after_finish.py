"""`ddr stopping --after-finish N`: go on from a copy, and judge it as the original was judged."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import UsageError
from core.hints import typed
from core.wording import counted

if TYPE_CHECKING:
    from core.evaluation import Evaluation
    from core.run import RunSpec
    from server.cli.output import Output
    from server.settings import Settings
    from server.store import Repository


@dataclass(frozen=True)
class Onward:
    """What was asked for."""

    turns: int
    budget_usd: float | None = None
    """For the turns and the judge together."""
    prices: Path | None = None
    """For the judge; the model's are those of its run."""
    concurrency: int | None = None
    endpoint_allowed: str | None = None
    timeout_s: float | None = None


def go_on(
    asked: Onward,
    spec: RunSpec,
    judged: Evaluation | None,
    *,
    store: Repository,
    settings: Settings,
    out: Output,
) -> None:
    """Explore what is lacking, then judge what is lacking. Raises typer.Exit where it was stopped."""
    from server import beginning
    from server.after_finish import continuation
    from server.cli import evaluate
    from server.cli.run import carry_out
    from server.judged_again import asked_again, checklist_of, is_whole, judged_alike
    from server.runner import utc_now
    from server.store.attempts import to_do

    run = continuation(
        spec,
        asked.turns,
        store,
        utc_now(),
        budget_usd=asked.budget_usd,
        concurrency=asked.concurrency,
    )
    is_new = run.id not in store.run_ids()
    if is_new or to_do(run, store.heads(run.id), retry_errors=False):
        means = beginning.go_on(
            run, store, settings, budget_usd=asked.budget_usd, timeout_s=asked.timeout_s
        )
        if is_new:
            store.add_run(run)
        out.note(
            f"run {run.id} goes on from run {spec.id}, {counted(asked.turns, 'turn')} more each"
        )
        carry_out(run, store, settings, out, means=means)
    if judged is None:
        judge = typed(f"evaluate {spec.id}")
        out.note(f"run {spec.id} is not judged, so nobody knows what is new: {judge}")
        return
    checklist = checklist_of(judged, settings.checklists)
    found = judged_alike(run, judged, store)
    if found is None or not is_whole(found, run, checklist, store):
        again = asked_again(
            judged,
            prices=asked.prices,
            budget_usd=_rest(asked.budget_usd, run, store),
            endpoint_allowed=asked.endpoint_allowed,
            timeout_s=asked.timeout_s,
        )
        evaluate.carry_out(run, checklist, store, settings, out, asked=again)


def estimate(
    asked: Onward, spec: RunSpec, *, store: Repository, settings: Settings, out: Output
) -> dict[str, Any]:
    """What the extra turns would take at most; nothing is asked."""
    from providers.catalog import model_name
    from server import inputs
    from server.after_finish import continuation
    from server.after_finish_estimate import estimate_after_finish
    from server.cli.estimating import say_calls
    from server.runner import utc_now

    run = continuation(spec, asked.turns, store, utc_now(), concurrency=asked.concurrency)
    if spec.model is None:
        raise UsageError(f"run {spec.id} asks no model")
    key = spec.price_table_hash
    prices = inputs.kept_prices(settings, key) if key else None
    found = estimate_after_finish(spec, asked.turns, store, prices)
    out.say(
        f"run {spec.id}: {counted(len(run.keys), 'trajectory')} ended by themselves; at most "
        f"{counted(asked.turns, 'turn')} more each"
    )
    for role, each in found.items():
        say_calls(f"{model_name(spec.model)} ({role})", each, "model", out)
    return {role: each.model_dump(mode="json") for role, each in found.items()}


def _rest(budget_usd: float | None, run: RunSpec, store: Repository) -> float | None:
    """What the turns have left of it for the judge."""
    if budget_usd is None:
        return None
    spent = sum(call.usage.cost_usd or 0.0 for call in store.calls(run.id))
    return max(budget_usd - spent, 1e-9)
