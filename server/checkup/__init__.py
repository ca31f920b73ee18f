"""What this machine has and lacks, and what to do about each (the body of `ddr doctor`)."""

from __future__ import annotations

import os

from server.checkup import machine, reach, scenarios, walls
from server.checkup.finding import Finding
from server.settings import Settings

__all__ = ["Finding", "examine"]


def examine(settings: Settings) -> list[Finding]:
    """Everything, in the order in which a first run and then a server meet it."""
    return [
        machine.python(),
        machine.user(),
        machine.home(settings),
        *machine.space(settings),
        *walls.look(walls.Place.here(os.environ)),
        *scenarios.look(settings),
        scenarios.session(settings),
        scenarios.store(settings),
        reach.port(),
        reach.keys(os.environ),
        reach.node(),
        reach.charts(),
    ]
