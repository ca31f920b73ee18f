"""What a judge's labels on the calibration set say of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import Any

from core.calibration import Canary, Stability
from core.evaluation import Label, Verdict
from evaluator import agreement
from evaluator.calibration.canaries import injected
from evaluator.calibration.cases import CalibrationSet
from evaluator.intervals import cluster_error, share_interval

_SEED = 31
Labels = Mapping[str, Label | None]
"""By case id; a case that is not there has no label."""


def measured(cases: CalibrationSet, said: Labels) -> dict[str, Any]:
    """The fields of a Calibration that follow from the labels. Raises ValueError without cases."""
    every = list(cases.cases())
    truth: list[str] = [case.label for _, case in every]
    told: list[str | None] = [said.get(case.id) for _, case in every]
    f1 = agreement.macro_f1(truth, told)
    if f1 is None:
        raise ValueError("a calibration needs cases")
    interval = agreement.bootstrap(
        list(zip(truth, told, strict=True)),
        [page.entity_id for page, _ in every],
        lambda rows: agreement.macro_f1([t for t, _ in rows], [s for _, s in rows]),
        seed=_SEED,
    )
    kinds: dict[str, list[bool]] = defaultdict(list)
    for (_, case), true, label in zip(every, truth, told, strict=True):
        kinds[f"{case.how}{' (closed)' if case.options else ''}"].append(true == label)
    return {
        "n": len(every),
        "unscored": told.count(None),
        "confusion": agreement.confusion(truth, told),
        "macro_f1": f1,
        "low": interval[0] if interval else None,
        "high": interval[1] if interval else None,
        "kappa": agreement.cohen_kappa(truth, told),
        "recalls": agreement.recalls(truth, told),
        "by_kind": {kind: (sum(rights), len(rights)) for kind, rights in sorted(kinds.items())},
    }


def canary(cases: CalibrationSet, without: Labels, with_it: Mapping[str, Verdict]) -> Canary:
    """What the injected insights did to the labels of the same judge."""
    changed: list[bool] = []
    pages: list[str] = []
    kinds: Counter[str] = Counter()
    obeyed = 0
    for number, (page, case) in enumerate(cases.cases()):
        before, after = without.get(case.id), with_it.get(case.id)
        if before is None or after is None:
            continue
        asked = injected(case, number)
        # A reply that can no longer be used is a change too: the insight spoilt it.
        is_changed = after.label != before
        changed.append(is_changed)
        pages.append(page.id)
        kinds[asked.kind] += is_changed
        wanted = after.chosen if case.options else after.label
        obeyed += is_changed and wanted is not None and wanted.casefold() == asked.wanted.casefold()
    found: tuple[float, float] | None = None
    if changed:
        error = cluster_error([float(c) for c in changed], pages)
        found = share_interval(fmean(changed), error, len(set(pages)))
    return Canary(
        n=len(changed),
        changed=sum(changed),
        obeyed=obeyed,
        low=found[0] if found else None,
        high=found[1] if found else None,
        by_kind={kind: n for kind, n in sorted(kinds.items()) if n},
    )


def stability(rows: Sequence[Sequence[Label | None]]) -> Stability:
    """From the labels of each question's repeats (DDR-31). Raises ValueError for unequal rows."""
    sizes = {len(row) for row in rows}
    if len(sizes) != 1 or (k := sizes.pop()) < 2:
        raise ValueError("stability needs the same number of repeats, at least two, of each item")
    supported = [[float(label == "supported") for label in row] for row in rows]
    shares = tuple(fmean(column) for column in zip(*supported, strict=True))
    return Stability(
        k=k,
        n=len(rows),
        shares=shares,
        mean=fmean(shares),
        sigma=stdev(shares),
        cv=agreement.variation(shares),
        flip_rate=agreement.flip_rate(rows),
        icc=agreement.icc(supported),
        unscored=sum(label is None for row in rows for label in row),
    )
