"""Refuse an option's empty value: a variable that a shell did not know is never taken for leaving it out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from core.errors import UsageError

_EVERYWHERE: Final[tuple[str, ...]] = ()
_TOLD_BETTER: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        (
            "--at",
            "--axis",
            "--baselines",
            "--checker",
            "--criteria",
            "--entities",
            "--figure",
            "--final-report",
            "--format",
            "--goal",
            "--insights",
            "--level",
            "--matching",
            "--method",
            "--only",
            "--pairs",
            "--protocol",
            "--range",
            "--role",
            "--shell",
            "--suite",
            "--tools",
            "--web",
            "--write",
        ),
        _EVERYWHERE,
    ),
    "--agent": ("run",),
    "--by": ("diff", "leaderboard"),
    "--metric": ("metrics",),
}
"""Options whose command refuses an empty value by naming the choices, and the commands that do; () = each."""


def refuse_empty(command: Any, arguments: Sequence[str]) -> None:
    """Raise UsageError for the first option with an empty value, unless its command has more to say of it.

    `command`: the tree that typer makes of an app.
    """
    node = command
    for place, word in enumerate(arguments):
        if word == "--":
            return  # what follows are names, or somebody else's arguments
        if (below := getattr(node, "commands", {}).get(word)) is not None:
            node = below
            continue
        name, equals, value = word.partition("=")
        if not equals:
            value = next(iter(arguments[place + 1 : place + 2]), name)
        if not value and _takes_a_value(node, name) and not _is_told_better(node, name):
            raise UsageError(f"{name}: its value is empty; give one, or leave the option out")


def _takes_a_value(node: Any, name: str) -> bool:
    return any(name in option.opts and not option.is_flag for option in _options(node))


def _is_told_better(node: Any, name: str) -> bool:
    commands = _TOLD_BETTER.get(name)
    return commands is not None and (not commands or node.name in commands)


def _options(node: Any) -> list[Any]:
    return [each for each in node.params if each.param_type_name == "option"]
