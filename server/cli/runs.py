"""`ddr runs`, `ddr show` and `ddr delete`: what is stored, and forgetting it."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from core.errors import StoreError, UnknownNameError, UsageError
from core.hints import typed
from server.cli.options import Json, Quiet, example

if TYPE_CHECKING:
    from core.trajectory import Trajectory

RunName = Annotated[str, typer.Argument(metavar="RUN", help="An id, a unique prefix, or last.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("runs", epilog=example("ddr runs"))(runs)
    shown = example("ddr show last", "ddr show last 03", "ddr show last 03 7")
    app.command("show", epilog=shown)(show)
    app.command("delete", epilog=example("ddr delete 20260131-flights-ab12"))(delete)


def runs(json: Json = False, quiet: Quiet = False) -> None:
    """List the runs that are stored, the newest last."""
    from core.agent_class import APART
    from server import settings as places
    from server.cli.output import Output
    from server.contacts import Contacts
    from server.runs import competitor, progress_of, state_of
    from server.spending import spent
    from server.store import is_locked, open_store

    out = Output(json=json, quiet=quiet)
    settings = places.load()
    rows, found = [], []
    if settings.store_path.exists():
        with open_store(settings.store_path) as store:
            for spec in store.runs():
                state = progress_of(spec, store)
                locked = is_locked(settings.locks, spec.id)
                word = state_of(spec, state, Contacts(spec, store), locked=locked)
                kind = spec.agent_class
                scores = str(
                    len([e for e in store.evaluations(spec.id) if not e.parameters.get("baseline")])
                )
                when = f"{spec.created_at:%Y-%m-%d %H:%M}"
                done = f"{state.done}/{state.wanted}"
                who = competitor(spec)
                took = spent(store.calls(spec.id))
                row = [
                    spec.id,
                    when,
                    who,
                    f"{kind}, imported" if spec.is_bundled else kind,
                    spec.protocol,
                    done,
                    str(state.turns),
                    word,
                    scores,
                ]
                rows.append([*row, took.tokens, took.cost])
                found.append(
                    {
                        "run": spec.id,
                        "created_at": spec.created_at.isoformat(),
                        "scenario": spec.scenario_id,
                        "agent": spec.agent,
                        "class": kind,
                        "imported": spec.imported.form if spec.imported else None,
                        "model": who if spec.model else None,
                        "protocol": spec.protocol,
                        "goal": spec.goal,
                        **took.as_json(),
                        "done": state.done,
                        "wanted": state.wanted,
                        "turns": state.turns,
                        "state": word,
                        "evaluations": int(scores),
                    }
                )
    if rows:
        heads = ["run", "begun (UTC)", "who", "class", "protocol", ">explored", ">turns", "state"]
        heads += [">evaluations", ">tokens in / out", ">cost"]
        out.table(heads, rows)
        if len({each["class"] for each in found}) > 1:
            out.say(APART)
    else:
        out.say(f"no runs yet; see it work: {typed('demo')}")
    out.result({"runs": found})


def show(
    run: RunName,
    entity: Annotated[str | None, typer.Argument(metavar="ENTITY", help="Its trajectory.")] = None,
    turn: Annotated[int | None, typer.Argument(metavar="TURN", help="One turn, whole.")] = None,
    *,
    trial: Annotated[
        int, typer.Option(help="Which trial, where there are several.", metavar="N")
    ] = 1,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show a run, one of its trajectories, or one turn."""
    from server import settings as places
    from server.cli import showing
    from server.cli.meeting import as_json as meeting_json
    from server.cli.output import Output
    from server.contacts import Contacts
    from server.runs import summary
    from server.store import open_store

    out = Output(json=json, quiet=quiet)
    with open_store(places.load().prepare().store_path) as store:
        spec = store.run(run)
        if entity is None:
            showing.show_run(spec, store, out)
            out.result(summary(spec, store))
            return
        trajectory = _of(store.trajectories(spec.id), entity, trial)
        contacts = Contacts(spec, store)
        calls = contacts.calls(trajectory) if spec.outside else []
        met = contacts.of(trajectory, calls) if spec.outside else None
    if turn is None:
        showing.show_trajectory(trajectory, out, met=met, calls=calls)
        more = meeting_json(met, calls) if met else {}
        out.result({**showing.as_json(trajectory), "class": spec.agent_class, **more})
        return
    known = [str(each.index) for each in trajectory.turns]
    if str(turn) not in known:
        raise UnknownNameError("turn", str(turn), known)
    shown = trajectory.turns[known.index(str(turn))]
    showing.show_turn(trajectory, shown, out)
    out.result(showing.as_json(shown))


def _of(trajectories: list[Trajectory], entity: str, trial: int) -> Trajectory:
    mine = {each.entity_id: each for each in trajectories if each.trial == trial}
    if entity not in mine:
        raise UnknownNameError(f"entity in trial {trial} of this run", entity, mine)
    return mine[entity]


def delete(
    run: RunName,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask first.")] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Forget a run with its trajectories, verdicts and report."""
    from server import settings as places
    from server.cli.output import Output
    from server.store import RunLock, open_store

    out = Output(json=json, quiet=quiet)
    settings = places.load().prepare()
    with open_store(settings.store_path) as store:
        spec = store.run(run)
        if not yes and not sys.stdin.isatty():
            raise UsageError(f"nobody can be asked here: {typed(f'delete {spec.id} --yes')}")
        with RunLock(settings.locks, spec.id):
            if not yes:
                typer.confirm(f"forget run {spec.id} and all that was judged of it?", abort=True)
            store.delete_run(spec.id)
    shutil.rmtree(settings.outside / spec.id, ignore_errors=True)
    for left in (settings.reports / f"{spec.id}.html", settings.locks / f"{spec.id}.lock"):
        try:
            left.unlink(missing_ok=True)
        except OSError as exc:
            raise StoreError(f"run {spec.id} is deleted, {left} is not: {exc.strerror}") from exc
    out.say(f"run {spec.id} is deleted")
    out.result({"deleted": spec.id})
