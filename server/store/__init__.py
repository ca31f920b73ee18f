"""What we keep: runs, trajectories turn by turn, evaluations and verdicts, in one SQLite file."""

from server.store.engine import open_store
from server.store.lock import RunLock, is_locked
from server.store.repository import Repository

__all__ = ["Repository", "RunLock", "is_locked", "open_store"]
