"""`ddr serve`: one entity's tools for an MCP client, over stdio."""

from __future__ import annotations

from typing import Annotated

import typer

from server.cli.options import Json, Quiet, example
from server.cli.run_options import Unsafe


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("serve", epilog=example("ddr serve --scenario flights --entity 03"))(serve)


def serve(
    *,
    scenario: Annotated[str, typer.Option(help="Which scenario to serve.", metavar="SCENARIO")],
    entity: Annotated[
        str, typer.Option(help="The entity that the client is to explore.", metavar="ENTITY")
    ],
    tools: Annotated[str, typer.Option(help="sql, python or both.", metavar="HANDS")] = "both",
    images: Annotated[
        bool, typer.Option(help="Send figures that Python draws as pictures.")
    ] = True,
    goal: Annotated[
        str,
        typer.Option(help="Where entities have goals: none, dataset or generic.", metavar="GOAL"),
    ] = "none",
    unsafe_python_without_sandbox: Unsafe = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Serve one entity's tools over stdio until the client hangs up.

    stdout carries the protocol and nothing else; --json prints its object on stderr, at the end.
    An agent that has a shell beside it could open the database itself: keep stdio for library
    agents and notebooks.
    """
    from server.wire import claim_stdio

    # Before any other import: from here on, nothing that is printed can reach the client.
    wire = claim_stdio()
    import asyncio
    import sys
    from json import dumps

    from core.trajectory import UNSAFE
    from server.build import SANDBOX
    from server.serving import serve_entity

    sandbox = UNSAFE if unsafe_python_without_sandbox else SANDBOX
    calls = asyncio.run(
        serve_entity(
            wire, scenario, entity, tools, images=images, sandbox=sandbox, goal=goal, quiet=quiet
        )
    )
    if json:
        sys.stderr.write(dumps({"scenario": scenario, "entity": entity, "calls": calls}) + "\n")
