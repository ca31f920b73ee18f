"""`ddr bench`: figures against their goals."""

from __future__ import annotations

from typing import Annotated

import typer

from bench.figures import Figure
from bench.registry import BENCHES
from server.cli.options import Json, Quiet, example


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example("ddr bench", "ddr bench first-run --json")
    app.command("bench", epilog=shown)(bench)


def bench(
    name: Annotated[
        str | None, typer.Argument(help=f"Which: {', '.join(BENCHES)}. All, where none is named.")
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(
            min=10_000,
            help="A trial of another size, for benchmarks that make rows (build).",
            metavar="N",
        ),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure this machine against the goals; 0 once measured, whatever the figures."""
    from bench.registry import measure, probes
    from server import settings
    from server.cli.output import Output

    out = Output(json=json, quiet=quiet)
    home = settings.load().prepare().home / "bench"
    names = [name] if name else list(BENCHES)
    expected = sum(len(probe.goals) for each in names for probe in probes(each))
    taken: list[tuple[str, Figure]] = []
    with out.progress("bench") as progress:
        for each in names:
            for figure in measure(
                each, home, lambda what: progress.update(len(taken), expected, what), rows
            ):
                taken.append((each, figure))
                progress.update(len(taken), expected, figure.goal.name)
    out.table(
        ["figure", ">value", ">goal", "unit", "met"],
        [
            [
                figure.goal.name,
                "-" if figure.value is None else f"{figure.value:g}",
                f"{'<=' if figure.goal.better == 'lower' else '>='} {figure.goal.goal:g}",
                figure.goal.unit,
                "yes" if figure.met else f"no{f': {figure.reason}' if figure.reason else ''}",
            ]
            for _, figure in taken
        ],
    )
    told = {each: {f.goal.name: f.as_dict() for n, f in taken if n == each} for each in names}
    out.result(told[name] if name else told)
