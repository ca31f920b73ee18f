"""Compose a derivation: the scenario's documents, the models and their money, and the checklist it becomes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from checklists.canonical import items_hash
from checklists.derive.asking import Prompts
from checklists.derive.engine import Derived, Deriver
from checklists.derive.ledger import Ledger
from checklists.derive.proving import EvidenceProver
from checklists.loader import FOLDER, load
from core.checklist import Checklist, ChecklistItem
from core.document import Document
from core.errors import UsageError
from core.run import Limits, ModelSpec
from core.trajectory import ModelCall
from databases.catalog import InstalledScenario, open_scenario
from databases.connection import open_readonly
from databases.documents import Documents
from databases.schema import Schema
from providers.pricing import PriceTable
from server.authoring import keep_checklist
from server.board import Board
from server.metering import Purse
from server.models import (
    TIMEOUT_S,
    Means,
    metered_model,
    named_model,
    refuse_endpoints,
    refuse_unpriced,
)
from server.reviewing import ID, checklist_lock
from server.selection import pick
from server.settings import Settings
from server.store import Repository


@dataclass(frozen=True)
class Asked:
    """What `ddr checklists derive` is asked for."""

    scenario: str
    model: str
    verifier: str | None = None
    """None = the extracting model once more, in conversations of its own."""
    entities: str = "all"
    id: str | None = None
    """None = the scenario's id with `-derived`."""
    base_url: str | None = None
    sampling: Mapping[str, Any] = field(default_factory=dict)
    prices: Path | None = None
    budget_usd: float | None = None
    concurrency: int = 4
    timeout_s: float = TIMEOUT_S
    endpoint_allowed: str | None = None
    seed: int = 0

    @property
    def checklist_id(self) -> str:
        """Under which the checklist and its answers are kept."""
        return self.id or f"{self.scenario}-derived"


@dataclass(frozen=True)
class Prepared:
    """A derivation that is not begun."""

    id: str
    installed: InstalledScenario
    documents: Mapping[str, tuple[Document, ...]]
    deriver: Deriver
    models: tuple[ModelSpec, ModelSpec]
    prices: PriceTable | None
    board: Board

    @property
    def calls(self) -> list[ModelCall]:
        """Every call that was ever made for it."""
        return self.deriver.ledger.calls


def ledger_path(settings: Settings, checklist_id: str) -> Path:
    """Where the answers of a derivation are kept."""
    return settings.home / "derived" / f"{checklist_id}.jsonl"


@contextmanager
def prepared(asked: Asked, store: Repository, settings: Settings) -> Iterator[Prepared]:
    """The derivation, with its database open while this lasts.

    Raises UsageError, UnknownNameError, ConfigError, ScenarioError before anything is spent.
    """
    installed = open_scenario(asked.scenario, settings.home)
    installed.check()
    name = asked.checklist_id
    _before(name, asked.scenario, settings)  # refused before anything is spent
    texts = _texts(asked, installed, settings)
    models = [
        named_model(each, store, base_url=asked.base_url, sampling=asked.sampling)
        for each in (asked.model, asked.verifier or asked.model)
    ]
    for model in models:
        if model.provider == "replay":
            raise UsageError("a replay answers an exploration, not what is asked of a document")
    refuse_endpoints(installed.scenario, models, asked.endpoint_allowed)
    prices = PriceTable.load(asked.prices) if asked.prices else None
    refuse_unpriced(models, prices, budget_usd=asked.budget_usd, limits=Limits())
    means = Means(prices=prices, purse=Purse(asked.budget_usd), timeout_s=asked.timeout_s)
    ledger = Ledger(ledger_path(settings, name))
    if asked.endpoint_allowed:
        ledger.note(f"endpoint allowed: {asked.endpoint_allowed.strip()}")
    schema = installed.schema()
    columns = {table.name: tuple(c.name for c in table.columns) for table in schema.tables}
    with _prover(installed, columns) as prover:
        extractor = metered_model(models[0], means)
        same = asked.verifier is None
        deriver = Deriver(
            extractor=extractor,
            verifier=extractor if same else metered_model(models[1], means),
            prompts=Prompts(installed.scenario.entity_noun, _described(schema)),
            ledger=ledger,
            columns=columns,
            scenario_id=asked.scenario,
            prover=prover,
            concurrency=asked.concurrency,
            salt=json.dumps([asked.base_url, dict(asked.sampling)], sort_keys=True),
        )
        yield Prepared(name, installed, texts, deriver, (models[0], models[1]), prices, means.board)


def keep(made: Prepared, derived: Derived, settings: Settings) -> Checklist | None:
    """Keep what was derived beside what was there: an item on which people decided stays as it is.

    None where there is nothing to keep.
    """
    with checklist_lock(settings, made.id):
        # As it is now: people may have decided while the models were asked.
        before = _before(made.id, made.installed.scenario.id, settings)
        return _kept(made, derived, before, settings)


def _kept(
    made: Prepared, derived: Derived, before: Checklist | None, settings: Settings
) -> Checklist | None:
    old = {item.id: item for item in before.items} if before else {}
    fresh = {item.id: item for item in derived.items}
    items = [*old.values(), *(item for key, item in fresh.items() if key not in old)]
    items = [_newer(item, fresh.get(item.id)) for item in items]
    if not items:
        return None
    order = {entity.id: place for place, entity in enumerate(made.installed.entities())}
    items.sort(key=lambda item: order.get(item.entity_id, len(order)))
    scenario = made.installed.scenario
    checklist = Checklist(
        id=made.id,
        version=before.version if before else "1",
        scenario_id=scenario.id,
        hash=items_hash(items),
        scenario_fingerprint=scenario.fingerprint,
        license=scenario.license,
        items=tuple(items),
    )
    keep_checklist(checklist, settings)
    return checklist


def _newer(old: ChecklistItem, fresh: ChecklistItem | None) -> ChecklistItem:
    """The item as it is now; people's word stands."""
    return old if fresh is None or old.decisions else fresh


def _before(name: str, scenario_id: str, settings: Settings) -> Checklist | None:
    if not re.fullmatch(ID, name):
        raise UsageError(f"--id {name!r}: letters, digits, - and _, 80 at most")
    if (FOLDER / f"{name}.json").is_file():
        raise UsageError(f"{name!r} is a shipped checklist; give another --id")
    path = settings.checklists / f"{name}.json"
    if not path.is_file():
        return None
    before = load(name, settings.checklists)
    foreign = [item for item in before.items if not item.source.startswith("document ")]
    if before.scenario_id != scenario_id or foreign:
        raise UsageError(f"there is another checklist {name!r} here; give another --id")
    return before


def _texts(
    asked: Asked, installed: InstalledScenario, settings: Settings
) -> dict[str, tuple[Document, ...]]:
    kept = Documents(settings.home, installed.scenario.id)
    known = [entity.id for entity in installed.entities()]
    noun = installed.scenario.entity_noun
    wanted = pick(asked.entities, known, noun=noun, seed=asked.seed)
    texts = {entity_id: kept.of(entity_id) for entity_id in wanted}
    found = {key: tuple(d for d in listed if d.text.strip()) for key, listed in texts.items()}
    if not any(found.values()):
        raise UsageError(
            f"no document of {installed.scenario.id} is about any {noun} named, or has a text"
        )
    return {key: listed for key, listed in found.items() if listed}


@contextmanager
def _prover(
    installed: InstalledScenario, columns: Mapping[str, tuple[str, ...]]
) -> Iterator[EvidenceProver | None]:
    """None where another engine answers for the database: evidence is proved on DuckDB."""
    if not installed.manifest.is_filled_here:
        yield None
        return
    entities = installed.entities()
    tables = {each.id: each.tables for each in entities if each.tables is not None}
    with open_readonly(installed.database_path, memory_mb=2048) as connection:
        yield EvidenceProver(connection, columns, [each.id for each in entities], tables)


def _described(schema: Schema) -> dict[str, tuple[str | None, dict[str, tuple[str, str | None]]]]:
    return {
        table.name: (table.comment, {c.name: (c.type, c.comment) for c in table.columns})
        for table in schema.tables
    }
