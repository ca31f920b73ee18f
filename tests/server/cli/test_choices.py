"""An option with choices refuses what is none of them, an empty value too, and names them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.cli.conftest import RUN, Ddr

JUDGE = ("--judge", "openai/x")
OTHER = "20260131-flights-cd34"
STDIO = ("serve", "--scenario", "flights", "--entity", "01")
NEW = ("run", "--scenario", "flights", "--agent", "profiler", "--entities", "01")
SEAT = ("enrol", "--scenario", "flights", "--agent", "mine", "--entities", "01", "--trials", "1")

CHOICES = [
    (NEW, "--tools", "sql, python, both"),
    (NEW, "--goal", "none, dataset, generic"),
    (NEW, "--insights", "per-turn, later, none"),
    (NEW, "--final-report", "ask, none"),
    (NEW, "--protocol", "default, ddr"),
    (NEW, "--agent", "react, profiler"),
    (SEAT, "--tools", "sql, python, both"),
    (SEAT, "--goal", "none, dataset, generic"),
    (SEAT, "--shell", "yes, no"),
    (SEAT, "--web", "yes, no"),
    (SEAT, "--write", "opencode, codex"),
    (NEW[:-2], "--entities", "01, 02"),
    (SEAT[:5], "--entities", "01, 02"),
    (STDIO, "--tools", "sql, python, both"),
    (STDIO, "--goal", "none, dataset, generic"),
    (("evaluate", RUN), "--checker", "matching, llm"),
    (("evaluate", RUN), "--protocol", "default, ddr"),
    (("evaluate", RUN), "--baselines", "generic, shuffled, population, closed-book"),
    (("evaluate", RUN, *JUDGE), "--criteria", "strict, lenient"),
    (("calibrate", *JUDGE), "--criteria", "strict, lenient"),
    (
        ("bridge", "ddr-bench", "LOGS", "--scenario", "flights", *JUDGE),
        "--criteria",
        "strict, lenient",
    ),
    (("rank", RUN, *JUDGE), "--protocol", "default, ddr"),
    (("rank", RUN, *JUDGE), "--pairs", "all, adaptive"),
    (("rank", RUN, *JUDGE), "--method", "davidson, half-win, order"),
    (("curves", RUN), "--axis", "turn, calls, billed_tokens"),
    (("curves", RUN), "--level", "message, trajectory"),
    (("curves", RUN), "--protocol", "default, ddr"),
    (("diff", RUN, RUN), "--by", "category, difficulty, insight-type"),
    (("exploration", RUN), "--figure", "points, heat, turns"),
    (("export", RUN), "--format", "csv, json, parquet"),
    (("leaderboard",), "--format", "plain, table2, csv, latex"),
    (("leaderboard",), "--by", "total_b, active_b"),
    (("metrics", RUN), "--metric", "rouge1, g-eval, l3-eval"),
    (("metrics", RUN), "--suite", "insightbench, insighteval"),
    (("metrics", RUN), "--matching", "one-to-many, many-to-many"),
    (("checklists", "review", "flights", "--out", "sheet.csv"), "--only", "proposed, accepted"),
    (("token", "create"), "--role", "admin, harness, reader"),
    (
        ("trajectories", "import", "ddr-bench", "LOGS", "--scenario", "flights"),
        "--entities",
        "logged, all",
    ),
]


@pytest.mark.parametrize("value", ["", "nonsense"])
@pytest.mark.parametrize(
    ("command", "option", "known"), CHOICES, ids=[f"{c[0]} {o}" for c, o, _ in CHOICES]
)
def test_what_is_none_of_the_choices_is_refused_with_these(
    explored: Path, ddr: Ddr, command: tuple[str, ...], option: str, value: str, known: str
) -> None:
    (explored / "logs").mkdir()
    named = [str(explored / "logs") if word == "LOGS" else word for word in command]
    done = ddr(*named, option, value)
    assert done.code == 2, done.err
    for name in known.split(", "):
        assert name in done.err
