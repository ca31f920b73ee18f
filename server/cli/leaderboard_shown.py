"""The leaderboard as it is shown: for people, in the paper's shape, as CSV, as LaTeX, for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from analysis.scoreboard import BASELINES
from core.evaluation import LEVELS
from core.hints import typed
from core.wording import counted
from server.cli.facets_shown import LEVEL, ByScenario, percent
from server.cli.output import one_line

if TYPE_CHECKING:
    from analysis.drawing import Form
    from analysis.leaderboard import Entry
    from analysis.models import ModelTable
    from server.cli.output import Output
    from server.standings import Board, Group, Standings
    from server.standings_row import Row

_NOT_OURS: Final = (
    "Others' figures, as DDR-Bench's Table 2 prints them (judged by GPT-5-mini on the paper's own data "
    "and checklists): no row of ours may be ranked among them"
)
_BRIEF: Final = ("checker", "judges asked", "criteria", "checklist", "protocol of exploration")


def show(found: Standings, form: str, models: ModelTable, out: Output, *, published: bool) -> None:
    """In one of the forms."""
    if form == "csv":
        from server.files_out import csv_bytes
        from server.standings_tables import tables

        out.say(csv_bytes(tables(found, models)[0]).decode().rstrip("\n"))
        return
    if form == "latex":
        _latex(found, out, published=published)
        return
    if not found.boards:
        _nothing(found, out)
    elif form == "table2":
        _table2(found, out)
    else:
        for board in found.boards:
            _board(board, out)
        _totals(found, out)
    if published:
        _published(found, out)
    _beside(found, out, whole=form == "plain")


def _nothing(found: Standings, out: Output) -> None:
    out.say("no run is finished and evaluated yet")
    if not found.left_out:
        out.hint(f"see it work: {typed('demo')}")


def _beside(found: Standings, out: Output, *, whole: bool) -> None:
    """What is not in the table, and what can be done next."""
    if found.left_out and whole:
        for run, why in list(found.left_out.items())[:5]:
            out.hint(f"no row for {run}: {why}")
        if (more := len(found.left_out) - 5) > 0:
            out.hint(f"no row for {counted(more, 'more run')}")
    apart = sum(len(group.rows) for board in found.boards for group in board.groups[1:])
    if apart and not whole:
        out.note(
            f"{counted(apart, 'row')} not comparable with these: {typed('leaderboard')} shows them"
        )
    for board in found.boards if whole else ():
        ids = [row.run_id for row in board.main.rows[:2] if row.run_id]
        if len(ids) == 2:
            out.hint(f"is the first better than the second: {typed(f'diff {ids[0]} {ids[1]}')}")
            break


def _board(board: Board, out: Output) -> None:
    for number, group in enumerate(board.groups):
        told = "; ".join(f"{what} {group.ruling[what]}" for what in _BRIEF if what in group.ruling)
        out.say(f"{board.scenario_id}: {told}")
        if number:
            out.say("  NOT COMPARABLE with the rows above:")
        for why in group.apart:
            out.say(f"    {why}")
        _rows(group, out)
        for level in LEVELS:
            lines = group.lines(level)
            if lines:
                each = ", ".join(
                    f"{BASELINES.get(name, name).format(noun='entity')} {percent(line.value)}"
                    for name, line in lines.items()
                )
                out.say(f"  baselines, {LEVEL[level]}: {each}")
        for remark in group.remarks:
            out.say(f"  they differ in {remark}")
        for row in group.rows:
            if row.newer:
                out.say(
                    f"  {one_line(row.competitor)}: an older evaluation speaks; of the newest: {row.newer}"
                )
        out.say()


def _rows(group: Group, out: Output) -> None:
    heads = ["whose", ">report %", ">95 %", ">by turn %", ">95 %", ">coverage"]
    heads += [">novelty", ">$ / entity", ">tokens / entity", ">turns", "class"]
    rows = []
    for row in group.rows:
        report, message = row.score("trajectory"), row.score("message")
        rows.append(
            [
                row.competitor + (f" (+{row.older} older)" if row.older else ""),
                percent(report.headline if report else None),
                _between(report),
                percent(message.headline if message else None),
                _between(message),
                "" if report is None else f"{report.coverage:.2f}",
                _novelty(row),
                _cost(row),
                _tokens(row),
                "-" if row.turns is None else f"{row.turns:.1f}",
                row.agent_class,
            ]
        )
    out.table(heads, rows)
    told = [
        f"  {one_line(row.competitor)}: {score.headline_reason}"
        for row in group.rows
        for score in row.scores
        if score.headline_reason and score.averaging == "item"
    ]
    told += [
        f"  {one_line(row.competitor)}: its cost is not known: {row.price.reason}"
        for row in group.rows
        if row.price.cost_usd is None
    ]
    for line in dict.fromkeys(told):
        out.say(line)


def _totals(found: Standings, out: Output) -> None:
    if len(found.boards) < 2:
        return
    rows = [
        [
            total.competitor,
            ", ".join(total.scenarios),
            percent(total.overall.value),
            percent(total.overall.corrected),
            f"{len(total.overall.weights)} x {next(iter(total.overall.weights.values())):.3f}",
            "; ".join(total.overall.at_chance),
        ]
        for total in found.totals
    ]
    heads = ["overall", "over", ">mean %", ">beyond chance %", ">weights", "at chance"]
    out.table(heads, rows)
    if len({total.scenarios for total in found.totals}) > 1:
        out.say("only those over the same scenarios are one ranking")


def _table2(found: Standings, out: Output) -> None:
    from analysis.leaderboard import DAGGER
    from server.standings_tables import entries

    made, scenarios = entries(found)
    _blocks("%", made, scenarios, out)
    out.say("S: mean over entities, I: over items; I_m: insights turn by turn, I_t: final report")
    out.say(f"Overall: the mean of these {4 * len(scenarios)} columns, each of the same weight")
    if any(each.at_chance for each in made):
        out.say(f"{DAGGER} does not clear what a constant answer scores")


def _published(found: Standings, out: Output) -> None:
    from server.standings_tables import published

    made, scenarios = published([board.scenario_id for board in found.boards])
    out.say()
    out.say(_NOT_OURS)
    _blocks("published, %", made, scenarios, out)


def _blocks(name: str, made: Sequence[Entry], scenarios: Sequence[str], out: Output) -> None:
    """One table; of several scenarios one per averaging, so that it fits a line."""
    from analysis import leaderboard

    columns = leaderboard.keys(scenarios)
    halves = (
        [columns]
        if len(scenarios) < 2
        else [columns[: len(columns) // 2], columns[len(columns) // 2 :]]
    )
    for half in halves:
        rows = [
            [each.competitor, *leaderboard.cells(each, half)] for each in leaderboard.ordered(made)
        ]
        out.table([name, *(f">{head}" for head in leaderboard.heads(half)), ">Overall"], rows)


def _latex(found: Standings, out: Output, *, published: bool) -> None:
    from analysis import leaderboard
    from server import standings_tables

    made, scenarios = standings_tables.entries(found)
    others = []
    if published:
        # Only columns that stand in both: the published block has ours' heads above it.
        others = [
            each
            for each in standings_tables.published(scenarios)[0]
            if any(key in each.values for key in leaderboard.keys(scenarios))
        ]
    out.say(leaderboard.latex(made, scenarios, others=others, source=_NOT_OURS))


def write(
    paths: Sequence[Path], found: Standings, facets: ByScenario, models: ModelTable
) -> list[Path]:
    """The files that were asked for."""
    from server import files_out, leaderboard_files

    made = leaderboard_files.all_tables(found, facets, models)

    def draw(form: Form) -> bytes:
        return leaderboard_files.figure(found, facets, form)

    return [file for path in paths for file in files_out.write(path, made, draw)]


def as_json(found: Standings, facets: ByScenario, *, published: bool) -> dict[str, Any]:
    """For --json."""
    told = found.model_dump(mode="json")
    told["facets"] = {
        scenario: {level: asdict(each) for level, each in levels.items()}
        for scenario, levels in facets.items()
    }
    if published:
        from evaluator.published import SOURCE, table2

        told["published"] = {"source": SOURCE, "rows": [row.model_dump() for row in table2()]}
    return told


def _between(score: Any) -> str:
    if score is None or score.low is None or score.high is None:
        return ""
    return f"{100 * score.low:.0f}-{100 * score.high:.0f}"


def _novelty(row: Row) -> str:
    rating = row.novelty
    if rating is None or rating.strength is None:
        return ""
    place = "" if rating.rank is None else f" (#{rating.rank})"
    return f"{rating.strength:+.2f}{place}"


def _cost(row: Row) -> str:
    price = row.price
    if price.cost_usd is not None:
        return f"{price.cost_usd:.4f}" if price.cost_usd else "0"
    return "-" if price.least_usd is None else f">= {price.least_usd:.4f}"


def _tokens(row: Row) -> str:
    price = row.price
    if price.input_tokens is None or price.output_tokens is None:
        return "-"
    return f"{price.input_tokens + price.output_tokens:,.0f}"
