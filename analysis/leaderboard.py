"""The leaderboard in the shape of the paper's Table 2: averagings by levels by scenarios, then Overall."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from analysis.table import Cell, Table, table
from core.evaluation import Level, Score

Averaging = Literal["item", "sample"]
_AVERAGINGS: Final[dict[Averaging, str]] = {"sample": "sample-averaged", "item": "item-averaged"}
_LEVELS: Final[dict[Level, str]] = {"message": "I_m", "trajectory": "I_t"}
DAGGER: Final = "\N{DAGGER}"
"""Stands behind what does not clear chance."""
_LATEX: Final = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    '"': r"\textquotedbl{}",
}

Key = tuple[str, Level, Averaging]
"""(scenario, level, averaging)"""


@dataclass(frozen=True)
class Entry:
    """One line of the table; shares in [0, 1]."""

    competitor: str
    values: Mapping[Key, float]
    """Those that are known."""
    overall: float | None
    """The mean of the columns; None where one of them is not known."""
    at_chance: frozenset[Key] = field(default_factory=frozenset)
    """Columns that do not clear chance (the best constant answer)."""


def keys(scenarios: Sequence[str]) -> list[Key]:
    """The columns in the paper's order: sample before item, message before trajectory."""
    return [
        (scenario, level, averaging)
        for averaging in _AVERAGINGS
        for level in _LEVELS
        for scenario in scenarios
    ]


def entry(
    competitor: str,
    scores: Mapping[str, Iterable[Score]],
    overall: float | None,
    at_chance: Iterable[Key] = (),
) -> Entry:
    """Of a competitor's scores by scenario: headlines alone, so that what is half judged is empty."""
    values: dict[Key, float] = {}
    for scenario, each in scores.items():
        for score in each:
            if score.headline is not None:
                values[scenario, score.level, score.averaging] = score.headline
    return Entry(competitor, values, overall, frozenset(at_chance))


def table2(entries: Sequence[Entry], scenarios: Sequence[str]) -> Table:
    """Percent with two decimals, as in the paper; the best Overall first."""
    columns = [
        f"{_short(averaging)}_{_LEVELS[level]}_{s}" for s, level, averaging in keys(scenarios)
    ]
    rows: list[list[Cell]] = [
        [
            each.competitor,
            *(_percent(each.values.get(key)) for key in keys(scenarios)),
            _percent(each.overall),
        ]
        for each in ordered(entries)
    ]
    return table("table2", ["competitor", *columns, "overall"], rows)


def heads(columns: Sequence[Key]) -> list[str]:
    """What stands above each column for people."""
    several = len({scenario for scenario, _, _ in columns}) > 1
    return [
        f"{_short(averaging)} {_LEVELS[level]}" + (f" {scenario}" if several else "")
        for scenario, level, averaging in columns
    ]


def cells(each: Entry, columns: Sequence[Key]) -> list[str]:
    """A line's figures for people: percent, a dash where there is none, a dagger at chance."""
    found = [_told(each.values.get(key), key in each.at_chance) for key in columns]
    return [*found, _told(each.overall, False)]


def ordered(entries: Sequence[Entry]) -> list[Entry]:
    """The best Overall first; those without one last; equal ones by name."""
    return sorted(
        entries,
        key=lambda each: (each.overall is None, -(each.overall or 0.0), each.competitor),
    )


def latex(
    entries: Sequence[Entry],
    scenarios: Sequence[str],
    *,
    others: Sequence[Entry] = (),
    source: str = "",
) -> str:
    """A tabular for the package booktabs; the best of each column bold, `others` apart under `source`.

    Nothing that a name holds is obeyed by LaTeX.
    """
    columns = keys(scenarios)
    best = {
        key: max((e.values[key] for e in entries if key in e.values), default=None)
        for key in columns
    }
    top = max((e.overall for e in entries if e.overall is not None), default=None)
    width = len(scenarios)
    lines = [
        r"% needs \usepackage{booktabs}",
        rf"\begin{{tabular}}{{l{'r' * (len(columns) + 1)}}}",
        r"\toprule",
        " & "
        + " & ".join(
            rf"\multicolumn{{{2 * width}}}{{c}}{{{name.capitalize()}}}"
            for name in _AVERAGINGS.values()
        )
        + r" & \\",
        " & "
        + " & ".join(
            rf"\multicolumn{{{width}}}{{c}}{{${head[0]}_{{{head[2]}}}$}}"
            for _ in _AVERAGINGS
            for head in _LEVELS.values()
        )
        + r" & \\",
        "Model & " + " & ".join(escaped(scenario) for scenario, _, _ in columns) + r" & Overall \\",
        r"\midrule",
    ]
    for each in ordered(entries):
        marked = [_latex_cell(each, key, best[key]) for key in columns]
        lines.append(_line(each, [*marked, _bold(each.overall, top)]))
    if others:
        lines += [
            r"\midrule",
            rf"\multicolumn{{{len(columns) + 2}}}{{l}}{{\emph{{{escaped(source)}}}}} \\",
        ]
        lines += [
            _line(each, [*(_plain(each.values.get(key)) for key in columns), _plain(each.overall)])
            for each in ordered(others)
        ]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def escaped(text: str) -> str:
    """A name as LaTeX prints it; what is no printable character is left out."""
    return "".join(_LATEX.get(c, c) for c in " ".join(text.split()) if c.isprintable())


def _line(each: Entry, figures: Sequence[str]) -> str:
    name = escaped(each.competitor)
    # At the start of a line these would be taken for an option of the end of the line before.
    shielded = f"{{}}{name}" if name.startswith(("[", "*")) else name
    return " & ".join([shielded, *figures]) + r" \\"


def _latex_cell(each: Entry, key: Key, best: float | None) -> str:
    mark = r"$^\dagger$" if key in each.at_chance else ""
    return _bold(each.values.get(key), best) + mark


def _bold(value: float | None, best: float | None) -> str:
    text = _plain(value)
    return rf"\textbf{{{text}}}" if value is not None and value == best else text


def _plain(value: float | None) -> str:
    return "--" if value is None else f"{100 * value:.2f}"


def _told(value: float | None, at_chance: bool) -> str:
    return "-" if value is None else f"{100 * value:.2f}{DAGGER if at_chance else ''}"


def _percent(value: float | None) -> float | None:
    return None if value is None else round(100 * value, 2)


def _short(averaging: Averaging) -> str:
    return averaging[0].upper()
