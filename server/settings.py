"""Where this installation keeps what it makes: one home folder, chosen once per process."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from core.errors import StoreError


@dataclass(frozen=True)
class Settings:
    """The places below one home folder."""

    home: Path
    """$DDR_HOME: databases, the store, reports, secrets. Mode 0700."""

    @property
    def store_path(self) -> Path:
        """The SQLite file with runs, trajectories and verdicts."""
        return self.home / "store.sqlite3"

    @property
    def locks(self) -> Path:
        """One file per run that a process works on."""
        return self.home / "locks"

    @property
    def reports(self) -> Path:
        """Where `ddr report` and `ddr demo` write their pages."""
        return self.home / "reports"

    @property
    def outside(self) -> Path:
        """What agents from outside printed that `ddr enrol` started: a folder per run."""
        return self.home / "outside"

    @property
    def checklists(self) -> Path:
        """Checklists of one's own, `<id>.json`: authored with a built scenario, imported, derived."""
        return self.home / "checklists"

    def prepare(self) -> Settings:
        """Make the home folder (mode 0700) if it is not there. Raises StoreError."""
        try:
            self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as exc:
            raise StoreError(
                f"cannot make the home folder {self.home}: {exc.strerror or exc}; "
                "set DDR_HOME to a folder that you may write"
            ) from exc
        return self


def default_home() -> Path:
    """`$DDR_HOME`, else `.ddr` in the checkout that this code runs from, else in this folder."""
    if named := os.environ.get("DDR_HOME"):
        return Path(named).expanduser().absolute()
    return usual_home()


def usual_home() -> Path:
    """Where everything is kept unless somebody says otherwise."""
    checkout = Path(__file__).resolve().parents[1]
    if (checkout / "pyproject.toml").is_file() and (checkout / "ddr").is_file():
        return checkout / ".ddr"
    return Path.cwd() / ".ddr"


def unusual(home: Path) -> Path | None:
    """A home that a later command has to be told of; None for the one that it takes unasked."""
    return None if home == usual_home() else home


def load(home: Path | None = None) -> Settings:
    """The settings of this process; `home` overrides the environment."""
    return Settings(home=home.expanduser().absolute() if home else default_home())
