"""A misspelt key or option is refused with its place and the nearest right one."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import ConfigError
from core.run import Limits
from server.config import RunOptions, read_limits, read_options, read_sampling

GOOD = """
scenario = "flights"
agent = "profiler"
entities = ["01", "02"]
trials = 2
concurrency = 4
tools = "sql"
seed = 7

[limits]
max_turns = 30
max_seconds = 600
"""


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "bench.toml"
    path.write_text(GOOD, "utf-8")
    return path


def test_a_file_sets_every_option(written: Path) -> None:
    assert read_options(written, {}) == RunOptions(
        scenario="flights",
        agent="profiler",
        entities=("01", "02"),
        trials=2,
        concurrency=4,
        tools="sql",
        limits=Limits(max_turns=30, max_seconds=600),
        seed=7,
    )


def test_what_the_command_line_gives_outweighs_the_file(written: Path) -> None:
    given = {"agent": "other", "entities": "all", "trials": None}
    options = read_options(written, given)
    assert (options.agent, options.entities, options.trials) == ("other", "all", 2)


def test_without_a_file_the_options_have_their_defaults() -> None:
    options = read_options(None, {"scenario": "flights", "agent": "profiler"})
    assert (options.entities, options.tools, options.limits) == ("all", None, Limits())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('agnet = "profiler"', r"bench\.toml: unknown key 'agnet' \(did you mean 'agent'\?\)"),
        (
            "[limits]\nmax_turn = 3",
            r"limits: unknown key 'max_turn' \(did you mean 'max_turns'\?\)",
        ),
        ('scenario = "f"\nagent = "a"\ntrials = 0', r"bench\.toml: trials: .*not 0"),
        ('scenario = "f"\nagent = "a"\ntools = "all"', r"bench\.toml: tools: .*not 'all'"),
        ('scenario = "f"\nagent = "a"\n[limits]\nmax_turns = "x"', r"limits\.max_turns: .*not 'x'"),
        ('agent = "a"', r"which scenario\? give --scenario, or the key 'scenario'"),
        ("scenario = ", r"bench\.toml: not TOML: "),
    ],
)
def test_a_wrong_file_is_named_with_its_key(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bench.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=said):
        read_options(path, {})


def test_a_file_that_is_not_there_is_an_error_and_no_other_is_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml cannot be read: No such file"):
        read_options(tmp_path / "nowhere.toml", {"scenario": "s", "agent": "a"})


def test_limits_are_read_by_the_fields_names() -> None:
    found = read_limits(["max_turns=30, max_seconds=2.5"])
    options = read_options(None, {"scenario": "s", "agent": "a", "limits": found})
    assert options.limits == Limits(max_turns=30, max_seconds=2.5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("max_turn=3", r"--limits: unknown key 'max_turn' \(did you mean 'max_turns'\?\)"),
        ("30", r"--limits '30': write it as max_turns=30"),
    ],
)
def test_limits_that_cannot_be_read_say_how_they_are_written(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        read_limits([text])


def test_a_value_from_the_command_line_is_named_as_an_option() -> None:
    with pytest.raises(ConfigError, match=r"^--trials: "):
        read_options(None, {"scenario": "s", "agent": "a", "trials": 0})


MODELS = """
scenario = "flights"
model = ["openai/one", "openai/two"]
base_url = "http://127.0.0.1:8000/v1"
insight_model = "openai/three"
budget_usd = 2.5
prices = "prices.toml"
prompts = "prompts"
insights = "later"
final_report = "none"
protocol = "ddr"
endpoint_allowed = "agreement 7"
timeout = 30

[sampling]
temperature = 0
"""


def test_a_file_sets_every_option_of_a_run_with_models(tmp_path: Path) -> None:
    path = tmp_path / "bench.toml"
    path.write_text(MODELS, "utf-8")
    assert read_options(path, {}) == RunOptions(
        scenario="flights",
        agent="react",
        model=("openai/one", "openai/two"),
        base_url="http://127.0.0.1:8000/v1",
        insight_model="openai/three",
        budget_usd=2.5,
        prices=Path("prices.toml"),
        prompts=Path("prompts"),
        insights="later",
        final_report="none",
        protocol="ddr",
        endpoint_allowed="agreement 7",
        timeout=30,
        sampling={"temperature": 0},
    )
    assert read_options(path, {"model": ["openai/four"]}).model == ("openai/four",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("budget_usd = 0", r"budget_usd: .*not 0"),
        ("timeout = -1", r"timeout: "),
        ('insights = "never"', r"insights: .*not 'never'"),
        ("model = [1]", r"model\.0: "),
        ("bugdet_usd = 1", r"did you mean 'budget_usd'"),
    ],
)
def test_a_wrong_value_of_a_run_with_models_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bench.toml"
    path.write_text(f'scenario = "f"\nagent = "react"\n{text}\n', "utf-8")
    with pytest.raises(ConfigError, match=said):
        read_options(path, {})


def test_sampling_settings_are_numbers_and_words() -> None:
    found = read_sampling(["temperature=0,top_p=0.5", "reasoning_effort=low"])
    assert found == {"temperature": 0, "top_p": 0.5, "reasoning_effort": "low"}
    with pytest.raises(ConfigError, match="--sampling 'hot': write it as temperature=0"):
        read_sampling(["hot"])
