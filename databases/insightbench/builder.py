"""Build the database of InsightBench: a schema per set, its ground truth among the private documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from core.document import Document
from core.errors import ScenarioError, UnknownNameError
from core.scenario import Entity
from core.wording import counted
from databases.insightbench.mistaken import error_texts
from databases.insightbench.reading import InsightSet, read_set, set_files
from databases.insightbench.tables import columns_of, load_tables, table_hash

if TYPE_CHECKING:
    import duckdb

    from databases.build import BuildContext, Built

VIEWS: Final = ("default", "raw")
INSIGHT, SUMMARY = "insight", "summary"
"""Kinds of documents: checklists are made from both."""


def build(connection: duckdb.DuckDBPyConnection, context: BuildContext) -> Built:
    """Fill an empty database (databases.build.Builder).

    The default view leaves out the sets whose ground truth is error text, and clusters the others by
    table; the raw view keeps all of them, each by itself, as the paper counts them.
    """
    from databases.build import Built

    view = str(context.options.get("view", "default"))
    if view not in VIEWS:
        raise UnknownNameError("view of insightbench", view, VIEWS)
    context.progress("reading the sets", 0.05)
    found = _chosen(context)
    kept, notes = (found, []) if view == "raw" else _without_errors(found)
    if not kept:
        raise ScenarioError("no set is left: the ground truth of each is error text")
    entities = []
    for number, each in enumerate(kept):
        context.progress(f"loading {each.id}", 0.1 + 0.6 * number / len(kept))
        tables = load_tables(connection, each)
        cluster = None if view == "raw" else table_hash(each)
        entities.append(_entity(each, tables, cluster))
        context.documents.add_all(_documents(each))
    return Built(entities=entities, notes=[*notes, *_remarks(kept, entities)])


def _chosen(context: BuildContext) -> list[InsightSet]:
    files = set_files(Path(str(context.options["from"])))
    by_id = {path.stem: path for path in files}
    wanted = [name.strip() for name in str(context.options.get("entities", "")).split(",")]
    wanted = [name for name in wanted if name]
    for name in wanted:
        if name not in by_id:
            raise UnknownNameError("data set", name, by_id)
    chosen = [path for path in files if not wanted or path.stem in wanted]
    spelt = Counter(path.stem.lower() for path in chosen)
    if twice := next((path for path in chosen if spelt[path.stem.lower()] > 1), None):
        raise ScenarioError(f"{twice}: another set has the same name but for its capitals")
    return [read_set(path) for path in chosen]


def _without_errors(found: Sequence[InsightSet]) -> tuple[list[InsightSet], list[str]]:
    """The sets that are about their data, and a sentence about each other one."""
    kept, notes = [], []
    for each in found:
        mistaken = error_texts([insight.text for insight in each.insights], columns_of(each))
        if mistaken:
            many = f"{len(mistaken)} of its {counted(len(each.insights), 'insight')}"
            notes.append(f"{each.id} is left out: {many} tell of an analysis that failed")
        else:
            kept.append(each)
    return kept, notes


def _entity(found: InsightSet, tables: Sequence[str], cluster: str | None) -> Entity:
    level = {} if found.level is None else {"level": str(found.level)}
    return Entity(
        scenario_id="insightbench",
        id=found.id,
        # Not its title: that tells half of the findings.
        label=found.id,
        tables=tuple(tables),
        goal=found.goal,
        role=found.role or None,
        cluster_id=cluster,
        attributes={"title": found.title, "category": found.category, **level},
    )


def _documents(found: InsightSet) -> Iterator[Document]:
    for insight in found.insights:
        yield Document(
            id=f"{found.id}-{insight.number:02}",
            entity_id=found.id,
            kind=INSIGHT,
            title=insight.question,
            text=insight.text,
            values={
                "type": insight.type,
                "stated_type": insight.stated_type,
                "actionable": insight.actionable,
            },
        )
    yield Document(id=f"{found.id}-summary", entity_id=found.id, kind=SUMMARY, text=found.summary)


def _remarks(kept: Sequence[InsightSet], entities: Sequence[Entity]) -> list[str]:
    """What is missing, counted; nothing where nothing is."""
    insights = [insight for each in kept for insight in each.insights]
    tables = len({entity.cluster for entity in entities})
    missing = {
        "no text, and no item": sum(not insight.text for insight in insights),
        "no question": sum(not insight.question for insight in insights),
        "no type that could be read": sum(not insight.stated_type for insight in insights),
    }
    said = [
        f"{number} of {counted(len(insights), 'insight')} have {what}"
        for what, number in missing.items()
        if number
    ]
    if tables < len(entities):
        said.append(f"{len(entities)} sets have {counted(tables, 'table')} between them")
    return said
