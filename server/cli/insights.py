"""`ddr insights`: message-wise insights for a run that handed none in."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from core.hints import typed
from core.wording import counted
from server.cli import run_options as opt
from server.cli.options import Json, Quiet, example
from server.cli.runs import RunName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.run import ModelSpec, RunSpec
    from core.trajectory import ModelCall
    from server.cli.output import Output
    from server.insights import Asked, Written
    from server.settings import Settings
    from server.store import Repository


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr insights last",
        "ddr insights last --model openai/gpt-x --estimate",
        "ddr insights last --model openai/gpt-x --budget-usd 2",
    )
    app.command("insights", epilog=shown)(insights)


def insights(
    run: RunName,
    *,
    model: Annotated[
        str | None,
        typer.Option(help="Who writes them; the run's own unless given.", metavar="MODEL"),
    ] = None,
    base_url: opt.BaseUrl = None,
    sampling: opt.Sampling = None,
    prices: opt.Prices = None,
    budget_usd: opt.Budget = None,
    concurrency: Annotated[
        int, typer.Option(help="Trajectories under way at a time.", metavar="N", min=1)
    ] = 4,
    timeout: opt.Timeout = None,
    endpoint_allowed: opt.EndpointAllowed = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Say what it would take; ask nothing.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Ask a model for the insight of each turn that has none; what was broken off goes on.

    Of an agent from outside, what it handed in stays its own; the model's words bear the model's name.
    """
    from server import settings as places
    from server.cli.interrupts import INTERRUPTED
    from server.cli.output import Output
    from server.cli.ticking import carry_out
    from server.config import read_sampling
    from server.insights import Asked, prepare
    from server.models import TIMEOUT_S
    from server.store import RunLock, open_store

    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    asked = Asked(
        model=model,
        base_url=base_url,
        sampling=read_sampling(sampling) if sampling else {},
        prices=prices,
        budget_usd=budget_usd,
        concurrency=concurrency,
        timeout_s=timeout or TIMEOUT_S,
        endpoint_allowed=endpoint_allowed,
    )
    with open_store(settings.store_path) as store:
        spec = store.run(run)
        if estimate:
            _estimate(asked, spec, store, settings, out)
            return
        with RunLock(settings.locks, spec.id):
            late, who, board = prepare(asked, spec, store, settings)
            interrupted = bool(late.written.missing) and carry_out(
                lambda telling: late.write(telling.watch),
                board,
                out,
                doing="asking",
                stop=late.stop,
                nouns="turns",
            )
        calls = [call for call in store.calls(spec.id) if call.role == "insight"]
    _tell(spec, who, late.written, calls, out)
    if interrupted and late.written.left:
        raise typer.Exit(INTERRUPTED)
    if late.written.left:
        raise typer.Exit(1)


def _estimate(
    asked: Asked, spec: RunSpec, store: Repository, settings: Settings, out: Output
) -> None:
    """Nothing is asked, nothing kept; no key is needed."""
    from providers.catalog import model_name
    from server.cli.estimating import say_calls
    from server.insights import plan
    from server.insights_estimate import estimate_insights

    made = plan(asked, spec, store, settings)
    found = estimate_insights(made, spec, store, concurrency=asked.concurrency)
    say_calls(model_name(made.model), found, "model", out)
    if found.not_asked:
        out.say(f"{counted(found.not_asked, 'turn')} without an answer: nobody is asked about them")
    out.result({"run": spec.id, "estimate": found.model_dump(mode="json")})


def _tell(
    spec: RunSpec, who: ModelSpec, written: Written, calls: Sequence[ModelCall], out: Output
) -> None:
    from providers.catalog import model_name
    from server.spending import spent

    took = spent(calls)
    if not written.missing:
        out.say(f"run {spec.id}: all of its {counted(written.turns, 'turn')} have their insight")
    else:
        out.say(
            f"run {spec.id}: {model_name(who)} was asked about {written.asked} of "
            f"{counted(written.missing, 'turn')} without an insight; {written.told} told something"
        )
    if took.calls:
        out.say(
            f"all insights: {counted(took.calls, 'call')}, {took.tokens} tokens in / out, "
            f"cost {took.cost}"
        )
    if spec.model is None and written.told:
        out.say(
            f"these are the words of {model_name(who)}, not of {spec.agent}: they are marked so"
        )
    if written.under_way:
        have = "has" if written.under_way == 1 else "have"
        later = counted(written.under_way, "trajectory")
        out.note(f"{later} {have} not ended and {'is' if have == 'has' else 'are'} left for later")
    again = f"{typed(f'insights {spec.id}')} --model {quote(model_name(who))}"
    if written.stopped:
        out.note(f"stopped: {written.stopped}")
    if written.left:
        out.note(f"{counted(written.left, 'turn')} still without one; go on with: {again}")
    else:
        out.hint(f"\nnext: {typed(f'evaluate {spec.id}')}")
    out.result(
        {
            "run": spec.id,
            "model": model_name(who),
            "turns": written.turns,
            "missing": written.missing,
            "under_way": written.under_way,
            "asked": written.asked,
            "told": written.told,
            "failed": written.failed,
            "left": written.left,
            "stopped": written.stopped,
            **took.as_json(),
        }
    )
