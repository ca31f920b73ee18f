"""What a builder is handed, what it may hand back, and how it is found by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from core.errors import ConfigError
from core.plugins import load
from core.scenario import Entity
from databases.documents import DocumentWriter
from databases.variants import Options
from databases.workplace import refuse_full_disk

if TYPE_CHECKING:
    import duckdb

Progress = Callable[[str, float], None]
"""Told what is being done, in words, and how far along it is (0 to 1)."""


@dataclass(frozen=True)
class BuildContext:
    """What a builder is handed."""

    seed: str
    workspace: Path
    """An empty folder for files of the builder's own; it is deleted afterwards."""
    progress: Progress
    options: Options
    """Every option of the manifest, with its default where the build was told nothing."""
    documents: DocumentWriter
    """Takes the texts that checklists are made from, and agents never see."""
    downloads: Path
    """Where what was downloaded may be kept for the next build; the folder need not be there."""
    folder: Path | None = None
    """Where scenario.toml stands, for builders with files beside it; None for a manifest made in hand."""

    def refuse_full_disk(self, needed_mb: int) -> None:
        """Raise ScenarioError unless so much is free: where the need is only known from the source."""
        refuse_full_disk(self.workspace, needed_mb)


@dataclass(frozen=True)
class Built:
    """What a builder may hand back."""

    secrets: Mapping[str, Any] | None = None
    """What must stay secret (the pseudonyms), for $DDR_HOME/secrets."""
    entities: Sequence[Entity] | None = None
    """Where they are not to be had by the manifest's query alone."""
    notes: Sequence[str] = ()
    """What a person should know of this build, a sentence each: what was left out, and why."""
    file: Path | None = None
    """The finished database, in the workspace, where the manifest's dialect is not DuckDB's: it is
    put in place unchanged, and the connection is left alone."""


class Builder(Protocol):
    """What `[build] builder` in scenario.toml names."""

    def __call__(
        self, connection: duckdb.DuckDBPyConnection, context: BuildContext
    ) -> Built | Mapping[str, Any] | None:
        """Fill the open, empty database, comments included.

        A mapping stands for Built(secrets=mapping).
        """
        ...


def find_builder(scenario_id: str, name: str) -> Builder:
    """The builder of that name. Raises ConfigError where there is none."""
    try:
        found: Builder = load("ddr.scenarios", name, {})
    except ConfigError as exc:
        raise ConfigError(f"scenario {scenario_id}: key 'build.builder': {exc}") from exc
    return found
