"""Answers go to stdout, remarks to stderr, and quiet means quiet."""

from __future__ import annotations

import json

import pytest

from server.cli.output import Lines, Output


def test_json_is_the_only_line_and_keeps_every_letter(capsys: pytest.CaptureFixture[str]) -> None:
    out = Output(json=True)
    out.say("for people")
    out.table(["a"], [["b"]])
    out.result({"text": "ä\u2028\n", "none": None})
    text = capsys.readouterr().out
    assert text.count("\n") == 1
    assert json.loads(text) == {"text": "ä\u2028\n", "none": None}


def test_without_json_people_are_answered_and_programs_are_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = Output()
    out.say("for people")
    out.table(["name", ">n"], [["a", "1"], ["bb", "22"]])
    out.result({"n": 1})
    text = capsys.readouterr().out
    assert text.splitlines()[0] == "for people"
    assert [line.split() for line in text.splitlines()[1:]] == [
        ["name", "n"],
        ["a", "1"],
        ["bb", "22"],
    ]


@pytest.mark.parametrize(
    ("width", "title"),
    [
        (80, "A year of incidents o…"),
        (74, "A year of incid…"),
        (73, None),
        (200, "A year of incidents of teams"),
    ],
)
def test_a_column_that_may_be_cut_fills_what_is_left_of_a_line_or_goes(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    width: int,
    title: str | None,
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    row = ["incidents", "not built", "1" * 34, "A year of incidents of teams"]
    Output().table(["scenario", "state", ">records", "~title"], [row])
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines[1:] == ["  ".join([*row[:3], *([title] if title else [])])]
    assert ("title" in lines[0]) == (title is not None)


def test_values_in_tables_are_text_and_never_markup(capsys: pytest.CaptureFixture[str]) -> None:
    Output().table(["what"], [["[red]x[/red] [/nope]"]])
    assert "[red]x[/red] [/nope]" in capsys.readouterr().out


def test_progress_off_a_terminal_is_a_line_for_each_tenth(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Output().progress("judging") as progress:
        for done in range(101):
            progress.update(done, 100, f"item {done}")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 11
    assert lines[0] == "judging   0 %  item 0"
    assert lines[-1] == "judging 100 %  item 100"


def test_quiet_says_nothing_on_the_side(capsys: pytest.CaptureFixture[str]) -> None:
    out = Output(quiet=True)
    out.note("by the way")
    with out.progress("judging") as progress:
        progress.update(1, 2, "x")
    out.say("the answer")
    assert capsys.readouterr() == ("the answer\n", "")


def test_a_bar_on_a_terminal_says_what_is_happening(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with Output().progress("building") as progress:
        progress.update(1, 2, "giving [pseudonyms]")
    shown = capsys.readouterr().err
    assert "building" in shown
    assert "giving [pseudonyms]" in shown
    assert "50 %" in shown


def test_a_line_that_says_nothing_new_comes_once_a_minute(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = [0.0]
    lines = Lines("exploring", clock=lambda: now[0])
    for second in range(200):
        now[0] = float(second)
        lines.update(0, 16, "waiting")
    assert capsys.readouterr().err.count("waiting") == 4
    now[0] += 5
    lines.update(0, 16, "turn 1")
    assert "turn 1" in capsys.readouterr().err


def test_things_that_go_on_side_by_side_have_a_line_each(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Output().progresses(["one", "two"]) as (one, two):
        one.update(1, 2, "x")
        two.update(2, 2, "y")
    assert capsys.readouterr().err.splitlines() == ["one  50 %  x", "two 100 %  y"]


def test_a_warning_is_told_however_quiet_and_a_hint_is_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    quiet = Output(quiet=True)
    quiet.warn("mind the gap")
    quiet.hint("next: this")
    Output(json=True).hint("next: that")
    Output().hint("next: those")
    out, err = capsys.readouterr()
    assert (out, err) == ("next: those\n", "warning: mind the gap\n")


@pytest.mark.parametrize("char", ["\x00", "\x07", "\x1b", "\x7f", "\x9b", "\u202e", "\u2066", "\r"])
def test_what_a_terminal_would_obey_is_spelt_out_wherever_it_stands(
    capsys: pytest.CaptureFixture[str], char: str
) -> None:
    out = Output()
    for speak in (out.say, out.hint, out.note, out.warn):
        speak(f"a{char}b")
    out.code(f"SELECT '{char}'", "sql")
    out.table([f"a{char}", f">n{char}"], [[f"b{char}", f"1{char}"]])
    said = "".join(capsys.readouterr())
    assert char not in said
    spelt = char.encode("unicode_escape").decode()
    assert said.count(spelt) == (8 if char == "\r" else 9), "a carriage return ends a line of code"


def test_letters_tabs_and_lines_stay_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    Output().say("ä → 表\ta\r\nb\n\u00a0c")
    assert capsys.readouterr().out == "ä → 表\ta\nb\n\u00a0c\n"


def test_half_a_surrogate_pair_breaks_neither_people_nor_programs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Output().say("a\ud800b")
    assert capsys.readouterr().out == "a\\ud800b\n"
    Output(json=True).result({"text": "ä\ud800"})
    text = capsys.readouterr().out
    text.encode()
    assert json.loads(text) == {"text": "ä\ud800"}


def test_what_is_no_number_is_null_so_that_json_stays_strict(
    capsys: pytest.CaptureFixture[str],
) -> None:
    nan, endless = float("nan"), float("inf")
    Output(json=True).result({"a": [nan, (1.5, endless)], "b": {"c": -endless}, "d": "NaN"})
    told = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert told == {"a": [None, [1.5, None]], "b": {"c": None}, "d": "NaN"}
