"""A hint names a command as the person who reads it can type it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from core import hints
from server.cli.main import build_app
from tests.support.pages import ROOT


def test_without_a_command_line_a_hint_names_the_installed_program() -> None:
    assert hints.typed("show last") == "ddr show last"


def test_a_hint_names_the_program_as_it_was_called_and_the_home_that_was_given() -> None:
    with hints.called("./ddr", home=Path("/tmp/a folder")):
        assert hints.typed("show last") == "DDR_HOME='/tmp/a folder' ./ddr show last"
        assert hints.program() == "./ddr"
        with hints.called(hints.program(), home=None):
            assert hints.typed("runs") == "./ddr runs"
        assert hints.typed("runs").startswith("DDR_HOME=")
    assert hints.typed("runs") == "ddr runs"


def test_what_was_called_is_forgotten_after_a_failure_too() -> None:
    with pytest.raises(ValueError, match="broken"), hints.called("./ddr", home=None):
        raise ValueError("broken")
    assert hints.program() == "ddr"


COMMANDS = sorted(getattr(typer.main.get_command(build_app()), "commands", {}))
LITERAL = re.compile(rf"(?<![\w./-])ddr ({'|'.join(COMMANDS)})\b")
OURS = ("agent", "checklists", "core", "databases", "evaluator", "providers", "server", "tools")


def _told(tree: ast.AST) -> Iterator[str]:
    """Every text of a module that is neither a docstring nor an example of --help."""
    passed: set[ast.AST] = set()
    for node in ast.walk(tree):
        name = (
            node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        )
        alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if name == "example" or alone:
            passed.update(ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in passed:
            yield node.value


def faults(source: str) -> list[str]:
    found = (LITERAL.search(text) for text in _told(ast.parse(source)))
    return [match.group() for match in found if match]


def test_a_command_written_out_in_a_message_would_be_found() -> None:
    assert faults('raise ValueError(f"{name} is not built: ddr scenarios build {name}")') != []
    assert faults('"""ddr runs"""\napp.command("runs", epilog=example("ddr runs"))') == []
    assert faults('say(typed("scenarios build x"))') == []


@pytest.mark.parametrize("folder", OURS)
def test_no_message_writes_a_command_out(folder: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {fault}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for fault in faults(path.read_text("utf-8"))
    ]
    assert wrong == [], "write core.hints.typed('...') instead"
