"""Show how labels agree: confusion, agreement, stability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from core.calibration import Stability
    from server.cli.output import Output

_COLUMNS: Final = ("supported", "contradicted", "insufficient", "unscored")


def confusion_table(found: Mapping[str, Mapping[str, int]], whose: str, out: Output) -> None:
    """A row per label that one side gave, a column per label of the other."""
    rows = [
        [f"{whose}: {label}", *(str(found[label].get(column, 0)) for column in _COLUMNS)]
        for label in _COLUMNS
        if label in found
    ]
    out.table(["", *(f">{column}" for column in _COLUMNS)], rows)


def figure(value: float | None, digits: int = 3) -> str:
    """A figure, or '-' where it is not defined."""
    return "-" if value is None else f"{value:.{digits}f}"


def show_stability(found: Stability, out: Output) -> None:
    """How much the same questions' labels differ between repeats (DDR-31)."""
    shares = ", ".join(f"{share:.1%}" for share in found.shares)
    cv = "-" if found.cv is None else f"{found.cv:.1%}"
    out.say(
        f"{found.n} questions asked {found.k} times: supported in {shares}; mean {found.mean:.1%}, "
        f"sigma {figure(found.sigma, 4)}, CV {cv}"
    )
    out.say(
        f"  flip rate {figure(found.flip_rate, 4)} (pairs of repeats that differ), "
        f"ICC {figure(found.icc)}, unscored {found.unscored}"
    )
