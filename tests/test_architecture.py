"""The house keeps its shape: imports go one way, names are our own, modules stay small."""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

import grimp

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PACKAGES: list[str] = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
HEAVY = ("litellm", "pandas", "mcp", "sqlalchemy", "scipy", "duckdb", "numpy", "fastapi", "sqlglot")
"""Modules that cost a person a wait; each is imported inside the function that uses it."""


def modules(*folders: str) -> list[Path]:
    """Our Python files below these folders."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


SOURCES = modules(*PACKAGES)
TESTS = modules("tests")


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def line_count(paths: list[Path]) -> int:
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


@cache
def graph() -> grimp.ImportGraph:
    """Every import of every module of ours, those inside functions too."""
    return grimp.build_graph(PACKAGES[0], *PACKAGES[1:], include_external_packages=True)


# Imports


def test_the_import_contracts_hold() -> None:
    code = "from importlinter.cli import lint_imports_command as main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_contracts_speak_of_every_package() -> None:
    assert sorted(PROJECT["tool"]["importlinter"]["root_packages"]) == sorted(PACKAGES)
    layers = PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
    assert sorted(re.findall(r"\w+", " ".join(layers))) == sorted(PACKAGES)


def test_the_engine_for_any_sqlalchemy_url_uses_core_alone() -> None:
    code = (
        "import sys, pathlib; from tools.sql.engine import EngineLimits;"
        "from tools.sql.engines.sqlalchemy_engine import open_url;"
        "open_url('sqlite+pysqlite://', EngineLimits()).schema(); print('sqlalchemy.orm' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "False\n", done.stderr


def test_no_source_module_imports_a_test() -> None:
    pattern = re.compile(r"^\s*(?:from|import) tests\b", re.MULTILINE)
    assert [name(p) for p in SOURCES if pattern.search(p.read_text(encoding="utf-8"))] == []


def test_the_profiler_shares_no_module_but_core_with_the_checklists_author() -> None:
    def reached(package: str) -> set[str]:
        whole = graph()
        inside = {package, *whole.find_descendants(package)}
        return inside.union(*(whole.find_upstream_modules(module) for module in inside))

    shared = reached("agent.profiler") & reached("checklists.authoring")
    ours = {module for module in shared if module.split(".")[0] in PACKAGES}
    assert {module for module in ours if module.split(".")[0] != "core"} == set()


def test_asking_for_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from server.cli.main import main; code = main(['--help']);"
        "print(code, *sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(done.stderr.splitlines()[-1].split())
    assert "server.cli.main" in loaded
    assert sorted(loaded & set(HEAVY)) == []


# Names


def test_no_other_distribution_owns_one_of_our_names() -> None:
    owners = packages_distributions()
    own = PROJECT["project"]["name"]
    taken = {package: set(owners.get(package, ())) - {own} for package in [*PACKAGES, "tests"]}
    assert {package: names for package, names in taken.items() if names} == {}


def requirements() -> Iterator[str]:
    """The distribution names in pyproject.toml."""
    listed = PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["dev"]
    for text in listed:
        yield re.split(r"[^A-Za-z0-9_.-]", text, maxsplit=1)[0]


def test_no_module_is_named_after_a_dependency() -> None:
    wanted = {re.sub(r"[-_.]+", "-", requirement).lower() for requirement in requirements()}
    imports = {
        module
        for module, owners in packages_distributions().items()
        if wanted & {re.sub(r"[-_.]+", "-", owner).lower() for owner in owners}
    }
    assert {"mcp", "duckdb", "sqlalchemy"} <= imports
    assert [name(p) for p in SOURCES if p.stem in imports or p.parent.name in imports] == []


def test_every_folder_of_tests_is_a_package() -> None:
    folders = {path.parent for path in TESTS}
    assert [name(f) for f in sorted(folders) if not (f / "__init__.py").exists()] == []


# Size


def test_no_module_is_over_500_lines() -> None:
    assert [name(p) for p in SOURCES + TESTS if line_count([p]) > 500] == []


def test_the_median_module_is_at_most_200_lines() -> None:
    written = [path for path in SOURCES if path.name != "__init__.py"]
    assert statistics.median(line_count([path]) for path in written) <= 200


def test_there_are_at_least_as_many_lines_of_tests_as_of_source() -> None:
    assert line_count(TESTS) >= line_count(SOURCES)


# Text


def test_every_module_says_its_job_in_its_first_line() -> None:
    silent = [p for p in SOURCES if not re.match(r'"""\S+ \S', p.read_text(encoding="utf-8"))]
    assert [name(path) for path in silent] == []


def test_a_test_module_says_what_it_is_about_in_its_first_line() -> None:
    filled = [path for path in TESTS if path.stat().st_size]
    silent = [p for p in filled if not p.read_text(encoding="utf-8").startswith('"""')]
    assert [name(path) for path in silent] == []


def test_what_is_switched_off_for_the_linter_says_why() -> None:
    bare = re.compile(r"# noqa(?!: [A-Z0-9, ]+ - \w)|# type: ignore(?!\[)")
    found = [
        f"{name(path)}:{number}"
        for path in SOURCES + TESTS
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if bare.search(line) and "re.compile" not in line
    ]
    assert found == []
