"""Read a book of templates: one TOML file per category, and the words that they share."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from checklists.authoring.template import Comparator, Figure, Key, Kind, Pick, Statistic, Template
from core.errors import ChecklistError
from core.record import Record

R = TypeVar("R", bound=Record)
V = TypeVar("V")

_SHARED = re.compile(r"<([\w ]+)>")
"""'<name>' stands for what words.toml has under that name."""

WORDS = "words.toml"
"""Holds the tables [aliases], [disorders] and [relations], by name."""

_SHORT = {
    "mean": Figure("avg({})", support="count({})", statistic="mean"),
    "median": Figure("median({})", support="count({})", statistic="median", digits=0),
    "share": Figure("{}", kind="share", statistic="share", unit="%"),
    "share_of": Figure("100 * avg(({})::INT)", kind="share", statistic="share", unit="%"),
    "distinct": Figure("count(DISTINCT {})", kind="count", statistic="distinct", digits=0),
    "difference": Figure("{}", kind="change", comparator="group", signed=True),
    "value": Figure("{}"),
}
"""The keys that say what is computed, and what else they stand for."""


class _Shared(Record):
    """What the files of a book share, by name."""

    aliases: dict[str, tuple[str, ...]]
    disorders: dict[str, str]
    relations: dict[str, str]


class _Fact(Record):
    """One [[facts]] table as it is written; see Template and Figure."""

    name: str
    theme: str
    difficulty: Literal["easy", "medium", "hard"]
    question: str
    answer: str
    metric: tuple[str, ...]
    disorder: str
    mean: str | None = None
    median: str | None = None
    share: str | None = None
    share_of: str | None = None
    distinct: str | None = None
    difference: str | None = None
    value: str | None = None
    support: str | None = None
    kind: Kind | None = None
    statistic: Statistic | None = None
    unit: str | None = None
    digits: int | None = None
    exact: bool | None = None
    log: bool | None = None
    comparator: Comparator | None = None
    plain: bool = False
    relation: str = ""
    ctes: str = ""
    where: str = "true"
    min_support: int = 20
    positive: bool = False
    per: str | None = None
    pick: Pick = "max"
    floor: int = 0
    scope: tuple[tuple[str, ...], ...] = ()
    insight_type: Literal["descriptive", "diagnostic"] = "descriptive"


class _Page(Record):
    """One category's file."""

    category: str
    needs: str = ""
    facts: tuple[_Fact, ...]


def read_book(
    folder: Path, keys: Mapping[str, Key], *, beside: Path | None = None
) -> tuple[Template, ...]:
    """Every template of a folder, file by file in the order of their names.

    `beside` = the folder of another book, whose words hold where this one's say nothing else. `keys` are what facts may be grouped by, by name. Raises ChecklistError with file, fact and
    key where one is unknown, missing or wrong, or a name stands twice.
    """
    shared = _validated(_Shared, folder / WORDS)
    if beside is not None:
        shared = _joined(_validated(_Shared, beside / WORDS), shared)
    found: list[Template] = []
    for path in sorted(folder.glob("*.toml")):
        if path.name == WORDS:
            continue
        page = _validated(_Page, path)
        for fact in page.facts:
            try:
                found.append(_template(fact, page, shared, keys))
            except KeyError as exc:
                raise ChecklistError(f"{path.name}: fact {fact.name!r}: {exc.args[0]}") from exc
    names = [template.name for template in found]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ChecklistError(f"{folder.name}: the fact {twice[0]!r} stands twice")
    return tuple(found)


def _joined(first: _Shared, second: _Shared) -> _Shared:
    """The words of two books; where both have a name, the second one's hold."""
    return _Shared(
        aliases={**first.aliases, **second.aliases},
        disorders={**first.disorders, **second.disorders},
        relations={**first.relations, **second.relations},
    )


def _validated(record: type[R], path: Path) -> R:
    try:
        plain = tomllib.loads(path.read_text(encoding="utf-8"))
        return record.model_validate(plain)
    except OSError as exc:
        raise ChecklistError(f"{path.name} cannot be read: {exc.strerror}") from exc
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise ChecklistError(f"{path.name}: {exc}") from exc
    except ValidationError as exc:
        # A misspelt key is missing too: the spelling is what the writer sees.
        error = min(exc.errors(include_url=False), key=lambda e: e["type"] != "extra_forbidden")
        place = _place(error["loc"], plain)
        raise ChecklistError(f"{path.name}: {place}: {error['msg']}") from exc


def _place(loc: Sequence[int | str], plain: Mapping[str, Any]) -> str:
    if len(loc) > 1 and loc[0] == "facts" and isinstance(loc[1], int):
        name = plain["facts"][loc[1]].get("name", loc[1] + 1)
        return f"fact {name!r}, key {'.'.join(str(part) for part in loc[2:])!r}"
    return f"key {'.'.join(str(part) for part in loc)!r}"


def _template(fact: _Fact, page: _Page, shared: _Shared, keys: Mapping[str, Key]) -> Template:
    return Template(
        name=fact.name,
        theme=fact.theme,
        category=page.category,
        difficulty=fact.difficulty,
        figure=_figure(fact),
        question=fact.question,
        answer=fact.answer,
        metric=tuple(_aliases(fact.metric, shared)),
        disorder=_named("disorder", fact.disorder, shared.disorders),
        plain=fact.plain,
        relation=_line(_relation(fact.relation, shared)),
        ctes=_line(_relation(fact.ctes, shared)),
        where=_line(fact.where),
        min_support=fact.min_support,
        positive=fact.positive,
        per=None if fact.per is None else _named("per", fact.per, keys),
        pick=fact.pick,
        floor=fact.floor,
        scope=tuple(tuple(_aliases(group, shared)) for group in fact.scope),
        insight_type=fact.insight_type,
        needs=page.needs,
    )


def _figure(fact: _Fact) -> Figure:
    said = {key: text for key in _SHORT if (text := getattr(fact, key)) is not None}
    if len(said) != 1:
        raise KeyError(f"needs one of {', '.join(_SHORT)}, has {', '.join(said) or 'none'}")
    ((key, text),) = said.items()
    short, sql = _SHORT[key], _line(text)
    changed = {
        name: value
        for name in ("kind", "statistic", "unit", "digits", "exact", "log", "comparator")
        if (value := getattr(fact, name)) is not None
    }
    support = short.support.replace("{}", sql) if fact.support is None else _line(fact.support)
    return Figure(
        **{
            **short.__dict__,
            **changed,
            "value": short.value.replace("{}", sql),
            "support": support,
        }
    )


def _relation(written: str, shared: _Shared) -> str:
    name = _SHARED.fullmatch(written)
    return _named("relation", name[1], shared.relations) if name else written


def _aliases(written: Sequence[str], shared: _Shared) -> Iterator[str]:
    """Aliases with '<name>' replaced by the shared ones of that name, none twice."""
    seen: set[str] = set()
    for text in written:
        name = _SHARED.fullmatch(text)
        if name is None and text.startswith("<"):
            raise KeyError(f"alias {text!r}: a shared name has letters, digits and blanks alone")
        for alias in _named("alias", name[1], shared.aliases) if name else (text,):
            if alias not in seen:
                seen.add(alias)
                yield alias


def _named(key: str, name: str, known: Mapping[str, V]) -> V:
    if name not in known:
        raise KeyError(f"key {key!r}: unknown {name!r}; known: {', '.join(sorted(known))}")
    return known[name]


def _line(text: str) -> str:
    """SQL that is written over several lines, as one."""
    return " ".join(text.split())
