"""What a run is to be, read from the options of `ddr enrol`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, get_args

from core.errors import UsageError, one_of

if TYPE_CHECKING:
    from pydantic import ValidationError

    from core.outside import Outside
    from core.run import Limits
    from server.settings import Settings

TRIALS: Final = 3
_ANSWERS: Final = {"yes": True, "no": False}


def spelt(name: str) -> str:
    """An option as it is typed."""
    return f"--{name.replace('_', '-')}"


def read_asked(given: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    """What `server.enrolment.enrol` is called with. Raises UsageError, UnknownNameError."""
    from core.scenario import Goal
    from databases.catalog import open_scenario
    from server.build import Hands

    return {
        "installed": open_scenario(given["scenario"], settings.home),
        "agent": given["agent"],
        "entities": "all" if given["entities"] is None else given["entities"],
        "trials": TRIALS if given["trials"] is None else given["trials"],
        "tools": None
        if given["tools"] is None
        else one_of("set of tools", given["tools"], get_args(Hands)),
        "goal": "none" if given["goal"] is None else one_of("goal", given["goal"], get_args(Goal)),
        "limits": _limits(given),
        "outside": _outside(given),
        "seed": given["seed"] or 0,
        "endpoint_allowed": given["endpoint_allowed"],
    }


def _limits(given: Mapping[str, Any]) -> Limits:
    from pydantic import ValidationError

    from core.run import Limits

    try:
        return Limits(max_turns=given["max_turns"], max_seconds=given["max_seconds"])
    except ValidationError as exc:
        raise _out_of_range(exc) from exc


def _outside(given: Mapping[str, Any]) -> Outside:
    from pydantic import ValidationError

    from core.outside import Outside

    idle = {} if given["idle"] is None else {"idle_s": given["idle"]}
    try:
        return Outside(
            has_shell=_answer("--shell", given["shell"]),
            has_web=_answer("--web", given["web"]),
            queue=bool(given["queue"]),
            **idle,
        )
    except ValidationError as exc:
        raise _out_of_range(exc) from exc


def _out_of_range(exc: ValidationError) -> UsageError:
    fault = exc.errors()[0]
    name = str(fault["loc"][0]).removesuffix("_s")  # idle_s is --idle
    return UsageError(f"{spelt(name)} {fault['input']}: {fault['msg']}")


def _answer(option: str, text: str | None) -> bool | None:
    if text is None:
        return None
    if text not in _ANSWERS:
        raise UsageError(f"{option} is yes or no, not {text!r}")
    return _ANSWERS[text]
