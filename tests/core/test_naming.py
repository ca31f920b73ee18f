"""A script is shown without its folders, and every other model by its whole name."""

from __future__ import annotations

import pytest

from core.naming import without_folders


@pytest.mark.parametrize(
    ("model", "shown"),
    [
        ("scripted:/home/somebody/replies.jsonl", "scripted:replies.jsonl"),
        ("scripted:/home/somebody/a:b.jsonl", "scripted:a:b.jsonl"),
        ("scripted:replies.jsonl (closed book)", "scripted:replies.jsonl (closed book)"),
        ("scripted:", "scripted:"),
    ],
)
def test_a_script_goes_by_its_file(model: str, shown: str) -> None:
    assert without_folders(model) == shown


@pytest.mark.parametrize(
    "model",
    [
        "vllm/registry:5000/org/model",
        "hosted_vllm/scripted:5000/org/model",
        "openai/org/model:free",
        "mine.models:Model/org/name",
        "replay:20260131-flights-ab12",
        "",
    ],
)
def test_every_other_name_stays_whole(model: str) -> None:
    assert without_folders(model) == model
