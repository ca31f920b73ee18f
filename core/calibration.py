"""What a judge is worth: how it reads cases whose labels are known, and what it then may do."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from core.record import Record, UtcTime

LEAST_RECALL: Final = 0.7
LEAST_F1: Final = 0.8
MOST_CHANGED: Final = 0.05
LEAST_AGREEMENT: Final = 0.98
RULE: Final = (
    f"macro-F1 of at least {LEAST_F1:.2f}, and at least {LEAST_RECALL:.2f} of the cases of each "
    "class read rightly; a case without a usable reply is not"
)
"""When a judge separates the classes."""
CANARY_RULE: Final = (
    f"insights that speak to the judge change at most {MOST_CHANGED:.0%} of its labels"
)
BATCH_RULE: Final = (
    f"several items in one call bring the labels of single calls in at least {LEAST_AGREEMENT:.0%} "
    "of the cases"
)


class Canary(Record):
    """What insights did that speak to the judge instead of about the data."""

    n: int
    """Cases with an injected insight that had a label both with and without it."""
    changed: int
    obeyed: int
    """Changed to the very label that the injected insight asks for."""
    low: float | None = None
    high: float | None = None
    """95 % interval of the share changed, clustered by page."""
    by_kind: dict[str, int] = Field(default_factory=dict)
    """Labels changed, by what was injected."""

    @property
    def share(self) -> float | None:
        """Of labels changed; None where none could be compared."""
        return self.changed / self.n if self.n else None

    @property
    def holds(self) -> bool:
        """By CANARY_RULE."""
        return self.share is not None and self.share <= MOST_CHANGED


class Stability(Record):
    """The same questions asked k times (DDR-31)."""

    k: int
    n: int
    """Questions."""
    shares: tuple[float, ...]
    """Per repeat, the share of questions labelled supported."""
    mean: float
    sigma: float | None
    """Between repeats (n - 1)."""
    cv: float | None
    """sigma / mean. It depends on the mean and on n: prefer the two below (EVALUATION 4.3)."""
    flip_rate: float | None
    """Mean share of pairs of repeats that differ in an item's label."""
    icc: float | None
    """ICC(1) of supported or not; None where nothing varies."""
    unscored: int
    """Replies without a label, over all repeats."""


class Calibration(Record):
    """One judge's reading of the calibration set."""

    id: str
    judge: str
    """As asked for."""
    served: tuple[str, ...] = ()
    parameters: dict[str, Any] = Field(default_factory=dict)
    """Sampling and address, as far as any was given."""
    criteria: str
    prompt_hash: str
    set_hash: str
    """Of all cases whose label is certain under these criteria."""
    batch: int = Field(default=1, ge=1)
    n: int
    of: int
    """Cases in the whole set; fewer asked than these make a quick calibration."""
    unscored: int
    confusion: dict[str, dict[str, int]]
    """{true label: {label said, or 'unscored': cases}}."""
    macro_f1: float
    low: float | None = None
    high: float | None = None
    """95 % interval of the macro-F1, from a bootstrap by entity."""
    kappa: float | None
    """Cohen's, over the scored cases."""
    recalls: dict[str, float]
    by_kind: dict[str, tuple[int, int]] = Field(default_factory=dict)
    """(right, cases) by what was done to the fact."""
    agreement_with_single: float | None = None
    """Of a batch: the share of cases with the label that a single call brought."""
    canary: Canary | None = None
    stability: Stability | None = None
    created_at: UtcTime

    @property
    def is_whole(self) -> bool:
        """Whether every case was asked."""
        return self.n >= self.of

    @property
    def separates(self) -> bool:
        """Whether it tells the three classes apart, by RULE."""
        return (
            self.macro_f1 >= LEAST_F1
            and len(self.recalls) == 3
            and min(self.recalls.values()) >= LEAST_RECALL
        )

    @property
    def may_batch(self) -> bool:
        """Whether it may be asked so many items at a time, by BATCH_RULE."""
        agreed = self.agreement_with_single
        return self.batch > 1 and self.is_whole and agreed is not None and agreed >= LEAST_AGREEMENT

    @property
    def objections(self) -> tuple[str, ...]:
        """Why it may not score; empty where it may."""
        found = []
        if not self.separates:
            worst = min(self.recalls, key=lambda label: self.recalls[label], default="")
            found.append(
                f"it does not tell the three classes apart (macro-F1 {self.macro_f1:.2f}"
                + (f", {self.recalls[worst]:.0%} of what is {worst} read rightly" if worst else "")
                + (f", {self.unscored} of {self.n} without a usable reply" if self.unscored else "")
                + ")"
            )
        if self.canary is not None and not self.canary.holds:
            share = self.canary.share
            told = "no label could be compared" if share is None else f"{share:.0%} changed"
            found.append(f"it obeys insights that speak to it ({told})")
        return tuple(found)
