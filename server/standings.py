"""The leaderboard: finished, evaluated runs by scenario, only what is comparable in one ranking."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from core.evaluation import LEVELS, Level
from core.ranking import Ranking, Rating
from core.record import Record
from evaluator.comparable import Basis, differences
from evaluator.overall import Overall, overall
from server.settings import Settings
from server.standings_kept import Tally
from server.standings_row import Row, columns_by_key, public_name, public_row, public_ruling, row_of
from server.standings_summary import Summary
from server.store import Repository


class Line(Record):
    """What a baseline scores beside the rows of a group, item-averaged; shares in [0, 1]."""

    value: float
    """The mean over the rows that have it."""
    least: float
    most: float
    rows: int


class Group(Record):
    """Rows that rest on the same things, the best first: one ranking."""

    rows: tuple[Row, ...]
    ruling: Mapping[str, str]
    """What they rest on."""
    judges: tuple[str, ...] = ()
    """Those that were asked, each by itself."""
    apart: tuple[str, ...] = ()
    """In what it differs from the scenario's main group; () for that one."""
    remarks: tuple[str, ...] = ()
    """In what its own rows differ without being kept apart by it."""
    ranking_id: str | None = None
    """Whose novelty ratings stand in its rows; None where nobody ranked them, or for the public."""
    ranked: int = 0
    """Rows with a novelty rating."""

    def lines(self, level: Level) -> dict[str, Line]:
        """Each baseline that any row's evaluation has."""
        found: dict[str, list[float]] = defaultdict(list)
        for row in self.rows:
            for name in row.baselines:
                score = row.baseline(name, level)
                if score is not None and score.strict is not None:
                    found[name].append(score.strict)
        return {
            name: Line(
                value=sum(values) / len(values),
                least=min(values),
                most=max(values),
                rows=len(values),
            )
            for name, values in found.items()
        }


class Board(Record):
    """One scenario's rows."""

    scenario_id: str
    groups: tuple[Group, ...]
    """The main one first: most rows, then most recently judged. The others are not comparable with it."""

    @property
    def main(self) -> Group:
        """The rows that are ranked together."""
        return self.groups[0]


class Total(Record):
    """A competitor over the scenarios in whose main group it stands."""

    competitor: str
    protocol: str
    agent_class: str
    scenarios: tuple[str, ...]
    overall: Overall
    """Over the four scores of each of them."""


class Standings(Record):
    """All of it."""

    boards: tuple[Board, ...]
    """By scenario."""
    totals: tuple[Total, ...]
    """Those over most scenarios first, then the best; only those over the same scenarios are one ranking."""
    left_out: Mapping[str, str] = {}
    """Run -> why it has no row; empty for the public."""
    pending: int = 0
    """Runs and rankings that are still to be summed up; ask again."""

    def public(self) -> Standings:
        """The same for whoever has no token: no ids of runs, no words of anybody's."""
        return self.model_copy(
            update={
                "boards": tuple(
                    board.model_copy(update={"groups": tuple(map(_public, board.groups))})
                    for board in self.boards
                ),
                "totals": tuple(
                    each.model_copy(update={"competitor": public_name(each.competitor)})
                    for each in self.totals
                ),
                "left_out": {},
            }
        )

    def rows(self) -> list[Row]:
        """Every row of every group."""
        return [row for board in self.boards for group in board.groups for row in group.rows]


def standings(
    store: Repository,
    settings: Settings,
    *,
    scenarios: Iterable[str] = (),
    patience_s: float | None = None,
) -> Standings:
    """Everything, or these scenarios alone. `patience_s`: see Tally; what is not there yet is `pending`."""
    tally = Tally(store, settings, patience_s=patience_s)
    wanted = set(scenarios)
    summaries = [each for each in tally.runs() if not wanted or each.scenario_id in wanted]
    ratings = tally.ratings()
    shown = sorted(
        (each for each in summaries if each.why_not is None), key=lambda each: each.scenario_id
    )
    boards = tuple(
        _board(scenario, list(some), ratings)
        for scenario, some in groupby(shown, key=lambda each: each.scenario_id)
    )
    return Standings(
        boards=boards,
        totals=_totals(boards),
        left_out={each.run_id: each.why_not for each in summaries if each.why_not},
        pending=tally.pending,
    )


def _board(
    scenario: str, summaries: Sequence[Summary], ratings: Sequence[tuple[Ranking, list[Rating]]]
) -> Board:
    by_ruling: dict[tuple[tuple[str, str], ...], list[Summary]] = defaultdict(list)
    for each in summaries:
        by_ruling[tuple(sorted(each.ruling.items()))].append(each)
    mine = [(k, r) for k, r in ratings if k.scenario_id == scenario]
    groups = [_group(some, mine) for some in by_ruling.values()]
    groups.sort(key=lambda group: (len(group.rows), _judged_last(group)), reverse=True)
    main, *others = groups
    return Board(
        scenario_id=scenario,
        groups=(main, *(_apart(each, main) for each in others)),
    )


def _group(summaries: Sequence[Summary], ratings: Sequence[tuple[Ranking, list[Rating]]]) -> Group:
    """One row per competitor: its newest run speaks for it."""
    newest: dict[str, list[Summary]] = defaultdict(list)
    for each in summaries:
        newest[each.competitor].append(each)
    speaking = {
        name: sorted(runs, key=lambda run: (run.created_at, run.run_id))
        for name, runs in newest.items()
    }
    ids = {runs[-1].run_id for runs in speaking.values()}
    ranking, rated = next(
        ((k, r) for k, r in ratings if len(ids & set(k.run_ids)) >= 2), (None, [])
    )
    by_run = {rating.competitor: rating for rating in rated}
    rows = [
        row_of(runs[-1], older=len(runs) - 1, rating=by_run.get(runs[-1].run_id))
        for runs in speaking.values()
    ]
    told = [Basis(runs[-1].competitor, {}, runs[-1].remarkable) for runs in speaking.values()]
    return Group(
        rows=tuple(sorted(rows, key=_best_first)),
        ruling=summaries[0].ruling,
        judges=summaries[0].judges,
        remarks=tuple(map(str, differences(told).remarks)),
        ranking_id=ranking.id if ranking else None,
        ranked=sum(row.novelty is not None for row in rows),
    )


def _apart(group: Group, main: Group) -> Group:
    told = [Basis("here", group.ruling), Basis("there", main.ruling)]
    apart = [
        f"{each.what}: {group.ruling.get(each.what, 'none')}, "
        f"there {main.ruling.get(each.what, 'none')}"
        for each in differences(told).forbidding
    ]
    return group.model_copy(update={"apart": tuple(apart)})


def _best_first(row: Row) -> tuple[float, float, str]:
    """By what the final report found, then by turn; what has no headline last; equal ones by name."""
    report, message = (row.headline(level) for level in reversed(LEVELS))
    return (
        -(report if report is not None else -1.0),
        -(message if message is not None else -1.0),
        row.competitor,
    )


def _judged_last(group: Group) -> str:
    return max(row.judged_at.isoformat() for row in group.rows)


def _totals(boards: Sequence[Board]) -> tuple[Total, ...]:
    mine: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for board in boards:
        for row in board.main.rows:
            mine[row.competitor, row.protocol, row.agent_class].append(row)
    found = [
        Total(
            competitor=name,
            protocol=protocol,
            agent_class=agent_class,
            scenarios=tuple(row.scenario_id for row in rows),
            overall=overall([c for row in rows for c in columns_by_key(row).values()]),
        )
        for (name, protocol, agent_class), rows in mine.items()
    ]
    return tuple(
        sorted(
            found,
            key=lambda t: (
                -len(t.scenarios),
                t.scenarios,
                -(t.overall.value if t.overall.value is not None else -1.0),
                t.competitor,
            ),
        )
    )


def _public(group: Group) -> Group:
    return group.model_copy(
        update={
            "rows": tuple(map(public_row, group.rows)),
            "ruling": public_ruling(group.ruling, group.judges),
            "judges": tuple(map(public_name, group.judges)),
            "apart": tuple(each.split(":")[0] for each in group.apart),
            "remarks": tuple(each.split(":")[0] for each in group.remarks),
            "ranking_id": None,
        }
    )
