"""An option's empty value is refused, and nothing is done as if the option had been left out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from core.errors import UsageError
from server.cli.empties import _TOLD_BETTER, refuse_empty
from server.cli.main import build_app
from tests.server.cli.conftest import RUN, Ddr


@pytest.fixture(scope="module")
def tree() -> Any:
    return typer.main.get_command(build_app())


def leaves(node: Any, *path: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not hasattr(node, "commands"):
        yield path, node
        return
    for name, below in node.commands.items():
        yield from leaves(below, *path, name)


def test_every_option_with_a_value_refuses_none_or_its_command_names_the_choices(tree: Any) -> None:
    refused = told_better = 0
    for path, command in leaves(tree):
        for option in command.params:
            if option.param_type_name != "option" or option.is_flag:
                continue
            name = max(option.opts, key=len)
            for words in ([*path, name, ""], [*path, f"{name}="]):
                if name in _TOLD_BETTER and _TOLD_BETTER[name] in ((), path[-1:]):
                    refuse_empty(tree, words)
                    told_better += 1
                elif path[-1] not in _TOLD_BETTER.get(name, ()):
                    with pytest.raises(UsageError, match=f"^{name}: its value is empty"):
                        refuse_empty(tree, words)
                    refused += 1
    assert refused > 300
    assert told_better > 40


@pytest.mark.parametrize(
    "words",
    [
        ("run", "--scenario", "flights", "--model", "openai/x"),
        ("show", "", "--json"),
        ("show", "--json", ""),  # a flag takes no value: this is the run's name
        ("run", "--set=", "--nothing"),  # unknown options are refused by others
        ("enrol", "--", "--exec", ""),
        ("scenarios", "build", "mine", "--set", "key="),
        ("run", "--model"),
        (),
    ],
)
def test_what_is_no_empty_value_passes(tree: Any, words: tuple[str, ...]) -> None:
    refuse_empty(tree, words)


FREE = [
    (("run", "--scenario", "flights", "--agent", "profiler", "--entities", "01"), "--base-url"),
    (
        ("run", "--scenario", "flights", "--agent", "profiler", "--entities", "01"),
        "--insight-model",
    ),
    (("evaluate", RUN), "--agent"),
    (("evaluate", RUN), "--scenario"),
    (("evaluate", RUN), "--checklist"),
    (("failures", RUN), "--who"),
    (("stopping", RUN), "--model"),
    (("report", RUN), "--out"),
    (("export", RUN), "--out"),
    (("export", RUN), "--bundle"),
]


@pytest.mark.parametrize(("command", "option"), FREE, ids=[f"{c[0]} {o}" for c, o in FREE])
def test_nothing_is_done_or_written(
    explored: Path,
    ddr: Ddr,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
    option: str,
) -> None:
    (here := tmp_path / "here").mkdir()
    monkeypatch.chdir(here)
    done = ddr(*command, option, "")
    assert (done.code, done.out) == (2, "")
    assert f"{option}: its value is empty; give one, or leave the option out" in done.err
    assert list(here.iterdir()) == []
