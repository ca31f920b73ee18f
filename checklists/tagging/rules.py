"""The rules of tagging: words of a question, and what an item's evidence has (DDR-33)."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Final, Literal

from pydantic import Field, ValidationError

from core.errors import ConfigError
from core.record import Record

SHIPPED: Final = Path(__file__).parent / "rules.toml"
LARGEST: Final = 1024 * 1024
"""Bytes of a file of rules."""
EVERYTHING: Final = "*"

Difficulty = Literal["easy", "medium", "hard"]


class Shape(Record):
    """What the evidence of an item has."""

    tables: int
    aggregates: int


class Rule(Record):
    """One name, and when it is given: by words, or by the shape of the evidence."""

    name: str = Field(min_length=1, max_length=100)
    difficulty: Difficulty | None = None
    words: tuple[str, ...] = Field(default=(), max_length=500)
    tables: int | None = Field(default=None, ge=1)
    aggregates: int = Field(default=0, ge=0)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("|".join(_spelled(word) for word in self.words), re.IGNORECASE)

    def why(self, question: str, shape: Shape | None) -> str | None:
        """Why an item gets this name, in words; None where it does not."""
        if self.tables is not None:
            if shape and shape.tables >= self.tables and shape.aggregates >= self.aggregates:
                return f"evidence: tables {shape.tables}, aggregates {shape.aggregates}"
            return None
        if EVERYTHING in self.words:
            return "no other rule"
        found = self._pattern.search(question) if self.words else None
        return f"word: {found[0].lower()}" if found else None


class Rules(Record):
    """All rules of one file, in its order."""

    version: str
    category: tuple[Rule, ...] = Field(min_length=1, max_length=200)
    capability: tuple[Rule, ...] = Field(min_length=1, max_length=200)
    hash: str
    """sha-256 of the file, its first twelve digits."""

    @property
    def name(self) -> str:
        """What an item keeps of who tagged it."""
        return f"rules:{self.hash}"


def read_rules(path: Path | None = None) -> Rules:
    """The rules of a file; the shipped ones where none is named.

    Raises ConfigError with file and key, also where no rule catches what the others leave.
    """
    path = path or SHIPPED
    try:
        raw = path.read_bytes()
        if len(raw) > LARGEST:
            raise ConfigError(f"{path}: rules of {len(raw)} bytes; at most {LARGEST} are read")
        plain = tomllib.loads(raw.decode("utf-8"))
    except OSError as exc:
        raise ConfigError(f"{path} cannot be read: {exc.strerror}") from exc
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as exc:
        raise ConfigError(f"{path}: {exc}") from exc
    try:
        rules = Rules.model_validate({**plain, "hash": hashlib.sha256(raw).hexdigest()[:12]})
    except ValidationError as exc:
        fault = exc.errors(include_url=False)[0]
        place = ".".join(str(part) for part in fault["loc"])
        raise ConfigError(f"{path}: key {place!r}: {fault['msg']}") from exc
    for key, listed in (("category", rules.category), ("capability", rules.capability)):
        _refuse_gaps(path, key, listed)
    return rules


def first(rules: Sequence[Rule], question: str, shape: Shape | None) -> tuple[Rule, str]:
    """The first rule that fits, and why; the last of a file fits always."""
    for rule in rules:
        if reason := rule.why(question, shape):
            return rule, reason
    raise AssertionError("the last rule of a file fits everything")


def shape_of(sql: str) -> Shape | None:
    """How many tables a statement reads and how many aggregates it has; None where it is no SQL."""
    import sqlglot
    from sqlglot import exp

    try:
        tree = sqlglot.parse_one(sql, dialect="duckdb")
    except sqlglot.errors.SqlglotError:
        return None
    made = {cte.alias_or_name.lower() for cte in tree.find_all(exp.CTE)}
    read = {table.name.lower() for table in tree.find_all(exp.Table)}
    return Shape(tables=len(read - made), aggregates=sum(1 for _ in tree.find_all(exp.AggFunc)))


def _spelled(word: str) -> str:
    """A word or phrase as a pattern: a star at its end any ending, alone in it any one word."""
    parts = [r"\S+" if part == "*" else _part(part) for part in word.split()]
    return r"(?<!\w)" + r"\s+".join(parts) + r"(?!\w)"


def _part(part: str) -> str:
    stem = re.escape(part.removesuffix("*"))
    return stem + r"\w*" if part.endswith("*") else stem


def _refuse_gaps(path: Path, key: str, rules: Sequence[Rule]) -> None:
    if EVERYTHING not in rules[-1].words:
        raise ConfigError(
            f"{path}: key {key!r}: the last rule must have the word '*', so that it catches "
            "what the others leave"
        )
    bare = next((rule for rule in rules if not rule.words and rule.tables is None), None)
    if bare is not None:
        raise ConfigError(f"{path}: key {key!r}: the rule {bare.name!r} has no words and no tables")
