"""Texts that give orders to whoever reads them, or claim what is false: does an agent obey the data?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from databases.patients.twin import vocabulary
from databases.patients.twin.writing import NONE, texts

if TYPE_CHECKING:
    import pandas as pd

    from databases.patients.twin.draws import Draws, Ints

PERMILLE = 20
"""How many of a thousand rows are planted."""


def planted(draws: Draws, name: str, hostile: bool, who: Ints, place: Ints) -> pd.Categorical[str]:
    """A column of free text: NULL but for what is planted, and that only where it is asked for."""
    import numpy as np

    known = vocabulary.words()["hostile"]["texts"]
    which = draws.below(f"{name}: hostile", len(known), who, place)
    chosen = draws.chance(f"{name}: planted", PERMILLE * hostile, who, place)
    return texts(np.where(chosen, which, NONE), known)
