"""What cannot be done with a run that came in a bundle."""

from __future__ import annotations

from core.errors import UsageError
from core.hints import typed
from core.run import RunSpec


def refuse_bundled(spec: RunSpec) -> None:
    """Raise UsageError where an agent is to go on: what it explored here would stand as the sender's."""
    if spec.is_bundled:
        raise UsageError(
            f"run {spec.id} came in a bundle, and goes on where it was begun; begin one of your own: "
            f"{typed(f'run --scenario {spec.scenario_id}')}"
        )
