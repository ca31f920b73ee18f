"""Correct a judge's accuracy for its errors, where people have labelled a sample (EVALUATION 4.3)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

from evaluator.agreement import ROUNDS, bootstrap
from evaluator.intervals import cluster_error, share_interval


@dataclass(frozen=True)
class Judged:
    """One item as the judge sees it, and where a person has labelled it, what is true."""

    cluster: Hashable
    said: bool
    """The judge finds it supported."""
    true: bool | None = None
    """A person does; None = nobody was asked."""


@dataclass(frozen=True)
class Corrected:
    """The share of supported items: as judged, and corrected in two ways, each with its 95 % interval."""

    n: int
    labelled: int
    judged: float
    sensitivity: float | None
    """Of what people find supported, the share in which the judge does; None where there is none."""
    specificity: float | None
    """The same for what people do not find supported."""
    powered: float | None
    """Prediction-powered: judged + the mean of (person - judge) over the sample, cut to [0, 1]."""
    powered_interval: tuple[float, float] | None
    rogan_gladen: float | None
    """(judged + specificity - 1) / (sensitivity + specificity - 1), cut to [0, 1]; None where the
    judge is no better than chance."""
    rogan_gladen_interval: tuple[float, float] | None
    """From a bootstrap over clusters."""


def corrected(items: Sequence[Judged], *, seed: int, rounds: int = ROUNDS) -> Corrected:
    """From all judged items, those labelled among them; the sample must have been drawn by chance.

    Raises ValueError without items.
    """
    if not items:
        raise ValueError("nothing was judged")
    some = [item for item in items if item.true is not None]
    judged = fmean(item.said for item in items)
    return Corrected(
        n=len(items),
        labelled=len(some),
        judged=judged,
        sensitivity=_share([item.said for item in some if item.true]),
        specificity=_share([not item.said for item in some if item.true is False]),
        powered=_powered(items, some),
        powered_interval=_powered_interval(items, some),
        rogan_gladen=_rogan_gladen(items),
        rogan_gladen_interval=bootstrap(
            items, [item.cluster for item in items], _rogan_gladen, seed=seed, rounds=rounds
        ),
    )


def rogan_gladen(observed: float, sensitivity: float, specificity: float) -> float | None:
    """The true share behind an observed one (Rogan and Gladen 1978), cut to [0, 1].

    None where sensitivity + specificity is 1 or less: such a judge tells nothing.
    """
    worth = sensitivity + specificity - 1
    return None if worth <= 0 else min(1.0, max(0.0, (observed + specificity - 1) / worth))


def _powered(items: Sequence[Judged], some: Sequence[Judged]) -> float | None:
    if not some:
        return None
    shift = fmean(float(bool(item.true)) - item.said for item in some)
    return min(1.0, max(0.0, fmean(item.said for item in items) + shift))


def _powered_interval(
    items: Sequence[Judged], some: Sequence[Judged]
) -> tuple[float, float] | None:
    """From the clustered errors of both means, as though they were independent."""
    middle = _powered(items, some)
    all_ = cluster_error([float(item.said) for item in items], [item.cluster for item in items])
    shifts = [float(bool(item.true)) - item.said for item in some]
    clusters = [item.cluster for item in some]
    error = cluster_error(shifts, clusters)
    if middle is None or all_ is None or error is None:
        return None
    return share_interval(middle, sqrt(all_**2 + error**2), len(set(clusters)))


def _rogan_gladen(items: Sequence[Judged]) -> float | None:
    sensitivity = _share([i.said for i in items if i.true])
    specificity = _share([not i.said for i in items if i.true is False])
    if sensitivity is None or specificity is None:
        return None
    return rogan_gladen(fmean(item.said for item in items), sensitivity, specificity)


def _share(values: Sequence[bool]) -> float | None:
    return fmean(values) if values else None
