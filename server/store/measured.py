"""Keep what endpoints told of continuations, so that nobody is asked the same again."""

from __future__ import annotations

from core.record import Record
from server.store.records import to_json
from server.store.repository import Repository


class Told(Record):
    """A continuation's tokens with their log-probabilities, and how the endpoint was asked."""

    tokens: tuple[str, ...]
    logprobs: tuple[float, ...]
    form: str


class Measurements:
    """By the sha-256, in hex, of what was asked of whom. Each method is one transaction.

    They lie beside the replies of judges, which are kept by such keys too.
    """

    def __init__(self, store: Repository) -> None:
        self._store = store

    def recall(self, key: str) -> Told | None:
        """What was told; None where nobody was asked."""
        with self._store.glancing() as driver:
            row = driver.execute("SELECT body FROM answers WHERE key = ?", (key,)).fetchone()
            return None if row is None else Told.model_validate_json(row[0])

    def keep(self, key: str, told: Told) -> None:
        """Keep it. Raises StoreError where that cannot be."""
        with self._store.driving() as driver:
            driver.execute(
                "INSERT INTO answers (key, body) VALUES (?, ?) "
                "ON CONFLICT (key) DO UPDATE SET body = excluded.body",
                (key, to_json(told)),
            )
