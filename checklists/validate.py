"""Say what is wrong with a checklist before anything is run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from checklists.perturb import Perturbation
from checklists.statement import Schema, faults_of
from core.checklist import Checklist, ChecklistItem, Magnitude
from core.errors import ChecklistError, UnknownNameError
from core.record import Record

if TYPE_CHECKING:
    import duckdb

CATEGORIES = (
    "volume and network",
    "punctuality",
    "season and trend",
    "time of day and week",
    "fleet",
    "weather",
    "anomalies",
)
"""The categories of the shipped checklist."""

_REFERENCE = re.compile(r"@(\w+)(?:\.(\w+))?")
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?")


class Problem(Record):
    """One thing that is wrong, and where."""

    item_id: str
    """Empty where the checklist as a whole is meant."""
    key: str
    text: str

    def __str__(self) -> str:
        where = f"item {self.item_id!r}, " if self.item_id else ""
        return f"{where}key {self.key!r}: {self.text}"


def validate(
    checklist: Checklist,
    *,
    entity_ids: Collection[str] | None = None,
    categories: Collection[str] | None = None,
    schema: Schema | None = None,
    evidence: bool = True,
) -> tuple[Problem, ...]:
    """Every problem, in the items' order. What is None is not looked at.

    `evidence=False` is for lists of facts that no SQL proves: only what an item has is checked.
    """
    found: list[Problem] = list(_repeated(checklist))
    for item in checklist.items:
        found += _names(item, entity_ids, categories)
        found += _evidence(item, schema, evidence)
        found += _signals(item, schema)
        found += given_away(item)
    return tuple(found)


def require_valid(
    checklist: Checklist,
    *,
    entity_ids: Collection[str] | None = None,
    categories: Collection[str] | None = None,
    schema: Schema | None = None,
    evidence: bool = True,
) -> None:
    """Raise ChecklistError with the first problems; see `validate`."""
    problems = validate(
        checklist,
        entity_ids=entity_ids,
        categories=categories,
        schema=schema,
        evidence=evidence,
    )
    if problems:
        more = f"\n... and {len(problems) - 10} more" if len(problems) > 10 else ""
        listed = "\n".join(str(problem) for problem in problems[:10])
        raise ChecklistError(f"checklist {checklist.id!r} is not sound:\n{listed}{more}")


LEAST_ITEMS, LEAST_CATEGORIES = 8, 6
"""What every entity of a generated scenario is asked at least."""


def not_full(checklist: Checklist, entity_ids: Iterable[str]) -> tuple[Problem, ...]:
    """The entities that have fewer than eight items, or items of fewer than six categories."""
    number = Counter(item.entity_id for item in checklist.items if item.status == "accepted")
    categories: dict[str, set[str]] = {}
    for item in checklist.items:
        if item.status == "accepted":
            categories.setdefault(item.entity_id, set()).add(item.category)
    found = []
    for entity_id in entity_ids:
        kinds = len(categories.get(entity_id, ()))
        if number[entity_id] < LEAST_ITEMS or kinds < LEAST_CATEGORIES:
            text = (
                f"entity {entity_id!r} has {number[entity_id]} items in {kinds} categories; "
                f"{LEAST_ITEMS} in {LEAST_CATEGORIES} are asked for"
            )
            found.append(Problem(item_id="", key="items", text=text))
    return tuple(found)


def require_full(checklist: Checklist, entity_ids: Iterable[str]) -> None:
    """Raise ChecklistError unless every entity has enough items; it names those that have not."""
    if problems := not_full(checklist, entity_ids):
        more = f"\n... and {len(problems) - 10} more" if len(problems) > 10 else ""
        listed = "\n".join(problem.text for problem in problems[:10])
        raise ChecklistError(f"checklist {checklist.id!r} is not full:\n{listed}{more}")


def schema_of(connection: duckdb.DuckDBPyConnection) -> dict[str, tuple[str, ...]]:
    """The columns of each table and view that evidence can name: those that are in no schema of their own."""
    rows = connection.execute(
        "SELECT table_name, list(column_name ORDER BY column_index) FROM duckdb_columns() "
        "WHERE database_name = current_database() AND schema_name = 'main' AND NOT internal "
        "GROUP BY table_name ORDER BY table_name"
    ).fetchall()
    return {table: tuple(columns) for table, columns in rows}


def _repeated(checklist: Checklist) -> Iterator[Problem]:
    def question(item: ChecklistItem) -> str:
        return f"{item.entity_id} {' '.join(item.question.lower().split())}"

    def statement(item: ChecklistItem) -> str:
        return " ".join((item.evidence_sql or item.id).lower().split())

    kinds: tuple[tuple[str, Callable[[ChecklistItem], str]], ...] = (
        ("id", lambda item: item.id),
        ("question", question),
        ("evidence_sql", statement),
    )
    for key, of in kinds:
        counted = Counter(of(item) for item in checklist.items)
        for item in checklist.items:
            if counted[of(item)] > 1:
                others = [i.id for i in checklist.items if of(i) == of(item) and i is not item]
                yield Problem(item_id=item.id, key=key, text=f"the same as in {', '.join(others)}")


def _names(
    item: ChecklistItem, entity_ids: Collection[str] | None, categories: Collection[str] | None
) -> Iterator[Problem]:
    for key, value, known in (
        ("entity_id", item.entity_id, entity_ids),
        ("category", item.category, categories),
    ):
        if known is not None and value not in known:
            text = str(UnknownNameError(key.replace("_id", ""), value, known))
            yield Problem(item_id=item.id, key=key, text=text)


def _evidence(item: ChecklistItem, schema: Schema | None, demanded: bool) -> Iterator[Problem]:
    for key in ("evidence_sql", "expected", "perturbation"):
        if getattr(item, key) is None and (demanded or (key == "expected" and item.evidence_sql)):
            yield Problem(item_id=item.id, key=key, text="is missing")
    if item.evidence_sql is not None:
        for fault in faults_of(item.evidence_sql, schema):
            yield Problem(item_id=item.id, key="evidence_sql", text=fault)
    if item.expected and isinstance(item.expected.value, str) and item.expected.tolerance:
        yield Problem(item_id=item.id, key="expected", text="a text has no tolerance")
    if item.perturbation is not None:
        yield from _perturbation(item, item.perturbation, schema)


def _perturbation(item: ChecklistItem, text: str, schema: Schema | None) -> Iterator[Problem]:
    try:
        parsed = Perturbation.parse(text)
        if schema is not None:
            _refuse_unknown(parsed.table, parsed.columns, schema)
    except (ChecklistError, UnknownNameError) as exc:
        yield Problem(item_id=item.id, key="perturbation", text=str(exc))


def _refuse_unknown(table: str, columns: Collection[str], schema: Schema) -> None:
    if table not in schema:
        raise UnknownNameError("table", table, schema)
    for column in columns:
        if column not in schema[table]:
            raise UnknownNameError(f"column of {table}", column, schema[table])


def _signals(item: ChecklistItem, schema: Schema | None) -> Iterator[Problem]:
    signals = item.signals
    if item.kind == "closed" and not item.options:
        yield Problem(item_id=item.id, key="options", text="a closed item needs its options")
    if signals is None:
        if item.kind == "open":
            yield Problem(item_id=item.id, key="signals", text="an open item needs signals")
        return
    if not any("@" in alias for alias in signals.metric):
        text = "no alias is made of schema references ('@table.column'), so that it is lost where names differ"
        yield Problem(item_id=item.id, key="signals.metric", text=text)
    groups = (("metric", signals.metric), *(("scope", group) for group in signals.scope))
    for key, aliases in groups:
        for alias in aliases:
            yield from _references(item, f"signals.{key}", alias, schema)
    if signals.magnitude and item.expected and not _agree(signals.magnitude, item):
        text = f"{signals.magnitude.value:g} is not the expected {item.expected.value!r}"
        yield Problem(item_id=item.id, key="signals.magnitude", text=text)


def _references(
    item: ChecklistItem, key: str, alias: str, schema: Schema | None
) -> Iterator[Problem]:
    if not alias.strip():
        yield Problem(item_id=item.id, key=key, text="an alias is empty")
    if alias.count("@") != len(_REFERENCE.findall(alias)):
        yield Problem(item_id=item.id, key=key, text=f"cannot read the reference in {alias!r}")
    for table, column in _REFERENCE.findall(alias) if schema is not None else ():
        try:
            _refuse_unknown(table, [column] if column else [], schema or {})
        except UnknownNameError as exc:
            yield Problem(item_id=item.id, key=key, text=f"in {alias!r}: {exc}")


def _agree(magnitude: Magnitude, item: ChecklistItem) -> bool:
    """A difference is stated without its sign: the direction says it."""
    if item.expected is None or isinstance(item.expected.value, str):
        return True
    near = max(item.expected.tolerance, 1e-9)
    return abs(abs(magnitude.value) - abs(item.expected.value)) <= near


def given_away(item: ChecklistItem) -> Iterator[Problem]:
    """Where a question holds the figure, the period or the text that it asks for."""
    question = item.question.replace(item.entity_id, " ")
    said = [float(found.replace(",", "")) for found in _NUMBER.findall(question)]
    for value, tolerance in _answers(item):
        if any(abs(abs(number) - abs(value)) <= tolerance for number in said):
            text = f"gives the answer away: it holds {value:g}, or a number that would pass for it"
            yield Problem(item_id=item.id, key="question", text=text)
            break
    texts = list(item.signals.period) if item.signals else []
    if item.expected and isinstance(item.expected.value, str):
        texts.append(item.expected.value)
    for text in texts:
        if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", question, re.IGNORECASE):
            yield Problem(
                item_id=item.id, key="question", text=f"gives the answer away: it says {text!r}"
            )


def _answers(item: ChecklistItem) -> Iterator[tuple[float, float]]:
    if item.expected and not isinstance(item.expected.value, str):
        yield item.expected.value, item.expected.tolerance
    if item.signals and (magnitude := item.signals.magnitude):
        yield (
            magnitude.value,
            max(magnitude.abs_tol, magnitude.rel_tol * abs(magnitude.value)),
        )
