"""Commands as this person types them: what an error or a hint tells someone to run next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

_PROGRAM: ContextVar[str] = ContextVar("program", default="ddr")
_HOME: ContextVar[Path | None] = ContextVar("home", default=None)


def typed(command: str) -> str:
    """A command without its program, 'show last', as it can be typed here.

    Where things are kept in another place than usual, the place stands before it.
    """
    home = _HOME.get()
    kept = "" if home is None else f"DDR_HOME={shlex.quote(str(home))} "
    return f"{kept}{_PROGRAM.get()} {command}"


def program() -> str:
    """How the program is called here: 'ddr', './ddr'."""
    return _PROGRAM.get()


@contextmanager
def called(name: str, *, home: Path | None) -> Iterator[None]:
    """Hints name this program while it lasts, and this home; None = the one that it takes unasked."""
    tokens = _PROGRAM.set(name), _HOME.set(home)
    try:
        yield
    finally:
        _PROGRAM.reset(tokens[0])
        _HOME.reset(tokens[1])
