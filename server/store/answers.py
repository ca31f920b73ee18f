"""Keep what judges replied, so that the same judge is never asked the same again."""

from __future__ import annotations

from evaluator.interviewing import Remembered
from server.store.records import to_json
from server.store.repository import Repository


class Answers:
    """A Memory (evaluator.interviewing) that outlives the process. Each method is one transaction.

    Both are on the way of every question, so they go by the driver itself.
    """

    def __init__(self, store: Repository) -> None:
        self._store = store

    def recall(self, key: str) -> Remembered | None:
        """See Memory."""
        with self._store.glancing() as driver:
            row = driver.execute("SELECT body FROM answers WHERE key = ?", (key,)).fetchone()
            return None if row is None else Remembered.model_validate_json(row[0])

    def keep(self, key: str, remembered: Remembered) -> None:
        """See Memory. Raises StoreError where it cannot be kept."""
        with self._store.driving() as driver:
            driver.execute(
                "INSERT INTO answers (key, body) VALUES (?, ?) "
                "ON CONFLICT (key) DO UPDATE SET body = excluded.body",
                (key, to_json(remembered)),
            )
