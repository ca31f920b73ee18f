"""`ddr token`: give out, list and revoke the tokens of people and harnesses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.hints import typed
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from datetime import datetime

    from core.access import Token


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(no_args_is_help=True, help="Tokens for the REST interface.")
    create_lines = example(
        "ddr token create --role harness --name nightly",
        "ddr token create --role reader --expires-days 30 --json",
    )
    group.command("create", epilog=create_lines)(create)
    group.command("list", epilog=example("ddr token list"))(list_)
    group.command("revoke", epilog=example("ddr token revoke t-1f2e3d4c"))(revoke)
    app.add_typer(group, name="token")


def create(
    *,
    role: Annotated[str, typer.Option(help="admin, harness or reader.", metavar="ROLE")],
    name: Annotated[str | None, typer.Option(help="Whose it is.", metavar="NAME")] = None,
    expires_days: Annotated[
        float | None, typer.Option(help="For so long; without it until revoked.", metavar="DAYS")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a token. It is printed this once: what is kept of it is a hash."""
    from server import settings as places
    from server.cli.output import Output
    from server.runner import utc_now
    from server.store import open_store
    from server.tokens import issue, role_of

    out = Output(json=json, quiet=quiet)
    chosen, now = role_of(role), utc_now()
    with open_store(places.load().prepare().store_path) as store:
        token, secret = issue(store, chosen, now, name=name, expires_days=expires_days)
    out.say(secret)
    out.note(f"this once: token {token.id}, role {token.role}; {_until(token)}")
    out.note(f"take it back: {typed(f'token revoke {token.id}')}")
    out.result({**_as_json(token, now), "token": secret})


def list_(json: Json = False, quiet: Quiet = False) -> None:
    """List the tokens, those that hold no longer too; none of the secrets."""
    from server import settings as places
    from server.cli.output import Output
    from server.runner import utc_now
    from server.store import open_store
    from server.store.tokens import Tokens

    out = Output(json=json, quiet=quiet)
    now = utc_now()
    with open_store(places.load().prepare().store_path) as store:
        found = Tokens(store).all()
    if found:
        rows = [
            [
                token.id,
                token.role,
                token.name or "",
                f"{token.created_at:%Y-%m-%d %H:%M}",
                f"{token.expires_at:%Y-%m-%d %H:%M}" if token.expires_at else "",
                token.state(now),
            ]
            for token in found
        ]
        out.table(["id", "role", "name", "made (UTC)", "expires", "state"], rows)
    else:
        out.say(f"no tokens yet: {typed('token create --role harness')}")
    out.result({"tokens": [_as_json(token, now) for token in found]})


def revoke(
    token: Annotated[str, typer.Argument(metavar="ID", help="As `token list` shows it.")],
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Take a token back: running servers refuse it from the next request on."""
    from server import settings as places
    from server.cli.output import Output
    from server.runner import utc_now
    from server.store import open_store
    from server.store.tokens import Tokens

    out = Output(json=json, quiet=quiet)
    now = utc_now()
    with open_store(places.load().prepare().store_path) as store:
        gone = Tokens(store).revoke(token, now)
    out.say(f"token {gone.id} is revoked")
    out.result(_as_json(gone, now))


def _until(token: Token) -> str:
    if token.expires_at is None:
        return "it holds until it is revoked"
    return f"it holds until {token.expires_at:%Y-%m-%d %H:%M} UTC"


def _as_json(token: Token, now: datetime) -> dict[str, Any]:
    return {**token.model_dump(mode="json"), "state": token.state(now)}
