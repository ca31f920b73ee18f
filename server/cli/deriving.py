"""`ddr checklists derive`: facts from an entity's documents, by models, proved where they can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from core.hints import typed
from core.wording import counted
from server.cli import run_options as opt
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from checklists.derive.engine import Derived
    from core.checklist import Checklist
    from server.cli.output import Output
    from server.deriving import Prepared


def add(group: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr checklists derive --scenario filings --model openai/gpt-x --estimate",
        "ddr checklists derive --scenario filings --model openai/gpt-x --verifier anthropic/claude-x",
    )
    group.command("derive", epilog=shown)(derive)


def derive(
    *,
    scenario: Annotated[
        str, typer.Option(help="Whose documents are read; it must be built.", metavar="SCENARIO")
    ],
    model: Annotated[
        str, typer.Option(help="Who extracts: provider/name or scripted:FILE.", metavar="MODEL")
    ],
    verifier: Annotated[
        str | None,
        typer.Option(help="Who verifies and proposes SQL; the same unless given.", metavar="MODEL"),
    ] = None,
    entities: opt.Entities = None,
    id_: Annotated[
        str | None,
        typer.Option("--id", help="Of the checklist; SCENARIO-derived unless given.", metavar="ID"),
    ] = None,
    base_url: opt.BaseUrl = None,
    sampling: opt.Sampling = None,
    prices: opt.Prices = None,
    budget_usd: opt.Budget = None,
    concurrency: Annotated[
        int, typer.Option(help="Requests under way at a time.", metavar="N", min=1)
    ] = 4,
    timeout: opt.Timeout = None,
    endpoint_allowed: opt.EndpointAllowed = None,
    seed: opt.Seed = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Say what it would take; ask nothing.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Extract facts from documents, verify them, prove them by SQL; the rest waits for people.

    Called again it goes on: no question that was answered is asked twice. What people decided stays.
    """
    from server import settings as places
    from server.cli.interrupts import INTERRUPTED
    from server.cli.output import Output
    from server.cli.ticking import carry_out
    from server.config import read_sampling
    from server.deriving import Asked, keep, ledger_path, prepared
    from server.models import TIMEOUT_S, refuse_keyless
    from server.store import RunLock, open_store

    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    asked = Asked(
        scenario=scenario,
        model=model,
        verifier=verifier,
        entities="all" if entities is None else entities,
        id=id_,
        base_url=base_url,
        sampling=read_sampling(sampling) if sampling else {},
        prices=prices,
        budget_usd=budget_usd,
        concurrency=concurrency,
        timeout_s=timeout or TIMEOUT_S,
        endpoint_allowed=endpoint_allowed,
        seed=seed or 0,
    )
    with (
        RunLock(settings.locks, f"derive-{asked.checklist_id.replace('/', '-')}"),
        open_store(settings.store_path) as store,
        prepared(asked, store, settings) as made,
    ):
        if estimate:
            _tell_estimate(made, out)
            return
        refuse_keyless(made.models)
        interrupted = carry_out(
            lambda telling: made.deriver.derive(made.documents, telling.watch),
            made.board,
            out,
            doing="deriving",
            stop=made.deriver.stop,
        )
        derived = made.deriver.derived
        checklist = keep(made, derived, settings)
        _tell(made, derived, checklist, str(ledger_path(settings, made.id)), out)
    if derived.left:
        raise typer.Exit(INTERRUPTED if interrupted else 1)


def _tell(
    made: Prepared, derived: Derived, checklist: Checklist | None, ledger: str, out: Output
) -> None:
    from providers.catalog import model_name
    from server.spending import spent

    took = spent(made.calls)
    items = checklist.items if checklist else ()
    waiting = sum(item.status == "proposed" for item in items)
    accepted = sum(item.status == "accepted" for item in items)
    out.say(
        f"{counted(derived.documents, 'document')} gave {counted(derived.facts, 'fact')}: "
        f"{len(derived.items)} stand in the text and could be seen in the database, "
        f"{derived.proved} of them proved by SQL"
    )
    for told, counts in (("left out", derived.dropped), ("not proved", derived.unproved)):
        for why, count in counts.most_common(5):
            out.say(f"  {told}: {count}, {why}")
    if took.calls:
        names = dict.fromkeys(model_name(each) for each in made.models)
        out.say(
            f"{' and '.join(names)}, ever for this checklist: {counted(took.calls, 'call')}, "
            f"{took.tokens} tokens in / out, cost {took.cost}; asked now: {derived.asked}"
        )
    if checklist:
        out.say(
            f"checklist {checklist.id}: {counted(len(items), 'item')}, {accepted} accepted, "
            f"{waiting} waiting for people"
        )
    if derived.stopped:
        out.note(f"stopped: {derived.stopped}")
    if derived.left:
        out.note(
            f"{counted(len(derived.left), 'document')} not done; the same command goes on where it was"
        )
    elif waiting:
        out.hint(f"\nnext: {typed(f'checklists review {made.id} --out sheet.csv')}")
    out.result(
        {
            "checklist": made.id if checklist else None,
            "documents": derived.documents,
            "left": derived.left,
            "facts": derived.facts,
            "kept": len(derived.items),
            "dropped": dict(derived.dropped),
            "proved": derived.proved,
            "unproved": dict(derived.unproved),
            "items": len(items),
            "accepted": accepted,
            "proposed": waiting,
            "asked": derived.asked,
            "stopped": derived.stopped,
            "ledger": ledger,
            "models": [model_name(each) for each in made.models],
            **took.as_json(),
        }
    )


def _tell_estimate(made: Prepared, out: Output) -> None:
    from server.derive_estimate import estimate

    found = estimate(made)
    known = found.cost_usd is not None
    cost = f"${found.cost_usd:.4f}" if known else f"- ({found.cost_reason})"
    out.say(
        f"{counted(found.extractions, 'piece')} to be read, then about {found.verifications:.0f} facts "
        f"to be verified: about {found.input_tokens:,.0f} tokens in, {found.output_tokens:,.0f} out, "
        f"cost {cost} ({found.basis})"
    )
    out.result({"checklist": made.id, "estimate": found.model_dump(mode="json")})
