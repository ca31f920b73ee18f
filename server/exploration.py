"""Where runs looked, from the store: what `ddr exploration`, the dashboard, REST and `ddr export` show.

    of_run(spec, store, settings, *, evaluation=None, without_keys=False, with_turns=True) -> Found
    of_runs(specs, store, settings, *, evaluations=(), without_keys=False, with_turns=True) -> Found

`Found.exploration` is the analysis (analysis.exploration.explored.Exploration: points, regimes, bins,
heat, groups); `analysis.exploration.tables.tables` makes Tables of it, `analysis.exploration.figures`
draws it, and `Found.exploration.heat` is the SchemaHeat for a page. It reads no checklist text. Turns
take milliseconds a query; a page that shows points and the map alone asks for none (with_turns=False).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

from analysis.exploration.explored import Exploration, Group, explore
from analysis.exploration.fields import PYTHON_TOOL, SQL_TOOL, available
from core.errors import ScenarioError, UsageError
from core.evaluation import Evaluation, Verdict
from core.run import RunSpec
from core.sql import quote
from core.trajectory import ToolResult, Trajectory, Turn
from databases import external
from databases.catalog import open_scenario
from databases.installed import InstalledScenario
from databases.schema import Schema
from evaluator.comparable import Difference, basis, differences
from server.diffing import sides_of
from server.following import SQLGLOT, Follower
from server.judged import own_evaluations
from server.runs import competitor
from server.settings import Settings
from server.store import Repository
from tools.sql.access import UNPARSED


@dataclass(frozen=True)
class Found:
    """Where some runs of one scenario looked."""

    exploration: Exploration
    evaluations: tuple[Evaluation | None, ...]
    """Whose accuracy colours a run's points, run by run; None where nobody judged it."""
    different: tuple[Difference, ...] = ()
    """In what these evaluations rest on different things: colours are not to be compared then."""
    recovered: tuple[str, ...] = ()
    """Runs of other programs, whose fields were worked out afterwards from their SQL."""
    left_out: int = 0
    """Trajectories that go on, or that ended by no fault of the agent."""


def of_run(
    spec: RunSpec,
    store: Repository,
    settings: Settings,
    *,
    evaluation: str | None = None,
    without_keys: bool = False,
    with_turns: bool = True,
) -> Found:
    """One run, coloured by an evaluation of it: the newest unless one is named."""
    named = (evaluation,) if evaluation else ()
    return of_runs(
        [spec],
        store,
        settings,
        evaluations=named,
        without_keys=without_keys,
        with_turns=with_turns,
    )


def of_runs(
    specs: Sequence[RunSpec],
    store: Repository,
    settings: Settings,
    *,
    evaluations: Sequence[str] = (),
    without_keys: bool = False,
    with_turns: bool = True,
) -> Found:
    """Several runs of one scenario as groups, each coloured by an evaluation of it.

    `evaluations`: ids that are to speak for their runs; else the newest that rest on the same things.
    Raises UsageError for runs of different databases, and for an evaluation that is none of theirs.
    """
    first = specs[0]
    _refuse_different(specs)
    installed = open_scenario(first.scenario_id, settings.home)
    if installed.scenario.fingerprint != first.scenario_fingerprint:
        raise ScenarioError(
            f"run {first.id} explored another build of {first.scenario_id} than the one that is here: "
            f"what there was to read is not known; build it as it was: {installed.build_command}"
        )
    follower = Follower(installed)
    schema = follower.schema
    dialect = SQLGLOT.get(installed.scenario.dialect, installed.scenario.dialect)
    entities = installed.entities()
    names, chosen = _chosen(specs, store, evaluations)
    groups, recovered, left_out = [], [], 0
    for spec, name, own in zip(specs, names, chosen, strict=True):
        kept = store.trajectories(spec.id)
        mine = [t for t in kept if t.stop_reason is not None and t.stop_reason.scored]
        left_out += len(kept) - len(mine)
        if spec.origin is not None and not _has_fields(mine):
            mine = [_with_fields(each, follower) for each in mine]
            recovered.append(spec.id)
        accuracy = _accuracy(store.verdicts(own.id)) if own else {}
        groups.append(Group(name, mine, accuracy))
    judged = [
        basis(name, spec, own)
        for name, spec, own in zip(names, specs, chosen, strict=True)
        if own is not None
    ]
    return Found(
        exploration=explore(
            groups,
            available(
                schema,
                facts=facts_of(installed, schema),
                entity_columns=entity_columns(installed.manifest.entities.query, dialect),
            ),
            dialect=dialect,
            clusters={entity.id: entity.cluster for entity in entities},
            tables_of={e.id: e.tables for e in entities if e.tables is not None},
            without_keys=without_keys,
            with_turns=with_turns,
        ),
        evaluations=tuple(chosen),
        different=differences(judged).forbidding if len(judged) > 1 else (),
        recovered=tuple(recovered),
        left_out=left_out,
    )


def entity_columns(query: str, dialect: str) -> tuple[str, ...]:
    """The columns that scenario.toml's list of entities takes their ids from; () where that is no column."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        tree = sqlglot.parse_one(query, read=dialect)
    except (SqlglotError, RecursionError):
        return ()
    found = [
        selected.unalias()
        for select in tree.find_all(exp.Select)
        for selected in select.expressions
        if selected.alias_or_name.lower() == "id"
    ]
    return tuple(dict.fromkeys(each.name for each in found if isinstance(each, exp.Column)))


def _refuse_different(specs: Sequence[RunSpec]) -> None:
    if len({spec.id for spec in specs}) < len(specs):
        raise UsageError("the same run is named twice")
    if len(found := {spec.scenario_id for spec in specs}) > 1:
        raise UsageError(
            f"these runs explored different scenarios ({', '.join(sorted(found))}), which share no "
            "fields: ask for one scenario at a time"
        )
    if len({spec.scenario_fingerprint for spec in specs}) > 1:
        raise UsageError(
            "these runs explored different builds of their scenario, whose fields may differ: ask for "
            "runs of one build at a time"
        )


def _chosen(
    specs: Sequence[RunSpec], store: Repository, named: Sequence[str]
) -> tuple[list[str], list[Evaluation | None]]:
    """What each run is called, and the evaluation that speaks for it."""
    told = {spec.id: own_evaluations(store.evaluations(spec.id)) for spec in specs}
    known = {each.id for found in told.values() for each in found}
    if unknown := [name for name in named if name not in known]:
        raise UsageError(f"{unknown[0]} is no evaluation of these runs")
    if len(specs) > 1 and all(told.values()):
        sides = sides_of(specs, store, named)
        return [side.name for side in sides], [side.evaluation for side in sides]
    names = [competitor(spec) for spec in specs]
    told_apart = [
        name if names.count(name) == 1 else f"{name} ({spec.id})"
        for name, spec in zip(names, specs, strict=True)
    ]
    newest = [
        next((e for e in found if e.id in named), found[-1] if found else None)
        for found in told.values()
    ]
    return told_apart, newest


def _accuracy(verdicts: Sequence[Verdict]) -> dict[str, float | None]:
    """By trajectory, message-wise and strict; None where nothing of it was scored."""
    said: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        if verdict.level == "message":
            said[verdict.trajectory_id].append(verdict)
    return {
        name: sum(v.label == "supported" for v in own) / len(own)
        if any(v.label for v in own)
        else None
        for name, own in said.items()
    }


def facts_of(
    installed: InstalledScenario, schema: Schema
) -> Mapping[str, tuple[str, Sequence[str]]]:
    """The facts that can be asked for by name, by their table (scenario.toml, `[facts]`)."""
    if not (named := installed.manifest.facts):
        return {}
    found: dict[str, tuple[str, Sequence[str]]] = {}
    with external.opened(installed.target) as source:
        for table in schema.tables:
            column = named.get(table.name)
            if column is None or column not in {c.name for c in table.columns}:
                continue
            with closing(source.cursor()) as cursor:
                name = quote(column)
                cursor.execute(
                    f"SELECT DISTINCT {name} FROM {table.quoted} WHERE {name} IS NOT NULL ORDER BY 1"
                )
                values = []
                while rows := cursor.fetch(1000):
                    values += [str(value) for (value,) in rows]
            found[table.name] = column, values
    return found


def _has_fields(trajectories: Sequence[Trajectory]) -> bool:
    return any(r.accessed_fields for t in trajectories for u in t.turns for r in u.tool_results)


def _with_fields(trajectory: Trajectory, follower: Follower) -> Trajectory:
    """With the fields of its SQL; a call of Python reads what nobody knows."""
    turns = tuple(
        turn.model_copy(
            update={"tool_results": tuple(_results(turn, trajectory.entity_id, follower))}
        )
        for turn in trajectory.turns
    )
    return trajectory.model_copy(update={"turns": turns})


def _results(turn: Turn, entity_id: str, follower: Follower) -> Iterator[ToolResult]:
    asked = {call.call_id: call.arguments for call in turn.tool_calls}
    for result in turn.tool_results:
        fields: tuple[str, ...] = ()
        if result.name == PYTHON_TOOL and not result.is_error:
            fields = (UNPARSED,)
        elif result.name == SQL_TOOL and not result.is_error:
            fields = follower.fields(entity_id, _query(asked.get(result.call_id, "")))
        yield result.model_copy(update={"accessed_fields": fields}) if fields else result


def _query(arguments: str) -> str:
    try:
        said = json.loads(arguments)
    except ValueError:
        return ""
    query = said.get("query") if isinstance(said, dict) else None
    return query if isinstance(query, str) else ""
