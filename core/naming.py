"""How a model's name is shown to others."""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

_SCRIPTED: Final = "scripted:"


def without_folders(model: str) -> str:
    """A stored name without the folders of a script: a path of this machine is nobody's business.

    No other name is a path: a colon may stand in a registry's address, before a tag or in a place.
    """
    if not model.startswith(_SCRIPTED):
        return model
    return _SCRIPTED + PurePath(model.removeprefix(_SCRIPTED)).name
