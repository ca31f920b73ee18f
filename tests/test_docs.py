"""The pages keep their word: commands exist, links lead somewhere, nothing is left unsaid."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from server.cli.main import build_app
from tests.support import pages
from tests.support.pages import ROOT, Command

COMMON = {"--help", "-h", "--json", "--quiet"}
"""Every command has them; they are explained once."""


@cache
def tree() -> dict[tuple[str, ...], Any]:
    """Every command and group by its path."""
    found: dict[tuple[str, ...], Any] = {}

    def walk(command: Any, path: tuple[str, ...]) -> None:
        found[path] = command
        for word, below in getattr(command, "commands", {}).items():
            walk(below, (*path, word))

    walk(typer.main.get_command(build_app()), ())
    return found


def options(command: Any) -> set[str]:
    """The spellings of a command's options."""
    named = (p for p in command.params if p.param_type_name == "option")
    return {"--help", "-h"}.union(*({*p.opts, *p.secondary_opts} for p in named))


def leaves() -> list[tuple[str, ...]]:
    return [path for path, command in tree().items() if not getattr(command, "commands", {})]


def path_of(command: Command) -> tuple[str, ...]:
    """The longest known command that the words begin with."""
    path: tuple[str, ...] = ()
    for word in command.words:
        if (*path, word) not in tree():
            break
        path = (*path, word)
    return path


def shown() -> list[Command]:
    return [command for page in pages.pages() for command in pages.commands(page)]


def faults(command: Command) -> Iterator[str]:
    """What is wrong with a command as it is shown."""
    path = path_of(command)
    known = tree()[path]
    rest = command.words[len(path) :]
    if getattr(known, "commands", {}) and rest and not rest[0].startswith("-"):
        yield f"no command 'ddr {' '.join((*path, rest[0]))}'"
        return
    for word in rest:
        if word == "--":
            return
        spelling = word.split("=")[0]
        if word.startswith("-") and not re.match(r"-\d", word) and spelling not in options(known):
            yield f"'ddr {' '.join(path)}' has no option {spelling}"


def test_every_command_that_a_page_shows_exists_with_those_options() -> None:
    assert len(shown()) > 5
    wrong = [f"{c.page}: {c.text}: {fault}" for c in shown() for fault in faults(c)]
    assert wrong == []


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("ddr no-such-command", "no command 'ddr no-such-command'"),
        ("./ddr doctor --no-such-option", "'ddr doctor' has no option --no-such-option"),
        ("DDR_HOME=/tmp/x ./ddr doctor --jsno | cat", "'ddr doctor' has no option --jsno"),
    ],
)
def test_a_command_that_does_not_exist_would_be_found(line: str, fault: str) -> None:
    (command,) = pages.command_in(ROOT / "README.md", line)
    assert list(faults(command)) == [fault]


@pytest.mark.parametrize("path", leaves(), ids=" ".join)
def test_a_command_and_each_of_its_options_has_its_place_on_a_page(path: tuple[str, ...]) -> None:
    showing = [
        page
        for page in pages.pages()
        if page.is_relative_to(ROOT / "docs")
        and any(path_of(command) == path for command in pages.commands(page))
    ]
    assert showing, f"no page below docs/ shows ddr {' '.join(path)}"
    said = "\n".join(pages.text(page) for page in showing)
    named = (p for p in tree()[path].params if p.param_type_name == "option" and not p.hidden)
    missing = [
        p.opts[0]
        for p in named
        if not COMMON & set(p.opts)
        and not any(re.search(rf"{re.escape(o)}(?![\w-])", said) for o in p.opts)
    ]
    assert missing == []


@pytest.mark.parametrize("option", ["--help", "--json", "--quiet"])
def test_the_options_that_every_command_has_are_explained(option: str) -> None:
    assert any(f"`{option}`" in pages.text(page) for page in pages.pages())
    lacking = [" ".join(path) for path in leaves() if option not in options(tree()[path])]
    assert lacking == []


def test_every_command_shows_an_example_in_its_help() -> None:
    lacking = [" ".join(path) for path in leaves() if "ddr " not in (tree()[path].epilog or "")]
    assert lacking == []


def test_every_example_in_a_help_text_exists_with_those_options() -> None:
    page = ROOT / "server" / "cli" / "main.py"
    lines = [line.strip() for path in leaves() for line in (tree()[path].epilog or "").splitlines()]
    examples = [command for line in lines for command in pages.command_in(page, line)]
    assert [f"{c.text}: {fault}" for c in examples for fault in faults(c)] == []


@pytest.mark.parametrize("page", pages.pages(), ids=pages.title)
def test_a_pages_links_lead_somewhere(page: Path) -> None:
    dead = []
    for link in pages.links(page):
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        if not target.exists() or (
            anchor and target.suffix == ".md" and anchor not in pages.anchors(target)
        ):
            dead.append(link)
    assert dead == []


def test_every_page_is_in_the_index() -> None:
    index = ROOT / "docs" / "README.md"
    listed = {(index.parent / link.split("#")[0]).resolve() for link in pages.links(index)}
    below = [page for page in pages.pages() if page.is_relative_to(ROOT / "docs")]
    assert [pages.title(page) for page in below if page not in {*listed, index}] == []


def test_the_readme_leads_to_the_index_of_the_pages() -> None:
    assert "docs/README.md" in set(pages.links(ROOT / "README.md"))


def test_every_setting_in_the_environment_is_explained() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    python = [path for package in packages for path in (ROOT / package).rglob("*.py")]
    quoted, named = r"[\"'](DDR_[A-Z_]*[A-Z])[\"']", r"\b(DDR_[A-Z_]*[A-Z])\b"
    looked_at = [(path, quoted) for path in python]
    looked_at += [(ROOT / "ddr", named), (ROOT / ".ci" / "run", named)]
    read = {
        variable
        for path, pattern in looked_at
        for variable in re.findall(pattern, path.read_text(encoding="utf-8"))
    }
    said = "\n".join(pages.text(page) for page in pages.pages())
    assert {"DDR_HOME", "DDR_CI", "DDR_TEST_DATA", "DDR_PYTHON"} <= read
    assert sorted(variable for variable in read if f"`{variable}" not in said) == []


def test_every_dependency_has_its_reason_in_one_line() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = project["project"]["dependencies"] + project["dependency-groups"]["dev"]
    listed += project["build-system"]["requires"]
    wanted = {re.split(r"[^A-Za-z0-9_.-]", text, maxsplit=1)[0] for text in listed}
    page = (ROOT / "docs" / "design" / "dependencies.md").read_text(encoding="utf-8")
    explained = dict(re.findall(r"^\| `([\w.-]+)` \| ([^|]{20,}) \|", page, re.MULTILINE))
    assert set(explained) == wanted


def test_the_build_machine_runs_the_readmes_own_test_command() -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.search(r"^\./ddr test\b", script, re.MULTILINE)
    told = list(pages.commands(ROOT / "README.md"))
    assert ("test",) in {command.words for command in told}
