"""Give seats out: addresses and tokens to paste, or files in a client's own layout."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import DdrError
from core.hints import typed
from core.wording import counted

if TYPE_CHECKING:
    from core.run import RunSpec
    from server.cli.enrol import Ways
    from server.cli.output import Output
    from server.configurations import Client
    from server.enrolment import Enrolled, Issued


def give_out(enrolled: Enrolled, ways: Ways, out: Output) -> None:
    """Show each seat's address and token, or write them down; and say what is to be done next."""
    from server.addresses import serve_command, why_silent
    from server.http import HOST, PORT

    spec, seats = enrolled.spec, enrolled.seats
    base = ways.url or f"http://{HOST}:{PORT}"
    if not seats:
        out.note(f"run {spec.id} has explored all it was asked to; nothing is left to do")
    told = [_as_json(issued, base) for issued in seats]
    if ways.client is not None and seats:
        configs = _write(enrolled, ways.client, ways.to or Path.cwd() / spec.id, base, out)
        told = [{**each, "config": str(c)} for each, c in zip(told, configs, strict=True)]
    else:
        _show(enrolled, base, out)
    silent = why_silent(base) if seats else None
    if silent is not None:
        out.note(f"no server answers at {base} yet ({silent}); start one: {serve_command(base)}")
    if seats:
        out.hint(f"\nnext, when they have finished: {typed(f'evaluate {spec.id}')}")
        out.hint(f"  or, to end what is open: {typed(f'enrol --close {spec.id}')}")
    out.result({**about(spec), "url": base, "server": silent is None, "seats": told})


def about(spec: RunSpec) -> dict[str, Any]:
    """The run, for programs."""
    return {"run": spec.id, "scenario": spec.scenario_id, "agent": spec.agent}


def _as_json(issued: Issued, base: str) -> dict[str, Any]:
    keys = issued.seat.keys
    return {
        "entity": keys[0][0] if len(keys) == 1 else None,
        "entities": [entity_id for entity_id, _ in keys],
        "trial": keys[0][1],
        "url": issued.url(base),
        "token": issued.token,
    }


def _show(enrolled: Enrolled, base: str, out: Output) -> None:
    spec, seats = enrolled.spec, enrolled.seats
    if not seats:
        return
    out.say(
        f"run {spec.id}: {spec.agent} is enrolled for {counted(len(seats), 'connection')}; "
        "the tokens are shown this once"
    )
    for issued in seats:
        keys = issued.seat.keys
        trial = f", trial {keys[0][1]}" if spec.trials > 1 else ""
        out.say(f"\n{', '.join(entity_id for entity_id, _ in keys)}{trial}")
        out.say(f"  DDR_URL={issued.url(base)}")
        out.say(f"  DDR_TOKEN={issued.token}")


def _write(enrolled: Enrolled, client: Client, folder: Path, base: str, out: Output) -> list[Path]:
    from server.configurations import write

    spec = enrolled.spec
    place = folder.expanduser().absolute()
    try:
        configs = [
            write(client, place / issued.label, issued.url(base), issued.token)
            for issued in enrolled.seats
        ]
    except DdrError:
        again = typed(f"enrol --resume {spec.id} --write {client.name}")
        out.note(f"run {spec.id} is there all the same; for fresh seats: {again} --to FOLDER")
        raise
    out.say(
        f"run {spec.id}: {spec.agent} is enrolled for {counted(len(configs), 'connection')}; each has "
        f"a folder of its own below {place}, which only you can read"
    )
    out.say(f"start {client.name} in each of them:")
    out.say(f"  cd {shlex.quote(str(place / enrolled.seats[0].label))}")
    out.say(f"  {client.command}")
    return configs
