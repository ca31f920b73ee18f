"""A bundle's rows beside the store, checked and waiting: then they go in at once, or are compared."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from core.evaluation import Evaluation, Verdict
from core.ranking import Ranking
from core.record import Record
from core.run import RunSpec
from server.bundle import travelling
from server.bundle.lines import FORMS, JUDGEMENTS
from server.store import whole_runs
from server.store.records import to_json
from server.store.trajectories import head_json
from server.store.whole_runs import Row, Rows, Snapshot

_BATCH: Final = 5_000
_BY_PART: Final = {"run": whole_runs.RUN} | {
    kind.table: kind for kind in whole_runs.ALL if kind is not whole_runs.RUN
}


class Staging:
    """Rows in a file of their own, which is gone at the end of the block."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ddr-bundle-")
        self._database = sqlite3.connect(Path(self._folder.name) / "rows", isolation_level=None)
        # Nobody needs it after a crash.
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("PRAGMA synchronous = OFF")
        for kind in whole_runs.ALL:
            self._database.execute(kind.create)
        self._waiting: dict[str, list[Row]] = {}

    def add(self, part: str, row: Row) -> None:
        """A row of a bundle's file. Raises sqlite3.IntegrityError, at some later row, for a key twice."""
        waiting = self._waiting.setdefault(part, [])
        waiting.append(row)
        if len(waiting) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        for part, rows in self._waiting.items():
            self._database.executemany(_BY_PART[part].insert, rows)
        self._waiting = {}

    def rows(self, kind: Rows) -> Iterator[Row]:
        """Those of one table, in the order in which they came."""
        names = ", ".join((*kind.columns, "body"))
        yield from self._database.execute(f"SELECT {names} FROM {kind.table} ORDER BY rowid")

    def rows_of(self, kind: Rows, run_id: str) -> Iterator[Row]:
        """Those of one run."""
        yield from self._database.execute(kind.select, {"run": run_id})

    def drop_run(self, run_id: str) -> None:
        """A run that is stored already."""
        for kind in reversed(whole_runs.OF_A_RUN):
            names = ", ".join(f"{kind.table}.{name}" for name in kind.key)
            mine = f"SELECT {names} FROM {kind.table} {kind.where}"
            keys = ", ".join(kind.key)
            self._database.execute(
                f"DELETE FROM {kind.table} WHERE ({keys}) IN ({mine})", {"run": run_id}
            )

    def drop_ranking(self, ranking_id: str) -> None:
        """A ranking that is stored already."""
        self._database.execute("DELETE FROM comparisons WHERE ranking_id = ?", (ranking_id,))
        self._database.execute("DELETE FROM rankings WHERE id = ?", (ranking_id,))

    def count(self, kind: Rows, run_id: str) -> int:
        """How many of a run's."""
        query = f"SELECT count(*) FROM {kind.table} {kind.where}"
        return int(self._database.execute(query, {"run": run_id}).fetchone()[0])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._database.close()
        self._folder.cleanup()


def first_difference(
    staging: Staging,
    moment: Snapshot,
    kinds: tuple[Rows, ...],
    subject: str,
    paths: travelling.Paths,
    *,
    with_answers: bool,
) -> str | None:
    """The first record of a run, or a ranking, that the store lacks or holds otherwise; None = it has all.

    Compared is what travels: what the store holds beside (answers, later evaluations) is no difference.
    """
    for kind in kinds:
        for row in staging.rows_of(kind, subject):
            key = kind.key_of(row)
            body = moment.body(kind, key)
            named = f"{kind.table} {' '.join(map(str, key))}"
            if body is None:
                return f"{named} is not here"
            if _as_sent(kind, row, body, paths, with_answers=with_answers) != row[-1]:
                return f"{named} is another one here"
    return None


def _as_sent(
    kind: Rows, row: Row, body: str, paths: travelling.Paths, *, with_answers: bool
) -> str | None:
    """A stored record as it would stand in a bundle; None where it would not."""
    record: Any
    if kind is whole_runs.RUN:
        record = travelling.run_sent(RunSpec.model_validate_json(body))
    elif kind is whole_runs.EVALUATIONS:
        record = travelling.evaluation_sent(Evaluation.model_validate_json(body))
    elif kind is whole_runs.RANKING:
        record = travelling.ranking_sent(Ranking.model_validate_json(body))
    elif kind is whole_runs.VERDICTS:
        said = Verdict.model_validate_json(body)
        record = travelling.verdict_sent(said, with_answers=with_answers)
    elif kind is whole_runs.JUDGEMENTS:
        form = JUDGEMENTS[row[0]].model_validate_json(body)
        record = travelling.judgement_sent(row[0], form, with_answers=with_answers)
        if record is None:
            return None
    else:
        record = _form(kind).model_validate_json(body)
    whole = head_json(record) if kind is whole_runs.TRAJECTORIES else to_json(record)
    return paths.out_of(whole)


def _form(kind: Rows) -> type[Record]:
    found: type[Record] = FORMS[kind.table].model_fields["record"].annotation  # type: ignore[assignment]
    return found
