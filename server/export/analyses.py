"""What follows from a run's records, by every analysis that there is: tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from analysis.table import Cell, Table
from core.errors import DdrError
from server.export.scored import Basis
from server.export.scores_drawn import draw_scores
from server.files_out import Draw
from server.settings import Settings
from server.store import Repository

_OF_ENTITIES: Final = frozenset({"entity_id", "entity", "trajectory_id", "trajectory", "fact"})
"""Columns that say of which entity a row is, or what was read of one."""
_RUN: Final = frozenset({"run_id", "run"})


@dataclass(frozen=True)
class Found:
    """What one analysis says of one run."""

    name: str
    """Begins the names of its files."""
    run_id: str
    tables: tuple[Table, ...] = ()
    figures: tuple[tuple[str, Draw], ...] = ()
    """The end of a name, '' for the only one, and how it is drawn."""
    shows_data: bool = False
    """Whether its figures show what was read, or entity by entity."""
    why_not: str | None = None
    """Why there is nothing."""

    @property
    def without_data(self) -> Found:
        """What of it may leave a restricted scenario: what is told of the whole run."""
        kept = tuple(each for each in self.tables if not _OF_ENTITIES & set(each.columns))
        return replace(self, tables=kept, figures=() if self.shows_data else self.figures)


Analysis = Callable[[Basis, Repository, Settings], Found]


def _scores(basis: Basis, store: Repository, settings: Settings) -> Found:
    run = basis.spec.id
    if basis.judged is None:
        return Found("scores", run)  # said with the table of scores
    return Found("scores", run, figures=(("", partial(draw_scores, basis.judged.scores)),))


def _curves(basis: Basis, store: Repository, settings: Settings) -> Found:
    from analysis.axes import AXES
    from server.curves_asked import Asked, tables_of, take

    run = basis.spec.id
    if basis.evaluation is None:
        return Found("curves", run, why_not="nobody has judged it")
    rows: dict[str, Table] = {}
    figures: list[tuple[str, Draw]] = []
    for axis in AXES:
        asked = Asked(axis=axis, evaluations=(basis.evaluation.id,))
        shown = take(asked, [basis.spec], [], store, settings)
        for table in tables_of(shown):
            before = rows[table.name].rows if table.name in rows else ()
            rows[table.name] = Table(table.name, table.columns, before + table.rows)
        if any(each.curve.points for each in shown.curves):
            figures.append((axis, shown.draw))
    return Found("curves", run, tuple(rows.values()), tuple(figures))


def _exploration(basis: Basis, store: Repository, settings: Settings) -> Found:
    from analysis.exploration.figures import NAMES, draw
    from analysis.exploration.tables import tables
    from server.exploration import of_run

    judged = basis.evaluation.id if basis.evaluation else None
    found = of_run(basis.spec, store, settings, evaluation=judged).exploration
    figures = tuple((name, partial(draw, found, name)) for name in NAMES)
    return Found("exploration", basis.spec.id, tuple(tables(found)), figures, shows_data=True)


def _stopping(basis: Basis, store: Repository, settings: Settings) -> Found:
    from analysis.stopping_drawing import draw
    from server.stopping import of_run, pictures, tables

    judged = basis.evaluation.id if basis.evaluation else None
    found = [of_run(basis.spec, store, settings, evaluation=judged)]
    figures = (("", partial(draw, pictures(found))),)
    return Found("stopping", basis.spec.id, tuple(tables(found)), figures)


def _costs(basis: Basis, store: Repository, settings: Settings) -> Found:
    from analysis.spending_drawing import draw
    from analysis.spending_tables import tables
    from server.costs import of_run

    found = [of_run(basis.spec, basis.spec.id, store, settings)]
    if not found[0].explorations:
        return Found("costs", basis.spec.id, why_not="nothing was explored in it")
    figures = (("", partial(draw, found)),)
    return Found("costs", basis.spec.id, tuple(tables(found)), figures)


ANALYSES: Final[tuple[tuple[str, Analysis], ...]] = (
    ("scores", _scores),
    ("curves", _curves),
    ("exploration", _exploration),
    ("stopping", _stopping),
    ("costs", _costs),
)
"""By the command that shows the same, in the order of the files."""


def analyses_of(basis: Basis, store: Repository, settings: Settings) -> list[Found]:
    """What each says. One that cannot say anything of this run says why, and holds up no other."""
    found = []
    for name, analysis in ANALYSES:
        try:
            found.append(analysis(basis, store, settings))
        except DdrError as exc:
            found.append(Found(name, basis.spec.id, why_not=str(exc)))
    return found


def joined(found: Sequence[Found]) -> list[tuple[Table, str]]:
    """The tables of one name under each other, with the run that each row is of; and what they are.

    A table is named after its analysis, too: `curves_points`. One without rows is left away.
    """
    rows: dict[str, list[tuple[Cell, ...]]] = {}
    columns: dict[str, tuple[str, ...]] = {}
    whose: dict[str, str] = {}
    for each in found:
        for table in each.tables:
            name = f"{each.name}_{table.name}"
            has_run = bool(_RUN & set(table.columns))
            columns.setdefault(name, table.columns if has_run else ("run_id", *table.columns))
            whose.setdefault(name, f"{table.name} of `ddr {each.name}`")
            rows.setdefault(name, []).extend(
                table.rows if has_run else ((each.run_id, *row) for row in table.rows)
            )
    return [
        (Table(name, columns[name], tuple(rows[name])), whose[name])
        for name in columns
        if rows[name]
    ]


def named(found: Sequence[Found]) -> list[tuple[str, Draw]]:
    """Every figure by the name of its file, without the suffix; of several runs each has its own."""
    several = len({each.run_id for each in found}) > 1
    return [
        ("-".join([*([each.run_id] if several else []), each.name, *([end] if end else [])]), draw)
        for each in found
        for end, draw in each.figures
    ]
