"""The class that a run's agent is of: what it had beside our tools. Only one class makes one ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from core.outside import Outside

BUILT_IN: Final = "built-in"
CLOSED_BOOK: Final = "closed-book"
"""The agent that may look at nothing, and the class that it is of."""
UNDECLARED: Final = "undeclared"
"""Of an agent from outside of which nobody said what it has beside our tools."""

APART: Final = "runs of different classes are not compared in one ranking"


def class_of(outside: Outside | None) -> str:
    """In words: 'built-in', 'outside', 'outside with shell', 'outside with shell and web', ...

    An agent that has a shell can compute what it likes, and one that has the web can look things up:
    neither is to be compared with one that had our tools alone. What was not declared is said not
    to have been: 'undeclared', 'outside with shell, web undeclared'.
    """
    if outside is None:
        return BUILT_IN
    means = {"shell": outside.has_shell, "web": outside.has_web}
    held = [name for name, has in means.items() if has]
    unsaid = [name for name, has in means.items() if has is None]
    if len(unsaid) == len(means):
        return UNDECLARED
    words = "outside" + (f" with {' and '.join(held)}" if held else "")
    return f"{words}, {unsaid[0]} undeclared" if unsaid else words
