"""`ddr diff`: is one run better than another, paired by item."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.hints import typed
from core.wording import counted
from server.cli.options import Evaluations, Json, JudgedBy, Quiet, example

if TYPE_CHECKING:
    from evaluator.paired import Paired
    from server.cli.output import Output
    from server.diffing import Compared

_FACETS = {"category": "category", "difficulty": "difficulty", "insight-type": "insight_type"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    shown = example(
        "ddr diff RUN RUN2",
        "ddr diff RUN RUN2 RUN3 --by category",
        "ddr diff RUN RUN2 --evaluation RUN.e2 --although-different",
    )
    app.command("diff", epilog=shown)(diff)


def diff(
    runs: Annotated[
        list[str], typer.Argument(help="Two runs or more: ids, prefixes, or last.", metavar="RUN")
    ],
    *,
    by: Annotated[
        str | None,
        typer.Option(
            help="Also inside each category, difficulty or insight-type.", metavar="FACET"
        ),
    ] = None,
    evaluation: Evaluations = None,
    although_different: Annotated[
        bool,
        typer.Option(
            "--although-different", help="Compare what rests on different judges, data or rules."
        ),
    ] = False,
    checklist: JudgedBy = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare runs item by item, clustered by entity, with Holm's correction over all pairs."""
    from checklists.loader import load
    from core.errors import ChecklistError, one_of
    from databases.catalog import open_scenario
    from server import settings as places
    from server.cli.output import Output
    from server.diffing import compare, sides_of
    from server.store import open_store

    out = Output(json=json, quiet=quiet)
    facet: Any = None if by is None else _FACETS[one_of("facet", by, _FACETS)]
    settings = places.load().prepare()
    with open_store(settings.store_path) as store:
        sides = sides_of([store.run(name) for name in runs], store, evaluation or ())
        first = sides[0]
        facts = load(checklist or first.evaluation.checklist_id, settings.checklists)
        if facts.hash != first.evaluation.checklist_hash:
            raise ChecklistError(
                f"the checklist {facts.id} is not the one that {first.evaluation.id} was judged by: "
                f"judge again, {typed(f'evaluate {first.spec.id}')}"
            )
        entities = open_scenario(first.spec.scenario_id, settings.home).entities()
        found = compare(
            sides, store, facts, entities, by=facet, although_different=although_different
        )
    _show(found, out)
    again = " ".join(shlex.quote(side.spec.id) for side in sides)
    if facet is None:
        out.hint(f"\nby parts of the checklist: {typed(f'diff {again} --by category')}")
    out.result(as_json(found))


def as_json(found: Compared) -> dict[str, Any]:
    """The comparison for --json."""
    return {
        "sides": [
            {"name": each.name, "run": each.spec.id, "evaluation": each.evaluation.id}
            for each in found.sides
        ],
        "differences": found.differences.as_json(),
        "pairs": [each.model_dump(mode="json") for each in found.pairs],
        "groups": [each.model_dump(mode="json") for each in found.groups],
    }


def _show(found: Compared, out: Output) -> None:
    from server.cli.output import one_line

    for side in found.sides:
        own = side.evaluation
        out.say(f"{one_line(side.name)}: {own.id}, {own.checker} against {own.checklist_id}")
    for each in found.differences.forbidding:
        out.say(f"NOT COMPARABLE, compared all the same: {one_line(str(each))}")
    for each in found.differences.remarks:
        out.say(f"differs too: {one_line(str(each))}")
    first = found.pairs[0]
    out.say(
        f"paired over {counted(first.items, 'item')} of {counted(first.entities, 'entity')}"
        + (f"; {first.left_out} left out, not scored for both" if first.left_out else "")
    )
    _table(found.pairs, out, part=False)
    if found.groups:
        _table(found.groups, out, part=True)
    if len(found.sides) > 2:
        out.say(f"p: Holm's, over the {len(found.pairs) // 4} pairs of a column")


def _table(pairs: tuple[Paired, ...], out: Output, *, part: bool) -> None:
    from server.cli.scores_shown import paired_row, share

    heads = ["pair", "level", "mean over", ">difference", ">95 %", ">p", ">one", ">other", ">items"]
    rows = []
    for each in pairs:
        name = f"{each.one} - {each.other}"
        row = paired_row(each, f"{each.group}: {name}" if part else name)
        rows.append([*row, share(each.one_mean), share(each.other_mean), str(each.items)])
    out.table(heads, rows)
