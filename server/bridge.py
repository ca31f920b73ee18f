"""Published logs brought here: a run per model, and our figures beside those that were printed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from core.errors import LogError, UnknownNameError, UsageError
from core.evaluation import Level, Score
from core.run import ModelSpec, RunSpec
from databases.catalog import InstalledScenario
from evaluator.published import SCENARIOS, Printed, printed, table2
from evaluator.scoring import Averaging
from server.ddr_bench_logs.finding import find
from server.ddr_bench_logs.keeping import AGENT, keep_logs
from server.store import Repository

LENIENT: Final = ("filings",)
"""Scenarios whose printed figures rest on a lenient judge (DDR-07)."""


@dataclass(frozen=True)
class Source:
    """One model's folder of logs."""

    name: str
    """As the folder or the person calls the model."""
    folder: Path
    model: ModelSpec | None


@dataclass(frozen=True)
class Compared:
    """One accuracy, ours beside the printed one; shares in [0, 1]."""

    level: Level
    averaging: Averaging
    ours: float | None
    """Over what was answered alone, as the paper takes it; None where nothing was."""
    strict: float | None
    """Unscored items count as 0."""
    low: float | None
    high: float | None
    """The 95 % interval of the strict one, clustered by entity. A printed figure has none."""
    printed: float | None
    """None where the paper has no such model."""

    @property
    def difference(self) -> float | None:
        """Ours minus the printed one."""
        if self.ours is None or self.printed is None:
            return None
        return self.ours - self.printed

    @property
    def agrees(self) -> bool | None:
        """Whether the printed figure lies in our interval; None where nobody can tell."""
        if self.printed is None or self.low is None or self.high is None:
            return None
        return self.low <= self.printed <= self.high

    def as_json(self) -> dict[str, Any]:
        """For --json."""
        names = ("level", "averaging", "ours", "strict", "low", "high", "printed")
        told = {name: getattr(self, name) for name in names}
        return {**told, "difference": self.difference, "agrees": self.agrees}


def sources(folder: Path, known: Sequence[str], model: ModelSpec | None) -> list[Source]:
    """Whose logs lie in a folder: one model's, where it holds entities; else one's in each of its folders.

    Raises LogError where there are none, UsageError for a model's name beside several models.
    """
    from providers.catalog import model_name

    try:
        found = find(folder, set(known))
    except LogError as fault:
        inner = (
            sorted(each for each in folder.iterdir() if each.is_dir()) if folder.is_dir() else []
        )
        several = [Source(each.name, each, None) for each in inner if _has_logs(each, known)]
        if not several:
            raise fault from None
        if model is not None:
            names = ", ".join(each.name for each in several)
            raise UsageError(
                f"{folder} holds the logs of several models ({names}): leave --model out, or name "
                "one of their folders"
            ) from None
        return several
    assert found.sessions
    name = model_name(model) if model else folder.resolve().name
    return [Source(name, folder, model)]


def kept_run(
    source: Source, installed: InstalledScenario, store: Repository, now: datetime
) -> RunSpec:
    """The run of a model's logs; made where these very logs were not kept before.

    Entities without a log belong to it, and count as never run in the strict figures. Raises LogError,
    ScenarioError, UsageError.
    """
    found = find(source.folder, {entity.id for entity in installed.entities()})
    parts = hashlib.sha256()
    for session in found.sessions:
        for kind, path in sorted(session.files.items()):
            parts.update(f"{session.entity_id}/{session.stamp}/{kind}/".encode())
            parts.update(hashlib.sha256(path.read_bytes()).digest())
    mark = parts.hexdigest()
    for run in store.runs():
        if run.imported and run.imported.sha256 == mark and run.agent == AGENT:
            same = (run.scenario_fingerprint, run.model) == (
                installed.scenario.fingerprint,
                source.model,
            )
            if same:
                return run
    kept = keep_logs(
        source.folder, installed, store, now=now, model=source.model, everybody=True, mark=mark
    )
    return kept.spec


def row_of(name: str, published: str | None) -> Printed | None:
    """The printed row of a model. Raises UsageError where one was named that there is not."""
    row = printed(published or name)
    if published is not None and row is None:
        raise UnknownNameError(
            "model of the paper's Table 2", published, [r.model for r in table2()]
        )
    return row


def compare(scores: Sequence[Score], scenario_id: str, row: Printed | None) -> list[Compared]:
    """The four accuracies of a run's agent beside the printed ones.

    Raises UsageError for a scenario that the paper does not have.
    """
    if scenario_id not in SCENARIOS:
        raise UsageError(
            f"the paper has no figures of {scenario_id}; it has {', '.join(SCENARIOS)}"
        )
    own = scores[0].competitor
    return [
        Compared(
            level=score.level,
            averaging=score.averaging,
            ours=score.answered_only,
            strict=score.strict,
            low=score.low,
            high=score.high,
            printed=row.accuracy(scenario_id, score.level, score.averaging) if row else None,
        )
        for score in scores
        if score.competitor == own
    ]


def _has_logs(folder: Path, known: Sequence[str]) -> bool:
    try:
        return bool(find(folder, set(known)).sessions)
    except LogError:
        return False
