"""What a report is made of: the stored records of one run, collected by the caller."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from core.checklist import Checklist
from core.contact import Met
from core.evaluation import Evaluation, Score, Verdict
from core.run import RunSpec
from core.scenario import Entity, Scenario
from core.trajectory import Trajectory


class Proof(Protocol):
    """What the verification of a checklist came to (checklists/verify.py fulfils it)."""

    @property
    def items(self) -> int:
        """How many items were tried."""
        ...

    @property
    def hold(self) -> int:
        """How many return their expected value on the scenario's database."""
        ...

    @property
    def fail_when_perturbed(self) -> int:
        """How many no longer do on a perturbed copy, as they should not."""
        ...


@dataclass(frozen=True)
class ReportData:
    """One run with everything that was judged of it. Absent parts are said to be absent."""

    run: RunSpec
    scenario: Scenario
    entities: Sequence[Entity]
    """Of the whole scenario or of the run; those outside run.entity_ids are left out."""
    checklist: Checklist
    trajectories: Sequence[Trajectory]
    """All attempts, with turns and insights; superseded attempts are counted, not shown."""
    evaluation: Evaluation | None = None
    """None = not evaluated yet."""
    verdicts: Sequence[Verdict] = ()
    """Those of `evaluation`."""
    scores: Sequence[Score] = ()
    """The agent's rows and those of the baselines (core.evaluation.BASELINES)."""
    reachable: Sequence[Score] | None = None
    """The agent's rows over the items that evidence proves to be in its database; None where no item
    has evidence."""
    others: Mapping[str, int] = field(default_factory=dict)
    """Who wrote insights that are not the agent's own, and how many were judged."""
    own_words: Sequence[Score] = ()
    """The agent's message-wise rows without those of others; empty where all are its own."""
    remarks: Sequence[tuple[str, str]] = ()
    """What has to be said beside the scores, each with a title: overall, beyond chance, not comparable."""
    contacts: Mapping[str, Met] = field(default_factory=dict)
    """Of an agent from outside: how far it came, by trajectory id."""
    verification: Proof | None = None
    """None = `ddr scenarios verify` has not been run here."""
    gated: Mapping[str, int] = field(default_factory=dict)
    """Per competitor: how many clauses passed the checker's gate; missing = not known."""
    generated_at: datetime | None = None
    """None = the report names no time, so that the same records give the same file."""
    show_values: bool | None = None
    """Whether cells that tools returned are shown; None = unless the licence is restricted."""

    @property
    def values_shown(self) -> bool:
        """Whether the report may repeat what the database holds."""
        if self.show_values is None:
            return not self.scenario.license.restricted
        return self.show_values
