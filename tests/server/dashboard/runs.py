"""A finished, judged run over one carrier of flights, as pages show it."""

from __future__ import annotations

from typing import Final

from checklists.loader import load
from core.run import RunSpec
from core.trajectory import Insight, StopReason
from server.runner import utc_now
from server.store import Repository
from tests.server.support import draft, evaluation, spec, turn, verdict

SECRET_REASON: Final = "the judge's own reason"
SAID: Final = "Its aircraft are 4.5 years old."


def judged_run(store: Repository) -> RunSpec:
    """Put it into a store."""
    made = spec("20260131-flights-ab12", scenario_id="flights", entity_ids=("01",))
    store.add_run(made)
    kept = store.start_trajectory(draft(made))
    store.add_turn(kept.id, turn(1))
    store.add_insight(
        Insight(id="i1", trajectory_id=kept.id, level="message", turn=1, text=SAID, author="a")
    )
    store.end_trajectory(kept.id, StopReason.FINISHED, ended_at=utc_now())
    facts = load("flights")
    own = evaluation(made).model_copy(
        update={"checklist_id": facts.id, "checklist_hash": facts.hash}
    )
    store.add_evaluation(own)
    store.add_verdicts(
        [verdict(kept.id, facts.of("01")[0].id, evaluation_id=own.id, reason=SECRET_REASON)]
    )
    return made
