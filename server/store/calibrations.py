"""Keep how judges read the calibration set."""

from __future__ import annotations

from sqlalchemy import select

from core.calibration import Calibration
from server.store.records import to_json
from server.store.repository import Repository
from server.store.tables import CalibrationRow


class Calibrations:
    """All that were made. Each method is one transaction."""

    def __init__(self, store: Repository) -> None:
        self._store = store

    def add(self, made: Calibration) -> None:
        """Keep one. Raises StoreError where its id is taken, or it cannot be kept."""
        row = CalibrationRow(id=made.id, created_at=made.created_at.isoformat(), body=to_json(made))
        with self._store.writing(f"calibration {made.id} is stored already") as session:
            session.add(row)

    def all(self) -> list[Calibration]:
        """Every one, the oldest first."""
        query = select(CalibrationRow.body).order_by(CalibrationRow.created_at, CalibrationRow.id)
        with self._store.reading() as session:
            return [Calibration.model_validate_json(body) for body in session.scalars(query)]
