"""What is known of models is found by any spelling, and a file of one's own overrides it."""

from __future__ import annotations

from pathlib import Path

import pytest

from analysis.models import ATTRIBUTES, model_table, plain, shipped
from core.errors import ConfigError
from evaluator.published import table2


@pytest.mark.parametrize(
    "spelling",
    [
        "Qwen2.5-7B-1M",
        "hosted_vllm/Qwen/Qwen2.5-7B-Instruct-1M",
        "qwen2.5_7b_1m",
        "QWEN2.5 7B 1M",
    ],
)
def test_a_model_is_found_by_any_usual_spelling(spelling: str) -> None:
    found = model_table().of(spelling)
    assert found is not None
    assert (found.name, found.family, found.total_b) == ("Qwen2.5-7B-1M", "Qwen", 7.61)
    assert found.value("context_tokens") == 1_010_000


def test_every_model_of_the_published_table_is_known() -> None:
    table = model_table()
    assert [row.model for row in table2() if table.of(row.model) is None] == []


def test_no_two_shipped_models_share_a_name_and_none_has_more_active_than_total() -> None:
    names = [plain(name) for each in shipped() for name in (each.name, *each.aliases)]
    assert sorted(set(names)) == sorted(names)
    for each in shipped():
        if each.active_b is not None and each.total_b is not None:
            assert each.active_b <= each.total_b


def test_what_nobody_knows_is_none_and_no_zero() -> None:
    table = model_table()
    assert table.of("somebody/new-model") is None
    assert table.of(None) is None
    secret = table.of("openai/gpt-5.2")
    assert secret is not None and secret.total_b is None and secret.value("total_b") is None


def test_a_file_of_ones_own_adds_overrides_and_brings_attributes(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text(
        '[[models]]\nname = "GPT-5.2"\nfamily = "GPT"\ntotal_b = 9.0\n'
        '[[models]]\nname = "mine"\nattributes = { tuning = "sft", steps = 3 }\n'
    )
    table = model_table([own])
    changed, mine = table.of("openai/gpt-5.2"), table.of("mine")
    assert changed is not None and (changed.total_b, changed.released) == (9.0, None)
    assert mine is not None and (mine.value("tuning"), mine.value("steps")) == ("sft", 3)
    assert table.attributes() == [*ATTRIBUTES, "steps", "tuning"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[models]]\nname = ", "Invalid value"),
        ("models = 3\n", r"made of \[\[models\]\] tables"),
        ("[[models]]\nname = 'a'\n[other]\nx = 1\n", r"made of \[\[models\]\] tables"),
        ("[[models]]\nname = 'a'\nsize = 3\n", "model 1: size.*known keys: name, aliases"),
        ("[[models]]\nname = 'a'\n[[models]]\nname = 'b'\ntotal_b = -1\n", "model 2: total_b"),
        ("[[models]]\nname = 'a'\nreleased = 'May'\n", "model 1: released"),
    ],
)
def test_a_fault_in_a_file_is_told_with_what_belongs_there(
    tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=said) as caught:
        model_table([path])
    assert "mine.toml" in str(caught.value)


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        model_table([tmp_path / "none.toml"])
    binary = tmp_path / "b.toml"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="no text in UTF-8"):
        model_table([binary])
