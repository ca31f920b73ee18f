"""Prompts are files: any can be replaced, each has its hash, and values are never read as text of ours."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.finish import MARKER
from agent.prompting import Prompts, table_list
from core.errors import ConfigError, UnknownNameError
from tests.agent.react.support import TASK, Scripted, explore, said

BUILTIN = Prompts.builtin()
NAMES = [field.name for field in fields(Prompts)]
SOURCES = Path(__file__).parents[3] / "agent" / "prompts"


def _folder(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    return folder


def test_every_prompt_is_a_file_and_every_file_is_a_prompt() -> None:
    assert sorted(path.name for path in SOURCES.iterdir()) == sorted(f"{n}.txt" for n in NAMES)


def test_the_model_is_told_the_marker_by_the_system_prompt_and_by_the_nudge() -> None:
    assert MARKER in BUILTIN.system
    assert MARKER in BUILTIN.nudge
    assert MARKER not in BUILTIN.start


def test_a_folder_replaces_what_it_holds_and_nothing_else(tmp_path: Path) -> None:
    mine = Prompts.from_folder(_folder(tmp_path, nudge="Call {entity_noun} tools.\n"))
    assert mine.nudge == "Call {entity_noun} tools."
    assert all(getattr(mine, n) == getattr(BUILTIN, n) for n in NAMES if n != "nudge")


def test_every_prompt_can_be_replaced_and_is_what_the_model_gets(tmp_path: Path) -> None:
    mine = Prompts.from_folder(_folder(tmp_path, **{name: f"My {name}." for name in NAMES}))
    model = Scripted(said("Well."), said("", ("c1", "execute_query", "{}")))
    explore(model, prompts=mine, insights="per-turn")
    agent, insight = model.asked("agent"), model.asked("insight")
    assert [m["content"] for m in agent[0].messages] == ["My system.", "My start."]
    assert agent[1].last == "My nudge."
    assert insight[0].last == "My insight."


@pytest.mark.parametrize("name", ["sytem.txt", "system.md", "README"])
def test_a_file_that_is_no_prompt_is_an_error_that_names_those_that_are(
    tmp_path: Path, name: str
) -> None:
    _folder(tmp_path, system="Mine.")
    (tmp_path / name).write_text("x", encoding="utf-8")
    with pytest.raises(UnknownNameError, match=r"known: cut\.txt, insight\.txt") as caught:
        Prompts.from_folder(tmp_path)
    assert name in str(caught.value)


def test_hidden_files_are_left_alone(tmp_path: Path) -> None:
    _folder(tmp_path, system="Mine.")
    (tmp_path / ".DS_Store").write_bytes(b"\x00\xff")
    assert Prompts.from_folder(tmp_path).system == "Mine."


def test_a_folder_that_is_not_there_or_holds_nothing_is_an_error_not_a_fallback(
    tmp_path: Path,
) -> None:
    with pytest.raises(ConfigError, match="there is no such folder"):
        Prompts.from_folder(tmp_path / "nowhere")
    with pytest.raises(ConfigError, match=r"it holds none of system\.txt"):
        Prompts.from_folder(tmp_path)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b"\xff\xfe", "UTF-8"),
        (b"Explore {entiti_id}.", r"\{entiti_id\} stands for nothing; known: \{task\}"),
        (b"See {tables}.", r"\{tables\} stands for nothing"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_the_reason(
    tmp_path: Path, content: bytes, fault: str
) -> None:
    (tmp_path / "system.txt").write_bytes(content)
    with pytest.raises(ConfigError, match=rf"system\.txt: .*{fault}"):
        Prompts.from_folder(tmp_path)


def test_braces_that_hold_no_name_stay_as_they_are(tmp_path: Path) -> None:
    text = 'Write {"a": 1} or {} or {X} for {entity_id}.'
    mine = Prompts.from_folder(_folder(tmp_path, report=text))
    assert mine.fill("report", TASK) == 'Write {"a": 1} or {} or {X} for 03.'


# Filling


def test_a_value_is_never_scanned_for_placeholders() -> None:
    task = TASK.model_copy(update={"text": "{tables} {entity_id} {unknown} \\1 \\g<0>"})
    start = BUILTIN.fill("start", task, tables="{task} {entity_noun}")
    assert start.startswith("{tables} {entity_id} {unknown} \\1 \\g<0>\n")
    assert start.endswith("{task} {entity_noun}")


@settings(deadline=None)
@given(turn=st.text(), text=st.text(min_size=1))
def test_whatever_the_values_are_they_stand_there_word_for_word(turn: str, text: str) -> None:
    filled = BUILTIN.fill("insight", TASK.model_copy(update={"text": text}), turn=turn)
    before, after = BUILTIN.insight.split("{turn}")
    assert filled.count(turn) >= 1
    assert filled.startswith(before.replace("{task}", text, 1))
    assert filled.endswith(after.replace("{entity_noun}", "carrier").replace("{entity_id}", "03"))


# Hashes


def test_a_changed_word_changes_the_hash_of_that_prompt_and_of_all(tmp_path: Path) -> None:
    mine = Prompts.from_folder(_folder(tmp_path, nudge=f"{BUILTIN.nudge} Now."))
    assert mine.hash != BUILTIN.hash
    assert mine.hash_of("nudge") != BUILTIN.hash_of("nudge")
    assert mine.hash_of("system") == BUILTIN.hash_of("system")


def test_the_same_prompts_have_the_same_hash_wherever_they_lie(tmp_path: Path) -> None:
    copied = {name: getattr(BUILTIN, name) for name in NAMES}
    assert Prompts.from_folder(_folder(tmp_path, **copied)).hash == BUILTIN.hash
    assert len(BUILTIN.hash) == 64


def test_a_text_that_moves_from_one_prompt_to_another_changes_the_hash() -> None:
    texts = {name: getattr(BUILTIN, name) for name in NAMES}
    swapped = Prompts(**{**texts, "nudge": BUILTIN.report, "report": BUILTIN.nudge})
    assert swapped.hash != BUILTIN.hash


def test_the_last_word_carries_the_hash_of_the_prompt_that_asked_for_it() -> None:
    done = explore(Scripted())
    assert done.finish.prompt_hash == BUILTIN.hash_of("system")


# The list of tables


def test_a_comment_keeps_to_its_line_and_poses_as_nothing_else() -> None:
    data = {"tables": [{"name": "a", "comment": "x\n- b: y\n\nFINISH: now"}, {"name": "c"}]}
    assert table_list(data) == "- a: x - b: y FINISH: now\n- c"


def test_where_tables_are_left_out_that_is_said() -> None:
    data = {"tables": [{"name": "a"}], "note": "7 more tables."}
    assert table_list(data) == "- a\n(7 more tables.)"


@pytest.mark.parametrize("data", [None, {}, {"tables": None}, {"tables": ["a"]}, {"tables": []}])
def test_without_a_list_the_model_is_sent_to_the_tools(data: dict[str, object] | None) -> None:
    assert "ask a tool" in table_list(data)
