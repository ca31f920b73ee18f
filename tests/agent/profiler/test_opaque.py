"""Names are for wording alone: on a copy with nonsense names the profiler finds the same."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from pathlib import Path

import pytest

import agent.profiler
from tests.agent.profiler.conftest import Explored
from tests.agent.profiler.exploring import Exploration, explore
from tests.agent.profiler.worlds import SHOP_TABLES, renamed

pytestmark = pytest.mark.real  # whole explorations

TABLES = {"sales": "vexka", "products": "ablim", "climate": "orudo", "shops": "zipta"}
SYLLABLES = ("zo", "ka", "mi", "tru", "ple")
WORDS = ("kint", "lorp", "vask", "drem")
COLUMNS = dict(
    zip(
        dict.fromkeys(
            definition.split()[0]
            for columns in SHOP_TABLES.values()
            for definition in columns.split(", ")
        ),
        (f"{syllable}_{word}" for syllable in SYLLABLES for word in WORDS),
        strict=True,
    )
)
"""20 columns, 20 names that mean nothing."""


@pytest.fixture(scope="module")
def opaque(shop: Path, tmp_path_factory: pytest.TempPathFactory) -> Exploration:
    """What is found of S3 where no name means anything."""
    path = renamed(shop, tmp_path_factory.mktemp("opaque") / "copy.duckdb", TABLES, COLUMNS)
    return explore(path, "S3", "blorp", label="House 3")


def numbers(sentences: list[str]) -> Counter[tuple[str, ...]]:
    """The numbers of each sentence."""
    return Counter(tuple(re.findall(r"-?\d[\d,.]*%?", s.replace("S3", ""))) for s in sentences)


def test_every_name_of_the_copy_is_another(shop: Path) -> None:
    assert set(COLUMNS) >= {"shop_id", "wait_min", "rain_mm"}
    assert len(set(COLUMNS.values())) == len(COLUMNS) == 20
    assert not set(COLUMNS) & set(COLUMNS.values())


def test_the_same_questions_are_asked(opaque: Exploration, explored: Explored) -> None:
    assert len(opaque.turns) == len(explored("S3").turns)


def test_the_same_numbers_are_said(opaque: Exploration, explored: Explored) -> None:
    assert numbers(opaque.bullets) == numbers(explored("S3").bullets)
    assert numbers(opaque.said) == numbers(explored("S3").said)


def test_the_words_are_those_of_the_copy(opaque: Exploration) -> None:
    assert not re.search(r"wait|sales|climate|product|channel", opaque.report)
    assert "blorp S3" in opaque.report


def modules() -> list[Path]:
    return sorted(Path(agent.profiler.__file__).parent.rglob("*.py"))


def imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            found.add(node.module or "")
    return found


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.stem)
def test_a_module_of_the_profiler_imports_only_core_its_own_and_the_standard_library(
    path: Path,
) -> None:
    for name in imported(path):
        own = name == "agent.profiler" or name.startswith("agent.profiler.")
        core = name.split(".")[0] == "core"
        assert own or core or name.split(".")[0] in sys.stdlib_module_names, name


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.stem)
def test_no_module_of_the_profiler_knows_a_word_of_the_flights_database(path: Path) -> None:
    code = path.read_text(encoding="utf-8").lower()
    tree = ast.parse(code)
    docs = [ast.get_docstring(n) or "" for n in ast.walk(tree) if isinstance(n, ast.Module | ast.FunctionDef | ast.ClassDef)]  # fmt: skip
    strings = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    told = {s for s in strings if s not in docs and not any(s.strip() in d for d in docs)}
    attributes = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    bare = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) in attributes
    }
    for text in told - bare:
        assert not re.search(r"flight|carrier|airport|aircraft|weather|delay|departure", text), text
