"""An insight is read from JSON, from a Python literal, or field by field; nothing of it is evaluated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from databases.insightbench.tolerant import FIELDS, TYPES, read_insight, right_names, type_of

JSON = '{"data_type": "diagnostic", "insight": "It\'s \\"slow\\"", "plot": {"x": [1, 2]}}'
PYTHON = "{'data_type': 'diagnostic', 'insight': 'It\\'s \"slow\"', 'plot': {'x': [1, None]},}"
BROKEN = (
    '{\n "data_type": "diagnostic",\n "insight": "It\'s \\"slow\\"",\n'
    ' "plot": {"x": [1, df.max()] "y": 2},\n "question": \'Why?\'\n}'
)
"""A call within, a comma missing: neither JSON nor a literal."""


@pytest.mark.parametrize("text", [JSON, PYTHON, f"insight = {PYTHON}", BROKEN, f"  {JSON}\n"])
def test_type_and_words_are_read_from_each_way_of_writing(text: str) -> None:
    found = read_insight(text)
    assert found is not None
    assert (found["data_type"], found["insight"]) == ("diagnostic", 'It\'s "slow"')


def test_a_line_break_within_a_string_is_no_obstacle() -> None:
    found = read_insight('{"data_type": "predictive", "insight": "1. Do.\n2. Do more."}')
    assert found == {"data_type": "predictive", "insight": "1. Do.\n2. Do more."}
    found = read_insight('{"data_type": "predictive", "insight": """1. Do.\n2. "More".""" "x"; }')
    assert found == {"data_type": "predictive", "insight": '1. Do.\n2. "More".'}


def test_a_string_without_an_end_costs_itself_alone() -> None:
    found = read_insight("{'insight': 'half, 'question': \"Why?\", 'data_type': \"descriptive\"")
    assert found is not None
    assert (found["question"], found["data_type"]) == ("Why?", "descriptive")


@pytest.mark.parametrize(
    "key",
    ["actionable insight", "actionable_insigh", "Actionable_Insight", "actionnable_insight"],
)
def test_a_misspelt_key_is_known_by_the_right_one(key: str) -> None:
    assert right_names({key: "Act."}) == {"actionable_insight": "Act."}
    assert right_names({key: "no", "actionable_insight": "yes"}) == {"actionable_insight": "yes"}


def test_keys_that_resemble_none_are_left_out() -> None:
    assert right_names({"colour": 1, "insight": "x", "insights_found_elsewhere": 2}) == {
        "insight": "x"
    }
    assert set(right_names(dict.fromkeys(FIELDS, 1))) == set(FIELDS)


def test_insight_and_insight_value_are_not_taken_for_each_other() -> None:
    assert right_names({"insight_value": 3}) == {"insight_value": 3}
    assert right_names({"insigt_value": 3}) == {"insight_value": 3}


@pytest.mark.parametrize(
    ("stated", "kind"),
    [
        ("Descriptive", "descriptive"),
        (" diagnostic ", "diagnostic"),
        ("prescreptive", "prescriptive"),
        ("evaluative", "evaluative"),
        ("time_series", "other"),
        ("comparative", "other"),
        ("", "other"),
    ],
)
def test_a_type_is_one_of_the_defined_ones_or_other(stated: str, kind: str) -> None:
    assert type_of(stated) == kind
    assert kind in (*TYPES, "other")


@pytest.mark.parametrize("text", ["", "plt.show()", "{}", "[1, 2]", "{'colour': 'red'}", '"x"'])
def test_what_is_no_insight_is_none(text: str) -> None:
    assert read_insight(text) is None


def test_nothing_is_evaluated(tmp_path_factory: pytest.TempPathFactory) -> None:
    trace = tmp_path_factory.mktemp("trace") / "trace"
    call = f"__import__('pathlib').Path({str(trace)!r}).touch()"
    assert read_insight(f"{{'insight': 'x', 'plot': {call}}}") == {"insight": "x"}
    assert not trace.exists()


@given(st.text(max_size=300))
def test_any_text_is_read_without_a_fault(text: str) -> None:
    found = read_insight(text)
    assert found is None or set(found) <= set(FIELDS)


def test_deep_nesting_and_length_are_bounded() -> None:
    assert read_insight("[" * 100_000) is None
    assert read_insight("{'insight': " + "(" * 100_000) is None
    read_insight("'insight': \"" * 30_000)  # comes to an end
    endless = "0x" + "f" * 10_000  # an integer that has no text
    assert read_insight(f"{{'insight': 'x', 'plot': {endless}}}") == {"insight": "x"}
