"""Figures are the same bytes each time, in a look that is told apart by colour and by line."""

from __future__ import annotations

from xml.etree import ElementTree

from matplotlib.text import Annotation

from analysis.drawing import COLOURS, Form, end_labels, fit, fitted, look, saved, sheet


def _drawn(form: Form) -> bytes:
    with sheet(width=4, height=3) as (figure, (axes,)):
        for place in range(2):
            own = look(place)
            axes.plot([1, 2], [place, 1.0], color=own.colour, linestyle=own.line)
        end_labels(axes, [(2, 1.0, "one", COLOURS[0]), (2, 1.0, "two <&>", COLOURS[1])])
        return saved(figure, form)


def test_the_same_figure_is_the_same_file() -> None:
    assert _drawn("svg") == _drawn("svg")
    assert _drawn("png") == _drawn("png")
    assert _drawn("png").startswith(b"\x89PNG")


def test_text_stays_text_and_is_escaped() -> None:
    root = ElementTree.fromstring(_drawn("svg"))
    words = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "two <&>" in words


def test_names_at_the_ends_of_lines_never_lie_on_one_another() -> None:
    with sheet() as (_, (axes,)):
        axes.set_ylim(0, 1)
        end_labels(axes, [(1, 0.5, name, "black") for name in "abc"], gap=0.1)
        heights = sorted(note.xyann[1] for note in axes.texts if isinstance(note, Annotation))
    assert [round(height, 6) for height in heights] == [0.5, 0.6, 0.7]


def test_looks_differ_for_as_many_as_a_table_of_models_has() -> None:
    looks = [look(place) for place in range(22)]
    assert len({(own.colour, str(own.line)) for own in looks}) == 22
    assert looks[0].line != looks[1].line


def test_names_are_fitted_and_keep_both_ends() -> None:
    assert fit("short", 30) == "short"
    long = fit("a_very_long_name_of_a_column_that_ends_in_min", 30)
    assert len(long) == 30
    assert long.startswith("a_very_long") and long.endswith("that_ends_in_min"[-14:])
    assert fit("two\nlines\tof", 30) == "two lines of"
    assert fit("", 30) == fit(" \n", 30) == "(no name)"
    assert [fit("abcdef", most) for most in (1, 2, 3)] == ["…f", "…f", "a…f"]


def test_a_name_is_no_formula_and_holds_nothing_that_cannot_be_seen() -> None:
    assert fit("$x$", 30) == r"\$x\$"
    assert fit("a\x1b[31m\u202eb\ud800", 30) == "a?[31m?b?"


def test_names_at_the_top_of_the_axes_stay_in_them_while_there_is_room() -> None:
    with sheet() as (_, (axes,)):
        axes.set_ylim(0, 1)
        end_labels(axes, [(1, 1.0, name, "black") for name in "abcd"], gap=0.1)
        heights = [note.xyann[1] for note in axes.texts if isinstance(note, Annotation)]
    assert [round(height, 6) for height in heights] == [0.65, 0.75, 0.85, 0.95]
    with sheet() as (_, (axes,)):
        axes.set_ylim(0, 1)
        end_labels(axes, [(1, 1.0, str(name), "black") for name in range(30)], gap=0.1)
        heights = [note.xyann[1] for note in axes.texts if isinstance(note, Annotation)]
    assert round(heights[-1] - heights[-2], 6) == 0.1


def test_a_name_is_cut_by_its_width_and_not_by_its_letters() -> None:
    with sheet():
        wide, narrow = fitted("W" * 60, 1.0, 10), fitted("i" * 60, 1.0, 10)
        assert fitted("short", 1.0, 10) == "short"
        assert len(fitted("W" * 60, 0.01, 10)) == 4
    assert 5 <= len(wide) <= 9
    assert len(narrow) > 2 * len(wide)
