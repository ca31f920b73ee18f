"""`ddr serve`: let agents from outside explore, over HTTP or over stdio."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import UsageError
from server.cli import run_options as opt
from server.cli.options import Json, Quiet, example
from server.http import HOST, PORT

if TYPE_CHECKING:
    from server.http.service import Listening
    from server.serving import Served, Wanted
    from server.wire import Wire


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr serve --http",
        "ddr serve --http --host 0.0.0.0 --allow-host bench.example.org --workers 2",
        "ddr serve --scenario flights --entity 03",
    )
    app.command("serve", epilog=shown)(serve)


def serve(
    *,
    http: Annotated[
        bool, typer.Option("--http", help="Serve everyone who is enrolled, over HTTP.")
    ] = False,
    host: Annotated[
        str, typer.Option(help="With --http: where to listen.", metavar="ADDRESS")
    ] = HOST,
    port: Annotated[
        int,
        typer.Option(help="With --http: 0 takes a free one.", min=0, max=65535, metavar="PORT"),
    ] = PORT,
    workers: Annotated[
        int, typer.Option(help="With --http: processes that serve.", metavar="N")
    ] = 1,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            help="With --http: a further name that the server is called by, as ddr or ddr:8910.",
            metavar="HOST",
        ),
    ] = None,
    stateful: Annotated[
        bool, typer.Option("--stateful", help="With --http: keep the sessions of older clients.")
    ] = False,
    conformance: Annotated[
        bool,
        typer.Option(
            "--conformance", help="With --http: what MCP's own test suite needs, open to anyone."
        ),
    ] = False,
    fsync: Annotated[
        bool,
        typer.Option("--fsync", help="With --http: what is recorded survives a loss of power."),
    ] = False,
    tls_cert: Annotated[
        Path | None, typer.Option(help="With --http: serve HTTPS with it.", metavar="FILE")
    ] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Its private key.", metavar="FILE")] = None,
    scenario: Annotated[
        str | None, typer.Option(help="Over stdio: which scenario.", metavar="SCENARIO")
    ] = None,
    entity: Annotated[
        str | None,
        typer.Option(help="Over stdio: what the client is to explore.", metavar="ENTITY"),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            help="Over stdio: what the agent is shown as; stdio unless given.", metavar="NAME"
        ),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(help="Over stdio: go on at a seat of this run.", metavar="RUN"),
    ] = None,
    trial: Annotated[
        int | None, typer.Option(help="Over stdio: which one of the run.", metavar="N")
    ] = None,
    tools: opt.Hands = None,
    images: Annotated[
        bool, typer.Option(help="Over stdio: send figures that Python draws as pictures.")
    ] = True,
    goal: opt.GoalName = None,
    endpoint_allowed: opt.EndpointAllowed = None,
    unsafe_python_without_sandbox: opt.Unsafe = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Serve agents from outside: with --http all that are enrolled, else one client over stdio.

    Over HTTP the URL is printed when the server listens, and below it, where it listens on this machine
    alone, a link that lets you into the dashboard once; --quiet makes none. Over stdio stdout carries the protocol and
    nothing else; --json prints its object on stderr, at the end. Without --run a run of its own is
    made at the client's first message, and ends with it. An agent that has a shell beside it could
    open the database itself: keep stdio for library agents and notebooks.
    """
    if http:
        if scenario is not None or entity is not None:
            raise UsageError("--http serves who is enrolled: leave --scenario and --entity out")
        import sys

        from server import settings
        from server.cli.output import Output
        from server.http.service import serve_http

        output = Output(json=json, quiet=quiet)

        def ready(listening: Listening) -> None:
            output.say(listening.url)
            if listening.dashboard:
                output.say(f"dashboard, lets you in once: {listening.dashboard}")
            output.result(listening.to_json())
            sys.stdout.flush()

        serve_http(
            settings.load(),
            ready,
            host=host,
            port=port,
            workers=workers,
            allow_hosts=allow_host or (),
            stateful=stateful,
            conformance=conformance,
            fsync=fsync,
            tls_cert=tls_cert,
            tls_key=tls_key,
            invites=not quiet,
        )
        return
    from server.wire import claim_stdio

    # Before any other import: from here on, nothing that is printed can reach the client.
    wire = claim_stdio()
    from core.trajectory import UNSAFE
    from server.serving import Wanted

    wanted = Wanted(
        scenario=scenario,
        entity=entity,
        hands=tools,
        agent=agent,
        trial=trial,
        run=run,
        goal=goal,
        sandbox=UNSAFE if unsafe_python_without_sandbox else None,
        endpoint_allowed=endpoint_allowed,
    )
    _serve_stdio(wire, wanted, images=images, json=json, quiet=quiet)


def _serve_stdio(wire: Wire, wanted: Wanted, *, images: bool, json: bool, quiet: bool) -> None:
    import asyncio
    import signal
    import sys
    from json import dumps

    from server.serving import serve_entity

    async def serve_until_told() -> Served:
        serving = asyncio.ensure_future(serve_entity(wire, wanted, images=images, quiet=quiet))
        # What is open is closed properly, as at Ctrl-C.
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, serving.cancel)
        return await serving

    try:
        served = asyncio.run(serve_until_told())
    except asyncio.CancelledError:
        raise typer.Exit(128 + signal.SIGTERM) from None
    if json:
        sys.stderr.write(dumps(served.to_json()) + "\n")
