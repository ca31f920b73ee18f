"""What we keep: runs, trajectories turn by turn, evaluations and verdicts, in one SQLite file."""

from server.store.engine import open_store
from server.store.lock import RunLock, is_locked
from server.store.repository import Repository
from server.store.writer import Writer

__all__ = ["Repository", "RunLock", "Writer", "is_locked", "open_store"]
